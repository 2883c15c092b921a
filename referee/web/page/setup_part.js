// Setup parts: the lock that stands before the PIN.

import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { t } from "./words.js";

/** A part that only the organiser sees: before the PIN it says so. */
export function locked(what) {
  return h("section", { class: "card" }, h("p", { class: "locked-line" }, icon("lock"), t("lock.part", { what })), button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" }));
}
