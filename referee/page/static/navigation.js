// Navigation: the address selects the view; Back closes a sheet, then the large view, then the tab.

import { app, update } from "./app.js";

const VIEWS = ["table", "turns", "score", "photo", "setup", "story"];

/** Go to an address such as "score", "setup/health" or "large". */
export const navigate = (address) => {
  if (location.hash !== `#${address}`) location.hash = address;
};

/** Show the address's view, now and after each change. */
export function followAddress() {
  addEventListener("hashchange", showAddress);
  addEventListener("popstate", onBack);
  addEventListener("keydown", (event) => event.key === "Escape" && !app.sheet && app.largeView && closeLargeView());
  if (history.state?.sheet) history.replaceState(null, ""); // the page was reloaded with a sheet open
  showAddress();
}

function showAddress() {
  const [tab, part = null] = location.hash.slice(1).split("/");
  const large = tab === "large";
  const shownTab = large ? app.tab : VIEWS.includes(tab) ? tab : "table";
  const hasChanged = shownTab !== app.tab || part !== app.part || large !== app.largeView;
  if (!large && document.fullscreenElement) document.exitFullscreen();
  update({ tab: shownTab, part, largeView: large, sheet: hasChanged ? null : app.sheet });
  if (hasChanged) scrollTo(0, 0);
}

/** Open the large view. */
export function openLargeView() {
  openedHere = true;
  navigate("large");
}

let openedHere = false; // whether Back leads to the view that opened the large one

/** Close the large view and return to the one that opened it. */
export function closeLargeView() {
  if (openedHere) history.back();
  else location.replace("#table");
  openedHere = false;
}

/** A function that enters or leaves full screen; null if the device cannot. */
export const fullscreenToggle = () =>
  document.fullscreenEnabled ? () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()).then(() => update(), () => {}) : null;

// ---- sheets: each has a history entry, so that Back closes only the sheet -------------------------------------------

let isGoingBack = false; // the browser takes a moment to go back

/** Add or remove the history entry of the sheet; call after each rendering. */
export function syncSheetHistory() {
  if (isGoingBack) return;
  const hasEntry = Boolean(history.state?.sheet);
  if (app.sheet && !hasEntry) history.pushState({ sheet: true }, "");
  if (!app.sheet && hasEntry) {
    isGoingBack = true;
    history.back();
  }
}

function onBack() {
  if (isGoingBack) {
    isGoingBack = false;
    syncSheetHistory(); // meanwhile another sheet may have opened
  } else if (app.sheet && !history.state?.sheet) {
    update({ sheet: null });
  }
}
