// Scene: the table from above, as a clean drawing or over its picture, every set outlined by what it is.

import { h } from "./elements.js";
import { HEIGHT, WIDTH, box, heightOf, outline, placed, placedByStyle, viewOf } from "./shapes.js";
import { face } from "./tile.js";

const STILL = { round: 0, from: new Map() };
const SIGNS = { ok: "✓", unfinished: "…", doubt: "?", wrong: "✕" };

/**
 * Draw a table. `tiles` have `quad` and `tile`; `sets` have `tiles` (indices) and `look` (ok, unfinished, doubt, wrong);
 * `guilty` and `unsure` are sets of indices; `picture` lies below; `pick(index)` makes tiles answer to a tap; `rack` has
 * `quad` and `text`; `play` says which tiles come `from` where (see motion.js).
 */
export function scene({ tiles, sets = [], size, picture = null, guilty = new Set(), unsure = new Set(), fresh = new Set(),
  play = STILL, ghosts = [], arrows = [], rack = null, view = null, pick = null, label, ratio = 4 / 3 }) {
  const quads = [...tiles, ...ghosts].map((tile) => tile.quad);
  const seen = view ?? (picture ? whole(size) : viewOf(quads, size, ratio));
  const unit = seen.width / 100;
  const marks = { gap: tileHeight(tiles) * 0.14, unit };
  return h(
    "svg",
    {
      class: picture ? "scene on-picture" : "scene",
      viewBox: `${seen.x.toFixed(1)} ${seen.y.toFixed(1)} ${seen.width.toFixed(1)} ${seen.height.toFixed(1)}`,
      role: "img",
      "aria-label": label,
    },
    picture && h("image", { href: picture, x: 0, y: 0, width: size[0], height: size[1] }),
    rack && drawnRack(rack),
    ghosts.map((ghost) => piece(ghost, "piece ghost")),
    sets.map((one) => outlined(one, tiles, marks)),
    h("g", {}, inOrder(tiles, play).map((index) => tileMark(tiles[index], index, { picture, guilty, unsure, fresh, pick, play }))),
    tiles.map((tile, index) => (guilty.has(index) ? flag(tile, "!", "wrong", unit) : unsure.has(index) && flag(tile, "?", "doubt", unit))),
    sets.map((one) => badge(one, tiles, marks)),
    drawnArrows(arrows, unit, tileHeight(tiles)),
  );
}

const whole = ([width, height]) => ({ x: 0, y: 0, width, height });
const tileHeight = (tiles) => (tiles.length ? Math.max(...tiles.map((tile) => heightOf(tile.quad))) : 40);

function outlined({ tiles: indices, look }, tiles, { gap }) {
  const quads = indices.map((index) => tiles[index]?.quad).filter(Boolean);
  if (!quads.length) return null;
  return h("g", { class: `outline ${look}` }, h("polygon", { class: "under", points: outline(quads, gap) }), h("polygon", { class: "line", points: outline(quads, gap) }));
}

function badge({ tiles: indices, look }, tiles, { gap, unit }) {
  const quads = indices.map((index) => tiles[index]?.quad).filter(Boolean);
  if (!quads.length || !SIGNS[look]) return null;
  const room = box(quads);
  const radius = Math.min(2.4 * unit, heightOf(quads[0]) * 0.36);
  const [x, y] = [room.x - gap * 0.6, room.y - gap * 0.6];
  return h("g", { class: `badge ${look}` }, h("circle", { cx: x, cy: y, r: radius }), sign(SIGNS[look], x, y, radius * 1.4));
}

const sign = (text, x, y, size) =>
  h("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", style: { "font-size": `${size.toFixed(1)}px` } }, text);

/** The tiles' indices, those on their way last, for they pass over the others. */
const inOrder = (tiles, { from }) => [...tiles.keys()].sort((one, other) => from.has(tiles[one].id) - from.has(tiles[other].id));

function tileMark(tile, index, { picture, guilty, unsure, fresh, pick, play }) {
  const way = picture ? undefined : play.from.get(tile.id); // a photograph shows the tiles where they are
  const marks = [way && `${way.fresh ? "falls" : "slides"}-${play.round}`, guilty.has(index) && "guilty", unsure.has(index) && "unsure", fresh.has(index) && "fresh", tile.corrected && "corrected"];
  const kind = ["piece", picture && "clear", pick && "pickable", ...marks].filter(Boolean).join(" ");
  return piece(tile, kind, { key: index, onclick: pick && (() => pick(index)), style: way && { "--from": placedByStyle(way.from) } }, Boolean(picture));
}

function piece(tile, kind, props = {}, bare = false) {
  return h(
    "g",
    { ...props, class: kind, transform: placed(tile.quad) },
    h("rect", { class: "body", x: 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, rx: 3 }),
    !bare && face(tile.tile),
  );
}

function flag(tile, text, look, unit) {
  // Outside the tile's lower edge, so that its number and the letter of its colour stay to be read.
  const [nw, , se, sw] = tile.quad;
  const [x, y] = [0, 1].map((axis) => (se[axis] + sw[axis]) / 2 + (sw[axis] - nw[axis]) * 0.27);
  const radius = Math.min(2.2 * unit, heightOf(tile.quad) * 0.3);
  return h("g", { class: `flag ${look}` }, h("circle", { cx: x, cy: y, r: radius }), sign(text, x, y, radius * 1.5));
}

function drawnRack({ quad, text }) {
  const { x, y, width, height } = box([quad]);
  return h("g", { class: "rack-goal" }, h("rect", { x, y, width, height, rx: height * 0.1 }), sign(text, x + width / 2, y + height * 1.3, height * 0.36));
}

/** Arrows from edge to edge, so that faces stay to be read, and over them their steps' numbers, each at its own tile. */
function drawnArrows(arrows, unit, height) {
  const drawn = arrows.map(({ from, to, step, early }) => ({ ...way(box([from]), box([to]), height), step, early }));
  const tip = Math.min(2.4 * unit, 0.4 * height);
  const radius = Math.min(2.2 * unit, Math.max(1.4 * unit, 0.34 * height));
  return [drawn.map((arrow) => shaft(arrow, tip)), drawn.map((arrow) => number(arrow, radius))];
}

function shaft({ start, bend, end }, tip) {
  const angle = Math.atan2(end[1] - bend[1], end[0] - bend[0]);
  const wing = (turn) => point([end[0] - tip * Math.cos(angle + turn), end[1] - tip * Math.sin(angle + turn)]);
  const path = `M${point(start)}Q${point(bend)} ${point(end)}`;
  return h("g", { class: "arrow" }, h("path", { class: "under", d: path }), h("path", { class: "shaft", d: path }), h("path", { class: "tip", d: `M${wing(0.5)}L${point(end)}L${wing(-0.5)}` }));
}

const point = (place) => place.map((value) => value.toFixed(1)).join(" ");

/** The number lies where the tile is now; of one that comes from the rack (not `early`) where it goes. */
function number({ start, bend, end, step, early }, radius) {
  const [own, other] = early ? [start, end] : [end, start];
  const at = Math.min(0.5, (0.6 * radius) / Math.max(1, Math.hypot(bend[0] - own[0], bend[1] - own[1])));
  const [x, y] = [0, 1].map((axis) => (1 - at) ** 2 * own[axis] + 2 * at * (1 - at) * bend[axis] + at ** 2 * other[axis]);
  return h("g", { class: "step-number" }, h("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }), sign(String(step), x, y, 1.3 * radius));
}

/** Where an arrow begins, bends and ends: over the row to a place beside it, else up or down from one row to another. */
function way(from, to, height) {
  const above = ({ x, y, width }) => [x + width / 2, y];
  const below = ({ x, y, width, height: high }) => [x + width / 2, y + high];
  const falls = to.y - from.y;
  if (Math.abs(falls) < 0.8 * height) {
    const [start, end] = [above(from), above(to)];
    return { start, end, bend: [(start[0] + end[0]) / 2, Math.min(start[1], end[1]) - 1.1 * height] };
  }
  const [start, end] = falls > 0 ? [below(from), above(to)] : [above(from), below(to)];
  return { start, end, bend: [0.75 * start[0] + 0.25 * end[0], 0.25 * start[1] + 0.75 * end[1]] };
}
