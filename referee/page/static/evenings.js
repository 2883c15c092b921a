// Evenings: the finished matches, each with its story, and every player's statistics.

import { attempt, viewMemory, update } from "./app.js";
import { confirmAction, button } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { navigate } from "./navigation.js";
import { playersTable } from "./players_table.js";
import { post } from "./api.js";
import { formatDuration, formatList, locale, formatNumber, formatSigned, t } from "./i18n.js";

/** The setup's part for evenings. */
export function eveningsPart() {
  const request = cachedRequest("evenings", "/api/evenings");
  const { answer } = request;
  return [
    h(
      "section",
      { class: "card", "aria-labelledby": "evenings-line" },
      h("h2", { id: "evenings-line" }, t("setup.evenings")),
      requestStatus(request),
      answer && !answer.kept && h("p", { class: "help" }, t("evenings.off")),
      answer?.kept && !answer.evenings.length && h("p", { class: "help" }, t("evenings.none")),
      answer?.evenings.length > 0 && h("ol", { class: "evenings" }, answer.evenings.map(eveningItem)),
    ),
    answer?.players.length > 0 && statisticsCard(answer, request),
  ];
}

function eveningItem(evening) {
  const began = new Date(evening.began);
  const day = Number.isNaN(began.valueOf()) ? evening.journal : began.toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
  const names = formatList(evening.players.map((name) => name ?? t("evenings.nobody")));
  return h(
    "li",
    {},
    h("button", { type: "button", class: "fold", onclick: () => navigate(`story/${evening.journal}.${evening.number}`) }, h("span", { class: "text" }, h("strong", {}, day), h("small", {}, [names, evening.winners.length > 0 && t("evenings.won", { names: formatList(evening.winners) }), t("story.turns", { count: evening.turns })].filter(Boolean).join(" · ")))),
  );
}

/** @type {[string, (one: any) => unknown][]} */
const COLUMNS = [
  ["evenings.column_matches", (player) => player.matches],
  ["evenings.column_won", (player) => String(player.matches_won)],
  ["evenings.column_games", (player) => String(player.games_won)],
  ["story.column_score", (player) => (player.score === null ? "–" : formatSigned(player.score))],
  ["story.column_mean", (player) => (player.mean_turn === null ? "–" : formatDuration(player.mean_turn))],
  ["evenings.column_tiles", (player) => (player.tiles_a_turn === null ? "–" : formatNumber(player.tiles_a_turn, { maximumFractionDigits: 1 }))],
  ["story.longest_run", (player) => player.longest_run || "–"],
];

function statisticsCard({ players }, request) {
  const remove = (player) => confirmAction(t("evenings.delete", { name: player }), t("evenings.delete_sure", { name: player }), async () => {
    const answer = await attempt(() => post("/api/statistics/delete", { player }), t("evenings.deleted"));
    if (answer) (Object.assign(viewMemory("fetched-evenings", {}), { answer }), update());
    else request.reload();
  });
  return h(
    "section",
    { class: "card sheet-card", "aria-labelledby": "statistics-line" },
    h("h2", { id: "statistics-line" }, t("evenings.statistics")),
    playersTable(t("evenings.statistics"), players, COLUMNS, {
      head: t("evenings.column_delete"),
      cell: (player) => button("", () => remove(player.player), { sign: "close", kind: "icon-only", "aria-label": t("evenings.delete", { name: player.player }) }),
    }),
    h("div", { class: "row" }, h("a", { class: "button", href: "/api/export/statistics.csv", download: "" }, icon("down"), h("span", {}, t("evenings.csv")))),
    h("p", { class: "help" }, t("evenings.how")),
  );
}
