// Scene: the table from above, as a drawing or over its picture, with the state of every set outlined.

import { h } from "./elements.js";
import { HEIGHT, WIDTH, boundingBox, heightOf, outline, svgTransform, cssTransform, fittedView } from "./geometry.js";
import { tileFace } from "./tile.js";

const NO_MOTION = { round: 0, from: new Map() };
const SIGNS = { ok: "✓", unfinished: "…", doubt: "?", wrong: "✕" };

/**
 * Draw a table. `tiles` have `quad` and `tile`; `sets` have `tiles` (indices) and `state` (ok, unfinished, doubt, wrong);
 * `guilty`, `unsure` and `played` are sets of indices; `picture` is the background; `pick(index)` handles a tap on a tile;
 * `rack` has `quad` and `text`; `motion` is the current animation (see motion.js).
 */
export function scene({ tiles, sets = [], size, picture = null, guilty = new Set(), unsure = new Set(), played = new Set(),
  motion = NO_MOTION, ghosts = [], arrows = [], rack = null, view = null, pick = null, label, ratio = 4 / 3 }) {
  const quads = [...tiles, ...ghosts].map((tile) => tile.quad);
  const visible = view ?? (picture ? wholePicture(size) : fittedView(quads, size, ratio));
  const unit = visible.width / 100;
  const marks = { gap: tileHeight(tiles) * 0.14, unit };
  return h(
    "svg",
    {
      class: picture ? "scene on-picture" : "scene",
      viewBox: `${visible.x.toFixed(1)} ${visible.y.toFixed(1)} ${visible.width.toFixed(1)} ${visible.height.toFixed(1)}`,
      role: "img",
      "aria-label": label,
    },
    picture && h("image", { href: picture, x: 0, y: 0, width: size[0], height: size[1] }),
    rack && rackDrawing(rack),
    ghosts.map((ghost) => tilePiece(ghost, "piece ghost")),
    sets.map((set) => setOutline(set, tiles, marks)),
    h("g", {}, drawingOrder(tiles, motion).map((index) => tileDrawing(tiles[index], index, { picture, guilty, unsure, played, pick, motion }))),
    tiles.map((tile, index) => (guilty.has(index) ? tileFlag(tile, "!", "wrong", unit) : unsure.has(index) && tileFlag(tile, "?", "doubt", unit))),
    sets.map((set) => setBadge(set, tiles, marks)),
    arrowDrawings(arrows, unit, tileHeight(tiles)),
  );
}

const wholePicture = ([width, height]) => ({ x: 0, y: 0, width, height });
const tileHeight = (tiles) => (tiles.length ? Math.max(...tiles.map((tile) => heightOf(tile.quad))) : 40);

function setOutline({ tiles: indices, state }, tiles, { gap }) {
  const quads = indices.map((index) => tiles[index]?.quad).filter(Boolean);
  if (!quads.length) return null;
  return h("g", { class: `outline ${state}` }, h("polygon", { class: "under", points: outline(quads, gap) }), h("polygon", { class: "line", points: outline(quads, gap) }));
}

function setBadge({ tiles: indices, state }, tiles, { gap, unit }) {
  const quads = indices.map((index) => tiles[index]?.quad).filter(Boolean);
  if (!quads.length || !SIGNS[state]) return null;
  const bounds = boundingBox(quads);
  const radius = Math.min(2.4 * unit, heightOf(quads[0]) * 0.36);
  const [x, y] = [bounds.x - gap * 0.6, bounds.y - gap * 0.6];
  return h("g", { class: `badge ${state}` }, h("circle", { cx: x, cy: y, r: radius }), signText(SIGNS[state], x, y, radius * 1.4));
}

const signText = (text, x, y, size) =>
  h("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", style: { "font-size": `${size.toFixed(1)}px` } }, text);

/** The tiles' indices, moving ones last because they pass over the others. */
const drawingOrder = (tiles, { from }) => [...tiles.keys()].sort((one, other) => from.has(tiles[one].id) - from.has(tiles[other].id));

function tileDrawing(tile, index, { picture, guilty, unsure, played, pick, motion }) {
  const start = picture ? undefined : motion.from.get(tile.id); // nothing moves on a photograph
  const marks = [start && `${start.fresh ? "falls" : "slides"}-${motion.round}`, guilty.has(index) && "guilty", unsure.has(index) && "unsure", played.has(index) && "fresh", tile.corrected && "corrected"];
  const kind = ["piece", picture && "clear", pick && "pickable", ...marks].filter(Boolean).join(" ");
  return tilePiece(tile, kind, { key: index, onclick: pick && (() => pick(index)), style: start && { "--from": cssTransform(start.from) } }, Boolean(picture));
}

function tilePiece(tile, kind, props = {}, isFaceless = false) {
  return h(
    "g",
    { ...props, class: kind, transform: svgTransform(tile.quad) },
    h("rect", { class: "body", x: 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, rx: 3 }),
    !isFaceless && tileFace(tile.tile),
  );
}

function tileFlag(tile, text, state, unit) {
  // Below the tile, so that its number and letter stay readable.
  const [nw, , se, sw] = tile.quad;
  const [x, y] = [0, 1].map((axis) => (se[axis] + sw[axis]) / 2 + (sw[axis] - nw[axis]) * 0.27);
  const radius = Math.min(2.2 * unit, heightOf(tile.quad) * 0.3);
  return h("g", { class: `flag ${state}` }, h("circle", { cx: x, cy: y, r: radius }), signText(text, x, y, radius * 1.5));
}

function rackDrawing({ quad, text }) {
  const { x, y, width, height } = boundingBox([quad]);
  return h("g", { class: "rack-goal" }, h("rect", { x, y, width, height, rx: height * 0.1 }), signText(text, x + width / 2, y + height * 1.3, height * 0.36));
}

/** Arrows from edge to edge, which keep the faces readable, and each step's number at its tile. */
function arrowDrawings(arrows, unit, height) {
  const paths = arrows.map(({ from, to, step, fromTable }) => ({ ...arrowPath(boundingBox([from]), boundingBox([to]), height), step, fromTable }));
  const tip = Math.min(2.4 * unit, 0.4 * height);
  const radius = Math.min(2.2 * unit, Math.max(1.4 * unit, 0.34 * height));
  return [paths.map((arrow) => arrowShape(arrow, tip)), paths.map((arrow) => stepNumber(arrow, radius))];
}

function arrowShape({ start, bend, end }, tip) {
  const angle = Math.atan2(end[1] - bend[1], end[0] - bend[0]);
  const wing = (turn) => pointText([end[0] - tip * Math.cos(angle + turn), end[1] - tip * Math.sin(angle + turn)]);
  const path = `M${pointText(start)}Q${pointText(bend)} ${pointText(end)}`;
  return h("g", { class: "arrow" }, h("path", { class: "under", d: path }), h("path", { class: "shaft", d: path }), h("path", { class: "tip", d: `M${wing(0.5)}L${pointText(end)}L${wing(-0.5)}` }));
}

const pointText = (coordinates) => coordinates.map((value) => value.toFixed(1)).join(" ");

/** A step's number, near the tile; for a tile from the rack, near its target. */
function stepNumber({ start, bend, end, step, fromTable }, radius) {
  const [own, other] = fromTable ? [start, end] : [end, start];
  const at = Math.min(0.5, (0.6 * radius) / Math.max(1, Math.hypot(bend[0] - own[0], bend[1] - own[1])));
  const [x, y] = [0, 1].map((axis) => (1 - at) ** 2 * own[axis] + 2 * at * (1 - at) * bend[axis] + at ** 2 * other[axis]);
  return h("g", { class: "step-number" }, h("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius.toFixed(1) }), signText(String(step), x, y, 1.3 * radius));
}

/** An arrow's start, bend and end: over the row for a move within it, else up or down to another row. */
function arrowPath(from, to, height) {
  const above = ({ x, y, width }) => [x + width / 2, y];
  const below = ({ x, y, width, height: boxHeight }) => [x + width / 2, y + boxHeight];
  const drop = to.y - from.y;
  if (Math.abs(drop) < 0.8 * height) {
    const [start, end] = [above(from), above(to)];
    return { start, end, bend: [(start[0] + end[0]) / 2, Math.min(start[1], end[1]) - 1.1 * height] };
  }
  const [start, end] = drop > 0 ? [below(from), above(to)] : [above(from), below(to)];
  return { start, end, bend: [0.75 * start[0] + 0.25 * end[0], 0.25 * start[1] + 0.75 * end[1]] };
}
