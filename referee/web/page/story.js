// Story: a match told turn by turn, with each player's share of the time, openings and longest play; and as a file.

import { app, attempt, local, mayAct, update } from "./app.js";
import { button } from "./controls.js";
import { h, lay } from "./elements.js";
import { fetched, pictured, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { go } from "./place.js";
import { playersTable } from "./players_table.js";
import { chips } from "./tile.js";
import { highlights, isWon, podium, storyOf } from "./victory.js";
import { lasting, listed, locale, number, signed, t } from "./words.js";

const SIGN = { legal: "good", illegal: "bad", undecided: "doubt" };
const SEARCH_SECONDS = 2; // between two looks at what was found
const SAVED_WIDTH = 640; // pixels of a picture in the file

/** The whole view: of this match, or of an earlier one that the address names. */
export function storyView() {
  const [, journal, number] = /^(match-\d{5}\.jsonl)\.(\d+)$/.exec(app.part ?? "") ?? [];
  const { match } = app.state;
  const told = journal ? fetched(`story-${app.part}`, `/api/evenings/${journal}/${number}`) : storyOf(match);
  const story = told.answer;
  const day = story && dayOf(story, journal);
  if (story?.searching && !told.memory.asking) askLater(told);
  return h(
    "div",
    { class: "view story-view" },
    h("h1", {}, t("story.title")),
    journal && h("p", {}, button(t("evenings.all"), () => go("setup/evenings"), { kind: "quiet", sign: "undo" })),
    waiting(told),
    !journal && told.error?.status === 409 && h("p", { class: "help" }, t("turns.none")),
    story && !journal && isWon(match) && h("section", { class: "card" }, podium(match)),
    story && body(story, day),
    story?.turns.length > 0 && h("section", { class: "card", "aria-labelledby": "share-line" }, h("h2", { id: "share-line" }, t("story.share")), h("p", { class: "help" }, t("story.share_how")), h("div", { class: "row" }, button(t("story.save"), () => attempt(() => save(story, day)), { sign: "down", kind: "first" }))),
  );
}

let later = null;

/** Ask again as long as more is being looked for. */
function askLater({ again }) {
  later ??= setTimeout(() => ((later = null), app.tab === "story" && again()), 1000 * SEARCH_SECONDS);
}

/** The day a match began; null where it is not known, as of an evening whose device had no clock. */
function dayOf(story, journal) {
  const kept = journal && fetched("evenings", "/api/evenings").answer?.evenings.find((one) => one.journal === journal && one.number === story.number);
  const began = new Date(journal ? kept?.began : Date.now() - 1000 * (app.state.at - story.began_at));
  return Number.isNaN(began.valueOf()) ? null : began.toLocaleDateString(locale(), { dateStyle: "long" });
}

const body = (story, day, whole = false) => [facts(story, day), shares(story), players(story), bestMissed(story), turns(story, whole)];

function facts(story, day) {
  return h("section", { class: "card", "aria-label": t("story.best") }, h("p", {}, [day, listed(story.names), t("story.games", { count: story.games })].filter(Boolean).join(" · ")), highlights(story) || h("p", { class: "help" }, t("turns.none")));
}

/** Whose turns took how much of the time, as a bar and in words. */
function shares(story) {
  const all = story.players.reduce((sum, one) => sum + one.seconds, 0);
  if (!all) return null;
  const part = (one) => one.seconds / all;
  return h(
    "section",
    { class: "card", "aria-labelledby": "time-line" },
    h("h2", { id: "time-line" }, t("story.time")),
    h("div", { class: "share-bar", "aria-hidden": "true" }, story.players.map((one) => h("span", { class: `share-${one.seat % 6}`, style: { "flex-grow": part(one).toFixed(4) } }))),
    h("ul", { class: "shares" }, story.players.map((one) => h("li", {}, h("span", { class: `swatch share-${one.seat % 6}`, "aria-hidden": "true" }), h("strong", {}, one.name), h("span", {}, number(part(one), { style: "percent" })), h("span", {}, lasting(one.seconds))))),
  );
}

/** @type {(story: any) => [string, (one: any) => unknown][]} */
const columns = (story) => [
  ["story.column_turns", (one) => one.turns],
  ["story.column_mean", (one) => one.mean_turn !== null && lasting(one.mean_turn)],
  ["story.column_tiles", (one) => one.tiles],
  ["story.column_opening", ({ seat }) => story.turns.filter((turn) => turn.seat === seat && turn.opening !== null).map((turn) => t("story.opened", { points: turn.opening, turn: turn.turn })).join(", ")],
  ["story.column_draws", (one) => one.draws],
  ["story.column_score", (one) => one.score !== null && signed(one.score)],
];

function players(story) {
  return h(
    "section",
    { class: "card sheet-card", "aria-labelledby": "players-line" },
    h("h2", { id: "players-line" }, t("story.players")),
    playersTable(t("story.players"), story.players, columns(story)),
  );
}

function turns(story, whole) {
  const memory = local("story-turn", { open: null, side: "after" });
  return h("section", { class: "card", "aria-labelledby": "turns-line" }, h("h2", { id: "turns-line" }, t("tab.turns")), h("ol", { class: "story-turns" }, story.turns.map((turn) => turnLine(story, turn, memory, whole))));
}

/** Which turn it was; of several games, of which. */
const whereOf = (story, { game, turn }) => t(story.games > 1 ? "turns.where" : "story.turn", { game, turn });

function turnLine(story, turn, memory, whole) {
  const key = `${turn.game}.${turn.turn}`;
  const isOpen = memory.open === key;
  const name = story.names[turn.seat];
  const said = turn.penalty ? t("story.penalty", { name }) : turn.outcome === "no_play" ? t("story.drew", { name }) : t("story.laid", { name, count: turn.played.length });
  const line = [
    h("span", { class: "sign" }, icon(turn.penalty ? "bad" : SIGN[turn.verdict])),
    h("span", { class: "text" }, h("strong", {}, said), h("small", {}, [whereOf(story, turn), lasting(turn.seconds), turn.opening !== null && t("story.opens", { points: turn.opening })].filter(Boolean).join(" · "))),
  ];
  return h(
    "li",
    { key, class: turn.penalty ? "bad" : SIGN[turn.verdict] },
    whole ? h("div", { class: "fold" }, line) : h("button", { type: "button", class: "fold", "aria-expanded": String(isOpen), onclick: () => ((memory.open = isOpen ? null : key), update()) }, line),
    turn.played.length > 0 && h("p", { class: "played" }, chips(turn.played, { marks: ["small"] })),
    turn.missed && (whole || isOpen) && missed(turn.missed),
    whole ? turn.pictures.after && h("img", { "data-picture": turn.pictures.after, alt: t("turns.picture_after", { turn: turn.turn }) }) : isOpen && pictures(turn),
  );
}

/** What could have been laid of the tiles that the player certainly held. */
const missed = ({ played, table }) =>
  h("div", { class: "missed" }, h("p", {}, t("story.missed", { count: played.length }), " ", chips(played, { marks: ["small"] })), h("ul", { class: "sets plain" }, table.split(" / ").map((set) => h("li", {}, chips(set.split(" "), { marks: ["tiny"] })))));

/** The turn of which most was missed. */
function bestMissed(story) {
  const gain = (turn) => turn.missed.played.length - turn.missed.laid;
  const missing = story.turns.filter((turn) => turn.missed);
  if (!missing.length) return story.searching && h("p", { class: "help", role: "status" }, t("story.searching"));
  const turn = missing.reduce((one, other) => (gain(other) > gain(one) ? other : one));
  return h("section", { class: "card", "aria-labelledby": "missed-line" }, h("h2", { id: "missed-line" }, t("story.best_missed")), h("p", {}, t("story.missed_by", { name: story.names[turn.seat], where: whereOf(story, turn), laid: turn.missed.laid })), missed(turn.missed), h("p", { class: "help" }, t("story.missed_how")));
}

function pictures(turn) {
  if (app.state.table.private && !mayAct()) return h("p", { class: "help" }, t("picture.private"));
  const shown = ["before", "after"].filter((side) => turn.pictures[side]);
  if (!shown.length) return h("p", { class: "help" }, t("turns.no_picture"));
  return h("div", { class: "pair" }, shown.map((side) => h("figure", {}, h("figcaption", {}, t(`turns.${side}`)), pictured(turn.pictures[side], { class: "evidence", alt: t(`turns.picture_${side}`, { turn: turn.turn }), loading: "lazy" }))));
}

// ---- the file ------------------------------------------------------------------------------------------------------

/** Give the story as one file that any browser shows without a network: shared where the device can, else kept. */
async function save(story, day) {
  const page = document.implementation.createHTMLDocument(t("story.title"));
  page.documentElement.lang = document.documentElement.lang;
  const meta = page.createElement("meta");
  meta.setAttribute("charset", "utf-8");
  const rules = [...document.styleSheets].filter((sheet) => !sheet.media.mediaText).flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n");
  page.head.append(meta, page.createComment("style")); // as an element it would be written out as XML, and is not allowed here
  page.body.className = "saved";
  const main = page.createElement("main");
  page.body.append(main);
  lay(main, h("div", { class: "view story-view" }, h("h1", {}, t("story.title")), body(story, day, true)));
  for (const picture of main.querySelectorAll("img[data-picture]")) await fill(picture);
  const text = `<!doctype html>\n${new XMLSerializer().serializeToString(page.documentElement).replace("<!--style-->", () => `<style>${rules}</style>`)}`;
  const file = new File([text], "story.html", { type: "text/html" });
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file], title: t("story.title") });
  const link = h("a", { href: URL.createObjectURL(file), download: file.name });
  const place = document.createElement("div");
  lay(place, link);
  /** @type {HTMLElement} */ (place.firstChild).click();
  setTimeout(() => URL.revokeObjectURL(link.props.href), 60_000);
}

/** Put a picture into the file, smaller; one that does not come is left out. */
async function fill(picture) {
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
