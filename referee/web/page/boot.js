// Boot: loads the page anew where a part of it did not come, for nothing else of it would.

const WAIT = 3000; // milliseconds between two tries
const MAX_LOAD = 60000; // milliseconds until the page must stand; a slow link needs a while

const stands = () => document.body.classList.contains("stands");
addEventListener("error", (event) => {
  const target = /** @type {HTMLLinkElement} */ (event.target);
  const lost = target.localName === "script" || target.rel === "stylesheet";
  if (lost) setTimeout(() => (stands() && target.localName === "script") || location.reload(), WAIT);
}, true);
setTimeout(() => stands() || location.reload(), MAX_LOAD);
