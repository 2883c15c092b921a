// Big: the clock, the player and the verdict with its reason, to be read across the table.

import { app, soFar } from "./app.js";
import { banks, clock } from "./clock.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { fillScreen, leaveLarge } from "./place.js";
import { claim } from "./proposal.js";
import { chips } from "./tile.js";
import { LOOK, headline, hindrances, isMended, overLine, playerName, sentence } from "./verdict.js";
import { t } from "./words.js";

const MAX_TILES = 8; // of one fault: more of them tell nobody which is meant

/** The view that fills the screen; whatever is said, the clock takes the room that is left. */
export function bigView() {
  const { match } = app.state;
  const player = match.players[match.seat];
  const over = overLine(match);
  const fill = fillScreen();
  return h(
    "div",
    { class: "big-view" },
    h("div", { class: "big-head" }, h("h1", {}, over ?? player.name), !over && h("p", { class: player.opened ? "opened yes" : "opened" }, opened(match, player))),
    !over && clock({ big: true }),
    !over && banks(match),
    h("div", { class: "big-said" }, hindrances().filter((one) => !one.passing || !match.verdict).slice(0, 2).map(hindrance), said(match)),
    h(
      "div",
      { class: "big-foot" },
      h("p", { class: "where" }, t("turn.where", { game: match.game, games: match.games, turn: match.turn })),
      fill && button(t(document.fullscreenElement ? "big.window" : "big.fill"), fill, { sign: "big", kind: "quiet" }),
      button(t("big.close"), () => leaveLarge(), { sign: "close", kind: "quiet" }),
    ),
  );
}

function opened(match, player) {
  if (!match.meld || player.opened) return t(player.opened ? "turn.opened" : "turn.not_opened");
  const { points, needed } = soFar(match).meld ?? match.meld;
  return points < needed ? t("big.meld", { points, needed }) : t("verdict.meld", { count: points });
}

export const hindrance = (one) => h("p", { class: `strip ${one.look}` }, icon(one.sign), h("span", {}, one.text));

/** A proposal first, then what is to be put back and why, then the verdict. */
export function said(match) {
  if (match.proposal) return proposed(match.proposal);
  if (match.verdict && isMended(match.verdict)) return shout("doubt", "undo", t("verdict.mended"), h("p", { class: "why" }, t("verdict.mended_how")));
  if (match.restore) return shout("bad", "undo", `${t("restore.title")}\u00a0· ${progress(match.restore)}`, match.verdict?.verdict === "illegal" && reasons(match.verdict));
  if (!match.verdict) return null;
  const look = LOOK[match.verdict.verdict];
  return shout(look, look, headline(match.verdict), match.verdict.verdict !== "legal" && reasons(match.verdict));
}

const progress = ({ moves }) => t("restore.done", { done: moves.filter((move) => move.done).length, all: moves.length });

const proposed = ({ seat, ...said }) => shout("doubt", "doubt", t("proposal.title", { name: playerName(seat) }), h("div", { class: "why" }, claim(said)));

const shout = (look, sign, text, ...more) => h("div", { class: `shout ${look}` }, h("p", {}, icon(sign), h("span", {}, text)), ...more);

/** The first fault with its tiles, and how many more there are. */
function reasons({ faults }) {
  const [first, ...others] = faults;
  return (
    first && [
      first.tiles.length > 0 && first.tiles.length <= MAX_TILES && chips(first.tiles, { marks: ["guilty"] }),
      h("p", { class: "why" }, `${sentence(first)}.`, others.length > 0 && ` ${t("big.more", { count: others.length })}`),
    ]
  );
}
