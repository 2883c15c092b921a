// Scene: the table from above, as a clean drawing or over its picture, every set outlined by what it is.

import { h } from "./elements.js";
import { box, centre, heightOf, outline, placed, viewOf } from "./shapes.js";
import { HEIGHT, WIDTH, face, parts } from "./tile.js";

const SIGNS = { ok: "✓", unfinished: "…", doubt: "?", wrong: "✕" };

/**
 * Draw a table. `tiles` have `quad` and `tile`; `sets` have `tiles` (indices) and `look` (ok, unfinished, doubt, wrong);
 * `guilty` and `unsure` are sets of indices; `picture` lies below; `pick(index)` makes tiles answer to a tap.
 */
export function scene({ tiles, sets = [], size, picture = null, guilty = new Set(), unsure = new Set(), fresh = new Set(),
  ghosts = [], arrows = [], view = null, pick = null, label, ratio = 4 / 3 }) {
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
    ghosts.map((ghost) => piece(ghost, "piece ghost")),
    sets.map((one) => outlined(one, tiles, marks)),
    tiles.map((tile, index) => tileMark(tile, index, { picture, guilty, unsure, fresh, pick })),
    tiles.map((tile, index) => (guilty.has(index) ? flag(tile, "!", "wrong", unit) : unsure.has(index) && flag(tile, "?", "doubt", unit))),
    sets.map((one) => badge(one, tiles, marks)),
    arrows.map((arrow) => drawnArrow(arrow, unit)),
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

function tileMark(tile, index, { picture, guilty, unsure, fresh, pick }) {
  const marks = [guilty.has(index) && "guilty", unsure.has(index) && "unsure", fresh.has(index) && "fresh", tile.corrected && "corrected"];
  const kind = ["piece", picture && "clear", pick && "pickable", ...marks].filter(Boolean).join(" ");
  return piece(tile, kind, pick && (() => pick(index)), Boolean(picture));
}

function piece(tile, kind, onclick = null, bare = false) {
  const { colour } = parts(tile.tile);
  return h(
    "g",
    { class: colour ? `${kind} ink-${colour}` : kind, transform: placed(tile.quad), onclick },
    h("rect", { class: "body", x: 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, rx: 3 }),
    !bare && face(tile.tile),
  );
}

function flag(tile, text, look, unit) {
  // Outside the tile's lower edge, so that its number stays to be read.
  const [nw, , se, sw] = tile.quad;
  const [x, y] = [0, 1].map((axis) => (se[axis] + sw[axis]) / 2 + (sw[axis] - nw[axis]) * 0.16);
  const radius = Math.min(2.2 * unit, heightOf(tile.quad) * 0.3);
  return h("g", { class: `flag ${look}` }, h("circle", { cx: x, cy: y, r: radius }), sign(text, x, y, radius * 1.5));
}

function drawnArrow({ from, to, step, done }, unit) {
  const [x1, y1] = centre(from);
  const [x2, y2] = centre(to);
  const bend = 0.18;
  const [mx, my] = [(x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend];
  const angle = Math.atan2(y2 - my, x2 - mx);
  const tip = 2.4 * unit;
  const wing = (turn) => `${(x2 - tip * Math.cos(angle + turn)).toFixed(1)} ${(y2 - tip * Math.sin(angle + turn)).toFixed(1)}`;
  const path = `M${x1.toFixed(1)} ${y1.toFixed(1)}Q${mx.toFixed(1)} ${my.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
  // The number stands beside the arrow's middle, on the side it bends to.
  const aside = 2.6 * unit / Math.max(1, Math.hypot(x2 - x1, y2 - y1));
  const [bx, by] = [(x1 + 2 * mx + x2) / 4 - (y2 - y1) * aside, (y1 + 2 * my + y2) / 4 + (x2 - x1) * aside];
  return h(
    "g",
    { class: done ? "arrow done" : "arrow" },
    h("path", { class: "under", d: path }),
    h("path", { class: "shaft", d: path }),
    h("path", { class: "tip", d: `M${wing(0.45)}L${x2.toFixed(1)} ${y2.toFixed(1)}L${wing(-0.45)}` }),
    h("circle", { cx: bx, cy: by, r: 2.2 * unit }),
    sign(String(step), bx, by, 2.8 * unit),
  );
}
