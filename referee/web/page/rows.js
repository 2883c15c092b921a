// Rows: what else may have been read wrongly round a tile: one beside it was missed, or its set is another.

import { update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { pad } from "./pad.js";
import { centre } from "./shapes.js";
import { chip, nameOf, namesOf } from "./tile.js";
import { saySo } from "./proposal.js";
import { t } from "./words.js";

const NEIGHBOURS = 3;

/** A tile as it was seen when somebody opened it: the look, the tile, its row, and the rows that lie nearest. */
export function look(table, index) {
  const tiles = table.tiles;
  const row = table.sets.find((set) => set.tiles.includes(index))?.tiles ?? [index];
  const others = table.sets.filter((set) => !set.tiles.includes(index)).map((set) => ({ row: set.tiles, ...nearest(row, set.tiles, tiles) }));
  const near = others.sort((one, other) => one.far - other.far).slice(0, NEIGHBOURS);
  return { frame: table.frame_id, index, tile: tiles[index], tiles, row, near };
}

/** The two tiles of two rows that lie nearest to each other. */
function nearest(row, other, tiles) {
  const pairs = row.flatMap((one) => other.map((two) => ({ mine: one, theirs: two, far: distance(tiles[one].quad, tiles[two].quad) })));
  return pairs.reduce((best, pair) => (pair.far < best.far ? pair : best));
}

function distance(one, other) {
  const [[x1, y1], [x2, y2]] = [centre(one), centre(other)];
  return Math.hypot(x1 - x2, y1 - y2);
}

/** The part of a tile's sheet for what else may be wrong; `done` closes the sheet. */
export function otherwise(seen, memory, done) {
  const { frame, index, row, tiles, near } = seen;
  const act = (word, details, told) => () => (done(), saySo(word, { frame_id: frame, ...details }, told));
  const missed = (side) => button(t(`rows.${side}`), () => ((memory.side = memory.side === side ? null : side), update()), { kind: "quiet", sign: "plus", "aria-expanded": String(memory.side === side) });
  const add = (tile) => act("add", { beside: index, side: memory.side, tile }, t("correct.done", { tile: nameOf(tile) }))();
  const isLast = row.indexOf(index) === row.length - 1;
  return h(
    "details",
    { class: "otherwise" },
    h("summary", {}, t("rows.title")),
    h("div", { class: "row" }, missed("before"), missed("after")),
    memory.side && [h("p", { class: "help" }, t(`rows.which_${memory.side}`)), pad(add)],
    !isLast && button(t("rows.part"), act("part", { after: index }, t("rows.done")), { kind: "quiet", sign: "minus" }),
    near.length > 0 && [
      h("h3", {}, t("rows.join")),
      h("div", { class: "stack" }, near.map((one) =>
        h("button", { key: one.row.join("."), type: "button", class: "button joins", onclick: act("join", { index: one.mine, other: one.theirs }, t("rows.done")) },
          h("span", { class: "unseen" }, t("rows.join_with", { tiles: namesOf(one.row.map((place) => tiles[place].tile)) })),
          h("span", { class: "chips", "aria-hidden": "true" }, one.row.map((place) => chip(tiles[place].tile, { key: place, marks: ["tiny"] })))))),
    ],
  );
}
