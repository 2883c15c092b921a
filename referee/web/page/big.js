// Big: the clock, the player and the verdict alone, to be read across the table.

import { app, soFar, update } from "./app.js";
import { clock } from "./clock.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { claim } from "./proposal.js";
import { chips } from "./tile.js";
import { headline, hindrances, isMended, playerName, sentence } from "./verdict.js";
import { t } from "./words.js";

const LOOK = { legal: "good", illegal: "bad", undecided: "doubt" };

/** The view that fills the screen. */
export function bigView() {
  const { match } = app.state;
  const player = match.players[match.seat];
  const hindered = hindrances()[0];
  return h(
    "div",
    { class: "big-view" },
    h("h1", {}, player.name),
    h("p", { class: player.opened ? "opened yes" : "opened" }, match.meld && !player.opened ? t("big.meld", soFar(match).meld ?? match.meld) : t(player.opened ? "turn.opened" : "turn.not_opened")),
    clock({ big: true }),
    hindered ? h("p", { class: `shout ${hindered.look}` }, icon(hindered.sign), hindered.text) : match.proposal ? proposed(match.proposal) : match.restore ? restoring(match.restore) : match.verdict && shout(match.verdict),
    h("p", { class: "where" }, t("turn.where", { game: match.game, games: match.games, turn: match.turn })),
    button(t("big.close"), () => update({ big: false }), { sign: "close" }),
  );
}

const proposed = ({ seat, ...said }) =>
  h("div", { class: "shout doubt" }, h("p", {}, icon("doubt"), t("proposal.title", { name: playerName(seat) })), h("div", { class: "why" }, claim(said)));

const restoring = ({ moves }) =>
  h("div", { class: "shout bad" }, h("p", {}, icon("undo"), t("restore.title")), h("p", { class: "why" }, t("restore.done", { done: moves.filter((move) => move.done).length, all: moves.length })));

function shout(verdict) {
  if (isMended(verdict)) return h("div", { class: "shout doubt" }, h("p", {}, icon("undo"), t("verdict.mended")), h("p", { class: "why" }, t("verdict.mended_how")));
  const fault = verdict.verdict === "illegal" ? verdict.faults[0] : null;
  return h(
    "div",
    { class: `shout ${LOOK[verdict.verdict]}` },
    h("p", {}, icon(LOOK[verdict.verdict]), headline(verdict)),
    fault && h("p", { class: "why" }, fault.tiles.length > 0 && fault.tiles.length < 6 && chips(fault.tiles), ` ${sentence(fault)}.`),
  );
}
