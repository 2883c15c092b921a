// Internationalisation: the page's texts, numbers and lists in the chosen language.

import { loadFile } from "./api.js";
import { load, save } from "./storage.js";

const FALLBACK = "en";
const knownCodes = (document.documentElement.dataset.languages ?? FALLBACK).split(" ");
let language = FALLBACK;
let catalogue = { languages: [], plural: "", texts: {} };
const TILE = /^([KRBO]\d{1,2}|J[DCMKRBO]?)$/; // in a list of names none is read as a tile
let formatTile = String; // tile.js sets it to write the letters of this box

/** The available languages, as [code, name, whether a native speaker has reviewed it]. */
export const languages = () => catalogue.languages;

/** The language to begin with: the one chosen here before, else the browser's first that we have. */
export function preferredLanguage() {
  const preferred = [load("language"), ...navigator.languages].map((code) => (code ?? "").slice(0, 2));
  return preferred.find((code) => knownCodes.includes(code)) ?? FALLBACK;
}

/** Load a language's catalogue and switch to it. */
export async function loadLanguage(code) {
  catalogue = await loadFile(`/page/${document.documentElement.dataset.texts ?? "text"}/${code}.json`);
  language = code;
  document.documentElement.lang = code;
  save("language", code);
}

/** Add texts of the current language that only one view shows; those of another are left out. */
export function addTexts({ language: code, texts }) {
  if (code === language) Object.assign(catalogue.texts, texts);
}

export const currentLanguage = () => language;

/** The language with the reader's region: dates look different in Dublin and in Denver. */
export const locale = () => navigator.languages.find((code) => code.startsWith(language)) ?? language;

/** Set how texts write a tile. */
export const setTileFormatter = (formatter) => {
  formatTile = formatter;
};

/** What `make` returns where texts write tiles in another way. */
export function withTiles(formatter, make) {
  const usual = formatTile;
  formatTile = formatter;
  try {
    return make();
  } finally {
    formatTile = usual;
  }
}

/** Whether the catalogue has this text. */
export const hasText = (id) => id in catalogue.texts;

/** The text with this id; `values` fill its gaps, and `values.count` chooses the plural. */
export function t(id, values = {}) {
  const text = catalogue.texts[id];
  if (text === undefined) return id;
  return fillIn(Array.isArray(text) ? text[pluralIndex(values.count)] : text, values);
}

/** The text of a message of the referee; in English as it came if the catalogue lacks its id. */
export const messageText = (message) => (hasText(message.message_id) ? t(message.message_id, message.values) : message.message);

/** A message as a sentence of its own: with a capital letter and a full stop. */
export function asSentence(text) {
  const sentence = text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/**
 * Join words as a list: "R3, R4 and R5".
 * @param {unknown[]} items
 * @param {Intl.ListFormatType} type
 */
export function formatList(items, type = "conjunction") {
  return new Intl.ListFormat(language, { type }).format(items.map((item) => isolate(String(item))));
}

export const formatNumber = (value, options) => new Intl.NumberFormat(language, options).format(value);
export const formatSigned = (value) => formatNumber(value, { signDisplay: "exceptZero" }).replace("-", "−");

const EXACT_MINUTES = 10; // below this, seconds are shown

/** Format a duration: 40 s, 1 min 39 s, 12 min, 3 h 5 min. */
export function formatDuration(exactSeconds) {
  const seconds = Math.round(exactSeconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < EXACT_MINUTES) return [minutes && `${minutes} min`, (seconds % 60 || !minutes) && `${seconds % 60} s`].filter(Boolean).join(" ");
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The index of a number's plural form; every catalogue's rule repeats after 100. */
const pluralIndex = (count) => Number(catalogue.plural[count < 200 ? count : 100 + (count % 100)] ?? 0);

function fillIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? formatValue(values[name]) : whole));
}

/** A name that is written from right to left, isolated like a `<bdi>`, so that the words around it keep their order. */
const isolate = (text) => (/\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u.test(text) ? `\u2068${text}\u2069` : text);

function formatValue(value) {
  if (Array.isArray(value)) return formatList(value.map((item) => (TILE.test(item) ? formatTile(item) : formatValue(item))));
  if (value?.message_id) return messageText(value);
  return typeof value === "number" ? formatNumber(value, { maximumFractionDigits: 1 }) : isolate(String(value));
}
