// The arbiter's view of a tournament: creating it, seating, results, signatures, standings and printing.

import { h } from "/page/elements.js";
import { get, post } from "/page/api.js";
import { formatList, messageText, currentLanguage, t } from "/page/i18n.js";

const POLL_MS = 3000;
const FORMATS = ["booklet", "two-player", "club", "league", "open-table"];
const files = "/api/tournament/files";
const view = { tournament: null, round: null };

/** Open the view; `wall` holds the functions of the surrounding page. */
export async function showTournament(wall) {
  const load = async () => ({ tournament: view.tournament } = await get("/api/tournament"));
  const submit = (path, body) => wall.attempt(async () => {
    ({ tournament: view.tournament } = await post(`/api/tournament/${path}`, body));
    view.round = null;
  });
  wall.openSheet(t("hall.tournament"), () => [
    wall.notice() && h("p", { class: "notice", role: "status" }, wall.notice()),
    view.tournament ? [headRow(wall, submit), round(wall, submit), standingsTable()] : creationForm(submit),
  ].flat());
  await wall.attempt(load);
  const pollTimer = setInterval(() => {
    if (!document.querySelector("dialog").open) clearInterval(pollTimer);
    else if (view.tournament && !document.activeElement?.closest("#sheet form")) wall.attempt(load);
  }, POLL_MS);
}

function creationForm(submit) {
  const create = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const text = (name) => String(form.get(name));
    submit("create", { name: text("name"), entrants: text("entrants"), rounds: Number(form.get("rounds")), seats: Number(form.get("seats")), edition: text("edition"), format: text("format") });
  };
  const readFile = async (event) => {
    const list = event.target.form.elements.entrants;
    if (event.target.files[0]) list.value = await event.target.files[0].text();
  };
  return h("form", { class: "fields", onsubmit: create },
    h("label", {}, t("hall.name"), h("input", { name: "name", required: true, maxlength: 200 })),
    h("label", {}, t("hall.file"), h("input", { type: "file", name: "file", accept: ".csv,text/csv", onchange: readFile })),
    h("label", {}, t("hall.text"), h("textarea", { name: "entrants", rows: 6, required: true })),
    h("div", { class: "row" },
      h("label", {}, t("hall.rounds"), h("input", { name: "rounds", type: "number", min: 1, max: 50, value: 5, required: true })),
      h("label", {}, t("hall.seats"), h("select", { name: "seats", value: "2" }, [2, 3, 4].map((seats) => h("option", { key: seats, value: seats }, seats)))),
      h("label", {}, t("hall.edition"), h("select", { name: "edition", value: "original" }, ["original", "pressman", "twist"].map((edition) => h("option", { key: edition, value: edition }, edition)))),
      h("label", {}, t("hall.format"), h("select", { name: "format", value: "booklet" }, FORMATS.map((format) => h("option", { key: format, value: format }, t(`format.${format}`))))),
    ),
    h("button", { class: "button first" }, t("hall.create")),
  );
}

function headRow(wall, submit) {
  const { tournament } = view;
  const played = tournament.rounds.length;
  const start = async () => {
    const { answers } = await post("/api/tournament/start", { round: played });
    const failed = Object.entries(answers).filter(([, answer]) => !answer.ok);
    wall.tell([t("hall.started", { count: Object.keys(answers).length - failed.length }), ...failed.map(([table, answer]) => `${table}: ${wall.answerText(answer, "hall.plays")}`)].join(" "));
  };
  const link = (name, text) => h("a", { class: "button", href: `${files}/${name}`, download: name.split("?")[0] }, text);
  return h("div", { class: "row", key: "head" },
    h("b", {}, t("hall.played", { name: tournament.name, played, rounds: tournament.length })),
    played < tournament.length && h("button", { type: "button", class: "button first", disabled: played > 0 && !tournament.complete, onclick: () => submit("seat", { round: played + 1 }) }, t("hall.seat", { round: played + 1 })),
    played > 0 && !tournament.complete && h("button", { type: "button", class: "button", onclick: () => wall.attempt(start) }, t("hall.start_tables")),
    played > 0 && link(`sheets.pdf?round=${shownRound()}&language=${currentLanguage()}`, t("hall.sheets", { round: shownRound() })),
    link(`standings.pdf?language=${currentLanguage()}`, t("hall.standings")),
    link("results.csv", t("hall.results_csv")),
    link("records.txt", t("hall.records")),
  );
}

const shownRound = () => view.round ?? view.tournament.rounds.length;

function round(wall, submit) {
  const { tournament } = view;
  const round = tournament.rounds[shownRound() - 1];
  if (!round) return null;
  return h("section", { key: "round" },
    h("div", { class: "row" }, tournament.rounds.map(({ round: number }) => h("button", { key: number, type: "button", class: "button", "aria-pressed": String(number === shownRound()), onclick: () => ((view.round = number), wall.draw()) }, t("hall.round", { round: number })))),
    tournament.strays.filter((stray) => stray.round === shownRound()).map((stray) => h("p", { key: stray.match, class: "call" }, t("hall.stray", { table: stray.table, players: formatList(stray.players) }))),
    h("ul", { class: "plain list boards" }, round.boards.map((board) => h("li", { key: board.board },
      h("span", {}, `${board.board}. ${board.table ? t("hall.at_table", { table: board.table, what: players(board) }) : players(board)}`),
      board.result && (board.signed ? h("span", {}, t("hall.signed")) : h("button", { type: "button", class: "button", onclick: () => submit("sign", { key: wall.newKey(), round: round.round, board: board.board }) }, t("hall.sign"))),
      h("details", {}, h("summary", {}, t(board.result ? "hall.correct" : "hall.by_hand")), resultForm(wall, submit, round.round, board)),
    ))),
    round.byes.length > 0 && h("p", {}, t("hall.bye", { players: formatList(round.byes) })),
  );
}

function players({ players: names, result }) {
  if (!result) return names.join(", ");
  const score = (seat) => {
    const tableScore = result.told && result.told[seat] !== result.held[seat] ? `, ${t("hall.table_said", { score: result.told[seat] })}` : "";
    const penalty = result.penalties[seat] ? `, ${t("hall.penalty_of", { points: result.penalties[seat] })}` : "";
    return `${result.scores[seat]}${tableScore || penalty ? ` (${(tableScore + penalty).slice(2)})` : ""}`;
  };
  return names.map((name, seat) => `${name} ${score(seat)}`).join(", ");
}

function resultForm(wall, submit, number, board) {
  const enter = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const numbers = (letter) => board.players.map((_, seat) => Number(form.get(`${letter}${seat}`)));
    submit("result", { key: wall.newKey(), round: number, board: board.board, scores: numbers("s"), won: numbers("w"), reason: String(form.get("reason")) });
    event.target.closest("details").open = false;
  };
  return h("form", { class: "fields", onsubmit: enter },
    board.players.map((player, seat) => h("div", { key: player, class: "row" },
      h("label", {}, t("hall.score_of", { player }), h("input", { name: `s${seat}`, type: "number", required: true, value: board.result?.held[seat] ?? "" })),
      h("label", {}, t("hall.games_won"), h("input", { name: `w${seat}`, type: "number", min: 0, required: true, value: board.result?.games_won[seat] ?? 0 })),
    )),
    h("label", {}, t("hall.reason"), h("input", { name: "reason", required: true, maxlength: 200 })),
    h("button", { class: "button" }, t("hall.enter")),
  );
}

function standingsTable() {
  const { tournament } = view;
  const isTwoPlayer = tournament.seats === 2;
  const columns = [["rank", "place"], ["name", "player"], ...(isTwoPlayer ? [["points", "wins"], ["opponents", "opponents"]] : [["games_won", "games_won"]]), ["total", "total"]];
  return h("section", { key: "places" },
    h("h3", {}, t("hall.standings")),
    h("p", { class: "help" }, t("hall.ranked_by", { order: messageText(tournament.ranked_by) })),
    h("table", { class: "places" },
      h("thead", {}, h("tr", {}, columns.map(([key, text]) => h("th", { key, scope: "col" }, t(`hall.${text}`))))),
      h("tbody", {}, tournament.standings.map((line) => h("tr", { key: line.name }, columns.map(([key]) => h("td", { key }, line[key]))))),
    ),
  );
}
