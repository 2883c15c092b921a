// Proposal: corrections of the reading, made alone or, under the agreement rule, confirmed by another player.

import { app, closeSheet, viewMemory, isOrganiser, openSheet, secondsElapsed, update } from "./app.js";
import { sendCommand, subjectOf, whatIsOver } from "./commands.js";
import { askPin, button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { load, save } from "./storage.js";
import { chips, tileName } from "./tile.js";
import { playerName } from "./verdict.js";
import { t } from "./i18n.js";

const correctionRule = () => app.session.corrections ?? "organiser";
const needsAgreement = () => !isOrganiser() && correctionRule() === "agreement";

/** Whether this page may correct the reading, or propose a correction. */
export const canCorrect = () => isOrganiser() || correctionRule() !== "organiser";

/** Submit a correction; under the agreement rule a player's becomes a proposal. */
export function submitCorrection(command, details, successText, subject = subjectOf(command)) {
  if (!canCorrect()) return askPin(() => submitCorrection(command, details, successText, subject));
  if (!needsAgreement()) return sendCommand(command, details, successText, subject);
  return withOwnSeat((seat) => sendCommand(command, { ...details, seat }, t("proposal.made"), subject), subject);
}

/** The seat of this phone's owner in this match, if known; kept across reloads. */
function seatMemory() {
  const { match } = app.state;
  const memory = viewMemory("me", { of: null, seat: null });
  const matchKey = [match.began_at, ...match.players.map((player) => player.name)].join("/");
  if (memory.of !== matchKey) {
    const [storedKey, seat] = JSON.parse(load("seat") ?? "[]");
    Object.assign(memory, { of: matchKey, seat: storedKey === matchKey ? seat : null });
  }
  return memory;
}

function saveSeat(seat) {
  const memory = seatMemory();
  memory.seat = seat;
  save("seat", JSON.stringify([memory.of, seat]));
}

/** Run an action with the seat of this phone's owner; ask for it once. */
function withOwnSeat(action, subject) {
  const { match } = app.state;
  const memory = seatMemory();
  if (memory.seat !== null && match?.players[memory.seat] && !match.players[memory.seat].gone) return action(memory.seat);
  openSheet(t("seat.title"), () => [
    h("p", {}, t("seat.why")),
    h("div", { class: "stack" }, app.state.match.players.filter((player) => !player.gone).map((player) => button(player.name, () => (saveSeat(player.seat), closeSheet(), action(player.seat)), { key: player.seat }))),
  ], () => whatIsOver(subject));
  return null;
}

/** The open proposal, for another player to agree with; null without one. */
export function proposalCard() {
  const proposal = app.state.match?.proposal;
  if (!proposal) return null;
  const timeLeft = () => h("strong", { again: timeLeft }, t("proposal.left", { count: Math.max(0, Math.ceil(proposal.seconds_left - secondsElapsed())) }));
  const isOwn = needsAgreement() && seatMemory().seat === proposal.seat;
  const subject = subjectOf("agree"); // this proposal, whichever is open when the tap comes
  const send = (command, details) => sendCommand(command, details, null, subject);
  const answer = (command) => () => (needsAgreement() ? withOwnSeat((seat) => send(command, { seat }), subject) : send(command, {}));
  return h(
    "section",
    { class: "card proposal", "aria-labelledby": "proposal-line" },
    h("h2", { id: "proposal-line" }, icon("doubt"), t("proposal.title", { name: playerName(proposal.seat) })),
    h("div", { class: "row" }, proposal.tiles.length < 3 && proposal.tiles.map((tile, index) => tile.crop && h("img", { key: index, class: "crop", src: tile.crop, alt: t("correct.picture") })), h("div", { class: "stack" }, claimText(proposal))),
    h("p", { class: "help" }, isOwn ? t("proposal.wait") : t("proposal.how"), " ", timeLeft()),
    h(
      "div",
      { class: "row" },
      (isOrganiser() || (needsAgreement() && !isOwn)) && button(t("proposal.agree"), answer("agree"), { sign: "good", kind: "first" }),
      (isOrganiser() || needsAgreement()) && button(t(isOwn ? "proposal.take_back" : "proposal.refuse"), answer("refuse"), { sign: isOwn ? "undo" : "bad" }),
      needsAgreement() && seatMemory().seat !== null && button(t("seat.is", { name: playerName(seatMemory().seat) }), () => ((seatMemory().seat = null), withOwnSeat(() => update(), subject)), { kind: "quiet" }),
    ),
  );
}

/**
 * A proposal's claim, in words and tiles.
 * @param {Partial<import("./state.d.ts").Proposal>} proposal
 */
export function claimText({ say: command, was, tile, rows, rows_were: rowsBefore }) {
  if (rows) return [h("p", {}, t(`proposal.${command}`)), rowsLine(rowsBefore, rows)];
  if (!tile) return h("p", {}, t("proposal.gone", { was: tileName(was) }));
  return [h("p", {}, was ? t("proposal.correct", { tile: tileName(tile), was: tileName(was) }) : t("proposal.add", { tile: tileName(tile) })), chips([tile])];
}

/** Rows as read, and as corrected. */
export const rowsLine = (rowsBefore, rows) =>
  h("p", { class: "rows-line" }, rowsBefore.map((row) => chips(row, { marks: ["tiny"] })), h("span", { "aria-hidden": "true" }, "→"), h("span", { class: "unseen" }, t("proposal.becomes")), rows.map((row) => chips(row, { marks: ["tiny"] })));
