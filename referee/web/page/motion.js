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

/** Where the tiles come from that moved or are new, by index: a tile keeps its id. */
export function travels(before, now) {
  const lay = new Map(before.map(({ id, quad }) => [id, quad]));
  const moved = new Map();
  now.forEach(({ id, quad }, index) => {
    const old = lay.get(id);
    if (!old) moved.set(index, { from: grownBy(quad, DROPPED), fresh: true });
    else if (distance(old, quad) > MOVED * widthOf(quad)) moved.set(index, { from: old, fresh: false });
  });
  return moved;
}

const widthOf = ([nw, ne]) => Math.hypot(ne[0] - nw[0], ne[1] - nw[1]);

function distance(one, other) {
  const [a, b] = [centre(one), centre(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
