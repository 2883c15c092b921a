// Players' table: a row per player; on a narrow screen a block per player with labelled figures.

import { h } from "./elements.js";
import { t } from "./i18n.js";

/**
 * The table. `columns` pairs a heading's text id with a function of a player; `last` adds a cell to every row.
 * @param {string} label
 * @param {any[]} players
 * @param {[string, (one: any) => unknown][]} columns
 * @param {?{head: string, cell: (one: any) => unknown}} [last]
 */
export function playersTable(label, players, columns, last = null) {
  const name = (player) => player.name ?? player.player;
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    h(
      "table",
      { class: "sheet by-player" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("story.column_player")), columns.map(([key]) => h("th", { scope: "col" }, t(key))), last && h("th", { scope: "col" }, h("span", { class: "unseen" }, last.head)))),
      h("tbody", {}, players.map((player) => h("tr", {}, h("th", { scope: "row" }, name(player)), columns.map(([key, value]) => h("td", { "data-label": t(key) }, String(value(player) || "–"))), last && h("td", { class: "last" }, last.cell(player))))),
    ),
  );
}
