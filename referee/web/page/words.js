// Words: what the page says, in the language chosen, from one catalogue a language.

import { load } from "./talk.js";

const FALLBACK = "en";
const known = (document.documentElement.dataset.languages ?? FALLBACK).split(" ");
let language = FALLBACK;
let catalogue = { languages: [], plural: "", texts: {} };
let writeTile = String; // with the letters on the tiles of this box; tile.js knows them

/** The languages there are, as [code, name, whether a native reader has seen it]. */
export const languages = () => catalogue.languages;

/** The language to begin with: the one chosen here before, else the first of the browser's that we have. */
export function preferredLanguage() {
  const wished = [localStorage.getItem("language"), ...navigator.languages].map((one) => (one ?? "").slice(0, 2));
  return wished.find((one) => known.includes(one)) ?? FALLBACK;
}

/** Load a catalogue and speak it from now on. */
export async function speak(wanted) {
  catalogue = await load(`/page/${document.documentElement.dataset.texts ?? "text"}/${wanted}.json`);
  language = wanted;
  document.documentElement.lang = wanted;
  localStorage.setItem("language", wanted);
}

export const spoken = () => language;

/** The language as it is written where the reader is: days and hours look different in Dublin and in Denver. */
export const locale = () => navigator.languages.find((one) => one.startsWith(language)) ?? language;

/** Write the tiles in sentences so. */
export const writeTiles = (how) => {
  writeTile = how;
};

/** Whether the catalogue has this entry. */
export const has = (id) => id in catalogue.texts;

/** Say an entry; `{name}` is filled from `values`, and `values.count` chooses between singular and plural. */
export function t(id, values = {}) {
  const text = catalogue.texts[id];
  if (text === undefined) return id;
  return filled(Array.isArray(text) ? text[pluralOf(values.count)] : text, values);
}

/** Say a message of the referee's by its id and values; what has none, or is not known here, in English as it came. */
export const message = (said) => (has(said.message_id) ? t(said.message_id, said.values) : said.message);

/**
 * Join words as a list: "R3, R4 and R5".
 * @param {unknown[]} items
 * @param {Intl.ListFormatType} type
 */
export function listed(items, type = "conjunction") {
  return new Intl.ListFormat(language, { type }).format(items.map(String));
}

export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);
export const signed = (value) => number(value, { signDisplay: "exceptZero" }).replace("-", "−");

const EXACT_MINUTES = 10; // in which seconds are still said

/** A time as people say it: 40 s, 1 min 39 s, 12 min, 3 h 5 min. */
export function lasting(exact) {
  const seconds = Math.round(exact);
  const minutes = Math.floor(seconds / 60);
  if (minutes < EXACT_MINUTES) return [minutes && `${minutes} min`, (seconds % 60 || !minutes) && `${seconds % 60} s`].filter(Boolean).join(" ");
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Which plural a number takes, by the catalogue's own rule, which repeats after 100. */
const pluralOf = (count) => Number(catalogue.plural[count < 200 ? count : 100 + (count % 100)] ?? 0);

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

function shown(value) {
  if (Array.isArray(value)) return listed(value.map((one) => (typeof one === "string" ? writeTile(one) : shown(one))));
  if (value?.message_id) return message(value);
  return typeof value === "number" ? number(value, { maximumFractionDigits: 1 }) : String(value);
}
