// Display: the table, the seats, the clock and the verdict for a screen on a wall or in a stream, which nobody touches.

import { app } from "./app.js";
import { noticeLine, statusMessage } from "./large_view.js";
import { clock } from "./clock.js";
import { h } from "./elements.js";
import { cachedRequest, retryablePicture } from "./requests.js";
import { fullscreenToggle } from "./navigation.js";
import { restoreDrawing } from "./restore.js";
import { seats } from "./seats.js";
import { fittedView } from "./geometry.js";
import { tableDrawing } from "./table.js";
import { isNews, notices, isOver, overLine } from "./verdict.js";
import { highlights, isWon, podium, matchStory } from "./victory.js";
import { t } from "./i18n.js";

const LAYOUTS = ["overlay"];
const requestedLayout = new URLSearchParams(location.search).get("layout");

/** Whether the address asks for the display, and in which layout (null: the plain one). */
export const isDisplay = location.pathname === "/display";
export const layout = LAYOUTS.includes(requestedLayout) ? requestedLayout : null;

const TABLE_SHARE = 0.7; // of a wide screen
const MAX_NOTICES = 2;

/** The view; a tap fills the screen. */
export function displayView() {
  const { match } = app.state;
  const isPlaying = match && !isOver(match);
  if (layout === "overlay") return h("div", { class: "overlay" }, h("h1", { class: "unseen" }, t("title")), match && banner(match, isPlaying));
  return h(
    "div",
    { class: isPlaying ? "display" : match ? "display waits" : "display waits idle", onclick: fullscreenToggle() },
    h("h1", { class: "unseen" }, t("title")),
    h("div", { class: "display-stage" }, isPlaying ? tableStage(match) : resultStage(match), isPlaying && h("div", { class: "display-said" }, noticeLines(), statusMessage(match))),
    h("div", { class: "display-side" }, match && !match.ranking && seats(match), isPlaying && clock({ big: true }), match && matchInfo(match), !isPlaying && joinInfo()),
  );
}

const noticeLines = () => notices().filter((notice) => !notice.isTransient).slice(0, MAX_NOTICES).map(noticeLine);

/** The table as it is, or what must be put back. */
function tableStage(match) {
  const { table } = app.state;
  const ratio = matchMedia("(orientation: portrait)").matches ? innerWidth / (0.5 * innerHeight) : (TABLE_SHARE * innerWidth) / innerHeight;
  const drawing = match.restore?.before ? restoreDrawing(match.restore) : { quads: table.tiles.map((tile) => tile.quad), size: table.size ?? [4, 3], draw: tableDrawing(match) };
  return h("div", { class: table.stale ? "frame stale" : "frame" }, drawing.draw(fittedView(drawing.quads, drawing.size, ratio), ratio));
}

const matchInfo = (match) => h("p", { class: "where" }, `${match.edition_name} · ${t("turn.where", { game: match.game, games: match.games, turn: match.turn })}`);

/** Between games: the title before a match, the winner after a game, the ranking after the last. */
function resultStage(match) {
  const line = match ? overLine(match) : t("title");
  return h("div", { class: "display-over" }, isWon(match) ? [h("p", { class: "shout good" }, line), podium(match), highlights(matchStory(match).answer)] : h("p", { class: "shout good" }, line), noticeLines());
}

/** The page's address and QR code for phones. */
function joinInfo() {
  const { answer } = cachedRequest("address", "/api/address");
  const address = answer?.addresses[0] ?? "";
  if (answer?.local_only) return h("div", { class: "display-join" }, h("p", {}, t("share.local")));
  return h("div", { class: "display-join" }, retryablePicture("/api/qr.svg", { class: "qr", alt: t("share.qr", { address }) }), h("p", {}, t("display.join")), h("p", { class: "where" }, address));
}

/** Whether the overlay's message is about now; an earlier verdict fades. */
const isNewsNow = (match) => match.proposal || match.restore || (match.verdict && isNews(match.verdict, match));

/** Over a stream: a line with name and clock, and the verdict above it. */
const banner = (match, isPlaying) => [h("div", { class: isNewsNow(match) ? "overlay-said" : "overlay-said gone" }, statusMessage(match, true)), h("div", { class: "overlay-line" }, h("strong", {}, isPlaying ? match.players[match.seat].name : overLine(match)), isPlaying && clock())];
