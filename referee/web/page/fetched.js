// Fetched: what a view asks the referee for: kept, asked for anew when it may have changed, and until there is an answer.

import { local, refreshSession, refusal, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { ask, longer } from "./talk.js";
import { t } from "./words.js";

/** The answer of `path`, asked for again whenever `key` is another; the last one stays until the next has come. */
export function fetched(name, path, key = "") {
  const memory = local(`fetched-${name}`, { answer: null, error: null, asked: undefined, asking: false, wait: 1, timer: null });
  const again = () => {
    memory.asked = key;
    return get(memory, path);
  };
  if (memory.asked !== key) again();
  return { answer: memory.answer, error: memory.error, memory, again };
}

async function get(memory, path) {
  clearTimeout(memory.timer);
  if (memory.asking) {
    memory.once = true; // more: what is on its way may be older than what is wanted
    return;
  }
  memory.asking = true;
  try {
    memory.answer = await ask(path);
    Object.assign(memory, { error: null, wait: 1 });
  } catch (error) {
    memory.error = error;
    if (error.status === 403) refreshSession();
    else if (![400, 404, 409].includes(error.status)) { // these would be refused again
      memory.timer = setTimeout(() => get(memory, path), 1000 * (error.seconds ?? memory.wait));
      memory.wait = longer(memory.wait);
    }
  }
  memory.asking = false;
  if (memory.once) {
    memory.once = false;
    return get(memory, path);
  }
  update();
}

/** A line for what has not come yet, or could not be had; nothing where all is well. */
export function waiting({ answer, error, again }) {
  if (error && error.status !== 409) {
    return h("div", { class: "notice bad", role: "alert" }, icon("link"), h("p", {}, refusal(error)), button(t("again.try"), again));
  }
  return !answer && !error && h("p", { class: "help", role: "status" }, t("loading"));
}

/** A picture; where it does not come there is a line and a way to ask again. */
export function pictured(src, props) {
  const memory = local(`picture-${src}`, { failed: false, tries: 0 });
  if (memory.failed) {
    return h("div", { class: "notice doubt", key: `${src}-failed` }, icon("camera"), h("p", {}, t("picture.failed")), button(t("again.try"), () => (Object.assign(memory, { failed: false, tries: memory.tries + 1 }), update())));
  }
  const shown = memory.tries ? `${src}${src.includes("?") ? "&" : "?"}try=${memory.tries}` : src;
  return h("img", { key: shown, src: shown, onerror: () => ((memory.failed = true), update()), ...props });
}
