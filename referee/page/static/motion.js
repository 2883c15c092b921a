// Motion: which tiles moved or are new since the last table, for the drawing to animate.

import { centre, scaledQuad } from "./geometry.js";

const DURATION_MS = 900; // the style sheet's animations are shorter
const MIN_MOVE_WIDTHS = 0.3; // a smaller move is noise
const DROP_SCALE = 1.5; // a new tile comes down from this multiple of its size

let lastTable = { match: null, frame: null, tiles: [] };
let animation = { round: 0, from: new Map() };

/** Compare the State's table with the last one. `onEnd()` runs after the animation; `onNextPaint(begin)` runs `begin` at the next paint. */
export function trackTiles({ match, table }, onEnd, onNextPaint = requestAnimationFrame) {
  const { frame_id: frame, tiles } = table;
  if (frame === lastTable.frame) lastTable.tiles = tiles; // a correction may have named a tile
  if (frame === lastTable.frame || frame === null) return;
  const isNextTable = lastTable.frame !== null && lastTable.match === match?.began_at;
  const from = isNextTable ? movedTiles(lastTable.tiles, tiles) : new Map();
  lastTable = { match: match?.began_at, frame, tiles };
  if (!from.size) return;
  const started = (animation = { round: 1 - animation.round, from });
  // A busy device paints late: counted from the table's arrival the animation could end unseen.
  onNextPaint(() => setTimeout(end, DURATION_MS, started, onEnd));
}

function end(started, onEnd) {
  if (animation !== started) return; // another animation has begun
  animation = { ...animation, from: new Map() };
  onEnd();
}

/** The current animation: `from` maps a tile's id to its old quad and whether it is `fresh`; `round` alternates between 0 and 1. */
export const currentMotion = () => animation;

/** Map the id of each moved or new tile to where it comes from. */
export function movedTiles(before, now) {
  const oldQuads = new Map(before.map(({ id, quad }) => [id, quad]));
  const moved = new Map();
  for (const { id, quad } of now) {
    const oldQuad = oldQuads.get(id);
    if (!oldQuad) moved.set(id, { from: scaledQuad(quad, DROP_SCALE), fresh: true });
    else if (distance(oldQuad, quad) > MIN_MOVE_WIDTHS * tileWidth(quad)) moved.set(id, { from: oldQuad, fresh: false });
  }
  return moved;
}

const tileWidth = ([nw, ne]) => Math.hypot(ne[0] - nw[0], ne[1] - nw[1]);

function distance(one, other) {
  const [a, b] = [centre(one), centre(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
