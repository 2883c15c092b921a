// Settings: every setting with what it means, changed here, with what is wrong beside the field it is wrong in.

import { attempt, local, refusal, update } from "./app.js";
import { button, choice, field, tick } from "./controls.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { send } from "./talk.js";
import { has, t } from "./words.js";

/** The part of the setup. */
export function settings() {
  const told = fetched("settings", "/api/settings");
  const { answer, again } = told;
  const form = local("settings-form", { changed: {}, wrong: {}, said: null });
  const list = answer?.settings ?? [];
  const sections = [...new Set(list.map((one) => one.section))];
  const count = Object.keys(form.changed).length;
  return h(
    "form",
    { class: "settings", novalidate: true, onsubmit: (event) => (event.preventDefault(), save(form, again)) },
    h("p", { class: "help" }, t("settings.how"), answer?.restart_needed && h("strong", {}, ` ${t("settings.restart")}`)),
    waiting(told),
    answer && answer.file === null && h("p", { class: "notice doubt" }, t("settings.no_file")),
    sections.map((section) => {
      const mine = list.filter((one) => one.section === section);
      const isWrong = mine.some((one) => form.wrong[nameOf(one)]);
      return h("details", { key: section, class: "card", open: isWrong || null }, h("summary", {}, has(`section.${section}`) ? t(`section.${section}`) : section, " ", h("small", {}, section)), mine.map((one) => setting(one, form)));
    }),
    count > 0 && h(
      "div",
      { class: "row sticky" },
      h("button", { type: "submit", class: "button first" }, t("settings.save", { count })),
      button(t("sheet.cancel"), () => (Object.assign(form, { changed: {}, wrong: {}, said: null }), update())),
      form.said && h("p", { class: "notice bad", role: "alert" }, form.said),
    ),
  );
}

const nameOf = ({ section, key }) => `${section}.${key}`;
const isList = (kind) => ["texts", "numbers", "wholes"].includes(kind);
const asText = (value) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
const isRule = ({ section }) => section === "house_rules";

/** "0 … 600 s", the same in every language. */
const range = ({ least, most, unit }) => (least === undefined ? null : [least, "…", most, unit].filter((part) => part !== undefined).join(" "));

/** What a setting means; of a house rule its name says that, so what it may be. */
function meaning(one) {
  if (isRule(one)) return one.kind === "whole" ? t("settings.range", { least: one.least, most: one.most }) : null;
  return has(`setting.${nameOf(one)}`) ? t(`setting.${nameOf(one)}`) : one.comment;
}

function setting(one, form) {
  const name = nameOf(one);
  const label = isRule(one) ? t(`rule.${one.key}`) : one.key;
  const help = [meaning(one), !isRule(one) && range(one), !isRule(one) && one.origin !== "default" && t("settings.default", { value: asText(one.default) })].filter(Boolean).join(" · ");
  const keep = (value) => {
    if (value === asText(one.value)) delete form.changed[name];
    else form.changed[name] = { text: value, kind: one.kind, rule: isRule(one) };
    update();
  };
  const typed = form.changed[name]?.text ?? asText(one.value);
  if (one.choices || (isRule(one) && one.kind === "truth")) {
    const options = one.choices ? one.choices.map((word) => [word, has(`choice.${word}`) ? t(`choice.${word}`) : word]) : [["true", t("yes")], ["false", t("no")]];
    const none = isRule(one) ? [["", t("settings.edition")]] : [];
    return choice(label, { name, value: typed, disabled: !one.page, onchange: (event) => keep(event.target.value) }, [...none, ...options], { help, wrong: form.wrong[name] });
  }
  if (one.kind === "truth") {
    return tick(label, { name, checked: typed === "true", disabled: !one.page, onchange: (event) => keep(String(event.target.checked)) }, form.wrong[name] ?? help);
  }
  const props = { name, value: typed, disabled: !one.page, inputmode: one.kind === "whole" ? "numeric" : null, autocomplete: "off", spellcheck: "false", oninput: (event) => keep(event.target.value) };
  return field(label, props, { help, wrong: form.wrong[name] });
}

/** What was typed as the setting's kind; what is no number goes as it is, for the referee to say what is wrong. */
function valueTyped({ text, kind, rule }) {
  if (rule && text.trim() === "") return null; // back to what the edition says
  const one = (word) => (kind.startsWith("text") || word.trim() === "" || Number.isNaN(Number(word)) ? word.trim() : Number(word));
  if (kind === "truth") return text === "true";
  if (isList(kind)) return text.trim() ? text.split(",").map(one) : [];
  return one(text);
}

function showWrong() {
  const first = /** @type {?HTMLElement} */ (document.querySelector(".field.wrong input"));
  first?.focus();
  first?.scrollIntoView({ block: "center" });
}

async function save(form, again) {
  const wanted = Object.fromEntries(Object.entries(form.changed).map(([name, typed]) => [name, valueTyped(typed)]));
  try {
    await send("/api/settings", { settings: wanted });
  } catch (error) {
    const wrong = error.errors ?? {};
    const count = Object.keys(wrong).length;
    Object.assign(form, { wrong, said: count ? t("settings.wrong", { count }) : refusal(error) });
    update();
    queueMicrotask(showWrong); // once the page is drawn
    return;
  }
  Object.assign(form, { changed: {}, wrong: {}, said: null });
  await attempt(again, t("settings.saved"));
}
