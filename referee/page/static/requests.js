// Requests: answers and pictures that views ask the referee for, cached, refreshed and retried.

import { viewMemory, refreshSession, errorText, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { get, nextWait } from "./api.js";
import { t } from "./i18n.js";

/** The cached answer of `path`, requested again when `key` changes; the old answer stays until the next comes. */
export function cachedRequest(name, path, key = "") {
  const memory = viewMemory(`fetched-${name}`, { answer: null, error: null, loadedKey: undefined, isLoading: false, wait: 1, timer: null });
  const reload = () => {
    memory.loadedKey = key;
    return loadInto(memory, path);
  };
  if (memory.loadedKey !== key) reload();
  return { answer: memory.answer, error: memory.error, memory, reload };
}

async function loadInto(memory, path) {
  clearTimeout(memory.timer);
  if (memory.isLoading) {
    memory.reloadNeeded = true; // the answer under way may be out of date
    return;
  }
  memory.isLoading = true;
  try {
    memory.answer = await get(path);
    Object.assign(memory, { error: null, wait: 1 });
  } catch (error) {
    memory.error = error;
    if (error.status === 403) refreshSession();
    else if (![400, 404, 409].includes(error.status)) { // these would fail again
      memory.timer = setTimeout(() => loadInto(memory, path), 1000 * (error.seconds ?? memory.wait));
      memory.wait = nextWait(memory.wait);
    }
  }
  memory.isLoading = false;
  if (memory.reloadNeeded) {
    memory.reloadNeeded = false;
    return loadInto(memory, path);
  }
  update();
}

/** A line while a request waits or after it failed; nothing after success. */
export function requestStatus({ answer, error, reload }) {
  if (error && error.status !== 409) {
    return h("div", { class: "notice bad", role: "alert" }, icon("link"), h("p", {}, errorText(error)), button(t("again.try"), reload));
  }
  return !answer && !error && h("p", { class: "help", role: "status" }, t("loading"));
}

/** A picture; if it fails to load, a line with a button to retry. */
export function retryablePicture(src, props) {
  const memory = viewMemory(`picture-${src}`, { failed: false, tries: 0 });
  if (memory.failed) {
    return h("div", { class: "notice doubt", key: `${src}-failed` }, icon("camera"), h("p", {}, t("picture.failed")), button(t("again.try"), () => (Object.assign(memory, { failed: false, tries: memory.tries + 1 }), update())));
  }
  const address = memory.tries ? `${src}${src.includes("?") ? "&" : "?"}try=${memory.tries}` : src;
  return h("img", { key: address, src: address, onerror: () => ((memory.failed = true), update()), ...props });
}
