// Large view: the clock, the player and the verdict with its reason, readable across the table.

import { app, playSoFar } from "./app.js";
import { bankList, clock } from "./clock.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { fullscreenToggle, closeLargeView } from "./navigation.js";
import { claimText } from "./proposal.js";
import { chips } from "./tile.js";
import { VERDICT_SIGNS, verdictLine, isNews, notices, isPutRight, overLine, playerName, faultText } from "./verdict.js";
import { t } from "./i18n.js";

const MAX_TILES = 8; // of one fault; more would not help anyone

/** The view that fills the screen; the clock takes the space that messages leave. */
export function largeView() {
  const { match } = app.state;
  const player = match.players[match.seat];
  const overText = overLine(match);
  const toggleFullscreen = fullscreenToggle();
  return h(
    "div",
    { class: "big-view" },
    h("div", { class: "big-head" }, h("h1", {}, overText ?? player.name), !overText && h("p", { class: player.opened ? "opened yes" : "opened" }, openingText(match, player))),
    !overText && clock({ big: true }),
    !overText && bankList(match),
    h("div", { class: "big-said" }, notices().filter((notice) => !notice.isTransient || !match.verdict).slice(0, 2).map(noticeLine), statusMessage(match)),
    h(
      "div",
      { class: "big-foot" },
      h("p", { class: "where" }, t("turn.where", { game: match.game, games: match.games, turn: match.turn })),
      toggleFullscreen && button(t(document.fullscreenElement ? "big.window" : "big.fill"), toggleFullscreen, { sign: "big", kind: "quiet" }),
      button(t("big.close"), () => closeLargeView(), { sign: "close", kind: "quiet" }),
    ),
  );
}

function openingText(match, player) {
  if (!match.meld || player.opened) return t(player.opened ? "turn.opened" : "turn.not_opened");
  const { points, needed } = playSoFar(match).meld ?? match.meld;
  return points < needed ? t("big.meld", { points, needed }) : t("verdict.meld", { count: points });
}

export const noticeLine = ({ kind, sign, text }) => h("p", { class: `strip ${kind}` }, icon(sign), h("span", {}, text));

/** The most important message: a proposal, else what to put back and why, else the verdict, small once it is no news. */
export function statusMessage(match, isAlwaysLarge = false) {
  if (match.proposal) return proposalMessage(match.proposal);
  if (match.verdict && isPutRight(match.verdict)) return largeMessage("doubt", "undo", t("verdict.mended"), h("p", { class: "why" }, t("verdict.mended_how")));
  if (match.restore) return largeMessage("bad", "undo", `${t("restore.title")}\u00a0· ${restoreProgress(match.restore)}`, match.verdict?.verdict === "illegal" && firstFault(match.verdict));
  if (!match.verdict) return null;
  const kind = VERDICT_SIGNS[match.verdict.verdict];
  if (!isAlwaysLarge && !isNews(match.verdict, match)) return h("p", { class: `earlier ${kind}` }, icon(kind), h("span", {}, verdictLine(match.verdict)));
  return largeMessage(kind, kind, verdictLine(match.verdict), match.verdict.verdict !== "legal" && firstFault(match.verdict));
}

const restoreProgress = ({ moves }) => t("restore.done", { done: moves.filter((move) => move.done).length, all: moves.length });

const proposalMessage = ({ seat, ...proposal }) => largeMessage("doubt", "doubt", t("proposal.title", { name: playerName(seat) }), h("div", { class: "why" }, claimText(proposal)));

const largeMessage = (kind, sign, text, ...more) => h("div", { class: `shout ${kind}` }, h("p", {}, icon(sign), h("span", {}, text)), ...more);

/** The first fault with its tiles, and the number of others. */
function firstFault({ faults }) {
  const [first, ...others] = faults;
  return (
    first && [
      first.tiles.length > 0 && first.tiles.length <= MAX_TILES && chips(first.tiles, { marks: ["guilty"] }),
      h("p", { class: "why" }, `${faultText(first)}.`, others.length > 0 && ` ${t("big.more", { count: others.length })}`),
    ]
  );
}
