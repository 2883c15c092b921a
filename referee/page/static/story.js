// Story: a match turn by turn, with each player's time and statistics; also as a file.

import { app, attempt, viewMemory, isOrganiser, update } from "./app.js";
import { button } from "./controls.js";
import { h, patch } from "./elements.js";
import { cachedRequest, retryablePicture, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { navigate } from "./navigation.js";
import { playersTable } from "./players_table.js";
import { chips } from "./tile.js";
import { highlights, isWon, podium, matchStory } from "./victory.js";
import { formatDuration, formatList, locale, formatNumber, formatSigned, t } from "./i18n.js";

const SIGN = { legal: "good", illegal: "bad", undecided: "doubt" };
const SEARCH_SECONDS = 2; // between two requests while the search for missed plays runs
const SAVED_WIDTH = 640; // pixels, of a picture in the file

/** The whole view, of this match or of an earlier one in the address. */
export function storyView() {
  const [, journal, number] = /^(match-\d{5,}\.jsonl)\.(\d+)$/.exec(app.part ?? "") ?? [];
  const { match } = app.state;
  const request = journal ? cachedRequest(`story-${app.part}`, `/api/evenings/${journal}/${number}`) : matchStory(match);
  const story = request.answer;
  const day = story && dayOf(story, journal);
  if (story?.searching && !request.memory.isLoading) scheduleRefresh(request);
  return h(
    "div",
    { class: "view story-view" },
    h("h1", {}, t("story.title")),
    journal && h("p", {}, button(t("evenings.all"), () => navigate("setup/evenings"), { kind: "quiet", sign: "undo" })),
    requestStatus(request),
    !journal && request.error?.status === 409 && h("p", { class: "help" }, t("turns.none")),
    story && !journal && isWon(match) && h("section", { class: "card" }, podium(match)),
    story && storyCards(story, day),
    story?.turns.length > 0 && h("section", { class: "card", "aria-labelledby": "share-line" }, h("h2", { id: "share-line" }, t("story.share")), h("p", { class: "help" }, t("story.share_how")), h("div", { class: "row" }, button(t("story.save"), () => attempt(() => saveFile(story, day)), { sign: "down", kind: "first" }))),
  );
}

let refreshTimer = null;

/** Reload while the search for missed plays runs. */
function scheduleRefresh({ reload }) {
  refreshTimer ??= setTimeout(() => ((refreshTimer = null), app.tab === "story" && reload()), 1000 * SEARCH_SECONDS);
}

/** The day a match began; null if unknown because the device had no clock. */
function dayOf(story, journal) {
  const evening = journal && cachedRequest("evenings", "/api/evenings").answer?.evenings.find((evening) => evening.journal === journal && evening.number === story.number);
  const began = new Date(journal ? evening?.began : Date.now() - 1000 * (app.state.at - story.began_at));
  return Number.isNaN(began.valueOf()) ? null : began.toLocaleDateString(locale(), { dateStyle: "long" });
}

const storyCards = (story, day, isFile = false) => [factsCard(story, day), timeShares(story), playersCard(story), bestMissedCard(story), turnsCard(story, isFile)];

function factsCard(story, day) {
  return h("section", { class: "card", "aria-label": t("story.best") }, h("p", {}, [day, formatList(story.names), t("story.games", { count: story.games })].filter(Boolean).join(" · ")), highlights(story) || h("p", { class: "help" }, t("turns.none")));
}

/** Each player's share of the time, as a bar and in words. */
function timeShares(story) {
  const all = story.players.reduce((sum, player) => sum + player.seconds, 0);
  if (!all) return null;
  const share = (player) => player.seconds / all;
  return h(
    "section",
    { class: "card", "aria-labelledby": "time-line" },
    h("h2", { id: "time-line" }, t("story.time")),
    h("div", { class: "share-bar", "aria-hidden": "true" }, story.players.map((player) => h("span", { class: `share-${player.seat % 6}`, style: { "flex-grow": share(player).toFixed(4) } }))),
    h("ul", { class: "shares" }, story.players.map((player) => h("li", {}, h("span", { class: `swatch share-${player.seat % 6}`, "aria-hidden": "true" }), h("strong", {}, player.name), h("span", {}, formatNumber(share(player), { style: "percent" })), h("span", {}, formatDuration(player.seconds))))),
  );
}

/** @type {(story: any) => [string, (one: any) => unknown][]} */
const columns = (story) => [
  ["story.column_turns", (player) => player.turns],
  ["story.column_mean", (player) => player.mean_turn !== null && formatDuration(player.mean_turn)],
  ["story.column_tiles", (player) => player.tiles],
  ["story.column_opening", ({ seat }) => story.turns.filter((turn) => turn.seat === seat && turn.opening !== null).map((turn) => t("story.opened", { points: turn.opening, turn: turn.turn })).join(", ")],
  ["story.column_draws", (player) => player.draws],
  ["story.column_score", (player) => player.score !== null && formatSigned(player.score)],
];

function playersCard(story) {
  return h(
    "section",
    { class: "card sheet-card", "aria-labelledby": "players-line" },
    h("h2", { id: "players-line" }, t("story.players")),
    playersTable(t("story.players"), story.players, columns(story)),
  );
}

function turnsCard(story, isFile) {
  const memory = viewMemory("story-turn", { open: null, side: "after" });
  return h("section", { class: "card", "aria-labelledby": "turns-line" }, h("h2", { id: "turns-line" }, t("tab.turns")), h("ol", { class: "story-turns" }, story.turns.map((turn) => turnLine(story, turn, memory, isFile))));
}

/** A turn's number; in a match of several games, also the game's. */
const turnLabel = (story, { game, turn }) => t(story.games > 1 ? "turns.where" : "story.turn", { game, turn });

function turnLine(story, turn, memory, isFile) {
  const key = `${turn.game}.${turn.turn}`;
  const isOpen = memory.open === key;
  const name = story.names[turn.seat];
  const text = turn.penalty ? t("story.penalty", { name }) : turn.outcome === "no_play" ? t("story.drew", { name }) : t("story.laid", { name, count: turn.played.length });
  const line = [
    h("span", { class: "sign" }, icon(turn.penalty ? "bad" : SIGN[turn.verdict])),
    h("span", { class: "text" }, h("strong", {}, text), h("small", {}, [turnLabel(story, turn), formatDuration(turn.seconds), turn.opening !== null && t("story.opens", { points: turn.opening })].filter(Boolean).join(" · "))),
  ];
  return h(
    "li",
    { key, class: turn.penalty ? "bad" : SIGN[turn.verdict] },
    isFile ? h("div", { class: "fold" }, line) : h("button", { type: "button", class: "fold", "aria-expanded": String(isOpen), onclick: () => ((memory.open = isOpen ? null : key), update()) }, line),
    turn.played.length > 0 && h("p", { class: "played" }, chips(turn.played, { marks: ["small"] })),
    turn.missed && (isFile || isOpen) && missedPlay(turn.missed),
    isFile ? turn.pictures.after && h("img", { "data-picture": turn.pictures.after, alt: t("turns.picture_after", { turn: turn.turn }) }) : isOpen && turnPictures(turn),
  );
}

/** The best play with the tiles that the player certainly held. */
const missedPlay = ({ played, table }) =>
  h("div", { class: "missed" }, h("p", {}, t("story.missed", { count: played.length }), " ", chips(played, { marks: ["small"] })), h("ul", { class: "sets plain" }, table.split(" / ").map((set) => h("li", {}, chips(set.split(" "), { marks: ["tiny"] })))));

/** The turn in which a player missed most. */
function bestMissedCard(story) {
  const gain = (turn) => turn.missed.played.length - turn.missed.laid;
  const missedTurns = story.turns.filter((turn) => turn.missed);
  if (!missedTurns.length) return story.searching && h("p", { class: "help", role: "status" }, t("story.searching"));
  const turn = missedTurns.reduce((best, other) => (gain(other) > gain(best) ? other : best));
  return h("section", { class: "card", "aria-labelledby": "missed-line" }, h("h2", { id: "missed-line" }, t("story.best_missed")), h("p", {}, t("story.missed_by", { name: story.names[turn.seat], where: turnLabel(story, turn), laid: turn.missed.laid })), missedPlay(turn.missed), h("p", { class: "help" }, t("story.missed_how")));
}

function turnPictures(turn) {
  if (app.state.table.private && !isOrganiser()) return h("p", { class: "help" }, t("picture.private"));
  const shown = ["before", "after"].filter((side) => turn.pictures[side]);
  if (!shown.length) return h("p", { class: "help" }, t("turns.no_picture"));
  return h("div", { class: "pair" }, shown.map((side) => h("figure", {}, h("figcaption", {}, t(`turns.${side}`)), retryablePicture(turn.pictures[side], { class: "evidence", alt: t(`turns.picture_${side}`, { turn: turn.turn }), loading: "lazy" }))));
}

// ---- the file ------------------------------------------------------------------------------------------------------

/** Share the story as one file that any browser shows offline, or download it if the device cannot share. */
async function saveFile(story, day) {
  const page = document.implementation.createHTMLDocument(t("story.title"));
  page.documentElement.lang = document.documentElement.lang;
  const meta = page.createElement("meta");
  meta.setAttribute("charset", "utf-8");
  const rules = [...document.styleSheets].filter((sheet) => !sheet.media.mediaText).flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n");
  page.head.append(meta, page.createComment("style")); // an element would be serialised as XML, and the security policy forbids it here
  page.body.className = "saved";
  const main = page.createElement("main");
  page.body.append(main);
  patch(main, h("div", { class: "view story-view" }, h("h1", {}, t("story.title")), storyCards(story, day, true)));
  for (const picture of main.querySelectorAll("img[data-picture]")) await embedPicture(picture);
  const text = `<!doctype html>\n${new XMLSerializer().serializeToString(page.documentElement).replace("<!--style-->", () => `<style>${rules}</style>`)}`;
  const file = new File([text], "story.html", { type: "text/html" });
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file], title: t("story.title") });
  const link = h("a", { href: URL.createObjectURL(file), download: file.name });
  const container = document.createElement("div");
  patch(container, link);
  /** @type {HTMLElement} */ (container.firstChild).click();
  setTimeout(() => URL.revokeObjectURL(link.props.href), 60_000);
}

/** Embed a picture in the file, scaled down; drop it if it fails to load. */
async function embedPicture(picture) {
  const { picture: path } = picture.dataset;
  picture.removeAttribute("data-picture");
  try {
    const image = await createImageBitmap(await (await fetch(path)).blob());
    const scale = Math.min(1, SAVED_WIDTH / image.width);
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.round(scale * image.width), height: Math.round(scale * image.height) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    picture.setAttribute("src", canvas.toDataURL("image/jpeg", 0.7));
  } catch {
    picture.remove();
  }
}
