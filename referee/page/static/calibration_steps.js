// Calibration steps: a form for each step that calibrates from what lies on the table now.

import { viewMemory, errorText, fieldErrors, update } from "./app.js";
import { field } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { post } from "./api.js";
import { formatList, formatNumber, messageText, t } from "./i18n.js";

const FIELD_EXAMPLES = { light: {}, setup: { table_mm: "1200x900", tile_mm: "27x38" }, table: { table_mm: "1200x900" }, colours: {}, tiles: { order: "J JD JC JM" } };

const OPEN_STEPS = ["light", "setup"]; // enough for most tables

/** The card with all steps; `onDone` runs after each. */
export function calibrationSteps(onDone) {
  return h(
    "section",
    { class: "card", "aria-labelledby": "steps-line" },
    h("h2", { id: "steps-line" }, t("step.title")),
    h("p", {}, t("step.how")),
    Object.keys(FIELD_EXAMPLES).map((name) => step(name, onDone)),
  );
}

function step(name, onDone) {
  const form = viewMemory(`step-${name}`, { typed: {}, wrong: {}, answer: null, refused: null, working: false });
  const submit = async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(Object.keys(FIELD_EXAMPLES[name]).map((key) => [key, (key === "order" ? parseTiles : parseSize)(form.typed[key])]));
    form.wrong = Object.fromEntries(Object.entries(values).filter(([, value]) => value === undefined).map(([key]) => [key, t(key === "order" ? "step.order_wrong" : "step.measure_wrong", { example: FIELD_EXAMPLES[name][key] })]));
    if (Object.keys(form.wrong).length) return update();
    Object.assign(form, { working: true, answer: null, refused: null });
    update();
    try {
      form.answer = await post("/api/calibration/step", { step: name, ...values });
      onDone();
    } catch (error) {
      form.wrong = fieldErrors(error);
      form.refused = Object.keys(form.wrong).length ? null : errorText(error);
    }
    form.working = false;
    update();
  };
  return h(
    "details",
    { open: OPEN_STEPS.includes(name) },
    h("summary", {}, t(`step.${name}`)),
    h(
      "form",
      { class: "fields", onsubmit: submit },
      h("p", {}, t(`step.${name}_how`)),
      Object.entries(FIELD_EXAMPLES[name]).map(([key, example]) =>
        field(t(`step.${key}`), { id: `field-${name}-${key}`, name: key, autocomplete: "off", value: form.typed[key] ?? "", oninput: (event) => (form.typed[key] = event.target.value) }, { help: t(key === "order" ? "step.order_help" : "step.measure_help", { example }), wrong: form.wrong[key] })),
      form.refused && h("p", { class: "notice bad", role: "alert" }, icon("bad"), h("span", {}, form.refused)),
      form.answer && h("p", { class: "notice good", role: "status" }, icon("good"), h("span", {}, resultText(form.answer))),
      h("div", { class: "row" }, h("button", { type: "submit", class: "button first", disabled: form.working }, t(form.working ? "step.working" : `step.${name}_do`))),
    ),
  );
}

/** Parse a typed size such as 1200x900; null if empty, undefined if invalid. */
function parseSize(text = "") {
  if (!text.trim()) return null;
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*[x×*]\s*(\d+(?:[.,]\d+)?)\s*$/.exec(text);
  return match ? [match[1], match[2]].map((side) => Number(side.replace(",", "."))) : undefined;
}

/** The typed tiles; undefined if empty. */
const parseTiles = (text = "") => text.trim() || undefined;

/** A step's result in words. */
function resultText({ step: name, size_mm: size, error_mm: error, inks_why: why, not_set: unset, tiles, alike }) {
  return [
    tiles && t("step.learnt", { tiles: tiles.join(" ") }),
    alike?.length > 0 && t("step.alike", { tiles: alike.map((pair) => pair.join(" – ")).join(", ") }),
    unset && t("step.locked"),
    unset?.length > 0 && t("step.not_set", { what: formatList(unset.map((part) => t(`step.${part}`))) }),
    size && t("step.found", { width: formatNumber(size[0]), depth: formatNumber(size[1]) }),
    size && error !== null && t("step.error", { error: formatNumber(error, { maximumFractionDigits: 1 }) }),
    (name === "colours" || why === null) && t("step.inks_learnt"),
    why && t("step.no_inks", { why: messageText(why) }),
    !unset && t("step.then"),
  ].filter(Boolean).join(" ");
}
