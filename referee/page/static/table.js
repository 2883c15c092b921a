// Table: the turn, the clock, the verdict, and the table with every set outlined.

import { app, attempt, viewMemory, isOrganiser, playSoFar, update } from "./app.js";
import { bankList, clock } from "./clock.js";
import { askPin, button, commandButton, segmented } from "./controls.js";
import { doubtsCard, firstDoubt, openTileSheet } from "./tile_corrections.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { currentMotion } from "./motion.js";
import { playersButton } from "./players.js";
import { proposalCard } from "./proposal.js";
import { navigate, openLargeView } from "./navigation.js";
import { restoreDrawing, restoreGuide } from "./restore.js";
import { scene } from "./scene.js";
import { seats } from "./seats.js";
import { jokerList, nothingText, setList } from "./sets.js";
import { chips, tileNames } from "./tile.js";
import { faultList, guiltyTiles, noticeList, isOver, overLine, transientNotice, playerName, verdictPanel } from "./verdict.js";
import { post } from "./api.js";
import { t } from "./i18n.js";
import { missedSetButton } from "./missed_set.js";
import { openStart, startCard } from "./start.js";
import { load, save } from "./storage.js";
import { zoomable } from "./zoom.js";

const LONG_NAME = 14; // letters; longer names are smaller
const MORE_SECONDS = 30; // that one tap adds to the clock

/** The whole view. */
export function tableView() {
  const { match } = app.state;
  return h("div", { class: "pinning" }, match && actionBar(match), tableLayout(match));
}

function tableLayout(match) {
  return h(
    "div",
    { class: "view table-view", key: "table" },
    h("h1", { class: "unseen" }, t("tab.table")),
    h(
      "div",
      { class: "aside" },
      match ? turnCard(match) : startCard(),
      match && h("section", { class: "card players" }, seats(match)),
      noticeList(),
      match?.restore ? [restoreGuide(match.restore), verdictPanel()] : verdictPanel(),
      proposalCard(),
      doubtsCard(),
      match && !isOver(match) && factsCard(match),
    ),
    h("div", { class: "stage" }, match?.restore?.before ? h("section", { class: "card picture", "aria-label": t("picture.label") }, restorePicture(match)) : pictureCard(match), match && actionsCard(match)),
    setsCard(match),
  );
}

/** The player to move, the time, and the progress of the initial meld. */
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
    !over && h("div", { class: "timing" }, clock(), bankList(match), button(t("big.open"), openLargeView, { sign: "big", kind: "quiet" })),
    !over && match.meld && meldBar(playSoFar(match).meld ?? match.meld),
  );
}

/** The points of the initial meld so far, such as 24 of 30. */
export function meldBar({ points, needed }) {
  return h(
    "div",
    { class: "meld" },
    h("label", { for: "meld-bar" }, t("meld.label"), " ", h("strong", {}, t(points < needed ? "meld.points" : "meld.enough", { points, needed }))),
    h("progress", { id: "meld-bar", max: needed, value: Math.min(points, needed) }),
  );
}

function factsCard(match) {
  const { verdict } = match;
  const { played } = playSoFar(match);
  const isJudged = verdict?.verdict === "illegal" && verdict.game === match.game && verdict.turn === match.turn;
  const isUnfinished = !isJudged && match.phase === "turn" && match.now && match.now.verdict !== "legal" && match.now.faults.length > 0;
  const { changed } = match;
  return h(
    "section",
    { class: "card facts", "aria-label": t("facts.label") },
    changed && h("p", { class: "doubt" }, icon("doubt"), changedText(changed)),
    isUnfinished && h("div", { class: "not-yet" }, h("h3", {}, t("facts.not_yet")), faultList(match.now.faults)),
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
  [missing.length && t("changed.missing", { tiles: tileNames(missing) }), added.length && t("changed.added", { tiles: tileNames(added) })].filter(Boolean).join(" ") || t("changed.sets");

function pictureCard(match) {
  const { table } = app.state;
  const memory = viewMemory("picture", { kind: load("picture") ?? "drawn" });
  const choose = (kind) => {
    memory.kind = kind;
    save("picture", kind);
    update();
  };
  return h(
    "section",
    { class: "card picture", "aria-label": t("picture.label") },
    h("div", { class: "row spread" }, segmented(t("picture.label"), [["drawn", t("picture.drawn")], ["photo", t("picture.photo")]], memory.kind, choose), legend()),
    memory.kind === "photo" && arePicturesHidden(table) ? privateNotice() : table.size && (table.tiles.length || memory.kind === "photo") ? picture(match, memory.kind === "photo") : h("div", { class: "frame" }, h("p", { class: "help bare" }, t(nothingText(table))), transientNotice(), missedSetButton(match)),
  );
}

/** Whether only the organiser may see pictures, which may show racks. */
const arePicturesHidden = (table) => table.private && !isOrganiser();

const privateNotice = () => h("div", { class: "frame" }, h("div", { class: "bare" }, h("p", {}, t("picture.private")), button(t("pin.enter"), () => askPin(), { sign: "open" })));

const picture = (match, photo) => {
  const { table } = app.state;
  return zoomable(`table-${photo}`, table.size, table.tiles.map((tile) => tile.quad), photo, tableDrawing(match, { picture: photo ? table.picture : null, pick: openTileSheet }), { stale: table.stale, beside: missedSetButton(match) });
};

function restorePicture(match) {
  const { quads, size, draw } = restoreDrawing(match.restore);
  return zoomable("restore", size, quads, false, draw, { stale: app.state.table.stale });
}

/** A function that draws the table with the state of its sets; `picture` is the background, `pick` handles taps. */
export function tableDrawing(match, { picture = null, pick = null } = {}) {
  const { table } = app.state;
  const { tiles, size } = table;
  const sets = table.sets.map((set) => ({ tiles: set.tiles, state: set.state }));
  const guilty = guiltyTiles(table, currentFaults(match));
  const label = t("picture.says", { tiles: tiles.length, sets: sets.length, wrong: sets.filter((set) => set.state === "wrong").length });
  return (view, ratio) => scene({ tiles, sets, size, picture, guilty, unsure: unsureIndices(match), played: playedIndices(table), motion: currentMotion(), view, ratio, pick, label });
}

const currentFaults = (match) => match?.verdict?.faults ?? [];
const unsureIndices = (match) => new Set((match?.asked ?? []).map((tile) => tile.index));
const playedIndices = (table) => new Set(table.tiles.filter((tile) => tile.played).map((tile) => tile.index));

function legend() {
  const { sets } = app.state.table;
  const count = (state) => sets.filter((set) => set.state === state).length;
  const counted = [["ok", "good"], ["unfinished", "unfinished"], ["doubt", "doubt"], ["wrong", "bad"]].filter(([state]) => count(state));
  return h("ul", { class: "legend" }, counted.map(([state, sign]) => h("li", { class: state }, icon(sign), t(`legend.${state}`, { count: count(state) }))));
}

function setsCard(match) {
  const { table } = app.state;
  if (!table.sets.length) return null;
  return h(
    "section",
    { class: "card sets-card", "aria-labelledby": "sets-line" },
    h("h2", { id: "sets-line" }, t("sets.title", { count: table.sets.length })),
    setList(guiltyTiles(table, currentFaults(match)), unsureIndices(match)),
  );
}

function arbiterButton() {
  const { arbiter } = app.state;
  if (!arbiter) return null;
  const call = arbiter.called_at === null;
  const toggle = () => attempt(() => post("/api/arbiter", { call }), t(call ? "arbiter.done" : "arbiter.taken_back"));
  return button(t(call ? "arbiter.call" : "arbiter.take_back"), toggle, { sign: "hand" });
}

/** The main actions, always in reach: before the table in reading and tab order, pinned below it on screen. */
function actionBar(match) {
  const can = (word) => match.can.includes(word);
  const doubt = firstDoubt();
  const buttons = [
    can("press") && !isOver(match) && commandButton("press", { sign: "good", kind: "first" }),
    can("resume") && commandButton("resume", { sign: "play", kind: "first" }),
    can("next_game") && button(t("actions.score"), () => navigate("score"), { sign: "score", kind: "first" }),
    can("start") && isOrganiser() && button(t("start.open"), openStart, { sign: "play", kind: "first" }),
    can("undo") && commandButton("undo", { sign: "undo", successText: t("done.undo") }),
    can("pause") && commandButton("pause", { sign: "pause" }),
    arbiterButton(),
  ].filter(Boolean);
  if (!buttons.length && !doubt) return null;
  return h("section", { class: "action-bar", key: "bar", "aria-label": t("actions.label") }, doubt, buttons.length > 0 && h("div", { class: "row" }, buttons));
}

function actionsCard(match) {
  const can = (word) => match.can.includes(word);
  const primary = [
    can("take_table") && commandButton("take_table", { confirmText: t("sure.take_table", { name: playerName(match.seat) }), successText: t("done.take_table") }),
    can("let_stand") && commandButton("let_stand", { confirmText: t("sure.let_stand"), successText: t("done.let_stand") }),
    can("clock") && commandButton("clock", { details: { add: MORE_SECONDS }, sign: "clock", label: t("say.clock", { count: MORE_SECONDS }), successText: t("done.clock", { count: MORE_SECONDS }) }),
  ].filter(Boolean);
  const secondary = [
    can("rummikub") && commandButton("rummikub", { confirmText: t("sure.rummikub", { name: playerName(match.seat) }) }),
    can("starter") && match.players.filter((player) => !player.gone && player.seat !== match.seat).map((player) => commandButton("starter", { details: { first: player.seat }, label: t("say.starter", { name: player.name }), successText: t("done.starter", { name: player.name }) })),
    playersButton(match),
    can("blocked") && commandButton("blocked", { confirmText: t("sure.blocked") }),
    can("player_left") && match.players.filter((player) => !player.gone).map((player) =>
      commandButton("player_left", { details: { seat: player.seat }, kind: "danger", label: t("say.player_left", { name: player.name }), confirmText: t("sure.player_left", { name: player.name }), successText: t("match.gone", { name: player.name }) })),
    can("end_match") && commandButton("end_match", { kind: "danger", confirmText: t("sure.end_match") }),
  ].flat().filter(Boolean);
  if (!primary.length && !secondary.length) return null;
  return h(
    "section",
    { class: "card actions", "aria-label": t("actions.more") },
    primary.length > 0 && h("div", { class: "row" }, primary),
    secondary.length > 0 && h("details", {}, h("summary", {}, t("actions.more")), h("div", { class: "row" }, secondary)),
  );
}
