// Geometry: quads, outlines, views and transforms of a drawn table.

export const WIDTH = 27; // of a drawn tile; only the ratio counts
export const HEIGHT = 38;

/** The affine matrix that maps a drawn tile onto a quad. */
function matrix([nw, ne, , sw]) {
  const across = [(ne[0] - nw[0]) / WIDTH, (ne[1] - nw[1]) / WIDTH];
  const down = [(sw[0] - nw[0]) / HEIGHT, (sw[1] - nw[1]) / HEIGHT];
  return [...across, ...down, ...nw].map((value) => value.toFixed(4));
}

/** The matrix as an SVG attribute, and as a CSS transform, which needs commas. */
export const svgTransform = (quad) => `matrix(${matrix(quad).join(" ")})`;
export const cssTransform = (quad) => `matrix(${matrix(quad).join(", ")})`;

export const centre = (quad) => [mean(quad.map((corner) => corner[0])), mean(quad.map((corner) => corner[1]))];

/** A quad scaled about its centre. */
export function scaledQuad(quad, factor) {
  const middle = centre(quad);
  return quad.map((corner) => corner.map((value, axis) => middle[axis] + factor * (value - middle[axis])));
}

/** The height of a quad's tile. */
export const heightOf = (quad) => Math.hypot(quad[3][0] - quad[0][0], quad[3][1] - quad[0][1]);

/** The outline around quads at a distance of `gap`. */
export function outline(quads, gap) {
  const corners = convexHull(quads.flatMap((quad) => expandedQuad(quad, gap)));
  return corners.map((corner) => corner.map((value) => value.toFixed(1)).join(",")).join(" ");
}

/** The bounding box of quads: x, y, width, height. */
export function boundingBox(quads) {
  const xs = quads.flatMap((quad) => quad.map((corner) => corner[0]));
  const ys = quads.flatMap((quad) => quad.map((corner) => corner[1]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

const MAX_WIDENING = 1.5; // of the requested ratio: a single row needs only a strip

/** The view that shows quads with a margin, in the requested ratio or up to MAX_WIDENING wider. */
export function fittedView(quads, size, ratio) {
  if (!quads.length) return { x: 0, y: 0, width: size[0], height: size[1] };
  const margin = 0.8 * Math.max(...quads.map(heightOf));
  const bounds = boundingBox(quads);
  let width = Math.max(bounds.width + 2 * margin, size[0] / 4);
  let height = bounds.height + 2 * margin;
  const ratioKept = Math.max(ratio, Math.min(MAX_WIDENING * ratio, width / height));
  if (width / height < ratioKept) width = height * ratioKept;
  else height = width / ratioKept;
  return { x: bounds.x + bounds.width / 2 - width / 2, y: bounds.y + bounds.height / 2 - height / 2, width, height };
}

const MIN_SHARE = 0.55; // of the picture, so that the table stays in view

/** The part of a picture that shows quads with a wide margin. */
export function pictureView(quads, [width, height]) {
  if (!quads.length) return { x: 0, y: 0, width, height };
  const margin = 2 * Math.max(...quads.map(heightOf));
  const bounds = boundingBox(quads);
  const share = Math.min(1, Math.max(MIN_SHARE, (bounds.width + 2 * margin) / width, (bounds.height + 2 * margin) / height));
  const clampStart = (middle, visible, all) => Math.min(all - visible, Math.max(0, middle - visible / 2));
  const visible = { width: width * share, height: height * share };
  return { x: clampStart(bounds.x + bounds.width / 2, visible.width, width), y: clampStart(bounds.y + bounds.height / 2, visible.height, height), ...visible };
}

function expandedQuad(quad, gap) {
  const [x, y] = centre(quad);
  const across = Math.hypot(quad[1][0] - quad[0][0], quad[1][1] - quad[0][1]) / 2;
  const down = heightOf(quad) / 2;
  // A corner is the centre ± half the width ± half the height; both halves grow by the gap.
  const u = halfVector(quad[0], quad[1], across);
  const v = halfVector(quad[0], quad[3], down);
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [
    x + a * u[0] * (across + gap) + b * v[0] * (down + gap),
    y + a * u[1] * (across + gap) + b * v[1] * (down + gap),
  ]);
}

const halfVector = (from, to, length) => [(to[0] - from[0]) / (2 * length || 1), (to[1] - from[1]) / (2 * length || 1)];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Andrew's monotone chain. */
function convexHull(points) {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const chain = (list) => {
    const kept = [];
    for (const point of list) {
      while (kept.length > 1 && crossProduct(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

const crossProduct = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
