// Table: whose turn it is, the clock, the verdict, and the table itself with every set outlined.

import { app, attempt, local, mayAct, secondsLeft, soFar, update } from "./app.js";
import { banks, clock } from "./clock.js";
import { askPin, button, saying, segmented } from "./controls.js";
import { doubts, firstDoubt, openTile } from "./correct.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { play } from "./motion.js";
import { playersButton } from "./players.js";
import { proposalCard } from "./proposal.js";
import { go, openLarge } from "./place.js";
import { restoreDrawing, restoreGuide } from "./restore.js";
import { scene } from "./scene.js";
import { seats } from "./seats.js";
import { jokerList, setList } from "./sets.js";
import { chips, namesOf } from "./tile.js";
import { faultList, guiltyTiles, hindranceList, isOver, overLine, passing, playerName, verdictPanel } from "./verdict.js";
import { send } from "./talk.js";
import { t } from "./words.js";
import { missingButton } from "./missing.js";
import { openStart, startCard } from "./start.js";
import { zoomed } from "./zoom.js";

const LONG_NAME = 14; // letters, from which on they are written smaller
const MORE_SECONDS = 30; // what the organiser gives a player at a time

/** The whole view. */
export function tableView() {
  const { match } = app.state;
  return h("div", { class: "pinning" }, match && actionBar(match), table(match));
}

function table(match) {
  return h(
    "div",
    { class: "view table-view", key: "table" },
    h("h1", { class: "unseen" }, t("tab.table")),
    h(
      "div",
      { class: "aside" },
      match ? turnCard(match) : startCard(),
      match && h("section", { class: "card players" }, seats(match)),
      hindranceList(),
      match?.restore ? [restoreGuide(match.restore), verdictPanel()] : verdictPanel(),
      proposalCard(),
      doubts(),
      match && !isOver(match) && facts(match),
    ),
    h("div", { class: "stage" }, match?.restore?.before ? h("section", { class: "card picture", "aria-label": t("picture.label") }, restorePicture(match)) : pictureCard(match), match && actions(match)),
    setsCard(match),
  );
}

/** Who is to move, how long, and how far the opening has come. */
export function turnCard(match) {
  const player = match.players[match.seat];
  const over = isOver(match);
  return h(
    "section",
    { class: "card turn", "aria-labelledby": "turn-line" },
    h(
      "div",
      {},
      h("p", { class: "where" }, t("turn.where", { game: match.game, games: match.games, turn: match.turn })),
      h("h2", { id: "turn-line", class: player.name.length > LONG_NAME ? "long" : null }, overLine(match) ?? t("turn.of", { name: player.name })),
      !over && h("p", { class: player.opened ? "opened yes" : "opened" }, icon(player.opened ? "good" : "lock"), t(player.opened ? "turn.opened" : "turn.not_opened")),
    ),
    !over && h("div", { class: "timing" }, clock(), banks(match), button(t("big.open"), openLarge, { sign: "big", kind: "quiet" })),
    !over && match.meld && meldBar(soFar(match).meld ?? match.meld),
  );
}

/** "24 of 30" towards the opening. */
export function meldBar({ points, needed }) {
  return h(
    "div",
    { class: "meld" },
    h("label", { for: "meld-bar" }, t("meld.label"), " ", h("strong", {}, t(points < needed ? "meld.points" : "meld.enough", { points, needed }))),
    h("progress", { id: "meld-bar", max: needed, value: Math.min(points, needed) }),
  );
}

function facts(match) {
  const { verdict } = match;
  const { played } = soFar(match);
  const said = verdict?.verdict === "illegal" && verdict.game === match.game && verdict.turn === match.turn;
  const unfinished = !said && match.phase === "turn" && match.now && match.now.verdict !== "legal" && match.now.faults.length > 0;
  const { changed } = match;
  return h(
    "section",
    { class: "card facts", "aria-label": t("facts.label") },
    changed && h("p", { class: "doubt" }, icon("doubt"), changedText(changed)),
    unfinished && h("div", { class: "not-yet" }, h("h3", {}, t("facts.not_yet")), faultList(match.now.faults)),
    h(
      "dl",
      {},
      h("dt", {}, t("facts.played")),
      h("dd", {}, played.length ? chips(played, { marks: ["small"] }) : t("facts.nothing")),
      match.jokers.length > 0 && [h("dt", {}, t("facts.jokers")), h("dd", {}, jokerList())],
      h("dt", {}, t("facts.pool")),
      h("dd", {}, t("tiles.count", { count: match.pool })),
    ),
  );
}

const changedText = ({ missing, added }) =>
  [missing.length && t("changed.missing", { tiles: namesOf(missing) }), added.length && t("changed.added", { tiles: namesOf(added) })].filter(Boolean).join(" ") || t("changed.sets");

function pictureCard(match) {
  const { table } = app.state;
  const kind = local("picture", { kind: localStorage.getItem("picture") ?? "drawn" });
  const choose = (wanted) => {
    kind.kind = wanted;
    localStorage.setItem("picture", wanted);
    update();
  };
  return h(
    "section",
    { class: "card picture", "aria-label": t("picture.label") },
    h("div", { class: "row spread" }, segmented(t("picture.label"), [["drawn", t("picture.drawn")], ["photo", t("picture.photo")]], kind.kind, choose), legend()),
    kind.kind === "photo" && isHidden(table) ? privateLine() : table.size && (table.tiles.length || kind.kind === "photo") ? picture(match, kind.kind === "photo") : h("div", { class: "frame" }, h("p", { class: "help bare" }, t("table.empty")), passing(), missingButton(match)),
  );
}

/** Whether pictures are the organiser's alone, for they may show racks. */
const isHidden = (table) => table.private && !mayAct();

const privateLine = () => h("div", { class: "frame" }, h("div", { class: "bare" }, h("p", {}, t("picture.private")), button(t("pin.enter"), () => askPin(), { sign: "open" })));

const picture = (match, photo) => {
  const { table } = app.state;
  return zoomed(`table-${photo}`, table.size, table.tiles.map((tile) => tile.quad), photo, tableDrawing(match, { picture: photo ? table.picture : null, pick: openTile }), { stale: table.stale, beside: missingButton(match) });
};

function restorePicture(match) {
  const { quads, size, draw } = restoreDrawing(match.restore);
  return zoomed("restore", size, quads, false, draw, { stale: app.state.table.stale });
}

/** Give what draws the table as it lies with what is said of its sets, over its picture and to be tapped where asked. */
export function tableDrawing(match, { picture = null, pick = null } = {}) {
  const { table } = app.state;
  const { tiles, size } = table;
  const sets = table.sets.map((set) => ({ tiles: set.tiles, look: set.state }));
  const guilty = guiltyTiles(table, blamed(match));
  const label = t("picture.says", { tiles: tiles.length, sets: sets.length, wrong: sets.filter((set) => set.look === "wrong").length });
  return (view, ratio) => scene({ tiles, sets, size, picture, guilty, unsure: unsureTiles(match), fresh: freshTiles(table), play: play(), view, ratio, pick, label });
}

const blamed = (match) => match?.verdict?.faults ?? [];
const unsureTiles = (match) => new Set((match?.asked ?? []).map((one) => one.index));
const freshTiles = (table) => new Set(table.tiles.filter((tile) => tile.played).map((tile) => tile.index));

function legend() {
  const { sets } = app.state.table;
  const count = (state) => sets.filter((set) => set.state === state).length;
  const said = [["ok", "good"], ["unfinished", "unfinished"], ["doubt", "doubt"], ["wrong", "bad"]].filter(([state]) => count(state));
  return h("ul", { class: "legend" }, said.map(([state, sign]) => h("li", { class: state }, icon(sign), t(`legend.${state}`, { count: count(state) }))));
}

function setsCard(match) {
  const { table } = app.state;
  if (!table.sets.length) return null;
  return h(
    "section",
    { class: "card sets-card", "aria-labelledby": "sets-line" },
    h("h2", { id: "sets-line" }, t("sets.title", { count: table.sets.length })),
    setList(guiltyTiles(table, blamed(match)), unsureTiles(match)),
  );
}

function arbiter() {
  const { arbiter } = app.state;
  if (!arbiter) return null;
  const call = arbiter.called_at === null;
  const act = () => attempt(() => send("/api/arbiter", { call }), t(call ? "arbiter.done" : "arbiter.taken_back"));
  return button(t(call ? "arbiter.call" : "arbiter.take_back"), act, { sign: "hand" });
}

/** What is done now, always in reach: before the table for who reads or tabs, below it and pinned for who looks. */
function actionBar(match) {
  const may = (word) => match.can.includes(word);
  const answers = firstDoubt();
  const acts = [
    may("press") && !isOver(match) && saying("press", { sign: "good", kind: "first" }),
    may("resume") && saying("resume", { sign: "play", kind: "first" }),
    may("next_game") && button(t("actions.score"), () => go("score"), { sign: "score", kind: "first" }),
    may("start") && mayAct() && button(t("start.open"), openStart, { sign: "play", kind: "first" }),
    may("undo") && saying("undo", { sign: "undo", done: t("done.undo") }),
    may("pause") && saying("pause", { sign: "pause" }),
    arbiter(),
  ].filter(Boolean);
  if (!acts.length && !answers) return null;
  return h("section", { class: "action-bar", key: "bar", "aria-label": t("actions.label") }, answers, acts.length > 0 && h("div", { class: "row" }, acts));
}

function actions(match) {
  const may = (word) => match.can.includes(word);
  const first = [
    may("let_stand") && saying("let_stand", { sure: t("sure.let_stand"), done: t("done.let_stand") }),
    may("clock") && saying("clock", { details: { seconds_left: Math.ceil(secondsLeft() ?? 0) + MORE_SECONDS }, sign: "clock", label: t("say.clock", { count: MORE_SECONDS }), done: t("done.clock", { count: MORE_SECONDS }) }),
  ].filter(Boolean);
  const more = [
    may("rummikub") && saying("rummikub", { sure: t("sure.rummikub", { name: playerName(match.seat) }) }),
    may("starter") && match.players.filter((one) => !one.gone && one.seat !== match.seat).map((one) => saying("starter", { details: { first: one.seat }, label: t("say.starter", { name: one.name }), done: t("done.starter", { name: one.name }) })),
    playersButton(match),
    may("blocked") && saying("blocked", { sure: t("sure.blocked") }),
    may("player_left") && match.players.filter((one) => !one.gone).map((one) =>
      saying("player_left", { details: { seat: one.seat }, kind: "danger", label: t("say.player_left", { name: one.name }), sure: t("sure.player_left", { name: one.name }), done: t("match.gone", { name: one.name }) })),
    may("end_match") && saying("end_match", { kind: "danger", sure: t("sure.end_match") }),
  ].flat().filter(Boolean);
  if (!first.length && !more.length) return null;
  return h(
    "section",
    { class: "card actions", "aria-label": t("actions.more") },
    first.length > 0 && h("div", { class: "row" }, first),
    more.length > 0 && h("details", {}, h("summary", {}, t("actions.more")), h("div", { class: "row" }, more)),
  );
}
