// Turns: every turn of the match with its verdict and the pictures before and after it.

import { app, local, mayAct, update } from "./app.js";
import { segmented } from "./controls.js";
import { h } from "./elements.js";
import { fetched, pictured, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { rowsLine } from "./proposal.js";
import { chip, chips, nameOf } from "./tile.js";
import { faultList, headline, playerName } from "./verdict.js";
import { has, listed, locale, t } from "./words.js";

const SIGN = { legal: "good", illegal: "bad", undecided: "doubt" };

/** The whole view; the list is asked for anew whenever another turn has been judged, and once the link is back. */
export function turnsView() {
  const memory = local("turns", { game: null, open: null, side: "after" });
  const { match } = app.state;
  const told = fetched("turns", "/api/turns", match && [match.began_at, match.game, match.turn, match.verdict?.judged_at, app.told, app.lostAt].join());
  const all = told.answer?.turns ?? [];
  const list = all.filter((turn) => memory.game === null || turn.game === memory.game);
  const games = [...new Set(all.map((turn) => turn.game))].sort((one, other) => one - other);
  return h(
    "div",
    { class: "view turns-view" },
    h("h1", {}, t("turns.title")),
    games.length > 1 && segmented(t("turns.game"), [[null, t("turns.all")], ...games.map((game) => [game, t("turns.game_number", { game })])], memory.game, (game) => ((memory.game = game), update())),
    waiting(told),
    list.length > 0 && h("ol", { class: "turns" }, list.map((turn) => turnLine(turn, memory))),
    (told.answer || told.error?.status === 409) && !list.length && h("p", { class: "help" }, t("turns.none")),
  );
}

function turnLine(turn, memory) {
  const key = `${turn.game}.${turn.turn}`;
  const isOpen = memory.open === key;
  const sign = turn.taken_back ? "undo" : SIGN[turn.verdict];
  const said = turn.taken_back ? t("turns.taken_back", { name: playerName(turn.seat) }) : headline(turn);
  return h(
    "li",
    { key, class: `card turn-line ${turn.taken_back ? "doubt" : SIGN[turn.verdict]}` },
    h(
      "button",
      { type: "button", class: "fold", "aria-expanded": String(isOpen), onclick: () => ((memory.open = isOpen ? null : key), update()) },
      h("span", { class: "sign" }, icon(sign)),
      h("span", { class: "text" }, h("strong", {}, said), h("small", {}, where(turn))),
    ),
    turn.played.length > 0 && h("p", { class: "played" }, chips(turn.played, { marks: ["small"] })),
    turn.drew > 0 && h("p", { class: "drew" }, t("turns.drew", { count: turn.drew })),
    isOpen && details(turn, memory),
  );
}

const where = (turn) => [t("turns.where", { game: turn.game, turn: turn.turn }), turn.wall && time(turn.wall)].filter(Boolean).join(" · ");
const time = (wall) => {
  const at = new Date(wall);
  return Number.isNaN(at.valueOf()) ? null : new Intl.DateTimeFormat(locale(), { hour: "numeric", minute: "2-digit" }).format(at);
};

function details(turn, memory) {
  const { before, after } = turn.pictures;
  const shown = memory.side === "before" ? before : after;
  return h(
    "div",
    { class: "turn-details" },
    turn.verdict !== "legal" && faultList(turn.faults),
    turn.verdict === "legal" && turn.played.length > 0 && turn.meld !== null && h("p", {}, t("verdict.meld", { count: turn.meld })),
    (before || after) && segmented(t("turns.picture"), [["before", t("turns.before")], ["after", t("turns.after")]], memory.side, (side) => ((memory.side = side), update())),
    app.state.table.private && !mayAct() ? h("p", { class: "help" }, t("picture.private")) : shown ? pictured(shown, { class: "evidence", alt: t(`turns.picture_${memory.side}`, { turn: turn.turn }), loading: "lazy" }) : h("p", { class: "help" }, t("turns.no_picture")),
    tableLine(memory.side === "before" ? turn.before : turn.table),
    turn.corrections.length > 0 && h("ul", { class: "corrections" }, turn.corrections.map(correction)),
    turn.rows?.length > 0 && h("ul", { class: "corrections" }, turn.rows.map(rowsNamed)),
  );
}

const tableLine = (text) => text && h("ul", { class: "sets plain" }, text.split(" / ").map((set) => h("li", {}, chips(set.split(" "), { marks: ["tiny"] }))));

const speaker = (by) => (has(`by.${by}`) ? t(`by.${by}`) : listed(by.split(", ")));

const correction = ({ was, tile, by, where: missed }) =>
  h("li", {}, missed ? t("turns.added", { tile: nameOf(tile), by: speaker(by) }) : t("turns.corrected", { was: was ? nameOf(was) : t("tile.back"), tile: nameOf(tile), by: speaker(by) }), " ", chip(tile, { marks: ["tiny"] }));

const rowsNamed = ({ was, rows, by }) => h("li", {}, t("turns.rows", { by: speaker(by) }), rowsLine(was, rows));
