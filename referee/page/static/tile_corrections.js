// Tile corrections: doubtful tiles with their candidates, and the sheet that corrects any tile.

import { app, closeSheet, viewMemory, openSheet, update } from "./app.js";
import { subjectOf, whatIsOver } from "./commands.js";
import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { tilePad } from "./tile_pad.js";
import { canCorrect, submitCorrection } from "./proposal.js";
import { takeSnapshot, rowCorrections } from "./row_corrections.js";
import { chip, tileName } from "./tile.js";
import { formatList, formatNumber, t } from "./i18n.js";

/** Correct a tile; the frame goes along, so that a stale tap corrects nothing. */
const correctTile = (frame, index, tile) => submitCorrection("correct", { frame_id: frame, index, tile }, t("correct.done", { tile: tileName(tile) }));

/** Every doubtful tile with its picture and candidates, for people who cannot correct in the action bar. */
export function doubtsCard() {
  const asked = app.state.match?.asked ?? [];
  if (!asked.length || canCorrect()) return null;
  return h(
    "section",
    { class: "card doubts", "aria-labelledby": "doubts-line" },
    h("h2", { id: "doubts-line" }, icon("doubt"), t("doubts.title", { count: asked.length })),
    h("p", { class: "help" }, t("doubts.ask")),
    h("ul", {}, asked.map(doubtItem)),
  );
}

/** The first doubtful tile, for the action bar. */
export function firstDoubt() {
  const asked = app.state.match?.asked ?? [];
  if (!asked.length || !canCorrect()) return null;
  return h("div", { class: "doubts-now" }, h("p", {}, icon("doubt"), t("doubts.title", { count: asked.length })), h("ul", {}, doubtItem(asked[0])));
}

/** A tile's row, its place in it, and the row's names. */
function rowOf(index) {
  const { sets, tiles } = app.state.table;
  const row = sets.find((set) => set.tiles.includes(index))?.tiles ?? [index];
  return { row, place: row.indexOf(index) + 1, names: row.map((other) => (other === index ? "?" : tileName(tiles[other]?.tile))) };
}

function doubtItem({ index, may_be: mayBe, or_none: orNone, crop }) {
  const { row, place, names } = rowOf(index);
  const { tiles } = app.state.table;
  return h(
    "li",
    { key: `doubt-${index}` },
    crop && h("img", { class: "crop", src: crop, alt: t("doubts.picture", { place }) }),
    row.length > 1 && h("span", { class: "chips lies", role: "img", "aria-label": t("doubts.where", { place, tiles: formatList(names) }) },
      row.map((other) => chip(tiles[other]?.tile, { key: other, marks: ["tiny", other === index && "unsure"].filter(Boolean) }))),
    h(
      "div",
      { class: "candidates", role: "group", "aria-label": t("doubts.may_be", { place }) },
      mayBe.map((tile) => chip(tile, { key: tile, marks: ["large"], ...(canCorrect() && { label: t("correct.is", { tile: tileName(tile) }), onclick: () => correctTile(app.state.table.frame_id, index, tile) }) })),
      canCorrect() && orNone && button(t("correct.back"), () => correctTile(app.state.table.frame_id, index, null), { kind: "quiet" }),
      canCorrect() && button(t("correct.other"), () => openTileSheet(index), { kind: "quiet", "aria-label": t("doubts.other", { place }) }),
    ),
  );
}

/** Open a tile's sheet: its picture, its reading and, for people who may correct, the candidates. */
export function openTileSheet(index) {
  if (!app.state.table.tiles[index]) return;
  const snapshot = takeSnapshot(app.state.table, index); // later frames may number the tiles differently
  Object.assign(viewMemory("correct", {}), { pad: false, side: null });
  const subject = subjectOf("correct");
  openSheet(t("correct.title"), () => tileSheet(snapshot), () => whatIsOver(subject));
}

function tileSheet(snapshot) {
  const { frame, index, tile } = snapshot;
  const memory = viewMemory("correct", {});
  const asRead = tile.unsure || tile.corrected ? [tile.tile, tile.corrected?.was] : []; // people open a confident tile to correct it
  const candidates = [...new Set([...asRead, ...tile.alternatives.map(([name]) => name)])].filter((name) => name && (asRead.length || name !== tile.tile));
  const choose = (name) => (closeSheet(), correctTile(frame, index, name));
  const read = h(
    "div",
    { class: "read-as" },
    tile.crop && h("img", { class: "crop", src: tile.crop, alt: t("correct.picture") }),
    h("p", {}, readingText(tile), !tile.corrected && tile.tile && h("small", {}, t("correct.confidence", { share: formatNumber(tile.confidence, { style: "percent", maximumFractionDigits: 1 }) }))),
  );
  if (!canCorrect()) return [read, h("p", { class: "help" }, t("role.guest")), button(t("pin.enter"), () => askPin(() => openTileSheet(index)), { sign: "open" })];
  return [
    read,
    h("h3", {}, t("correct.which")),
    candidates.length > 0 && h("div", { class: "candidates" }, candidates.map((name) => chip(name, { key: name, marks: ["large"], label: t("correct.is", { tile: tileName(name) }), onclick: () => choose(name) }))),
    button(t("correct.back"), () => choose(null), { kind: "quiet" }),
    memory.pad ? tilePad(choose) : button(t("correct.all"), () => ((memory.pad = true), update()), { kind: "quiet" }),
    rowCorrections(snapshot, memory, closeSheet),
  ];
}

function readingText({ tile, corrected }) {
  if (corrected?.missed) return t("correct.added", { tile: tileName(tile) });
  return t(corrected ? "correct.corrected" : "correct.read_as", { tile: tileName(tile), was: tileName(corrected?.was) });
}
