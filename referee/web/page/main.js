// Main: starts the page, draws the view that is open, and says aloud what is new.

import { app, closeSheet, isLive, now, onDraw, refreshSession, toast, update } from "./app.js";
import { bigView } from "./big.js";
import { clock } from "./clock.js";
import { askPin, logOut } from "./controls.js";
import { displayView, isDisplay, layout } from "./display.js";
import { h, lay } from "./elements.js";
import { icon } from "./icons.js";
import { noteTable } from "./motion.js";
import { followAddress, go, noteSheet } from "./place.js";
import { scoreView } from "./score.js";
import { setupView, useTheme } from "./setup.js";
import { storyView } from "./story.js";
import { tableView } from "./table.js";
import { insist, listen, longer, pause } from "./talk.js";
import { guardTaps, notePlaces } from "./taps.js";
import { turnsView } from "./turns.js";
import { LOOK, headline, hindranceList, hindrances, isOver, playerName, spokenVerdict } from "./verdict.js";
import { fillsScreen, victoryView } from "./victory.js";
import { announce, countAloud, sounds, stayAwake } from "./voice.js";
import { preferredLanguage, speak, t } from "./words.js";

const TABS = ["table", "turns", "score", "setup"];
const VIEWS = { table: () => (fillsScreen(app.state.match) ? victoryView() : tableView()), turns: turnsView, score: scoreView, setup: setupView, story: storyView };
const NOBODY = "The referee does not answer. · Der Schiedsrichter antwortet nicht. · Sędzia nie odpowiada.";
const TURNS_CHANGE = ["judged", "drew", "tile_named", "tile_added", "set_added", "rows_named", "turn_taken_back"];
const [top, tabs, main, toasts, sheet, said, skip] = [".top", ".tabs", "#main", "#toasts", "#sheet", "#said", ".skip"].map((one) => /** @type {HTMLDialogElement} */ (document.querySelector(one)));

function draw() {
  document.title = title();
  const large = Boolean(app.large && app.state?.match && !isDisplay);
  document.body.classList.toggle("is-big", large);
  document.body.classList.toggle("is-old", app.state !== null && !isLive());
  lay(skip, t("skip"));
  skip.onclick = (event) => (event.preventDefault(), main.focus()); // the address stays, so that Back does, too
  tabs.setAttribute("aria-label", t("tabs"));
  lay(tabs, ...TABS.map(tab));
  lay(main, app.state ? shownView(large) : waiting());
  noteCard();
  lay(top, ...topBar());
  lay(toasts, !app.sheet && toastLine());
  drawSheet();
  noteSheet();
  notePlaces();
}

const shownView = (large) => (isDisplay ? displayView() : large ? bigView() : h("div", { key: app.tab }, VIEWS[app.tab]()));

const waiting = () => h("div", { class: "view" }, h("h1", {}, t("title")), hindranceList() || h("p", { class: "help" }, t("waiting")));

function title() {
  const match = app.state?.match;
  return match ? t("title.match", { name: playerName(match.seat), view: t(`tab.${app.tab}`) }) : t("title");
}

function topBar() {
  const organiser = app.session.organiser;
  const live = isLive();
  return [
    h("p", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("title"))),
    pinnedLine(),
    h("p", { key: "link", class: live ? "link up" : "link" }, icon(live ? "good" : "link"), h("span", {}, t(live ? "link.up" : "link.down"))),
    h("button", { key: "role", type: "button", class: "button quiet role", onclick: () => (organiser ? logOut() : askPin()) }, icon(organiser ? "open" : "lock"), h("span", {}, t(organiser ? "role.out" : "role.in"))),
    app.state && !live && h("p", { class: "unlinked", role: "alert" }, icon("link"), h("span", {}, t("notice.unlinked"))),
  ];
}

/** Who moves, the time and the last verdict, where the card that says so is out of sight; a tap leads there. */
function pinnedLine() {
  const match = app.state?.match;
  if (app.inSight || app.large || isDisplay || !match || isOver(match)) return null;
  const look = match.verdict && LOOK[match.verdict.verdict];
  return h("button", { key: "line", type: "button", class: "pinned-line", onclick: () => (go("table"), scrollTo(0, 0)) },
    h("strong", {}, playerName(match.seat)), clock(), look && h("span", { class: `last ${look}` }, icon(look), h("span", {}, headline(match.verdict))));
}

let card = null;

const sight = new IntersectionObserver((seen) => update({ inSight: seen.at(-1).isIntersecting }), { rootMargin: "-56px 0px 0px" }); // below the top bar

/** Watch whether the card of the turn is in sight. */
function noteCard() {
  const shown = main.querySelector(".turn");
  if (shown === card) return;
  sight.disconnect();
  card = shown;
  app.inSight = card !== null;
  if (card) sight.observe(card);
}

const tab = (name) => h("a", { href: `#${name}`, "aria-current": name === app.tab ? "page" : null }, icon(name), h("span", {}, t(`tab.${name}`)));

const toastLine = () =>
  app.toast &&
  h("div", { class: `toast ${app.toast.bad ? "bad" : "good"}`, role: app.toast.bad ? "alert" : "status" }, icon(app.toast.bad ? "bad" : "good"), h("p", {}, app.toast.text),
    h("button", { type: "button", class: "button icon-only", "aria-label": t("sheet.close"), onclick: () => update({ toast: null }) }, icon("close")));

function drawSheet() {
  if (!app.sheet) {
    if (sheet.open) sheet.close();
    lay(sheet);
    return;
  }
  sheet.setAttribute("aria-labelledby", "dialog-line");
  lay(
    sheet,
    h("div", { class: "sheet-head" }, h("h2", { id: "dialog-line" }, app.sheet.title), h("button", { type: "button", class: "button icon-only", "aria-label": t("sheet.close"), onclick: closeSheet }, icon("close"))),
    h("div", { class: "sheet-body" }, app.sheet.content()),
    toastLine(),
  );
  if (!sheet.open) sheet.showModal();
}

// ---- what is said aloud: verdicts, whose turn it is, and what hinders the referee -----------------------------------

let told = { verdict: "", turn: "", proposed: "", hindered: "" };

function sayNew() {
  const { match } = app.state;
  const verdict = match?.verdict;
  const fresh = {
    verdict: verdict ? `${verdict.game}.${verdict.turn}.${verdict.judged_at}.${verdict.verdict}` : "",
    turn: match ? `${match.game}.${match.turn}.${match.phase === "turn"}` : "",
    proposed: match?.proposal ? `${match.proposal.seat}.${match.proposal.ends_at}` : "",
    hindered: hindrances().filter((one) => one.sign !== "eye").map((one) => one.text.replace(/\d+/g, "")).join(". "),
  };
  const judged = fresh.verdict !== told.verdict && verdict;
  const hindered = fresh.hindered !== told.hindered && fresh.hindered;
  const proposed = fresh.proposed !== told.proposed && fresh.proposed;
  const parts = [
    judged && spokenVerdict(verdict),
    fresh.turn !== told.turn && match?.phase === "turn" && t("turn.of", { name: playerName(match.seat) }),
    proposed && t("proposal.title", { name: playerName(match.proposal.seat) }),
    hindered,
  ].filter(Boolean);
  told = fresh;
  if (!parts.length) return;
  said.textContent = parts.join(". ");
  announce(said.textContent, judged ? LOOK[judged.verdict] : hindered || proposed ? "doubt" : "turn");
}

// ---- start ---------------------------------------------------------------------------------------------------------

let shownLive = false;

function tick() {
  const { state } = app;
  if (document.hidden || !state) return;
  const live = isLive();
  if (live !== shownLive || state.match?.clock.running || state.match?.proposal || state.table.stale) update();
  shownLive = live;
  countAloud();
}

/** Load the words, and say in all languages that nobody answers while they do not come. */
async function findWords() {
  for (let wait = 1; ; wait = longer(wait)) {
    try {
      return await speak(preferredLanguage());
    } catch {
      main.textContent = NOBODY;
      await pause(wait);
    }
  }
}

/** Tell the style sheets how high the tabs and the action bar stand at the screen's foot, whatever the size of the text. */
function noteFoot() {
  const { style } = document.documentElement;
  const height = (element) => `${element?.offsetHeight ?? 0}px`;
  style.setProperty("--tabs", getComputedStyle(tabs).position === "fixed" ? height(tabs) : "0px");
  style.setProperty("--bar", height(document.querySelector(".action-bar")));
}

async function start() {
  document.body.classList.add("stands");
  if (isDisplay) document.body.classList.add("is-display", `is-${layout ?? "plain"}`);
  useTheme(localStorage.getItem("theme") ?? "auto");
  await findWords();
  onDraw(draw);
  guardTaps();
  const feet = new ResizeObserver(noteFoot);
  for (const part of [tabs, main]) feet.observe(part);
  sheet.addEventListener("close", () => app.sheet && closeSheet());
  sheet.addEventListener("click", (event) => event.target === sheet && closeSheet());
  followAddress();
  refreshSession();
  insist("/api/editions").then(({ editions, formats }) => update({ editions, formats }));
  listen({
    state: (state) => {
      noteTable(state, update);
      update({ state, heardAt: now(), heardWall: Date.now() });
      sayNew();
    },
    told: (told) => {
      if (TURNS_CHANGE.includes(told.event)) update({ told: app.told + 1 });
      if (told.event === "count_differs") toast(t("over.count_differs", { name: playerName(told.seat), count: told.left }), true);
    },
    session: refreshSession,
    link: (linked) => {
      if (linked && app.lostAt !== null) refreshSession(); // as asked for at the start, it may be another now
      update({ linked, lostAt: linked ? null : (app.lostAt ?? now()) });
    },
    trusts: () => app.linked && isLive(),
  });
  stayAwake(() => isDisplay || app.large || sounds() !== "off");
  setInterval(tick, 250);
}

start();
