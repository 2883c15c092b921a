// Tile: a tile's notation, name and drawing, as a chip in text or a piece in a scene.

import { findEdition } from "./app.js";
import { h } from "./elements.js";
import { HEIGHT, WIDTH } from "./geometry.js";
import { formatList, t, setTileFormatter } from "./i18n.js";


const COLOUR_NAMES = { K: "black", R: "red", B: "blue", O: "orange" };
const JOKERS = { J: "regular", JD: "double", JC: "change", JM: "mirror" };

/** Parse a tile's notation into its colour letter, number and kind of joker. */
export function parseTile(tile) {
  if (!tile) return { colour: null, number: null, joker: null };
  if (tile in JOKERS) return { colour: null, number: null, joker: JOKERS[tile] };
  if (tile.startsWith("J")) return { colour: tile[1], number: null, joker: "coloured" };
  return { colour: tile[0], number: Number(tile.slice(1)), joker: null };
}

/** A colour's name in this edition: the fourth is orange in some boxes, yellow in others. */
export const colourName = (letter) => t(`colour.${findEdition()?.colours[letter] ?? COLOUR_NAMES[letter]}`);

/** The class that draws a colour as this edition prints it. */
const inkClass = (letter) => `ink-${findEdition()?.colours[letter] ?? COLOUR_NAMES[letter] ?? "joker"}`;

/** A colour's letter in the page's language. */
export const colourLetter = (letter) => t(`letter.${findEdition()?.colours[letter] ?? COLOUR_NAMES[letter]}`);

/** Parse a typed tile, in the notation or with the page's letters; null if the box lacks it. */
export function parseTypedTile(word) {
  const box = findEdition()?.tiles ?? [];
  const upper = word.toLocaleUpperCase();
  if (box.includes(upper)) return upper;
  const [, letters, number] = /^(\p{L}+)(\d+)$/u.exec(upper) ?? [];
  const colour = Object.keys(COLOUR_NAMES).find((colour) => colourLetter(colour).toLocaleUpperCase() === letters);
  return colour && box.includes(`${colour}${number}`) ? `${colour}${number}` : null;
}

/** A tile's notation with the page's letters. */
export function localNotation(tile) {
  const { colour, number } = parseTile(tile);
  return number === null ? tile : colourLetter(colour) + number;
}

/** A tile as in sentences: a number tile in the page's letters, a joker by its name. */
function inSentences(tile) {
  const { colour, joker } = parseTile(tile);
  return joker ? t(`joker.the_${joker}`, { colour: colour ? colourName(colour) : "" }) : localNotation(tile);
}

setTileFormatter(inSentences);

/** A tile's name in words, for screen readers and titles. */
export function tileName(tile) {
  const { colour, number, joker } = parseTile(tile);
  if (joker) return t(`joker.${joker}`, { colour: colour ? colourName(colour) : "" });
  return number === null ? t("tile.back") : t("tile.name", { colour: colourName(colour), number });
}

export const tileNames = (tiles) => formatList(tiles.map(tileName));

/** A chip; with `onclick` it is a button. `marks` are classes such as guilty, unsure, fresh or small. */
export function chip(tile, { marks = [], onclick = null, label = null, key = undefined, disabled = false, repeat = false } = {}) {
  const { colour, joker } = parseTile(tile);
  const classes = ["tile", colour && inkClass(colour), joker && "joker", ...marks].filter(Boolean).join(" ");
  const text = label ?? tileName(tile);
  const drawing = h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...tileFace(tile));
  if (onclick) return h("button", { key, type: "button", class: classes, onclick, disabled, "data-again": repeat || null }, drawing, h("span", { class: "unseen" }, text));
  return h("span", { key, class: classes, role: "img", "aria-label": text, title: text }, drawing);
}

/** A line of chips. */
export function chips(tiles, options = {}) {
  return h("span", { class: "chips" }, tiles.map((tile) => chip(tile, options)));
}

/** The drawing of a tile's face, WIDTH by HEIGHT. */
export function tileFace(tile) {
  const { colour, number, joker } = parseTile(tile);
  const centre = WIDTH / 2;
  if (number !== null) {
    return [
      h("text", { class: `digit ${inkClass(colour)}`, x: centre, y: 20, "text-anchor": "middle" }, String(number)),
      h("text", { class: `letter ${inkClass(colour)}`, x: centre, y: 33, "text-anchor": "middle" }, colourLetter(colour)),
    ];
  }
  if (!joker) return [h("path", { class: "back", d: "M6 8 21 30M21 8 6 30" })];
  return [...jokerFace(joker, colour), h("text", { class: `letter ${inkClass(colour)}`, x: centre, y: 34, "text-anchor": "middle" }, tile)];
}

function jokerFace(joker, colour) {
  const ink = `smile ${inkClass(colour)}`;
  const smile = (x, radius) => [
    h("circle", { class: ink, cx: x, cy: 14, r: radius }),
    h("path", { class: ink, d: `M${x - radius * 0.5} 15.5 q${radius * 0.5} ${radius * 0.6} ${radius} 0` }),
    h("path", { class: ink, d: `M${x - radius * 0.35} 12v.1M${x + radius * 0.35} 12v.1` }),
  ];
  switch (joker) {
    case "double":
      return [...smile(8.5, 5.5), ...smile(18.5, 5.5)];
    case "change":
      return [h("path", { class: ink, d: "M5 14a8.5 8.5 0 0 1 15-5M20 4v5h-5M22 14a8.5 8.5 0 0 1-15 5M7 24v-5h5" })];
    case "mirror":
      return [h("path", { class: ink, d: "M13.5 3v22M10 8 4 14l6 6M17 8l6 6-6 6" })];
    default:
      return smile(13.5, 8.5);
  }
}
