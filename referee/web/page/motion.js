// Motion: which tiles of a table lay elsewhere a moment ago, and which are new, so that a drawing can show the play.

import { centre, grownBy } from "./shapes.js";

const SECONDS = 0.9; // that a play is shown for; the style's animations end before
const MOVED = 0.3; // tile widths: less is the camera's unrest
const DROPPED = 1.5; // times its size, from which a new tile comes down

let known = { match: null, frame: null, tiles: [] };
let shown = { until: 0, round: 0, from: new Map() };

/** Note the State's table; `again()` is called once the play has been shown. */
export function noteTable({ match, table }, at, again) {
  const { frame_id: frame, tiles } = table;
  if (frame === known.frame) known.tiles = tiles; // somebody may have named one
  if (frame === known.frame || frame === null) return;
  const follows = known.frame !== null && known.match === match?.began_at;
  const from = follows ? travels(known.tiles, tiles) : new Map();
  known = { match: match?.began_at, frame, tiles };
  if (!from.size) return;
  shown = { until: at + SECONDS, round: 1 - shown.round, from };
  setTimeout(again, 1000 * SECONDS);
}

/** The play to be shown now: by a tile's index the quad that it comes `from` and whether it is `fresh`; `round` is 0 and 1 in turn. */
export const play = (at) => (at < shown.until ? shown : { ...shown, from: new Map() });

/** Where the tiles come from that moved or are new, by index. */
export function travels(before, now) {
  const origins = cameFrom(before, now);
  const moved = new Map();
  now.forEach(({ quad }, index) => {
    const old = before[origins[index]]?.quad;
    if (!old) moved.set(index, { from: grownBy(quad, DROPPED), fresh: true });
    else if (distance(old, quad) > MOVED * widthOf(quad)) moved.set(index, { from: old, fresh: false });
  });
  return moved;
}

/**
 * The index that each tile had before, null for a new one: the nearest of its name, else what lay in its very place,
 * for that may only have been given another name. Once tiles have identities, these alone decide.
 */
export function cameFrom(before, now) {
  const origins = now.map(() => null);
  const pairs = now.flatMap((tile, index) =>
    before.flatMap((old, place) => {
      const [same, far] = [old.tile === tile.tile, distance(old.quad, tile.quad)];
      return same || far <= MOVED * widthOf(tile.quad) ? [{ index, place, same, far }] : [];
    }),
  );
  const taken = new Set();
  for (const { index, place } of pairs.sort((one, other) => other.same - one.same || one.far - other.far)) {
    if (origins[index] !== null || taken.has(place)) continue;
    origins[index] = place;
    taken.add(place);
  }
  return origins;
}

const widthOf = ([nw, ne]) => Math.hypot(ne[0] - nw[0], ne[1] - nw[1]);

function distance(one, other) {
  const [a, b] = [centre(one), centre(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
