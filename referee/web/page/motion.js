// Motion: which tiles of a table lay elsewhere a moment ago, and which are new, so that a drawing can show the play.

import { centre, grownBy } from "./shapes.js";

const MILLISECONDS = 900; // that a play is shown for; the style's animations end before
const MOVED = 0.3; // tile widths: less is the camera's unrest
const DROPPED = 1.5; // times its size, from which a new tile comes down

let known = { match: null, frame: null, tiles: [] };
let shown = { round: 0, from: new Map() };

/** Note the State's table; `again()` is called once the play has been shown. `painted(begin)` calls `begin` when the page is next painted. */
export function noteTable({ match, table }, again, painted = requestAnimationFrame) {
  const { frame_id: frame, tiles } = table;
  if (frame === known.frame) known.tiles = tiles; // somebody may have named one
  if (frame === known.frame || frame === null) return;
  const follows = known.frame !== null && known.match === match?.began_at;
  const from = follows ? travels(known.tiles, tiles) : new Map();
  known = { match: match?.began_at, frame, tiles };
  if (!from.size) return;
  const begun = (shown = { round: 1 - shown.round, from });
  // A busy device draws late: counted from the table's arrival the play would be over before it was seen.
  painted(() => setTimeout(end, MILLISECONDS, begun, again));
}

function end(begun, again) {
  if (shown !== begun) return; // another play is on its way
  shown = { ...shown, from: new Map() };
  again();
}

/** The play to be shown now: by a tile's id the quad that it comes `from` and whether it is `fresh`; `round` is 0 and 1 in turn. */
export const play = () => shown;

/** Where the tiles come from that moved or are new, by id. */
export function travels(before, now) {
  const lay = new Map(before.map(({ id, quad }) => [id, quad]));
  const moved = new Map();
  for (const { id, quad } of now) {
    const old = lay.get(id);
    if (!old) moved.set(id, { from: grownBy(quad, DROPPED), fresh: true });
    else if (distance(old, quad) > MOVED * widthOf(quad)) moved.set(id, { from: old, fresh: false });
  }
  return moved;
}

const widthOf = ([nw, ne]) => Math.hypot(ne[0] - nw[0], ne[1] - nw[1]);

function distance(one, other) {
  const [a, b] = [centre(one), centre(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
