// Proposal: saying how the table is otherwise than it was read, alone or, where the players agree, with another player.

import { app, closeSheet, local, mayAct, openSheet, say, since, update } from "./app.js";
import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { chips, nameOf } from "./tile.js";
import { playerName } from "./verdict.js";
import { t } from "./words.js";

const rule = () => app.session.corrections ?? "organiser";
const agreeing = () => !mayAct() && rule() === "agreement";

/** Whether this page may say what a tile is, or propose it. */
export const mayCorrect = () => mayAct() || rule() !== "organiser";

/** Say what was read wrongly; a player's word is proposed to the others where it needs one of them. */
export function saySo(word, details, done) {
  if (!mayCorrect()) return askPin(() => saySo(word, details, done));
  if (!agreeing()) return say(word, details, done);
  return withSeat((seat) => say(word, { ...details, seat }, t("proposal.made")));
}

/** Whose phone this is in this match, as far as it was said; kept when the page is opened anew. */
function me() {
  const { match } = app.state;
  const memory = local("me", { of: null, seat: null });
  const of = [match.began_at, ...match.players.map((one) => one.name)].join("/");
  if (memory.of !== of) {
    const [kept, seat] = JSON.parse(localStorage.getItem("seat") ?? "[]");
    Object.assign(memory, { of, seat: kept === of ? seat : null });
  }
  return memory;
}

function beSeat(seat) {
  const memory = me();
  memory.seat = seat;
  localStorage.setItem("seat", JSON.stringify([memory.of, seat]));
}

/** Go on as the player who holds this phone; asked once. */
function withSeat(then) {
  const { match } = app.state;
  const memory = me();
  if (memory.seat !== null && match?.players[memory.seat] && !match.players[memory.seat].gone) return then(memory.seat);
  openSheet(t("seat.title"), () => [
    h("p", {}, t("seat.why")),
    h("div", { class: "stack" }, app.state.match.players.filter((one) => !one.gone).map((one) => button(one.name, () => (beSeat(one.seat), closeSheet(), then(one.seat)), { key: one.seat }))),
  ]);
  return null;
}

/** What a player proposed, for another one to agree with; with nobody's proposal nothing. */
export function proposalCard() {
  const proposal = app.state.match?.proposal;
  if (!proposal) return null;
  const left = Math.max(0, Math.ceil(proposal.seconds_left - (since())));
  const mine = agreeing() && me().seat === proposal.seat;
  const answer = (word) => () => (agreeing() ? withSeat((seat) => say(word, { seat })) : say(word));
  return h(
    "section",
    { class: "card proposal", "aria-labelledby": "proposal-line" },
    h("h2", { id: "proposal-line" }, icon("doubt"), t("proposal.title", { name: playerName(proposal.seat) })),
    h("div", { class: "row" }, proposal.tiles.length < 3 && proposal.tiles.map((tile, place) => tile.crop && h("img", { key: place, class: "crop", src: tile.crop, alt: t("correct.picture") })), h("div", { class: "stack" }, claim(proposal))),
    h("p", { class: "help" }, mine ? t("proposal.wait") : t("proposal.how"), " ", h("strong", {}, t("proposal.left", { count: left }))),
    h(
      "div",
      { class: "row" },
      (mayAct() || (agreeing() && !mine)) && button(t("proposal.agree"), answer("agree"), { sign: "good", kind: "first" }),
      (mayAct() || agreeing()) && button(t(mine ? "proposal.take_back" : "proposal.refuse"), answer("refuse"), { sign: mine ? "undo" : "bad" }),
      agreeing() && me().seat !== null && button(t("seat.is", { name: playerName(me().seat) }), () => ((me().seat = null), withSeat(() => update())), { kind: "quiet" }),
    ),
  );
}

/**
 * What is claimed, in words and tiles.
 * @param {Partial<import("./state.d.ts").Proposal>} said
 */
export function claim({ say: word, was, tile, rows, rows_were: before }) {
  if (rows) return [h("p", {}, t(`proposal.${word}`)), rowsLine(before, rows)];
  if (!tile) return h("p", {}, t("proposal.gone", { was: nameOf(was) }));
  return [h("p", {}, was ? t("proposal.correct", { tile: nameOf(tile), was: nameOf(was) }) : t("proposal.add", { tile: nameOf(tile) })), chips([tile])];
}

/** Rows as they were read, and as they are. */
export const rowsLine = (before, rows) =>
  h("p", { class: "rows-line" }, before.map((row) => chips(row, { marks: ["tiny"] })), h("span", { "aria-hidden": "true" }, "→"), h("span", { class: "unseen" }, t("proposal.becomes")), rows.map((row) => chips(row, { marks: ["tiny"] })));
