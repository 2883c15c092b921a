// Tiles: what one is called and how it is drawn, as a chip in a line of text and as a piece in a drawing.

import { edition } from "./app.js";
import { h } from "./elements.js";
import { HEIGHT, WIDTH } from "./shapes.js";
import { listed, t, writeTiles } from "./words.js";


const PRINTED = { K: "black", R: "red", B: "blue", O: "orange" };
const JOKERS = { J: "regular", JD: "double", JC: "change", JM: "mirror" };

/** Split the notation of a tile: its colour letter, its number or the kind of joker. */
export function parts(tile) {
  if (!tile) return { colour: null, number: null, joker: null };
  if (tile in JOKERS) return { colour: null, number: null, joker: JOKERS[tile] };
  if (tile.startsWith("J")) return { colour: tile[1], number: null, joker: "coloured" };
  return { colour: tile[0], number: Number(tile.slice(1)), joker: null };
}

/** A colour as the edition prints it: the fourth is orange in some boxes, yellow in others. */
export const colourName = (letter) => t(`colour.${edition()?.colours[letter] ?? PRINTED[letter]}`);

/** How a colour is drawn: as this edition prints it. */
const inkOf = (letter) => `ink-${edition()?.colours[letter] ?? PRINTED[letter] ?? "joker"}`;

/** The letter below a number, in the page's language. */
export const letterOf = (letter) => t(`letter.${edition()?.colours[letter] ?? PRINTED[letter]}`);

/** A tile as it is typed, in the notation or with the letters on the page; null where it is none of this box. */
export function typed(word) {
  const box = edition()?.tiles ?? [];
  const upper = word.toLocaleUpperCase();
  if (box.includes(upper)) return upper;
  const [, letters, number] = /^(\p{L}+)(\d+)$/u.exec(upper) ?? [];
  const colour = Object.keys(PRINTED).find((one) => letterOf(one).toLocaleUpperCase() === letters);
  return colour && box.includes(`${colour}${number}`) ? `${colour}${number}` : null;
}

/** A tile by the letter that stands on it here, as sentences name it. */
export function inLetters(tile) {
  const { colour, number } = parts(tile);
  return number === null ? tile : letterOf(colour) + number;
}

writeTiles(inLetters);

/** A tile's name in words, for those who hear the page and for titles. */
export function nameOf(tile) {
  const { colour, number, joker } = parts(tile);
  if (joker) return t(`joker.${joker}`, { colour: colour ? colourName(colour) : "" });
  return number === null ? t("tile.back") : t("tile.name", { colour: colourName(colour), number });
}

export const namesOf = (tiles) => listed(tiles.map(nameOf));

/** A chip; with `onclick` it is a button. `marks` may say guilty, unsure, fresh, gone or small. */
export function chip(tile, { marks = [], onclick = null, label = null, key = undefined, disabled = false, again = false } = {}) {
  const { colour, joker } = parts(tile);
  const kind = ["tile", colour && inkOf(colour), joker && "joker", ...marks].filter(Boolean).join(" ");
  const said = label ?? nameOf(tile);
  const drawn = h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...face(tile));
  if (onclick) return h("button", { key, type: "button", class: kind, onclick, disabled, "data-again": again || null }, drawn, h("span", { class: "unseen" }, said));
  return h("span", { key, class: kind, role: "img", "aria-label": said, title: said }, drawn);
}

/** A line of chips. */
export function chips(tiles, options = {}) {
  return h("span", { class: "chips" }, tiles.map((tile) => chip(tile, options)));
}

/** What is printed on a tile, drawn in its own measures. */
export function face(tile) {
  const { colour, number, joker } = parts(tile);
  const middle = WIDTH / 2;
  if (number !== null) {
    return [
      h("text", { class: `digit ${inkOf(colour)}`, x: middle, y: 20, "text-anchor": "middle" }, String(number)),
      h("text", { class: `letter ${inkOf(colour)}`, x: middle, y: 33, "text-anchor": "middle" }, letterOf(colour)),
    ];
  }
  if (!joker) return [h("path", { class: "back", d: "M6 8 21 30M21 8 6 30" })];
  return [...jokerFace(joker, colour), h("text", { class: `letter ${inkOf(colour)}`, x: middle, y: 34, "text-anchor": "middle" }, tile)];
}

function jokerFace(joker, colour) {
  const ink = `smile ${inkOf(colour)}`;
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
