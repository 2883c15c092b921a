// Main: starts the page, renders the open view and announces news.

import { app, closeSheet, isLive, now, onRender, refreshSession, showToast, update } from "./app.js";
import { largeView } from "./large_view.js";
import { clock } from "./clock.js";
import { askPin, logOut } from "./controls.js";
import { displayView, isDisplay, layout } from "./display.js";
import { h, patch, patchTicking } from "./elements.js";
import { icon } from "./icons.js";
import { trackTiles } from "./motion.js";
import { followAddress, navigate, syncSheetHistory } from "./navigation.js";
import { followPaste, photoView } from "./photo.js";
import { scoreView } from "./score.js";
import { setupView, setTheme } from "./setup.js";
import { storyView } from "./story.js";
import { load } from "./storage.js";
import { tableView } from "./table.js";
import { getUntilAnswered, subscribe, nextWait, sleep } from "./api.js";
import { guardTaps, recordButtonPositions } from "./tap_guard.js";
import { turnsView } from "./turns.js";
import { VERDICT_SIGNS, verdictLine, isNews, isOfThisTurn, noticeList, notices, isOver, playerName, spokenVerdict } from "./verdict.js";
import { isVictoryShown, victoryView } from "./victory.js";
import { announce, countAloud, soundMode, keepScreenOn } from "./announcements.js";
import { preferredLanguage, loadLanguage, t } from "./i18n.js";

const TABS = ["table", "turns", "score", "photo", "setup"];
const VIEWS = { table: () => (isVictoryShown(app.state.match) ? victoryView() : tableView()), turns: turnsView, score: scoreView, photo: photoView, setup: setupView, story: storyView };
const NO_ANSWER = "The referee does not answer. · Der Schiedsrichter antwortet nicht. · Sędzia nie odpowiada.";
const EVENTS_CHANGING_TURNS = ["judged", "drew", "tile_named", "tile_added", "set_added", "rows_named", "turn_taken_back"];
const [top, tabs, main, toasts, sheet, liveRegion, skip] = [".top", ".tabs", "#main", "#toasts", "#sheet", "#said", ".skip"].map((selector) => /** @type {HTMLDialogElement} */ (document.querySelector(selector)));

function render() {
  document.title = pageTitle();
  const large = Boolean(app.largeView && app.state?.match && !isDisplay);
  document.body.classList.toggle("is-big", large);
  document.body.classList.toggle("is-old", app.state !== null && !isLive());
  patch(skip, t("skip"));
  skip.onclick = (event) => (event.preventDefault(), main.focus()); // keep the address, so that Back still works
  if (tabs.ariaLabel !== t("tabs")) tabs.ariaLabel = t("tabs");
  patch(tabs, app.session.has_table && TABS.map(tab));
  patch(main, app.state ? currentView(large) : waitingView());
  observeTurnCard();
  patch(top, ...topBar());
  endSheets();
  patch(toasts, !app.sheet && toastLine());
  renderSheet();
  syncSheetHistory();
  recordButtonPositions();
}

const currentView = (large) => (isDisplay ? displayView() : large ? largeView() : h("div", { key: app.tab }, app.session.has_table ? VIEWS[app.tab]() : photoView()));

const waitingView = () => h("div", { class: "view" }, h("h1", {}, t("title")), noticeList() || h("p", { class: "help" }, t("waiting")));

function pageTitle() {
  const match = app.state?.match;
  return match ? t("title.match", { name: playerName(match.seat), view: t(`tab.${app.tab}`) }) : t("title");
}

function topBar() {
  const organiser = app.session.organiser;
  const isLinkLive = isLive();
  return [
    h("p", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, t("title"))),
    pinnedButton(),
    h("p", { key: "link", class: isLinkLive ? "link up" : "link" }, icon(isLinkLive ? "good" : "link"), h("span", {}, t(isLinkLive ? "link.up" : "link.down"))),
    app.session.has_table && h("button", { key: "role", type: "button", class: "button quiet role", onclick: () => (organiser ? logOut() : askPin()) }, icon(organiser ? "open" : "lock"), h("span", {}, t(organiser ? "role.out" : "role.in"))),
    app.state && !isLinkLive && h("p", { class: "unlinked", role: "alert" }, icon("link"), h("span", {}, t("notice.unlinked"))),
  ];
}

/** The player to move and the time, or for some seconds the last player's verdict, while the turn's card is off screen; a tap leads to the card. */
function pinnedButton() {
  const match = app.state?.match;
  if (app.turnCardVisible || app.largeView || isDisplay || !match || isOver(match)) return null;
  const { verdict } = match;
  const isNew = verdict && isNews(verdict, match);
  const isOther = isNew && !isOfThisTurn(verdict, match);
  const sign = isNew && VERDICT_SIGNS[verdict.verdict];
  return h("button", { key: "line", type: "button", class: "pinned-line", onclick: () => (navigate("table"), scrollTo(0, 0)) },
    !isOther && [h("strong", {}, playerName(match.seat)), clock()],
    isNew && h("span", { class: isOther ? `last other ${sign}` : `last ${sign}` }, icon(sign), h("span", {}, verdictLine(verdict))));
}

let observedCard = null;

const cardObserver = new IntersectionObserver((entries) => update({ turnCardVisible: entries.at(-1).isIntersecting }), { rootMargin: "-56px 0px 0px" }); // below the top bar

/** Observe whether the turn's card is on screen. */
function observeTurnCard() {
  const card = main.querySelector(".turn");
  if (card === observedCard) return;
  cardObserver.disconnect();
  observedCard = card;
  app.turnCardVisible = observedCard !== null;
  if (observedCard) cardObserver.observe(observedCard);
}

const tab = (name) => h("a", { href: `#${name}`, "aria-current": name === app.tab ? "page" : null }, icon(name), h("span", {}, t(`tab.${name}`)));

const toastLine = () =>
  app.toast &&
  h("div", { class: `toast ${app.toast.bad ? "bad" : "good"}`, role: app.toast.bad ? "alert" : "status" }, icon(app.toast.bad ? "bad" : "good"), h("p", {}, app.toast.text),
    h("button", { type: "button", class: "button icon-only", "aria-label": t("sheet.close"), onclick: () => update({ toast: null }) }, icon("close")));

let shownSheet = null;

/** Close the sheet if what it is about is gone, and say so; end what a closed sheet has begun. */
function endSheets() {
  const gone = app.sheet?.gone();
  if (gone) {
    closeSheet();
    showToast(gone, { bad: true });
  }
  if (shownSheet && shownSheet !== app.sheet) shownSheet.abort.abort();
}

function renderSheet() {
  const isNew = shownSheet !== app.sheet;
  const isClosedByUser = !sheet.open && !isNew; // its `close` event is still to come
  shownSheet = app.sheet;
  if (!app.sheet) {
    if (sheet.open) sheet.close();
    patch(sheet);
    return;
  }
  patch(
    sheet,
    h("div", { class: "sheet-head" }, h("h2", { id: "dialog-line" }, app.sheet.title), h("button", { type: "button", class: "button icon-only", "aria-label": t("sheet.close"), onclick: closeSheet }, icon("close"))),
    h("div", { class: "sheet-body" }, app.sheet.content()),
    toastLine(),
  );
  if (!sheet.open && !isClosedByUser) sheet.showModal();
  if (isNew) /** @type {?HTMLElement} */ (sheet.querySelector(".sheet-body :is(input, select, textarea)"))?.focus(); // not the button that closes it
}

/** Forget the sheet that the user closed; its `close` event comes a moment later, when the next sheet may be open. */
const onSheetClosed = () => !sheet.open && app.sheet && app.sheet === shownSheet && closeSheet();

// ---- announcements -------------------------------------------------------------------------------------------------

let announced = null; // what was announced last; nothing of the first State, which is no news

function announceChanges() {
  const { match } = app.state;
  const verdict = match?.verdict;
  const current = {
    judgedTurn: verdict ? `${verdict.game}.${verdict.turn}` : "",
    verdict: verdict ? `${verdict.game}.${verdict.turn}.${verdict.judged_at}.${verdict.verdict}` : "",
    turn: match ? `${match.game}.${match.turn}.${match.phase === "turn"}` : "",
    proposed: match?.proposal ? `${match.proposal.seat}.${match.proposal.ends_at}` : "",
    hindered: notices().filter((notice) => !notice.isTransient).map((notice) => notice.text.replace(/\d+/g, "")).join(". "),
  };
  announced ??= current;
  const newVerdict = current.verdict !== announced.verdict && verdict;
  const newNotices = current.hindered !== announced.hindered && current.hindered;
  const newProposal = current.proposed !== announced.proposed && current.proposed;
  const parts = [
    newVerdict && spokenVerdict(verdict),
    current.turn !== announced.turn && match?.phase === "turn" && t("turn.of", { name: playerName(match.seat) }),
    newProposal && t("proposal.title", { name: playerName(match.proposal.seat) }),
    newNotices,
  ].filter(Boolean);
  const replaces = Boolean(newVerdict) && current.judgedTurn === announced.judgedTurn; // a corrected verdict
  announced = current;
  if (!parts.length) return;
  liveRegion.textContent = parts.join(". ");
  announce(liveRegion.textContent, newVerdict ? VERDICT_SIGNS[newVerdict.verdict] : newNotices || newProposal ? "doubt" : "turn", { replaces });
}

// ---- start ---------------------------------------------------------------------------------------------------------

let shownNow = "";

/** Move the clocks; draw the page anew only where more than a clock has changed with time. */
function refreshClock() {
  const { state } = app;
  if (document.hidden || !state) return;
  const { verdict } = state.match ?? {};
  const current = [isLive(), verdict && isNews(verdict, state.match), ...notices().map((notice) => notice.text)].join();
  if (current === shownNow) patchTicking();
  else update();
  shownNow = current;
  countAloud();
}

/** Load the texts; until they come, say in several languages that nobody answers. */
async function loadTexts() {
  for (let seconds = 1; ; seconds = nextWait(seconds)) {
    try {
      return await loadLanguage(preferredLanguage());
    } catch {
      main.textContent = NO_ANSWER;
      await sleep(seconds);
    }
  }
}

/** Give the style sheets the heights of the tabs and the action bar at the foot of the screen, at any text size. */
function measureFoot() {
  const { style } = document.documentElement;
  const height = (element) => `${element?.offsetHeight ?? 0}px`;
  style.setProperty("--tabs", getComputedStyle(tabs).position === "fixed" ? height(tabs) : "0px");
  style.setProperty("--bar", height(document.querySelector(".action-bar")));
}

async function start() {
  document.body.classList.add("stands");
  if (isDisplay) document.body.classList.add("is-display", `is-${layout ?? "plain"}`);
  setTheme(load("theme") ?? "auto");
  await loadTexts();
  onRender(render);
  guardTaps();
  const footObserver = new ResizeObserver(measureFoot);
  for (const part of [tabs, main]) footObserver.observe(part);
  sheet.addEventListener("close", onSheetClosed);
  sheet.addEventListener("click", (event) => event.target === sheet && closeSheet());
  followAddress();
  followPaste();
  refreshSession();
  getUntilAnswered("/api/editions").then(({ editions, formats }) => update({ editions, formats }));
  subscribe({
    state: (state) => {
      trackTiles(state, update);
      update({ state, receivedAt: now(), receivedWall: Date.now() });
      announceChanges();
    },
    event: (event) => {
      if (EVENTS_CHANGING_TURNS.includes(event.event)) update({ eventCount: app.eventCount + 1 });
      if (event.event === "count_differs") showToast(t("over.count_differs", { name: playerName(event.seat), count: event.left }), { bad: true });
    },
    session: refreshSession,
    link: (linked) => {
      if (linked && app.disconnectedAt !== null) refreshSession(); // the session may have changed meanwhile
      update({ connected: linked, disconnectedAt: linked ? null : (app.disconnectedAt ?? now()) });
    },
    isTrusted: () => app.connected && isLive(),
  });
  keepScreenOn(() => isDisplay || app.largeView || soundMode() !== "off");
  setInterval(refreshClock, 250);
}

start();
