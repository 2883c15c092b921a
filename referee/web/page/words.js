// Words: what the page says, in the language chosen, from one catalogue a language.

import { load } from "./talk.js";

const LANGUAGES = { en: "English", de: "Deutsch", pl: "Polski" };
let language = "en";
let catalogue = { page: {}, words: {}, phrases: {} };
let patterns = []; // of the phrases, those that say most first

export { LANGUAGES };

/** The language to begin with: the one chosen here before, else the first of the browser's that we have. */
export function preferredLanguage() {
  const wished = [localStorage.getItem("language"), ...navigator.languages].map((one) => (one ?? "").slice(0, 2));
  return wished.find((one) => one in LANGUAGES) ?? "en";
}

/** Load a catalogue and speak it from now on. */
export async function speak(wanted) {
  catalogue = await load(`/page/text/${wanted}.json`);
  patterns = Object.keys(catalogue.phrases).sort((one, other) => fixed(other) - fixed(one)).map((template) => [template, patternOf(template)]);
  language = wanted;
  document.documentElement.lang = wanted;
  localStorage.setItem("language", wanted);
}

export const spoken = () => language;

/** The language as it is written where the reader is: days and hours look different in Dublin and in Denver. */
export const locale = () => navigator.languages.find((one) => one.startsWith(language)) ?? language;

/** Whether the catalogue has this entry. */
export const has = (key) => key in catalogue.page;

/** Whether a sentence of the referee can be said in this language. */
export const knows = (said) => said?.template in catalogue.phrases;

/** Say an entry; `{name}` is filled from `values`, and `values.count` chooses between singular and plural. */
export function t(key, values = {}) {
  let text = catalogue.page[key];
  if (text === undefined) return key;
  if (typeof text === "object") text = text[new Intl.PluralRules(language).select(values.count)] ?? text.other;
  return filled(text, values);
}

/** Say a sentence of the judge: its English template and values, else the English sentence itself. */
export function phrase(said, english) {
  if (!said || language === "en") return english;
  const text = catalogue.phrases[said.template];
  return text === undefined ? english : filled(text, said.values ?? {});
}

/** Say a line of the referee's that comes as it stands in its log: the phrase is looked for that it was made by. */
export function line(english) {
  for (const [template, pattern] of patterns) {
    const gaps = pattern.exec(english)?.groups;
    if (gaps) return filled(catalogue.phrases[template], Object.fromEntries(Object.entries(gaps).map(([name, value]) => [name, line(value)])));
  }
  return catalogue.words[english] ?? english;
}

/** Join words as a list: "R3, R4 and R5". */
export function listed(items, type = "conjunction") {
  return new Intl.ListFormat(language, { type }).format(items.map(String));
}

export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);
export const signed = (value) => number(value, { signDisplay: "exceptZero" }).replace("-", "−");

/** A time as people say it: 40 s, 12 min, 3 h 5 min. */
export function lasting(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const GAP = /\{(\w+)\}/g;
const fixed = (template) => template.replaceAll(GAP, "").length;

/** What a phrase made looks like; a gap that comes twice is filled alike. */
function patternOf(template) {
  const parts = template.split(GAP).map((part, place, all) => {
    if (place % 2 === 0) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    return all.indexOf(part) === place ? `(?<${part}>.+?)` : `\\k<${part}>`;
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

function shown(value) {
  if (Array.isArray(value)) return listed(value.map(shown));
  if (value?.template) return phrase(value, filled(value.template, value.values ?? {}));
  if (typeof value === "number") return number(value, { maximumFractionDigits: 1 });
  return catalogue.words[value] ?? String(value);
}
