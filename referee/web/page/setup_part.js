// What the parts of the setup share: a lock before the PIN, and answers that are asked for once.

import { local, update } from "./app.js";
import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { ask } from "./talk.js";
import { t } from "./words.js";

/** A part that only the organiser sees: before the PIN it says so. */
export function locked(what) {
  return h("section", { class: "card" }, h("p", { class: "locked-line" }, icon("lock"), t("lock.part", { what })), button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" }));
}

/** Ask for something once, and keep the answer until `again` is called. */
export function fetched(name, path) {
  const memory = local(name, { answer: null, error: null, asked: false });
  const again = async () => {
    memory.asked = true;
    try {
      memory.answer = await ask(path);
      memory.error = null;
    } catch (error) {
      memory.error = error;
    }
    update();
  };
  if (!memory.asked) again();
  return { ...memory, again, memory };
}
