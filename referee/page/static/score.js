// Score: the score sheet with its sums and checks, the racks of the last game, the ranking and the exports.

import { app, isOrganiser } from "./app.js";
import { button, commandButton } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { playersButton } from "./players.js";
import { openRacksForm, racksForm } from "./racks.js";
import { navigate } from "./navigation.js";
import { openStart, startCard } from "./start.js";
import { matchLine, playerName } from "./verdict.js";
import { formatList, formatSigned, t } from "./i18n.js";

/** The whole view. */
export function scoreView() {
  const { match } = app.state;
  if (!match) return h("div", { class: "view score-view" }, h("h1", {}, t("score.title")), startCard());
  const score = cachedRequest("score", "/api/score", JSON.stringify([match.results, match.players.map((player) => [player.name, player.total, player.gone]), match.ranking, app.disconnectedAt]));
  return h(
    "div",
    { class: "view score-view" },
    h("h1", {}, t("score.title")),
    match.ranking && rankingCard(match),
    match.waiting_for_racks && racksForm(match),
    match.open_racks.filter(({ game }) => !match.waiting_for_racks || game !== match.results.length).map((open) => openRacksForm(match, open)),
    requestStatus(score),
    score.answer && scoreSheet(score.answer),
    matchCard(match),
    button(t("story.open"), () => navigate("story"), { sign: "turns" }),
    exportCard(),
  );
}

/** The ranking of a finished match. */
function rankingCard(match) {
  return h(
    "section",
    { class: "card ranking", "aria-labelledby": "ranking-line" },
    h("h2", { id: "ranking-line" }, matchLine(match)),
    h(
      "ol",
      {},
      match.ranking.map((seat) => h("li", { class: match.ranks?.[seat] === 1 ? "first" : "" }, h("span", { class: "place" }, match.ranks ? `${match.ranks[seat]}.` : "–"), h("strong", {}, playerName(seat)), h("span", {}, t("score.line", { count: match.players[seat].games_won, total: formatSigned(match.players[seat].total) })))),
    ),
  );
}

const MAX_UNBROKEN_LETTERS = 10; // of a name on one line

/** The sheet: a row per game, a column per player, totals below; each game's scores add up to 0. */
function scoreSheet(score) {
  const hasWon = (winners, seat) => winners.includes(seat);
  return h(
    "section",
    { class: "card sheet-card", "aria-labelledby": "sheet-line" },
    h("h2", { id: "sheet-line" }, t("score.sheet")),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("score.sheet") },
      h(
        "table",
        { class: "sheet" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("score.game")), score.players.map((name) => h("th", { scope: "col", class: name.length > MAX_UNBROKEN_LETTERS ? null : "whole", style: { "min-width": `${Math.min(name.length, MAX_UNBROKEN_LETTERS) + 2}ch` } }, name)), h("th", { scope: "col" }, h("span", { class: "if-wide" }, t("score.check"))))),
        h("tbody", {}, score.games.map((game) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, String(game.game)),
            score.players.map((_, seat) => h("td", { class: hasWon(game.winners, seat) ? "won" : "" }, game.scores ? pointsText(game.scores[seat]) : "–", hasWon(game.winners, seat) && h("span", { class: "crown" }, icon("good"), h("span", { class: "unseen" }, t("score.won"))))),
            h("td", {}, game.scores ? checkMark(game.check, game.sum) : t("score.open")),
          ))),
        h(
          "tfoot",
          {},
          h("tr", {}, h("th", { scope: "row" }, t("score.total")), score.totals.map((total) => h("td", {}, pointsText(total))), h("td", {}, checkMark(score.totals_check))),
          h("tr", {}, h("th", { scope: "row" }, t("score.games_won")), score.games_won.map((won) => h("td", {}, String(won))), h("td", {})),
          h("tr", {}, h("th", { scope: "row" }, t("score.place")), score.players.map((_, seat) => h("td", {}, score.games.some((game) => game.scores) && app.state.match.ranking?.length !== 0 ? `${score.ranks[seat]}.` : "–")), h("td", {})),
        ),
      ),
    ),
    h("p", { class: "help" }, t("score.how")),
  );
}

const pointsText = (points) => (points === null || points === undefined ? "–" : formatSigned(points));
const checkMark = (fits, sum = 0) => h("span", { class: fits ? "check good" : "check bad" }, icon(fits ? "good" : "bad"), h("span", { class: fits ? "if-wide" : "" }, t(fits ? "score.fits" : "score.off", { sum: formatSigned(sum) })));

function matchCard(match) {
  const can = (word) => match.can.includes(word);
  const racks = match.waiting_for_racks;
  const isLastGame = match.game >= match.games;
  return h(
    "section",
    { class: "card actions", "aria-labelledby": "match-line" },
    h("h2", { id: "match-line" }, t("match.title", { edition: match.edition_name })),
    h("p", {}, formatList(match.order.map((seat) => match.players[seat]).map((player) => (player.gone ? t("match.gone", { name: player.name }) : player.name)))),
    h(
      "div",
      { class: "row" },
      can("next_game") && commandButton("next_game", { sign: "play", kind: racks ? "" : "first", confirmText: racks ? t("sure.next_game") : null, label: t(isLastGame ? "say.last_game" : "say.next_game"), successText: t(isLastGame ? "done.last_game" : "done.next_game"), then: isLastGame ? null : () => app.tab === "score" && navigate("table") }),
      can("resume") && commandButton("resume", { sign: "play", kind: "first" }),
      can("pause") && commandButton("pause", { sign: "pause" }),
      playersButton(match),
      can("blocked") && commandButton("blocked", { confirmText: t("sure.blocked") }),
      can("end_match") && commandButton("end_match", { kind: "danger", confirmText: t("sure.end_match") }),
      can("start") && isOrganiser() && button(t("start.open"), openStart, { sign: "play", kind: "first" }),
    ),
  );
}

function exportCard() {
  const link = (path, text) => h("a", { class: "button", href: path, download: "" }, icon("down"), h("span", {}, text));
  return h(
    "section",
    { class: "card", "aria-labelledby": "export-line" },
    h("h2", { id: "export-line" }, t("export.title")),
    h(
      "div",
      { class: "row" },
      link("/api/export/record.txt", t("export.record")),
      link("/api/export/scores.csv", t("export.scores")),
      app.session.organiser && link("/api/export/match.zip", t("export.all")),
    ),
    h("p", { class: "help" }, t("export.how")),
  );
}
