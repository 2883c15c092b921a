// Settings: a form for every setting, with its meaning and errors beside the field.

import { app, attempt, viewMemory, errorText, fieldErrors, update } from "./app.js";
import { button, selectField, field, checkbox } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { post } from "./api.js";
import { hasText, formatNumber, t } from "./i18n.js";

/** The setup's part for settings; `openPart` opens another part. */
export function settings(openPart) {
  const request = cachedRequest("settings", "/api/settings");
  const { answer, reload } = request;
  const form = viewMemory("settings-form", { changed: {}, wrong: {}, error: null });
  const list = answer?.settings ?? [];
  const sections = [...new Set(list.map((setting) => setting.section))];
  const count = Object.keys(form.changed).length;
  return h(
    "form",
    { class: "settings", novalidate: true, onsubmit: (event) => (event.preventDefault(), save(form, reload)) },
    h("p", { class: "help" }, t("settings.how")),
    answer?.restart_needed && h("div", { class: "notice doubt" }, h("p", {}, t("settings.restart")), button(t("machine.title"), () => openPart("health"))),
    requestStatus(request),
    answer && answer.file === null && h("p", { class: "notice doubt" }, t("settings.no_file")),
    sections.map((section) => {
      const own = list.filter((setting) => setting.section === section);
      const isWrong = own.some((setting) => form.wrong[settingName(setting)]);
      const hasReadOnly = answer.file !== null && own.some((setting) => !setting.page);
      return h(
        "details",
        { key: section, class: "card", open: isWrong || null },
        h("summary", {}, t(`section.${section}`)),
        hasReadOnly && h("p", { class: "help" }, t("settings.elsewhere")),
        own.map((setting) => settingField(setting, form)),
      );
    }),
    count > 0 && h(
      "div",
      { class: "row sticky" },
      h("button", { type: "submit", class: "button first" }, t("settings.save", { count })),
      button(t("sheet.cancel"), () => (Object.assign(form, { changed: {}, wrong: {}, error: null }), update())),
      form.error && h("p", { class: "notice bad", role: "alert" }, form.error),
    ),
  );
}

const settingName = ({ section, key }) => `${section}.${key}`;
const isList = (kind) => ["texts", "numbers", "wholes"].includes(kind);
const isRule = ({ section }) => section === "house_rules";

/** A value as typed, with the reader's decimal sign; in a comma-separated list with a point. */
function asText({ kind }, value) {
  if (Array.isArray(value)) return value.join(", ");
  return kind === "number" && typeof value === "number" ? formatNumber(value, { useGrouping: false, maximumFractionDigits: 9 }) : String(value ?? "");
}

/** A value in words: a choice's name, yes or no, else as typed. */
function inWords(setting, value) {
  const { key, kind } = setting;
  if (key === "edition") return app.editions.find(({ id }) => id === value)?.name ?? value;
  if (kind === "truth") return t(value ? "yes" : "no");
  const id = `${key === "format" ? "format" : "choice"}.${value}`;
  return kind === "choice" && hasText(id) ? t(id) : asText(setting, value) || "–";
}

/** A setting's name with its unit. */
function labelOf(setting) {
  const name = isRule(setting) ? t(`rule.${setting.key}`) : t(`setting.${settingName(setting)}.title`);
  return !isRule(setting) && setting.unit ? `${name} (${setting.unit})` : name;
}

/** A setting's meaning and range; the names of house rules and choices explain themselves. */
function helpText(setting) {
  if (isRule(setting)) return setting.kind === "whole" ? t("settings.range", { least: setting.least, most: setting.most }) : null;
  const parts = [
    !setting.choices && t(`setting.${settingName(setting)}`),
    setting.least !== undefined && `${formatNumber(setting.least)}\u00a0…\u00a0${formatNumber(setting.most)}`,
    setting.origin !== "default" && t("settings.default", { value: inWords(setting, setting.default) }),
  ];
  return parts.filter(Boolean).join(" · ") || null;
}

function settingField(setting, form) {
  const name = settingName(setting);
  const help = helpText(setting);
  if (!setting.page) return h("div", { class: "field", key: name }, h("p", {}, h("strong", {}, labelOf(setting)), " ", h("small", {}, name), ": ", inWords(setting, setting.value)), help && h("p", { class: "help" }, help));
  const label = h("span", { title: name }, labelOf(setting)); // its name in the settings file
  const wrong = form.wrong[name];
  const change = (value) => {
    if (value === asText(setting, setting.value)) delete form.changed[name];
    else form.changed[name] = { text: value, kind: setting.kind, rule: isRule(setting) };
    update();
  };
  const typed = form.changed[name]?.text ?? asText(setting, setting.value);
  if (setting.choices || (isRule(setting) && setting.kind === "truth")) {
    const options = (setting.choices ?? [true, false]).map((value) => [String(value), inWords(setting, value)]);
    const none = isRule(setting) ? [["", t("settings.edition")]] : [];
    return selectField(label, { name, value: typed, onchange: (event) => change(event.target.value) }, [...none, ...options], { help, wrong });
  }
  if (setting.kind === "truth") {
    return checkbox(label, { name, checked: typed === "true", onchange: (event) => change(String(event.target.checked)) }, wrong ?? help);
  }
  const inputmode = setting.least >= 0 ? { whole: "numeric", number: "decimal" }[setting.kind] : null; // these keyboards have no minus
  const type = setting.kind === "time" ? "time" : "text";
  return field(label, { name, type, value: typed, inputmode, autocomplete: "off", spellcheck: "false", oninput: (event) => change(event.target.value) }, { help, wrong });
}

/** The typed value as the setting's kind; invalid numbers stay text, so that the referee reports them. */
function parseTyped({ text, kind, rule }) {
  if (rule && text.trim() === "") return null; // back to the edition's value
  const isText = !["whole", "number", "wholes", "numbers"].includes(kind);
  const parseItem = (word) => {
    const text = isText ? word.trim() : word.trim().replace(",", "."); // the decimal sign of most languages
    return isText || text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  };
  if (kind === "truth") return text === "true";
  if (isList(kind)) return text.trim() ? text.split(",").map(parseItem) : [];
  return parseItem(text);
}

function focusFirstError() {
  const field = /** @type {?HTMLElement} */ (document.querySelector(".field.wrong input"));
  field?.focus();
  field?.scrollIntoView({ block: "center" });
}

async function save(form, reload) {
  const wanted = Object.fromEntries(Object.entries(form.changed).map(([name, typed]) => [name, parseTyped(typed)]));
  try {
    await post("/api/settings", { settings: wanted });
  } catch (error) {
    Object.assign(form, { wrong: fieldErrors(error), error: errorText(error) });
    update();
    queueMicrotask(focusFirstError); // after the rendering
    return;
  }
  Object.assign(form, { changed: {}, wrong: {}, error: null });
  await attempt(reload, t("settings.saved"));
}
