// Correct: what a tile may be, to be settled with one tap, and every other tile for when it is none of these.

import { app, closeSheet, local, openSheet, update } from "./app.js";
import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { pad } from "./pad.js";
import { mayCorrect, saySo } from "./proposal.js";
import { look, otherwise } from "./rows.js";
import { chip, nameOf } from "./tile.js";
import { listed, number, t } from "./words.js";

/** Say what a tile is; the look it was seen in goes with it, so that a stale tap corrects nothing. */
const correct = (frame, index, tile) => saySo("correct", { frame_id: frame, index, tile }, t("correct.done", { tile: nameOf(tile) }));

/** Every tile that is asked about, its picture, and what it may be: for whoever cannot settle it in the action bar. */
export function doubts() {
  const asked = app.state.match?.asked ?? [];
  if (!asked.length || mayCorrect()) return null;
  return h(
    "section",
    { class: "card doubts", "aria-labelledby": "doubts-line" },
    h("h2", { id: "doubts-line" }, icon("doubt"), t("doubts.title", { count: asked.length })),
    h("p", { class: "help" }, t("doubts.ask")),
    h("ul", {}, asked.map(doubt)),
  );
}

/** The first tile in doubt, for the action bar: they are settled one after the other. */
export function firstDoubt() {
  const asked = app.state.match?.asked ?? [];
  if (!asked.length || !mayCorrect()) return null;
  return h("div", { class: "doubts-now" }, h("p", {}, icon("doubt"), t("doubts.title", { count: asked.length })), h("ul", {}, doubt(asked[0])));
}

/** Where a tile lies: its row, and which of its tiles it is. */
function rowOf(index) {
  const { sets, tiles } = app.state.table;
  const row = sets.find((set) => set.tiles.includes(index))?.tiles ?? [index];
  return { row, place: row.indexOf(index) + 1, names: row.map((one) => (one === index ? "?" : nameOf(tiles[one]?.tile))) };
}

function doubt({ index, may_be: mayBe, or_none: orNone, crop }) {
  const { row, place, names } = rowOf(index);
  const { tiles } = app.state.table;
  return h(
    "li",
    { key: `doubt-${index}` },
    crop && h("img", { class: "crop", src: crop, alt: t("doubts.picture", { place }) }),
    row.length > 1 && h("span", { class: "chips lies", role: "img", "aria-label": t("doubts.where", { place, tiles: listed(names) }) },
      row.map((one) => chip(tiles[one]?.tile, { key: one, marks: ["tiny", one === index && "unsure"].filter(Boolean) }))),
    h(
      "div",
      { class: "candidates", role: "group", "aria-label": t("doubts.may_be", { place }) },
      mayBe.map((tile) => chip(tile, { key: tile, marks: ["large"], ...(mayCorrect() && { label: t("correct.is", { tile: nameOf(tile) }), onclick: () => correct(app.state.table.frame_id, index, tile) }) })),
      mayCorrect() && orNone && button(t("correct.back"), () => correct(app.state.table.frame_id, index, null), { kind: "quiet" }),
      mayCorrect() && button(t("correct.other"), () => openTile(index), { kind: "quiet", "aria-label": t("doubts.other", { place }) }),
    ),
  );
}

/** Open a tile: its picture, what it was read as, and for who may say so what else it may be. */
export function openTile(index) {
  if (!app.state.table.tiles[index]) return;
  const seen = look(app.state.table, index); // the table is read on meanwhile, and may number its tiles otherwise
  Object.assign(local("correct", {}), { pad: false, side: null });
  openSheet(t("correct.title"), () => tileSheet(seen));
}

function tileSheet(seen) {
  const { frame, index, tile } = seen;
  const memory = local("correct", {});
  const asRead = tile.unsure || tile.corrected ? [tile.tile, tile.corrected?.was] : []; // whoever opens a sure one means another
  const others = [...new Set([...asRead, ...tile.alternatives.map(([name]) => name)])].filter((name) => name && (asRead.length || name !== tile.tile));
  const tap = (name) => (closeSheet(), correct(frame, index, name));
  const read = h(
    "div",
    { class: "read-as" },
    tile.crop && h("img", { class: "crop", src: tile.crop, alt: t("correct.picture") }),
    h("p", {}, readAs(tile), !tile.corrected && tile.tile && h("small", {}, t("correct.confidence", { share: number(tile.confidence, { style: "percent", maximumFractionDigits: 1 }) }))),
  );
  if (!mayCorrect()) return [read, h("p", { class: "help" }, t("role.guest")), button(t("pin.enter"), () => askPin(() => openTile(index)), { sign: "open" })];
  return [
    read,
    h("h3", {}, t("correct.which")),
    others.length > 0 && h("div", { class: "candidates" }, others.map((name) => chip(name, { key: name, marks: ["large"], label: t("correct.is", { tile: nameOf(name) }), onclick: () => tap(name) }))),
    button(t("correct.back"), () => tap(null), { kind: "quiet" }),
    memory.pad ? pad(tap) : button(t("correct.all"), () => ((memory.pad = true), update()), { kind: "quiet" }),
    otherwise(seen, memory, closeSheet),
  ];
}

function readAs({ tile, corrected }) {
  if (corrected?.missed) return t("correct.added", { tile: nameOf(tile) });
  return t(corrected ? "correct.corrected" : "correct.read_as", { tile: nameOf(tile), was: nameOf(corrected?.was) });
}
