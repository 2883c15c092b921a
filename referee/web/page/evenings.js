// Evenings: the matches that were finished, each with its story, and how everyone has played over all of them.

import { attempt, local, update } from "./app.js";
import { askSure, button } from "./controls.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { go } from "./place.js";
import { playersTable } from "./players_table.js";
import { send } from "./talk.js";
import { lasting, listed, locale, number, signed, t } from "./words.js";

/** The part of the setup. */
export function evenings() {
  const told = fetched("evenings", "/api/evenings");
  const { answer } = told;
  return [
    h(
      "section",
      { class: "card", "aria-labelledby": "evenings-line" },
      h("h2", { id: "evenings-line" }, t("setup.evenings")),
      waiting(told),
      answer && !answer.kept && h("p", { class: "help" }, t("evenings.off")),
      answer?.kept && !answer.evenings.length && h("p", { class: "help" }, t("evenings.none")),
      answer?.evenings.length > 0 && h("ol", { class: "evenings" }, answer.evenings.map(evening)),
    ),
    answer?.players.length > 0 && statistics(answer, told),
  ];
}

function evening(one) {
  const began = new Date(one.began);
  const day = Number.isNaN(began.valueOf()) ? one.journal : began.toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
  const names = listed(one.players.map((name) => name ?? t("evenings.nobody")));
  return h(
    "li",
    {},
    h("button", { type: "button", class: "fold", onclick: () => go(`story/${one.journal}.${one.number}`) }, h("span", { class: "text" }, h("strong", {}, day), h("small", {}, [names, one.winners.length > 0 && t("evenings.won", { names: listed(one.winners) }), t("story.turns", { count: one.turns })].filter(Boolean).join(" · ")))),
  );
}

/** @type {[string, (one: any) => unknown][]} */
const COLUMNS = [
  ["evenings.column_matches", (one) => one.matches],
  ["evenings.column_won", (one) => String(one.matches_won)],
  ["evenings.column_games", (one) => String(one.games_won)],
  ["story.column_score", (one) => (one.score === null ? "–" : signed(one.score))],
  ["story.column_mean", (one) => (one.mean_turn === null ? "–" : lasting(one.mean_turn))],
  ["evenings.column_tiles", (one) => (one.tiles_a_turn === null ? "–" : number(one.tiles_a_turn, { maximumFractionDigits: 1 }))],
  ["story.longest_run", (one) => one.longest_run || "–"],
];

function statistics({ players }, told) {
  const remove = (player) => askSure(t("evenings.delete", { name: player }), t("evenings.delete_sure", { name: player }), async () => {
    const answer = await attempt(() => send("/api/statistics/delete", { player }), t("evenings.deleted"));
    if (answer) (Object.assign(local("fetched-evenings", {}), { answer }), update());
    else told.again();
  });
  return h(
    "section",
    { class: "card sheet-card", "aria-labelledby": "statistics-line" },
    h("h2", { id: "statistics-line" }, t("evenings.statistics")),
    playersTable(t("evenings.statistics"), players, COLUMNS, {
      head: t("evenings.column_delete"),
      cell: (one) => button("", () => remove(one.player), { sign: "close", kind: "icon-only", "aria-label": t("evenings.delete", { name: one.player }) }),
    }),
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/export/statistics.csv", download: "" }, icon("down"), h("span", {}, t("evenings.csv")))),
    h("p", { class: "help" }, t("evenings.how")),
  );
}
