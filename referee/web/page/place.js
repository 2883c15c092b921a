// Place: what the address says is shown, and what Back closes: a sheet first, then the large view, then the tab.

import { app, update } from "./app.js";

const VIEWS = ["table", "turns", "score", "setup", "story"];

/** Show this: "score", "setup/health", or "large". */
export const go = (address) => {
  if (location.hash !== `#${address}`) location.hash = address;
};

/** Follow the address from now on. */
export function followAddress() {
  addEventListener("hashchange", arrive);
  addEventListener("popstate", back);
  addEventListener("keydown", (event) => event.key === "Escape" && !app.sheet && app.large && leaveLarge());
  if (history.state?.sheet) history.replaceState(null, ""); // of a page that was loaded anew with a sheet open
  arrive();
}

function arrive() {
  const [tab, part = null] = location.hash.slice(1).split("/");
  const large = tab === "large";
  const shown = large ? app.tab : VIEWS.includes(tab) ? tab : "table";
  const other = shown !== app.tab || part !== app.part || large !== app.large;
  if (!large && document.fullscreenElement) document.exitFullscreen();
  update({ tab: shown, part, large, sheet: other ? null : app.sheet });
  if (other) scrollTo(0, 0);
}

/** Show the clock, the player and the verdict alone. */
export function openLarge() {
  opened = true;
  go("large");
}

let opened = false; // the large view from within the page, so that the way back leads there

/** Go back to where the large view was opened. */
export function leaveLarge() {
  if (opened) history.back();
  else location.replace("#table");
  opened = false;
}

/** Fill the screen, or no longer; null where the device cannot. */
export const fillScreen = () =>
  document.fullscreenEnabled ? () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()).then(() => update(), () => {}) : null;

// ---- sheets: each has an entry in the history, so that Back closes it and nothing else -----------------------------

let leaving = false; // an entry is being left, which takes the browser a moment

/** Bring the history in line with whether a sheet is open; called after each drawing. */
export function noteSheet() {
  if (leaving) return;
  const noted = Boolean(history.state?.sheet);
  if (app.sheet && !noted) history.pushState({ sheet: true }, "");
  if (!app.sheet && noted) {
    leaving = true;
    history.back();
  }
}

function back() {
  if (leaving) {
    leaving = false;
    noteSheet(); // another sheet may have been opened meanwhile
  } else if (app.sheet && !history.state?.sheet) {
    update({ sheet: null });
  }
}
