// Sets: the table as a list of sets with their tiles, kind and value.

import { app } from "./app.js";
import { openTileSheet } from "./tile_corrections.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { chip, colourName, tileName, tileNames } from "./tile.js";
import { formatList, t } from "./i18n.js";

const SIGN = { ok: "good", unfinished: "unfinished", doubt: "doubt", wrong: "bad" };

/** The list of sets, those with a problem first. */
export function setList(guilty, unsure) {
  const { table } = app.state;
  const order = ["wrong", "doubt", "unfinished", "ok"];
  const sets = table.sets.map((set, index) => ({ ...set, index })).sort((set, other) => order.indexOf(set.state) - order.indexOf(other.state));
  if (!sets.length) return h("p", { class: "help" }, t(nothingText(table)));
  return h("ul", { class: "sets" }, sets.map((set) => setLine(set, guilty, unsure)));
}

/** What is said where no tile is shown: none lies there, or nobody has looked yet. */
export const nothingText = (table) => (table.frame_id === null ? "table.unseen" : "table.empty");

function setLine(set, guilty, unsure) {
  const { tiles } = app.state.table;
  const state = set.tiles.length === 1 && set.state !== "ok" ? "set.loose" : set.state === "wrong" && set.kind ? "set.too_low" : `set.${set.state}`;
  const worth = set.worth === null ? null : t("set.worth", { count: set.worth });
  return h(
    "li",
    { key: `set-${set.tiles[0]}`, class: set.state },
    h("span", { class: "sign" }, icon(SIGN[set.state] ?? "doubt")),
    h("span", { class: "chips" }, set.tiles.map((index) => setTile(tiles[index], index, guilty, unsure))),
    h("span", { class: "told" }, [t(state), set.kind && t(`kind.${set.kind}`), worth, set.new && t("set.new")].filter(Boolean).join(" · ")),
  );
}

function setTile(tile, index, guilty, unsure) {
  if (!tile) return null;
  const marks = [guilty.has(index) && "guilty", unsure.has(index) && "unsure", tile.played && "fresh"].filter(Boolean);
  const label = [tileName(tile.tile), ...marks.map((mark) => t(`mark.${mark}`))].join(", ");
  return chip(tile.tile, { key: index, marks, label, onclick: () => openTileSheet(index) });
}

/** What each joker on the table stands for. */
export function jokerList() {
  const jokers = app.state.match?.jokers ?? [];
  if (!jokers.length) return null;
  return h("ul", { class: "jokers" }, jokers.map((joker) => h("li", {}, chip(joker.tile, { marks: ["small"] }), h("span", {}, standsFor(joker.stands_for)))));
}

function standsFor(meaning) {
  if (!meaning) return t("joker.free");
  const { numbers, colours } = meaning;
  if (colours.length === 1) return t("joker.stands", { what: tileNames([...new Set(numbers)].map((number) => `${colours[0]}${number}`)) });
  const colourNames = formatList(colours.map((colour) => t("tile.name", { colour: colourName(colour), number: numbers[0] })), numbers.length > 1 ? "conjunction" : "disjunction");
  return t("joker.stands", { what: colours.length ? colourNames : formatList(numbers) });
}
