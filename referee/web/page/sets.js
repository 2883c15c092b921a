// Sets: the table in a list, each set with its tiles, what it is and what it is worth.

import { app } from "./app.js";
import { openTile } from "./correct.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { chip, colourName, nameOf, namesOf } from "./tile.js";
import { listed, t } from "./words.js";

const SIGN = { ok: "good", unfinished: "unfinished", doubt: "doubt", wrong: "bad" };

/** The list of sets, those with something to say first. */
export function setList(guilty, unsure) {
  const { table } = app.state;
  const order = ["wrong", "doubt", "unfinished", "ok"];
  const sets = table.sets.map((set, index) => ({ ...set, index })).sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  if (!sets.length) return h("p", { class: "help" }, t("table.empty"));
  return h("ul", { class: "sets" }, sets.map((set) => setLine(set, guilty, unsure)));
}

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
  const label = [nameOf(tile.tile), ...marks.map((mark) => t(`mark.${mark}`))].join(", ");
  return chip(tile.tile, { key: index, marks, label, onclick: () => openTile(index) });
}

/** What each joker on the table stands for. */
export function jokerList() {
  const jokers = app.state.match?.jokers ?? [];
  if (!jokers.length) return null;
  return h("ul", { class: "jokers" }, jokers.map((one) => h("li", {}, chip(one.tile, { marks: ["small"] }), h("span", {}, standsFor(one.stands_for)))));
}

function standsFor(stands) {
  if (!stands) return t("joker.free");
  const { numbers, colours } = stands;
  if (colours.length === 1) return t("joker.stands", { what: namesOf([...new Set(numbers)].map((one) => `${colours[0]}${one}`)) });
  const names = listed(colours.map((colour) => t("tile.name", { colour: colourName(colour), number: numbers[0] })), numbers.length > 1 ? "conjunction" : "disjunction");
  return t("joker.stands", { what: colours.length ? names : listed(numbers) });
}
