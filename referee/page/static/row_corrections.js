// Row corrections: a missed tile beside another, a row that is two, or two rows that are one.

import { update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { tilePad } from "./tile_pad.js";
import { centre } from "./geometry.js";
import { chip, tileName, tileNames } from "./tile.js";
import { submitCorrection } from "./proposal.js";
import { t } from "./i18n.js";

const NEIGHBOURS = 3;

/** A tile as seen when somebody opened it: the frame, the tile, its row and the nearest rows. */
export function takeSnapshot(table, index) {
  const tiles = table.tiles;
  const row = table.sets.find((set) => set.tiles.includes(index))?.tiles ?? [index];
  const others = table.sets.filter((set) => !set.tiles.includes(index)).map((set) => ({ row: set.tiles, ...nearest(row, set.tiles, tiles) }));
  const nearRows = others.sort((one, other) => one.distance - other.distance).slice(0, NEIGHBOURS);
  return { frame: table.frame_id, index, tile: tiles[index], tiles, row, nearRows };
}

/** The closest two tiles of two rows, and their distance. */
function nearest(row, other, tiles) {
  const pairs = row.flatMap((tile) => other.map((otherTile) => ({ mine: tile, theirs: otherTile, distance: distance(tiles[tile].quad, tiles[otherTile].quad) })));
  return pairs.reduce((best, pair) => (pair.distance < best.distance ? pair : best));
}

function distance(one, other) {
  const [[x1, y1], [x2, y2]] = [centre(one), centre(other)];
  return Math.hypot(x1 - x2, y1 - y2);
}

/** The part of a tile's sheet that corrects its row; `onDone` closes the sheet. */
export function rowCorrections(snapshot, memory, onDone) {
  const { frame, index, row, tiles, nearRows } = snapshot;
  const correction = (command, details, successText) => () => (onDone(), submitCorrection(command, { frame_id: frame, ...details }, successText));
  const missedTileButton = (side) => button(t(`rows.${side}`), () => ((memory.side = memory.side === side ? null : side), update()), { kind: "quiet", sign: "plus", "aria-expanded": String(memory.side === side) });
  const add = (tile) => correction("add", { beside: index, side: memory.side, tile }, t("correct.done", { tile: tileName(tile) }))();
  const isLast = row.indexOf(index) === row.length - 1;
  return h(
    "details",
    { class: "otherwise" },
    h("summary", {}, t("rows.title")),
    h("div", { class: "row" }, missedTileButton("before"), missedTileButton("after")),
    memory.side && [h("p", { class: "help" }, t(`rows.which_${memory.side}`)), tilePad(add)],
    !isLast && button(t("rows.part"), correction("part", { after: index }, t("rows.done")), { kind: "quiet", sign: "minus" }),
    nearRows.length > 0 && [
      h("h3", {}, t("rows.join")),
      h("div", { class: "stack" }, nearRows.map((near) =>
        h("button", { key: near.row.join("."), type: "button", class: "button joins", onclick: correction("join", { index: near.mine, other: near.theirs }, t("rows.done")) },
          h("span", { class: "unseen" }, t("rows.join_with", { tiles: tileNames(near.row.map((member) => tiles[member].tile)) })),
          h("span", { class: "chips", "aria-hidden": "true" }, near.row.map((member) => chip(tiles[member].tile, { key: member, marks: ["tiny"] })))))),
    ],
  );
}
