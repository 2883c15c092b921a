// Players' table: a row a player with its figures; on a narrow screen a block a player, with each figure's name before it.

import { h } from "./elements.js";
import { t } from "./words.js";

/**
 * The table; `columns` are pairs of a text's id and what gives a player's figure, `last` adds a cell to every row.
 * @param {string} label
 * @param {any[]} players
 * @param {[string, (one: any) => unknown][]} columns
 * @param {?{head: string, cell: (one: any) => unknown}} [last]
 */
export function playersTable(label, players, columns, last = null) {
  const name = (one) => one.name ?? one.player;
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    h(
      "table",
      { class: "sheet by-player" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("story.column_player")), columns.map(([key]) => h("th", { scope: "col" }, t(key))), last && h("th", { scope: "col" }, h("span", { class: "unseen" }, last.head)))),
      h("tbody", {}, players.map((one) => h("tr", {}, h("th", { scope: "row" }, name(one)), columns.map(([key, value]) => h("td", { "data-label": t(key) }, String(value(one) || "–"))), last && h("td", { class: "last" }, last.cell(one))))),
    ),
  );
}
