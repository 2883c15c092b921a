import assert from "node:assert/strict";
import { test } from "node:test";

import { noteTable, play, travels } from "./page/motion.js";

const at = (id, x, y = 0) => ({ id, quad: [[x, y], [x + 40, y], [x + 40, y + 60], [x, y + 60]] });
const table = (frame_id, ...tiles) => ({ match: { began_at: 1 }, table: { frame_id, tiles } });

test("what moved comes from where it lay, what is new from above its place, and the camera's unrest is nothing", () => {
  const moved = travels([at(1, 0), at(2, 50)], [at(1, 300), at(2, 58), at(3, 100)]);
  assert.deepEqual([...moved.keys()], [0, 2]);
  assert.deepEqual(moved.get(0), { from: at(1, 0).quad, fresh: false });
  assert.deepEqual(moved.get(2), { from: [[90, -15], [150, -15], [150, 75], [90, 75]], fresh: true });
});

test("a play is shown for a while, from the second table of a match on, and two in a row differ", () => {
  let again = 0;
  const note = (seconds, state) => noteTable(state, seconds, () => (again += 1));
  note(0, table("a", at(1, 0)));
  assert.equal(play(0.1).from.size, 0);
  note(10, table("b", at(1, 300)));
  const first = play(10.5);
  assert.equal(first.from.size, 1);
  assert.equal(play(11).from.size, 0);
  note(20, table("b", at(1, 300)));
  assert.equal(play(20.1).from.size, 0);
  note(30, table("c", at(1, 0)));
  assert.notEqual(play(30.1).round, first.round);
  note(40, { match: { began_at: 2 }, table: { frame_id: "d", tiles: [at(1, 600)] } });
  assert.equal(play(40.1).from.size, 0);
  assert.equal(again, 0);
});
