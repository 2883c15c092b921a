// Main: starts the page, draws the view that is open, and says aloud what is new.

import { app, closeSheet, now, onDraw, refreshSession, update } from "./app.js";
import { bigView } from "./big.js";
import { askPin, logOut } from "./controls.js";
import { h, lay } from "./elements.js";
import { icon } from "./icons.js";
import { scoreView } from "./score.js";
import { setupView, useTheme } from "./setup.js";
import { tableView } from "./table.js";
import { ask, listen } from "./talk.js";
import { turnsView } from "./turns.js";
import { hindranceList, hindrances, playerName, spokenVerdict } from "./verdict.js";
import { preferredLanguage, speak, t } from "./words.js";

const VIEWS = { table: tableView, turns: turnsView, score: scoreView, setup: setupView };
const [top, tabs, main, sheet, said, skip] = [".top", ".tabs", "#main", "#sheet", "#said", ".skip"].map((one) => document.querySelector(one));

function draw() {
  document.title = title();
  document.body.classList.toggle("is-big", Boolean(app.big && app.state?.match));
  lay(skip, t("skip"));
  lay(top, ...topBar());
  tabs.setAttribute("aria-label", t("tabs"));
  lay(tabs, ...Object.keys(VIEWS).map(tab));
  lay(main, app.notice && notice(), app.state ? view() : waiting());
  drawSheet();
}

const view = () => (app.big && app.state.match ? bigView() : h("div", { key: app.tab }, VIEWS[app.tab]()));
const waiting = () => h("div", { class: "view" }, h("h1", {}, t("title")), hindranceList() || h("p", { class: "help" }, t("waiting")));

function title() {
  const match = app.state?.match;
  return match ? t("title.match", { name: playerName(match.seat), view: t(`tab.${app.tab}`) }) : t("title");
}

function topBar() {
  const organiser = app.session.organiser;
  return [
    h("p", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("title"))),
    h("p", { class: app.linked ? "link up" : "link", title: t(app.linked ? "link.up" : "link.down") }, icon(app.linked ? "good" : "link"), h("span", {}, t(app.linked ? "link.up" : "link.down"))),
    h("button", { type: "button", class: "button quiet role", onclick: () => (organiser ? logOut() : askPin()) }, icon(organiser ? "open" : "lock"), h("span", {}, t(organiser ? "role.out" : "role.in"))),
  ];
}

const tab = (name) => h("a", { href: `#${name}`, "aria-current": name === app.tab ? "page" : null }, icon(name), h("span", {}, t(`tab.${name}`)));

const notice = () =>
  h("div", { key: "notice", class: `notice ${app.notice.bad ? "bad" : "good"}`, role: app.notice.bad ? "alert" : "status" }, icon(app.notice.bad ? "bad" : "good"), h("p", {}, app.notice.text),
    h("button", { type: "button", class: "button icon-only", "aria-label": t("sheet.close"), onclick: () => update({ notice: null }) }, icon("close")));

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
    app.notice?.bad && h("p", { class: "notice bad", role: "alert" }, app.notice.text),
    h("div", { class: "sheet-body" }, app.sheet.content()),
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
  const parts = [
    fresh.verdict !== told.verdict && verdict && spokenVerdict(verdict),
    fresh.turn !== told.turn && match?.phase === "turn" && t("turn.of", { name: playerName(match.seat) }),
    fresh.proposed !== told.proposed && fresh.proposed && t("proposal.title", { name: playerName(match.proposal.seat) }),
    fresh.hindered !== told.hindered && fresh.hindered,
  ].filter(Boolean);
  told = fresh;
  if (parts.length) said.textContent = parts.join(". ");
}

// ---- start ---------------------------------------------------------------------------------------------------------

function openTab() {
  const name = location.hash.slice(1);
  update({ tab: name in VIEWS ? name : "table", big: false, notice: null });
  window.scrollTo(0, 0);
}

function tick() {
  const { state } = app;
  if (document.hidden || !state) return;
  if (state.match?.clock.running || state.match?.proposal || state.table.stale) update();
}

async function start() {
  useTheme(localStorage.getItem("theme") ?? "auto");
  await speak(preferredLanguage());
  onDraw(draw);
  window.addEventListener("hashchange", openTab);
  sheet.addEventListener("close", () => app.sheet && closeSheet());
  sheet.addEventListener("click", (event) => event.target === sheet && closeSheet());
  openTab();
  await refreshSession();
  ask("/api/editions").then(({ editions }) => update({ editions }), () => {});
  listen({
    state: (state) => {
      update({ state, heardAt: now(), linked: true });
      sayNew();
    },
    told: (told) => {
      // What the list of turns tells has changed; it is asked for anew when it is shown.
      if (["judged", "drew", "tile_named", "tile_added", "set_added", "rows_named", "turn_taken_back"].includes(told.event) && app.local.turns) app.local.turns.key = null;
      if (told.event === "count_differs") update({ notice: { text: t("over.count_differs", { name: playerName(told.seat), count: told.left }), bad: true } });
    },
    link: (linked) => {
      if (linked && !app.linked) refreshSession();
      update({ linked });
    },
  });
  setInterval(tick, 250);
}

start();
