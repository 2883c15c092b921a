// Missed set: adding a set that the camera did not see, by tapping its tiles in order.

import { app, closeSheet, viewMemory, openSheet, update } from "./app.js";
import { subjectOf, whatIsOver } from "./commands.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { tilePad } from "./tile_pad.js";
import { canCorrect, submitCorrection } from "./proposal.js";
import { chip, tileName } from "./tile.js";
import { t } from "./i18n.js";

/** The button that adds a missed set, if the match allows it and this page can correct. */
export const missedSetButton = (match) => match?.can.includes("add_set") && canCorrect() && button(t("missing.title"), openMissedSet, { kind: "quiet", sign: "plus" });

function openMissedSet() {
  const frame = app.state.table.frame_id; // by the time of the answer a later frame may show another set
  const memory = viewMemory("missing", {});
  memory.tiles = [];
  const subject = subjectOf("add_set");
  openSheet(t("missing.title"), () => missedSetSheet(frame, memory), () => whatIsOver(subject));
}

function missedSetSheet(frame, memory) {
  const submit = () => (closeSheet(), submitCorrection("add_set", { frame_id: frame, tiles: memory.tiles.join(" ") }, t("rows.done")));
  const removeTile = (index) => () => (memory.tiles.splice(index, 1), update());
  return [
    h("p", { class: "help" }, t("missing.how")),
    h("div", { class: "chips missing", role: "group", "aria-label": t("missing.chosen") }, memory.tiles.map((tile, index) => chip(tile, { key: `${index}`, label: t("missing.leave", { tile: tileName(tile) }), onclick: removeTile(index) }))),
    memory.tiles.length > 0 && h("div", { class: "row" }, button(t("missing.lies"), submit, { kind: "first", sign: "good" })),
    tilePad((tile) => (memory.tiles.push(tile), update()), { repeat: true }),
  ];
}
