// Display: a screen that nobody touches, on a wall or in a stream: the table, the seats, the clock and the verdict.

import { app } from "./app.js";
import { hindrance, said } from "./big.js";
import { clock } from "./clock.js";
import { h } from "./elements.js";
import { fetched, pictured } from "./fetched.js";
import { fillScreen } from "./place.js";
import { restoreDrawing } from "./restore.js";
import { seats } from "./seats.js";
import { viewOf } from "./shapes.js";
import { tableDrawing } from "./table.js";
import { hindrances, isOver, overLine } from "./verdict.js";
import { highlights, isWon, podium, storyOf } from "./victory.js";
import { t } from "./words.js";

const LAYOUTS = ["overlay"];
const wanted = new URLSearchParams(location.search).get("layout");

/** Whether the address asks for the display, and in which layout: the plain one (null) or another. */
export const isDisplay = location.pathname === "/display";
export const layout = LAYOUTS.includes(wanted) ? wanted : null;

const SHARE = 0.7; // of a wide screen for the table
const MAX_HINDRANCES = 2;

/** The view; a tap fills the screen. */
export function displayView() {
  const { match } = app.state;
  const plays = match && !isOver(match);
  if (layout === "overlay") return h("div", { class: "overlay" }, h("h1", { class: "unseen" }, t("title")), match && banner(match, plays));
  return h(
    "div",
    { class: plays ? "display" : match ? "display waits" : "display waits idle", onclick: fillScreen() },
    h("h1", { class: "unseen" }, t("title")),
    h("div", { class: "display-stage" }, plays ? table(match) : between(match), plays && h("div", { class: "display-said" }, hindered(), said(match))),
    h("div", { class: "display-side" }, match && !match.ranking && seats(match), plays && clock({ big: true }), match && foot(match), !plays && invitation()),
  );
}

const hindered = () => hindrances().filter((one) => !one.passing).slice(0, MAX_HINDRANCES).map(hindrance);

/** The table as it lies, or what must be put back. */
function table(match) {
  const { table: seen } = app.state;
  const ratio = matchMedia("(orientation: portrait)").matches ? innerWidth / (0.5 * innerHeight) : (SHARE * innerWidth) / innerHeight;
  const drawing = match.restore?.before ? restoreDrawing(match.restore) : { quads: seen.tiles.map((tile) => tile.quad), size: seen.size ?? [4, 3], draw: tableDrawing(match) };
  return h("div", { class: seen.stale ? "frame stale" : "frame" }, drawing.draw(viewOf(drawing.quads, drawing.size, ratio), ratio));
}

const foot = (match) => h("p", { class: "where" }, `${match.edition_name} · ${t("turn.where", { game: match.game, games: match.games, turn: match.turn })}`);

/** Before a match its name, after a game who has won, after the last the ranking. */
function between(match) {
  const line = match ? overLine(match) : t("title");
  return h("div", { class: "display-over" }, isWon(match) ? [h("p", { class: "shout good" }, line), podium(match), highlights(storyOf(match).answer)] : h("p", { class: "shout good" }, line), hindered());
}

/** The way for phones to the page. */
function invitation() {
  const address = fetched("address", "/api/address").answer?.addresses[0] ?? "";
  return h("div", { class: "display-join" }, pictured("/api/qr.svg", { class: "qr", alt: t("share.qr", { address }) }), h("p", {}, t("display.join")), h("p", { class: "where" }, address));
}

/** Over a stream: one line with name and clock, and the verdict above it. */
const banner = (match, plays) => [said(match), h("div", { class: "overlay-line" }, h("strong", {}, plays ? match.players[match.seat].name : overLine(match)), plays && clock())];
