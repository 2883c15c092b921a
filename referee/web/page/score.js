// Score: the sample table with its sums and checks, the racks of the game just ended, the ranking and the exports.

import { app, mayAct } from "./app.js";
import { button, saying } from "./controls.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { playersButton } from "./players.js";
import { racksForm } from "./racks.js";
import { go } from "./place.js";
import { openStart, startCard } from "./start.js";
import { matchLine, playerName } from "./verdict.js";
import { listed, signed, t } from "./words.js";

/** The whole view. */
export function scoreView() {
  const { match } = app.state;
  if (!match) return h("div", { class: "view score-view" }, h("h1", {}, t("score.title")), startCard());
  const score = fetched("score", "/api/score", JSON.stringify([match.results, match.players.map((one) => [one.name, one.total, one.gone]), match.ranking, app.lostAt]));
  return h(
    "div",
    { class: "view score-view" },
    h("h1", {}, t("score.title")),
    match.ranking && ranking(match),
    match.waiting_for_racks && racksForm(match),
    waiting(score),
    score.answer && sheet(score.answer),
    matchCard(match),
    button(t("story.open"), () => go("story"), { sign: "turns" }),
    exports(),
  );
}

/** The places of a match that is over. */
function ranking(match) {
  return h(
    "section",
    { class: "card ranking", "aria-labelledby": "ranking-line" },
    h("h2", { id: "ranking-line" }, matchLine(match)),
    h(
      "ol",
      {},
      match.ranking.map((seat) => h("li", { class: match.ranks?.[seat] === 1 ? "first" : "" }, h("span", { class: "place" }, match.ranks ? `${match.ranks[seat]}.` : "–"), h("strong", {}, playerName(seat)), h("span", {}, t("score.line", { count: match.players[seat].games_won, total: signed(match.players[seat].total) })))),
    ),
  );
}

const LONG = 10; // letters of a name that stand in one line

/** Games down, players across, sums below; each game's sum must be nothing. */
function sheet(score) {
  const wins = (winners, seat) => winners.includes(seat);
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
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("score.game")), score.players.map((name) => h("th", { scope: "col", class: name.length > LONG ? null : "whole", style: { "min-width": `${Math.min(name.length, LONG) + 2}ch` } }, name)), h("th", { scope: "col" }, h("span", { class: "if-wide" }, t("score.check"))))),
        h("tbody", {}, score.games.map((game) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, String(game.game)),
            score.players.map((_, seat) => h("td", { class: wins(game.winners, seat) ? "won" : "" }, game.scores ? mark(game.scores[seat]) : "–", wins(game.winners, seat) && h("span", { class: "crown" }, icon("good"), h("span", { class: "unseen" }, t("score.won"))))),
            h("td", {}, game.scores ? checkMark(game.check, game.sum) : t("score.open")),
          ))),
        h(
          "tfoot",
          {},
          h("tr", {}, h("th", { scope: "row" }, t("score.total")), score.totals.map((total) => h("td", {}, mark(total))), h("td", {}, checkMark(score.totals_check))),
          h("tr", {}, h("th", { scope: "row" }, t(score.big_points ? "score.big_points" : "score.games_won")), score.games_won.map((won) => h("td", {}, String(won))), h("td", {})),
          h("tr", {}, h("th", { scope: "row" }, t("score.place")), score.players.map((_, seat) => h("td", {}, score.games.some((game) => game.scores) && app.state.match.ranking?.length !== 0 ? `${score.ranks[seat]}.` : "–")), h("td", {})),
        ),
      ),
    ),
    h("p", { class: "help" }, t("score.how")),
  );
}

const mark = (points) => (points === null || points === undefined ? "–" : signed(points));
const checkMark = (fits, sum = 0) => h("span", { class: fits ? "check good" : "check bad" }, icon(fits ? "good" : "bad"), h("span", { class: fits ? "if-wide" : "" }, t(fits ? "score.fits" : "score.off", { sum: signed(sum) })));

function matchCard(match) {
  const may = (word) => match.can.includes(word);
  const racks = match.waiting_for_racks;
  const last = match.game >= match.games;
  return h(
    "section",
    { class: "card actions", "aria-labelledby": "match-line" },
    h("h2", { id: "match-line" }, t("match.title", { edition: match.edition_name })),
    h("p", {}, listed(match.order.map((seat) => match.players[seat]).map((one) => (one.gone ? t("match.gone", { name: one.name }) : one.name)))),
    h(
      "div",
      { class: "row" },
      may("next_game") && saying("next_game", { sign: "play", kind: racks ? "" : "first", sure: racks ? t("sure.next_game") : null, label: t(last ? "say.last_game" : "say.next_game"), done: t(last ? "done.last_game" : "done.next_game"), then: last ? null : () => go("table") }),
      may("resume") && saying("resume", { sign: "play", kind: "first" }),
      may("pause") && saying("pause", { sign: "pause" }),
      playersButton(match),
      may("blocked") && saying("blocked", { sure: t("sure.blocked") }),
      may("end_match") && saying("end_match", { kind: "danger", sure: t("sure.end_match") }),
      may("start") && mayAct() && button(t("start.open"), openStart, { sign: "play", kind: "first" }),
    ),
  );
}

function exports() {
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
