// Boot: reloads the page when one of its files failed to load; no other script could.

const RETRY_MS = 3000;
const MAX_LOAD_MS = 60000; // a slow link needs a while

const hasLoaded = () => document.body.classList.contains("stands");
addEventListener("error", (event) => {
  const target = /** @type {HTMLLinkElement} */ (event.target);
  const isPageFile = target.localName === "script" || target.rel === "stylesheet";
  if (isPageFile) setTimeout(() => (hasLoaded() && target.localName === "script") || location.reload(), RETRY_MS);
}, true);
setTimeout(() => hasLoaded() || location.reload(), MAX_LOAD_MS);
