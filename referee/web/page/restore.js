// Restore: the table as it was over the table as it is, what moves where, and what is already back in its place.

import { app, local, mayAct, refusal, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { play } from "./motion.js";
import { scene } from "./scene.js";
import { box, heightOf } from "./shapes.js";
import { ask } from "./talk.js";
import { chip, chips, nameOf } from "./tile.js";
import { t } from "./words.js";

/** What is still to do, step by step, until the table is again what it was. */
export function restoreGuide(restore) {
  const done = restore.moves.filter((move) => move.done).length;
  const all = restore.moves.length;
  return h(
    "section",
    { class: "card restore", "aria-labelledby": "restore-line" },
    h("h2", { id: "restore-line" }, icon("undo"), t("restore.title")),
    h("p", {}, t("restore.how")),
    all > 0 && h("p", { class: "count" }, h("strong", {}, t("restore.done", { done, all })), h("progress", { max: all, value: done, "aria-label": t("restore.title") })),
    h("ol", { class: "moves" }, restore.moves.map((move, index) => step(move, index, restore))),
    h("details", {}, h("summary", {}, t("restore.sets")), h("ul", { class: "sets" }, restore.sets.map((tiles) => h("li", {}, chips(tiles, { marks: ["small"] }))))),
    nearest(),
  );
}

function step(move, index, restore) {
  const set = move.set === null ? [] : restore.sets[move.set];
  return h(
    "li",
    { key: `${index}-${move.tile}`, class: move.done ? "done" : "" },
    h("span", { class: "step", "aria-hidden": "true" }, move.done ? icon("good") : String(index + 1)),
    chip(move.tile, { marks: ["small"] }),
    h(
      "span",
      {},
      t(`restore.${move.what}`, { tile: nameOf(move.tile) }),
      move.what !== "take_back" && set?.length > 1 && [" ", chips(set, { marks: ["tiny"] })],
      move.done && h("strong", { class: "unseen" }, t("restore.is_done")),
    ),
  );
}

/** The table as it is, over the outlines of the table as it was, with an arrow for each move still to do: what it covers (`quads`) and what draws it. */
export function restoreDrawing({ before, moves }) {
  const { table } = app.state;
  const { tiles } = table;
  const size = before.size ?? table.size ?? [1600, 1200];
  const all = [...tiles, ...before.tiles].map((tile) => tile.quad);
  const height = Math.max(40, ...all.map(heightOf));
  const room = all.length ? box(all) : { x: 0, y: 0, width: size[0], height: size[1] };
  const open = moves.map((move, index) => ({ ...move, step: index + 1 })).filter((move) => !move.done && (move.from || move.to));
  const { rack, places } = rackBelow(room, height, open.filter((move) => !move.from || !move.to).length);
  const arrows = open.map(({ from, to, step }) => ({ from: from ?? places.shift(), to: to ?? places.shift(), step, early: Boolean(from) }));
  // Only sets that something goes back to are shown as they lay: what is whole elsewhere need not move.
  const wanted = new Set(open.filter((move) => move.to).map((move) => move.set));
  const ghosts = before.tiles.filter((ghost) => wanted.has(ghost.set) && !tiles.some((tile) => tile.tile === ghost.tile && close(tile.quad, ghost.quad, height / 2)));
  const air = square(room.x, room.y - height / 2, height); // for the arrows over the uppermost row
  const draw = (view, ratio) => scene({ tiles, play: play(), ghosts, rack, size, arrows, view, ratio, label: t("restore.drawing") });
  return { quads: rack ? [...all, air, rack.quad] : [...all, air], size, draw };
}

const square = (x, y, side) => [[x, y], [x + side, y], [x + side, y + side], [x, y + side]];

/** A rack below the table, where any tile goes back to it or comes from it, and a place on it for each. */
function rackBelow(room, height, count) {
  if (!count) return { rack: null, places: [] };
  const wide = 0.8 * height;
  const [left, top] = [room.x + (room.width - wide * (count + 1)) / 2, room.y + room.height + height];
  const place = (x, width) => [[x, top], [x + width, top], [x + width, top + height], [x, top + height]];
  const places = Array.from({ length: count }, (_, index) => place(left + wide * (index + 0.5), wide));
  return { rack: { quad: place(left, wide * (count + 1)), text: t("restore.rack") }, places };
}

const close = (one, other, most) => Math.hypot(one[0][0] - other[0][0], one[0][1] - other[0][1]) < most;

/** The nearest table that is legal, for when nobody remembers the old one. */
function nearest() {
  const found = local("nearest", { turn: null, answer: null, asking: false });
  const turn = `${app.state.match.game}.${app.state.match.turn}`;
  if (found.turn !== turn) Object.assign(found, { turn, answer: null, asking: false });
  const look = async () => {
    found.asking = true;
    update();
    found.answer = await ask("/api/nearest").catch((error) => ({ error }));
    found.asking = false;
    update();
  };
  return h(
    "div",
    { class: "nearest" },
    button(t("nearest.look"), look, { kind: "quiet", disabled: found.asking }),
    found.asking && h("p", { role: "status" }, t("nearest.looking")),
    found.answer?.error && h("p", { class: "help" }, found.answer.error.status === 409 ? t("nearest.none") : refusal(found.answer.error)),
    found.answer?.sets && [
      h("p", {}, t("nearest.found", { count: found.answer.moved.length }), " ", chips(found.answer.moved, { marks: ["small"] })),
      h("ul", { class: "sets" }, found.answer.sets.map((tiles) => h("li", {}, chips(tiles, { marks: ["small"] })))),
      h("p", { class: "help" }, t(mayAct() ? "nearest.then" : "nearest.then_ask")),
    ],
  );
}
