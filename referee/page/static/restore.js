// Restore: the guide that leads an illegal table back to how it was, in steps and as a drawing.

import { app, viewMemory, isOrganiser, errorText, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { currentMotion } from "./motion.js";
import { scene } from "./scene.js";
import { boundingBox, heightOf } from "./geometry.js";
import { get } from "./api.js";
import { chip, chips, tileName } from "./tile.js";
import { t } from "./i18n.js";

/** The steps that are left until the table is restored. */
export function restoreGuide(restore) {
  const done = restore.moves.filter((move) => move.done).length;
  const all = restore.moves.length;
  return h(
    "section",
    { class: "card restore", "aria-labelledby": "restore-line" },
    h("h2", { id: "restore-line" }, icon("undo"), t("restore.title")),
    h("p", {}, t("restore.how")),
    all > 0 && h("p", { class: "count" }, h("strong", {}, t("restore.done", { done, all })), h("progress", { max: all, value: done, "aria-label": t("restore.title") })),
    h("ol", { class: "moves" }, restore.moves.map((move, index) => moveItem(move, index, restore))),
    h("details", {}, h("summary", {}, t("restore.sets")), h("ul", { class: "sets" }, restore.sets.map((tiles) => h("li", {}, chips(tiles, { marks: ["small"] }))))),
    nearestTable(),
  );
}

function moveItem(move, index, restore) {
  const set = move.set === null ? [] : restore.sets[move.set];
  return h(
    "li",
    { key: `${index}-${move.tile}`, class: move.done ? "done" : "" },
    h("span", { class: "step", "aria-hidden": "true" }, move.done ? icon("good") : String(index + 1)),
    chip(move.tile, { marks: ["small"] }),
    h(
      "span",
      {},
      t(`restore.${move.what}`, { tile: tileName(move.tile) }),
      move.what !== "take_back" && set?.length > 1 && [" ", chips(set, { marks: ["tiny"] })],
      move.done && h("strong", { class: "unseen" }, t("restore.is_done")),
    ),
  );
}

/** The present table over the outlines of the old one, with an arrow for each open move: its `quads` and `size`, and `draw`. */
export function restoreDrawing({ before, moves }) {
  const { table } = app.state;
  const { tiles } = table;
  const size = before.size ?? table.size ?? [1600, 1200];
  const all = [...tiles, ...before.tiles].map((tile) => tile.quad);
  const height = Math.max(40, ...all.map(heightOf));
  const bounds = all.length ? boundingBox(all) : { x: 0, y: 0, width: size[0], height: size[1] };
  const openMoves = moves.map((move, index) => ({ ...move, step: index + 1 })).filter((move) => !move.done && (move.from || move.to));
  const { rack, places: slots } = rackBelow(bounds, height, openMoves.filter((move) => !move.from || !move.to).length);
  const arrows = openMoves.map(({ from, to, step }) => ({ from: from ?? slots.shift(), to: to ?? slots.shift(), step, fromTable: Boolean(from) }));
  // Outline only the sets that a tile returns to; sets that are complete elsewhere need not move.
  const wanted = new Set(openMoves.filter((move) => move.to).map((move) => move.set));
  const ghosts = before.tiles.filter((ghost) => wanted.has(ghost.set) && !tiles.some((tile) => tile.tile === ghost.tile && isClose(tile.quad, ghost.quad, height / 2)));
  const margin = square(bounds.x, bounds.y - height / 2, height); // for the arrows above the top row
  const draw = (view, ratio) => scene({ tiles, motion: currentMotion(), ghosts, rack, size, arrows, view, ratio, label: t("restore.drawing") });
  return { quads: rack ? [...all, margin, rack.quad] : [...all, margin], size, draw: draw };
}

const square = (x, y, side) => [[x, y], [x + side, y], [x + side, y + side], [x, y + side]];

/** A rack below the table with a slot for each tile that goes to or comes from it. */
function rackBelow(room, height, count) {
  if (!count) return { rack: null, places: [] };
  const slotWidth = 0.8 * height;
  const [left, top] = [room.x + (room.width - slotWidth * (count + 1)) / 2, room.y + room.height + height];
  const slot = (x, width) => [[x, top], [x + width, top], [x + width, top + height], [x, top + height]];
  const slots = Array.from({ length: count }, (_, index) => slot(left + slotWidth * (index + 0.5), slotWidth));
  return { rack: { quad: slot(left, slotWidth * (count + 1)), text: t("restore.rack") }, places: slots };
}

const isClose = (one, other, limit) => Math.hypot(one[0][0] - other[0][0], one[0][1] - other[0][1]) < limit;

/** The nearest legal table, for when nobody remembers the old one. */
function nearestTable() {
  const search = viewMemory("nearest", { restore: null, answer: null, isLoading: false });
  const { id, game, turn, verdict } = app.state.match;
  const restore = [id, game, turn, verdict?.judged_at].join();
  if (search.restore !== restore) Object.assign(search, { restore, answer: null, isLoading: false });
  const findNearest = async () => {
    search.isLoading = true;
    update();
    const answer = await get("/api/nearest").catch((error) => ({ error }));
    if (search.restore === restore) Object.assign(search, { answer, isLoading: false });
    update();
  };
  return h(
    "div",
    { class: "nearest" },
    button(t("nearest.look"), findNearest, { kind: "quiet", disabled: search.isLoading }),
    search.isLoading && h("p", { role: "status" }, t("nearest.looking")),
    search.answer?.error && h("p", { class: "help" }, errorText(search.answer.error)),
    search.answer?.sets && [
      h("p", {}, t("nearest.found", { count: search.answer.moved.length }), " ", chips(search.answer.moved, { marks: ["small"] })),
      h("ul", { class: "sets" }, search.answer.sets.map((tiles) => h("li", {}, chips(tiles, { marks: ["small"] })))),
      h("p", { class: "help" }, t(isOrganiser() ? "nearest.then" : "nearest.then_ask")),
    ],
  );
}
