import assert from "node:assert/strict";
import { test } from "node:test";

import { boundingBox, centre, scaledQuad, heightOf, pictureView, outline, svgTransform, cssTransform, fittedView } from "./page/geometry.js";

const square = (x, y, side = 40) => [[x, y], [x + side, y], [x + side, y + side], [x, y + side]];
const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`);

test("a quad's middle, height and box", () => {
  assert.deepEqual(centre(square(10, 20)), [30, 40]);
  assert.equal(heightOf(square(0, 0)), 40);
  assert.deepEqual(boundingBox([square(0, 0), square(100, -20)]), { x: 0, y: -20, width: 140, height: 60 });
  assert.deepEqual(scaledQuad(square(0, 0), 1.5), square(-10, -10, 60));
});

test("a tile of 27 by 38 is put onto its quad", () => {
  assert.equal(svgTransform([[100, 50], [127, 50], [127, 88], [100, 88]]), "matrix(1.0000 0.0000 0.0000 1.0000 100.0000 50.0000)");
  assert.equal(cssTransform([[0, 0], [0, 54], [-76, 54], [-76, 0]]), "matrix(0.0000, 2.0000, -2.0000, 0.0000, 0.0000, 0.0000)");
});

test("the outline of a row is one hull that stands off by the gap", () => {
  const corners = outline([square(0, 0), square(40, 0)], 5).split(" ").map((corner) => corner.split(",").map(Number));
  assert.deepEqual([...corners].sort((one, other) => one[0] - other[0] || one[1] - other[1]), [[-5, -5], [-5, 45], [85, -5], [85, 45]]);
});

test("a view shows all quads with air, as wide as wanted or up to half wider", () => {
  for (const quads of [[square(0, 0)], [square(0, 0), square(900, 0)], [square(0, 0), square(0, 700)]]) {
    const view = fittedView(quads, [1600, 900], 1.5);
    const tight = boundingBox(quads);
    assert.ok(view.x <= tight.x - 31 && view.x + view.width >= tight.x + tight.width + 31);
    assert.ok(view.y <= tight.y - 31 && view.y + view.height >= tight.y + tight.height + 31);
    const ratio = view.width / view.height;
    assert.ok(ratio > 1.5 - 1e-9 && ratio < 2.25 + 1e-9, String(ratio));
  }
  assert.deepEqual(fittedView([], [1600, 900], 1.5), { x: 0, y: 0, width: 1600, height: 900 });
});

test("the part of a picture never leaves it, and shows more than half of it each way", () => {
  const seen = pictureView([square(0, 0)], [1600, 900]);
  near(seen.width, 880);
  assert.deepEqual([seen.x, seen.y], [0, 0]);
  const other = pictureView([square(1560, 860)], [1600, 900]);
  near(other.x + other.width, 1600);
  near(other.y + other.height, 900);
});
