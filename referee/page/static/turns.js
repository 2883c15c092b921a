// Turns: every turn of the match with its verdict and its pictures before and after.

import { app, viewMemory, isOrganiser, update } from "./app.js";
import { segmented } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest, retryablePicture, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { rowsLine } from "./proposal.js";
import { chip, chips, tileName } from "./tile.js";
import { faultList, verdictLine, playerName } from "./verdict.js";
import { hasText, formatList, locale, t } from "./i18n.js";

const SIGN = { legal: "good", illegal: "bad", undecided: "doubt" };

/** The whole view; it reloads after each judged turn and when the link is back. */
export function turnsView() {
  const memory = viewMemory("turns", { game: null, open: null, side: "after" });
  const { match } = app.state;
  const request = cachedRequest("turns", "/api/turns", match && [match.began_at, match.game, match.turn, match.verdict?.judged_at, app.eventCount, app.disconnectedAt].join());
  const allTurns = request.answer?.turns ?? [];
  const turns = allTurns.filter((turn) => memory.game === null || turn.game === memory.game);
  const games = [...new Set(allTurns.map((turn) => turn.game))].sort((first, second) => first - second);
  return h(
    "div",
    { class: "view turns-view" },
    h("h1", {}, t("turns.title")),
    games.length > 1 && segmented(t("turns.game"), [[null, t("turns.all")], ...games.map((game) => [game, t("turns.game_number", { game })])], memory.game, (game) => ((memory.game = game), update())),
    requestStatus(request),
    turns.length > 0 && h("ol", { class: "turns" }, turns.map((turn) => turnLine(turn, memory))),
    (request.answer || request.error?.status === 409) && !turns.length && h("p", { class: "help" }, t("turns.none")),
  );
}

function turnLine(turn, memory) {
  const key = `${turn.game}.${turn.turn}`;
  const isOpen = memory.open === key;
  const sign = turn.taken_back ? "undo" : SIGN[turn.verdict];
  const text = turn.taken_back ? t("turns.taken_back", { name: playerName(turn.seat) }) : verdictLine(turn);
  return h(
    "li",
    { key, class: `card turn-line ${turn.taken_back ? "doubt" : SIGN[turn.verdict]}` },
    h(
      "button",
      { type: "button", class: "fold", "aria-expanded": String(isOpen), onclick: () => ((memory.open = isOpen ? null : key), update()) },
      h("span", { class: "sign" }, icon(sign)),
      h("span", { class: "text" }, h("strong", {}, text), h("small", {}, turnLabel(turn))),
    ),
    turn.played.length > 0 && h("p", { class: "played" }, chips(turn.played, { marks: ["small"] })),
    turn.drew > 0 && h("p", { class: "drew" }, t("turns.drew", { count: turn.drew })),
    isOpen && turnDetails(turn, memory),
  );
}

const turnLabel = (turn) => [t("turns.where", { game: turn.game, turn: turn.turn }), turn.wall && formatTime(turn.wall)].filter(Boolean).join(" · ");
const formatTime = (wall) => {
  const at = new Date(wall);
  return Number.isNaN(at.valueOf()) ? null : new Intl.DateTimeFormat(locale(), { hour: "numeric", minute: "2-digit" }).format(at);
};

function turnDetails(turn, memory) {
  const { before, after } = turn.pictures;
  const shown = memory.side === "before" ? before : after;
  return h(
    "div",
    { class: "turn-details" },
    turn.verdict !== "legal" && faultList(turn.faults),
    turn.verdict === "legal" && turn.played.length > 0 && turn.meld !== null && h("p", {}, t("verdict.meld", { count: turn.meld })),
    (before || after) && segmented(t("turns.picture"), [["before", t("turns.before")], ["after", t("turns.after")]], memory.side, (side) => ((memory.side = side), update())),
    app.state.table.private && !isOrganiser() ? h("p", { class: "help" }, t("picture.private")) : shown ? retryablePicture(shown, { class: "evidence", alt: t(`turns.picture_${memory.side}`, { turn: turn.turn }), loading: "lazy" }) : h("p", { class: "help" }, t("turns.no_picture")),
    setList(memory.side === "before" ? turn.before : turn.table),
    turn.corrections.length > 0 && h("ul", { class: "corrections" }, turn.corrections.map(correctionItem)),
    turn.rows?.length > 0 && h("ul", { class: "corrections" }, turn.rows.map(rowCorrectionItem)),
  );
}

const setList = (text) => text && h("ul", { class: "sets plain" }, text.split(" / ").map((set) => h("li", {}, chips(set.split(" "), { marks: ["tiny"] }))));

const correctorName = (by) => (hasText(`by.${by}`) ? t(`by.${by}`) : formatList(by.split(", ")));

const correctionItem = ({ was, tile, by, where: missed }) =>
  h("li", {}, missed ? t("turns.added", { tile: tileName(tile), by: correctorName(by) }) : t("turns.corrected", { was: was ? tileName(was) : t("tile.back"), tile: tileName(tile), by: correctorName(by) }), " ", chip(tile, { marks: ["tiny"] }));

const rowCorrectionItem = ({ was, rows, by }) => h("li", {}, t("turns.rows", { by: correctorName(by) }), rowsLine(was, rows));
