// Settings: every setting with what it means, changed here, with what is wrong beside the field it is wrong in.

import { app, attempt, local, refusal, update } from "./app.js";
import { button, choice, field, tick } from "./controls.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { send } from "./talk.js";
import { has, message, number, t } from "./words.js";

/** The part of the setup; `open` shows another one. */
export function settings(open) {
  const told = fetched("settings", "/api/settings");
  const { answer, again } = told;
  const form = local("settings-form", { changed: {}, wrong: {}, said: null });
  const list = answer?.settings ?? [];
  const sections = [...new Set(list.map((one) => one.section))];
  const count = Object.keys(form.changed).length;
  return h(
    "form",
    { class: "settings", novalidate: true, onsubmit: (event) => (event.preventDefault(), save(form, again)) },
    h("p", { class: "help" }, t("settings.how")),
    answer?.restart_needed && h("div", { class: "notice doubt" }, h("p", {}, t("settings.restart")), button(t("machine.title"), () => open("health"))),
    waiting(told),
    answer && answer.file === null && h("p", { class: "notice doubt" }, t("settings.no_file")),
    sections.map((section) => {
      const mine = list.filter((one) => one.section === section);
      const isWrong = mine.some((one) => form.wrong[nameOf(one)]);
      const isElsewhere = answer.file !== null && mine.some((one) => !one.page);
      return h(
        "details",
        { key: section, class: "card", open: isWrong || null },
        h("summary", {}, t(`section.${section}`)),
        isElsewhere && h("p", { class: "help" }, t("settings.elsewhere")),
        mine.map((one) => setting(one, form)),
      );
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
const isRule = ({ section }) => section === "house_rules";

/** A value as it is typed, with the reader's own decimal sign; in a list, which commas divide, with a point. */
function asText({ kind }, value) {
  if (Array.isArray(value)) return value.join(", ");
  return kind === "number" && typeof value === "number" ? number(value, { useGrouping: false, maximumFractionDigits: 9 }) : String(value ?? "");
}

/** A value in words: of a choice its name, of a truth yes or no; else as it is typed. */
function inWords(one, value) {
  const { key, kind } = one;
  if (key === "edition") return app.editions.find(({ id }) => id === value)?.name ?? value;
  if (kind === "truth") return t(value ? "yes" : "no");
  const id = `${key === "format" ? "format" : "choice"}.${value}`;
  return kind === "choice" && has(id) ? t(id) : asText(one, value) || "–";
}

/** What a setting is called, with its unit. */
function labelled(one) {
  const name = isRule(one) ? t(`rule.${one.key}`) : t(`setting.${nameOf(one)}.title`);
  return !isRule(one) && one.unit ? `${name} (${one.unit})` : name;
}

/** What a setting means and may be; of a house rule and a choice the name and the words say what it means. */
function helped(one) {
  if (isRule(one)) return one.kind === "whole" ? t("settings.range", { least: one.least, most: one.most }) : null;
  const parts = [
    !one.choices && t(`setting.${nameOf(one)}`),
    one.least !== undefined && `${number(one.least)}\u00a0…\u00a0${number(one.most)}`,
    one.origin !== "default" && t("settings.default", { value: inWords(one, one.default) }),
  ];
  return parts.filter(Boolean).join(" · ") || null;
}

function setting(one, form) {
  const name = nameOf(one);
  const help = helped(one);
  if (!one.page) return h("div", { class: "field", key: name }, h("p", {}, h("strong", {}, labelled(one)), " ", h("small", {}, name), ": ", inWords(one, one.value)), help && h("p", { class: "help" }, help));
  const label = h("span", { title: name }, labelled(one)); // as the settings file calls it
  const wrong = form.wrong[name] && message(form.wrong[name]);
  const keep = (value) => {
    if (value === asText(one, one.value)) delete form.changed[name];
    else form.changed[name] = { text: value, kind: one.kind, rule: isRule(one) };
    update();
  };
  const typed = form.changed[name]?.text ?? asText(one, one.value);
  if (one.choices || (isRule(one) && one.kind === "truth")) {
    const options = (one.choices ?? [true, false]).map((value) => [String(value), inWords(one, value)]);
    const none = isRule(one) ? [["", t("settings.edition")]] : [];
    return choice(label, { name, value: typed, onchange: (event) => keep(event.target.value) }, [...none, ...options], { help, wrong });
  }
  if (one.kind === "truth") {
    return tick(label, { name, checked: typed === "true", onchange: (event) => keep(String(event.target.checked)) }, wrong ?? help);
  }
  const inputmode = one.least >= 0 ? { whole: "numeric", number: "decimal" }[one.kind] : null; // whose keys have no minus
  const type = one.kind === "time" ? "time" : "text";
  return field(label, { name, type, value: typed, inputmode, autocomplete: "off", spellcheck: "false", oninput: (event) => keep(event.target.value) }, { help, wrong });
}

/** What was typed as the setting's kind; what is no number goes as it is, for the referee to say what is wrong. */
function valueTyped({ text, kind, rule }) {
  if (rule && text.trim() === "") return null; // back to what the edition says
  const isText = !["whole", "number", "wholes", "numbers"].includes(kind);
  const one = (word) => {
    const plain = isText ? word.trim() : word.trim().replace(",", "."); // as keys have it in most languages
    return isText || plain === "" || Number.isNaN(Number(plain)) ? plain : Number(plain);
  };
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
