// Shapes: the plane geometry of a drawn table.

export const WIDTH = 27; // a tile's own measures; only the ratio counts
export const HEIGHT = 38;

/** Put a tile's own measures onto its quad: the numbers of a matrix. */
function matrix([nw, ne, , sw]) {
  const across = [(ne[0] - nw[0]) / WIDTH, (ne[1] - nw[1]) / WIDTH];
  const down = [(sw[0] - nw[0]) / HEIGHT, (sw[1] - nw[1]) / HEIGHT];
  return [...across, ...down, ...nw].map((value) => value.toFixed(4));
}

/** The same for an attribute of a drawing, and for a style, which wants commas. */
export const placed = (quad) => `matrix(${matrix(quad).join(" ")})`;
export const placedByStyle = (quad) => `matrix(${matrix(quad).join(", ")})`;

export const centre = (quad) => [mean(quad.map((corner) => corner[0])), mean(quad.map((corner) => corner[1]))];

/** A quad so many times as large about its middle. */
export function grownBy(quad, times) {
  const middle = centre(quad);
  return quad.map((corner) => corner.map((value, axis) => middle[axis] + times * (value - middle[axis])));
}

/** How high a tile is in a quad. */
export const heightOf = (quad) => Math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]);

/** The outline round some quads, standing off by `gap`. */
export function outline(quads, gap) {
  const corners = hull(quads.flatMap((quad) => grown(quad, gap)));
  return corners.map((corner) => corner.map((value) => value.toFixed(1)).join(",")).join(" ");
}

/** The box round some quads: x, y, width, height. */
export function box(quads) {
  const xs = quads.flatMap((quad) => quad.map((corner) => corner[0]));
  const ys = quads.flatMap((quad) => quad.map((corner) => corner[1]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

const WIDER = 1.5; // than the proportion wanted: tiles in one row need no more than a strip

/** The view that shows these quads with some air, in the proportion wanted or wider, where nothing lies above. */
export function viewOf(quads, size, ratio) {
  if (!quads.length) return { x: 0, y: 0, width: size[0], height: size[1] };
  const air = 0.8 * Math.max(...quads.map(heightOf));
  const tight = box(quads);
  let width = Math.max(tight.width + 2 * air, size[0] / 4);
  let height = tight.height + 2 * air;
  const kept = Math.max(ratio, Math.min(WIDER * ratio, width / height));
  if (width / height < kept) width = height * kept;
  else height = width / kept;
  return { x: tight.x + tight.width / 2 - width / 2, y: tight.y + tight.height / 2 - height / 2, width, height };
}

const MIN_SHARE = 0.55; // of the picture: whoever looks at it wants to see the table, too

/** The part of a picture that shows these quads with a good deal round them. */
export function inPicture(quads, [width, height]) {
  if (!quads.length) return { x: 0, y: 0, width, height };
  const air = 2 * Math.max(...quads.map(heightOf));
  const tight = box(quads);
  const share = Math.min(1, Math.max(MIN_SHARE, (tight.width + 2 * air) / width, (tight.height + 2 * air) / height));
  const kept = (middle, seen, all) => Math.min(all - seen, Math.max(0, middle - seen / 2));
  const seen = { width: width * share, height: height * share };
  return { x: kept(tight.x + tight.width / 2, seen.width, width), y: kept(tight.y + tight.height / 2, seen.height, height), ...seen };
}

function grown(quad, gap) {
  const [x, y] = centre(quad);
  const across = Math.hypot(quad[1][0] - quad[0][0], quad[1][1] - quad[0][1]) / 2;
  const down = heightOf(quad) / 2;
  // Corner = centre ± half across ± half down; both halves grow by the gap.
  const u = half(quad[0], quad[1], across);
  const v = half(quad[0], quad[3], down);
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [
    x + a * u[0] * (across + gap) + b * v[0] * (down + gap),
    y + a * u[1] * (across + gap) + b * v[1] * (down + gap),
  ]);
}

const half = (from, to, length) => [(to[0] - from[0]) / (2 * length || 1), (to[1] - from[1]) / (2 * length || 1)];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Andrew's monotone chain. */
function hull(points) {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const chain = (list) => {
    const kept = [];
    for (const point of list) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
