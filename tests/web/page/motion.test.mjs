import assert from "node:assert/strict";
import { test } from "node:test";

import { cameFrom, noteTable, play, travels } from "./page/motion.js";

const at = (tile, x, y = 0) => ({ tile, quad: [[x, y], [x + 40, y], [x + 40, y + 60], [x, y + 60]] });
const table = (frame_id, ...tiles) => ({ match: { began_at: 1 }, table: { frame_id, tiles } });

test("a tile is the nearest of its name", () => {
  const before = [at("R5", 0), at("R5", 500), at("K1", 100)];
  assert.deepEqual(cameFrom(before, [at("K1", 900), at("R5", 480), at("R5", 60)]), [2, 1, 0]);
});

test("two alike that lie where they lay are not exchanged, whatever came nearer", () => {
  assert.deepEqual(cameFrom([at("R5", 0), at("R5", 50)], [at("R5", 50), at("R5", 0)]), [1, 0]);
});

test("what lies in its place under another name is the same, unless one of that name lies there", () => {
  assert.deepEqual(cameFrom([at("B3", 0)], [at("K3", 2)]), [0]);
  assert.deepEqual(cameFrom([at("B3", 0), at("K3", 200)], [at("K3", 2), at("K3", 200)]), [0, 1]);
});

test("a third tile of a name that had two is new", () => {
  assert.deepEqual(cameFrom([at("J", 0), at("J", 50)], [at("J", 0), at("J", 50), at("J", 100)]), [0, 1, null]);
});

test("what moved comes from where it lay, what is new from above its place, and the camera's unrest is nothing", () => {
  const moved = travels([at("R1", 0), at("R2", 50)], [at("R1", 300), at("R2", 58), at("R3", 100)]);
  assert.deepEqual([...moved.keys()], [0, 2]);
  assert.deepEqual(moved.get(0), { from: at("R1", 0).quad, fresh: false });
  assert.deepEqual(moved.get(2), { from: [[90, -15], [150, -15], [150, 75], [90, 75]], fresh: true });
});

test("a play is shown for a while, from the second table of a match on, and two in a row differ", () => {
  let again = 0;
  const note = (seconds, state) => noteTable(state, seconds, () => (again += 1));
  note(0, table("a", at("R1", 0)));
  assert.equal(play(0.1).from.size, 0);
  note(10, table("b", at("R1", 300)));
  const first = play(10.5);
  assert.equal(first.from.size, 1);
  assert.equal(play(11).from.size, 0);
  note(20, table("b", at("R1", 300)));
  assert.equal(play(20.1).from.size, 0);
  note(30, table("c", at("R1", 0)));
  assert.notEqual(play(30.1).round, first.round);
  note(40, { match: { began_at: 2 }, table: { frame_id: "d", tiles: [at("R1", 600)] } });
  assert.equal(play(40.1).from.size, 0);
  assert.equal(again, 0);
});
