import assert from "node:assert/strict";
import { test } from "node:test";

import { trackTiles, currentMotion, movedTiles } from "./page/motion.js";

const at = (id, x, y = 0) => ({ id, quad: [[x, y], [x + 40, y], [x + 40, y + 60], [x, y + 60]] });
const table = (frame_id, ...tiles) => ({ match: { began_at: 1 }, table: { frame_id, tiles } });

test("what moved comes from where it lay, what is new from above its place, and the camera's unrest is nothing", () => {
  const moved = movedTiles([at(1, 0), at(2, 50)], [at(1, 300), at(2, 58), at(3, 100)]);
  assert.deepEqual([...moved.keys()], [1, 3]);
  assert.deepEqual(moved.get(1), { from: at(1, 0).quad, fresh: false });
  assert.deepEqual(moved.get(3), { from: [[90, -15], [150, -15], [150, 75], [90, 75]], fresh: true });
});

test("an animation is shown from its first picture on, for a while, from the second table of a match on, and two in a row differ", (context) => {
  const ends = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (end, _milliseconds, ...values) => ends.push(() => end(...values));
  context.after(() => (globalThis.setTimeout = setTimeout));
  let again = 0;
  let painted = null;
  const note = (state) => trackTiles(state, () => (again += 1), (begin) => (painted = begin));
  note(table("a", at(1, 0)));
  assert.deepEqual([currentMotion().from.size, painted], [0, null]);
  note(table("b", at(1, 300)));
  const first = currentMotion();
  assert.deepEqual([first.from.size, ends.length], [1, 0]); // it does not end before it was painted
  painted();
  assert.equal(currentMotion(), first);
  ends.pop()();
  assert.deepEqual([currentMotion().from.size, again], [0, 1]);
  note(table("b", at(1, 300)));
  assert.equal(currentMotion().from.size, 0);
  note(table("c", at(1, 0)));
  painted();
  assert.notEqual(currentMotion().round, first.round);
  note(table("d", at(1, 600)));
  ends.pop()(); // of the animation before
  assert.deepEqual([currentMotion().from.size, currentMotion().round, again], [1, first.round, 1]);
  painted();
  ends.pop()();
  note({ match: { began_at: 2 }, table: { frame_id: "e", tiles: [at(1, 300)] } });
  assert.deepEqual([currentMotion().from.size, again], [0, 2]);
});
