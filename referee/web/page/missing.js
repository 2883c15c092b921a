// Missing: a set of which nothing was seen, its tiles tapped in the order it is read.

import { app, closeSheet, local, openSheet, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { pad } from "./pad.js";
import { mayCorrect, saySo } from "./proposal.js";
import { chip, nameOf } from "./tile.js";
import { t } from "./words.js";

/** The way to a set that was not seen; nothing where it does not fit, or for who may not say so. */
export const missingButton = (match) => match?.can.includes("add_set") && mayCorrect() && button(t("missing.title"), openMissing, { kind: "quiet", sign: "plus" });

function openMissing() {
  const frame = app.state.table.frame_id; // the table is read on meanwhile, and another set may be seen then
  const memory = local("missing", {});
  memory.tiles = [];
  openSheet(t("missing.title"), () => missingSheet(frame, memory));
}

function missingSheet(frame, memory) {
  const lay = () => (closeSheet(), saySo("add_set", { frame_id: frame, tiles: memory.tiles.join(" ") }, t("rows.done")));
  const leave = (place) => () => (memory.tiles.splice(place, 1), update());
  return [
    h("p", { class: "help" }, t("missing.how")),
    h("div", { class: "chips missing", role: "group", "aria-label": t("missing.chosen") }, memory.tiles.map((tile, place) => chip(tile, { key: `${place}`, label: t("missing.leave", { tile: nameOf(tile) }), onclick: leave(place) }))),
    memory.tiles.length > 0 && h("div", { class: "row" }, button(t("missing.lies"), lay, { kind: "first", sign: "good" })),
    pad((tile) => (memory.tiles.push(tile), update()), { again: true }),
  ];
}
