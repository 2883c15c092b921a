// Calibration steps: the table and the inks found from what lies there now, one step after the other.

import { local, refusal, update } from "./app.js";
import { field } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { send } from "./talk.js";
import { listed, number, t } from "./words.js";

const MEASURES = { light: {}, setup: { table_mm: "1200x900", tile_mm: "27x38" }, table: { table_mm: "1200x900" }, colours: {}, tiles: { order: "J JD JC JM" } };

const FIRST = ["light", "setup"]; // steps that are enough for most tables

/** The card with all steps; `done` is called after one has been taken. */
export function calibrationSteps(done) {
  return h(
    "section",
    { class: "card", "aria-labelledby": "steps-line" },
    h("h2", { id: "steps-line" }, t("step.title")),
    h("p", {}, t("step.how")),
    Object.keys(MEASURES).map((name) => step(name, done)),
  );
}

function step(name, done) {
  const form = local(`step-${name}`, { typed: {}, wrong: {}, answer: null, refused: null, working: false });
  const take = async (event) => {
    event.preventDefault();
    const measures = Object.fromEntries(Object.keys(MEASURES[name]).map((key) => [key, (key === "order" ? named : measured)(form.typed[key])]));
    form.wrong = Object.fromEntries(Object.entries(measures).filter(([, value]) => value === undefined).map(([key]) => [key, t(key === "order" ? "step.order_wrong" : "step.measure_wrong", { example: MEASURES[name][key] })]));
    if (Object.keys(form.wrong).length) return update();
    Object.assign(form, { working: true, answer: null, refused: null });
    update();
    try {
      form.answer = await send("/api/calibration/step", { step: name, ...measures });
      done();
    } catch (error) {
      form.refused = refusal(error);
    }
    form.working = false;
    update();
  };
  return h(
    "details",
    { open: FIRST.includes(name) },
    h("summary", {}, t(`step.${name}`)),
    h(
      "form",
      { class: "fields", onsubmit: take },
      h("p", {}, t(`step.${name}_how`)),
      Object.entries(MEASURES[name]).map(([key, example]) =>
        field(t(`step.${key}`), { id: `field-${name}-${key}`, name: key, autocomplete: "off", value: form.typed[key] ?? "", oninput: (event) => (form.typed[key] = event.target.value) }, { help: t(key === "order" ? "step.order_help" : "step.measure_help", { example }), wrong: form.wrong[key] })),
      form.refused && h("p", { class: "notice bad", role: "alert" }, icon("bad"), h("span", {}, form.refused)),
      form.answer && h("p", { class: "notice good", role: "status" }, icon("good"), h("span", {}, told(form.answer))),
      h("div", { class: "row" }, h("button", { type: "submit", class: "button first", disabled: form.working }, t(form.working ? "step.working" : `step.${name}_do`))),
    ),
  );
}

/** Two measures as they are typed; null for none, undefined where they are none. */
function measured(text = "") {
  if (!text.trim()) return null;
  const found = /^\s*(\d+(?:[.,]\d+)?)\s*[x×*]\s*(\d+(?:[.,]\d+)?)\s*$/.exec(text);
  return found ? [found[1], found[2]].map((side) => Number(side.replace(",", "."))) : undefined;
}

/** The tiles that lie there as they are typed; undefined where none is. */
const named = (text = "") => text.trim() || undefined;

/** What was found, in words. */
function told({ step: name, size_mm: size, error_mm: error, inks_why: why, not_set: unset, tiles, alike }) {
  return [
    tiles && t("step.learnt", { tiles: tiles.join(" ") }),
    alike?.length > 0 && t("step.alike", { tiles: alike.map((pair) => pair.join(" – ")).join(", ") }),
    unset && t("step.locked"),
    unset?.length > 0 && t("step.not_set", { what: listed(unset.map((one) => t(`step.${one}`))) }),
    size && t("step.found", { width: number(size[0]), depth: number(size[1]) }),
    size && error !== null && t("step.error", { error: number(error, { maximumFractionDigits: 1 }) }),
    (name === "colours" || why === null) && t("step.inks_learnt"),
    why && t("step.no_inks", { why }),
    !unset && t("step.then"),
  ].filter(Boolean).join(" ");
}
