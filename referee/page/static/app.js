// App: what the page knows, and the one way to change and render it.

import { TRUST_SECONDS, getUntilAnswered, setToken } from "./api.js";
import { asSentence, messageText, t } from "./i18n.js";

/**
 * Everything that views draw. Views change it only through `update`.
 * @type {import("./page.d.ts").App}
 */
export const app = {
  state: null, // the last State of the referee
  receivedAt: 0, // when it came, by the page's monotonic clock
  receivedWall: 0, // the same by the wall clock, because the other one stops while a device sleeps
  disconnectedAt: null, // when the link was lost; null while connected
  connected: false,
  eventCount: 0, // the number of events that changed the list of turns
  session: { organiser: false, pin_set: true, has_table: true },
  editions: [],
  formats: [],
  tab: "table",
  part: null, // of the setup, or the story's match
  largeView: false,
  turnCardVisible: false,
  sheet: null, // the open dialog: a `title` and a function that returns the content
  toast: null, // the last error or success: {text, bad}
  viewMemories: {}, // what each view remembers, by name
};

const TOAST_SECONDS = { good: 5, bad: 12 };

let render = () => {};
let isRenderQueued = false;

export const onRender = (renderPage) => {
  render = renderPage;
};

/**
 * Change what the page knows; draw once for all changes of one task.
 * @param {Partial<import("./page.d.ts").App>} changes
 */
export function update(changes = {}) {
  Object.assign(app, changes);
  if (isRenderQueued) return;
  isRenderQueued = true;
  queueMicrotask(() => {
    isRenderQueued = false;
    render();
  });
}

/** What a view remembers between renderings. */
export function viewMemory(name, initial) {
  app.viewMemories[name] ??= initial;
  return app.viewMemories[name];
}

/** The tiles played in this turn and their points; while hands hide the table, as last seen. */
export function playSoFar(match) {
  const memory = viewMemory("so-far", { turn: null, played: [], meld: null });
  const turn = `${match.began_at}.${match.game}.${match.turn}`;
  if (turn !== memory.turn || !app.state.table.stale) Object.assign(memory, { turn, played: match.played, meld: match.meld });
  return memory;
}

/** The edition with this id, by default the match's. */
export const findEdition = (id = app.state?.match?.edition) => app.editions.find((edition) => edition.id === id) ?? app.editions[0] ?? null;

/** The format with this id, or null. */
export const findFormat = (id) => app.formats.find((format) => format.id === id) ?? null;

export const now = () => performance.now() / 1000;

/** How old the State is. */
export const secondsSinceState = () => Math.max(now() - app.receivedAt, (Date.now() - app.receivedWall) / 1000);

/** Whether the State is recent enough to show as current. */
export const isTrusted = () => app.state !== null && secondsSinceState() <= TRUST_SECONDS;
export const isLive = () => app.connected && isTrusted();

/** The seconds since the State came, for clocks to count on; they stop when the link is lost. */
export const secondsElapsed = () => Math.max(0, Math.min(app.disconnectedAt ?? now(), app.receivedAt + TRUST_SECONDS, now()) - app.receivedAt);

/** The seconds left on the turn's clock now; null without a limit. */
export function secondsLeft() {
  const clock = app.state?.match?.clock;
  if (!clock || clock.seconds_left === null) return null;
  return Math.max(0, clock.seconds_left - (clock.running ? secondsElapsed() : 0));
}

/** Whether this page may change the match. */
export const isOrganiser = () => app.session.organiser;

/** The text of an error, in the page's language. */
export function errorText(error) {
  if (error.name === "AbortError") return t("notice.no_answer");
  if (error.status === undefined) return t("notice.unreachable");
  return asSentence(messageText(error));
}

/** What an error says of each field of a form, by the field's name in the request. */
export const fieldErrors = (error) => Object.fromEntries(Object.entries(error.errors ?? {}).map(([field, message]) => [field, asSentence(messageText(message))]));

/** Show a toast, which covers no button and moves nothing; what succeeds later takes one of a `failure` away. */
export function showToast(text, { bad = false, failure = false } = {}) {
  const notice = { text, bad: bad || failure, failure };
  update({ toast: notice });
  setTimeout(() => app.toast === notice && update({ toast: null }), 1000 * TOAST_SECONDS[notice.bad ? "bad" : "good"]);
}

/** Run an action; show a toast if it fails. Resolves to its answer, null after a failure. */
export async function attempt(action, successText = null) {
  try {
    const answer = await retryWithNewToken(action);
    if (successText) showToast(successText);
    else if (app.toast?.failure) update({ toast: null });
    return answer;
  } catch (error) {
    if (error.status === 403) refreshSession();
    showToast(errorText(error), { failure: true });
    return null;
  }
}

/** Run an action, and once more if only the token was out of date. */
export async function retryWithNewToken(action) {
  try {
    return await action();
  } catch (error) {
    const { organiser } = app.session;
    if (error.id !== "session") throw error;
    await refreshSession();
    if (app.session.organiser !== organiser) throw error;
    return action();
  }
}

let sessionRequest = null;

/** Fetch this page's session, and tell the organiser when theirs has ended. */
export function refreshSession() {
  sessionRequest ??= getUntilAnswered("/api/session").then((session) => {
    sessionRequest = null;
    if (app.session.organiser && !session.organiser) showToast(t("pin.ended"), { bad: true });
    useSession(session);
  });
  return sessionRequest;
}

/** Use a session from now on; what its role was refused is asked for again. */
export function useSession(session) {
  setToken(session.csrf);
  const refused = session.organiser === app.session.organiser ? [] : Object.values(app.viewMemories).filter((memory) => memory.error?.status === 403);
  for (const memory of refused) Object.assign(memory, { error: null, loadedKey: undefined });
  update({ session });
}

const otherTabs = window.BroadcastChannel && new BroadcastChannel("session");
if (otherTabs) otherTabs.onmessage = () => refreshSession();

/** Tell this browser's other tabs that its session is another. */
export const tellOtherTabs = () => otherTabs?.postMessage("changed");

/**
 * Open a sheet. Once `gone()` returns a text, what the sheet is about is gone: it closes and the text says so. Its `signal`
 * is aborted when it closes.
 * @param {string} title
 * @param {() => unknown} content
 * @param {() => ?string} [gone]
 */
export function openSheet(title, content, gone = () => null) {
  const abort = new AbortController();
  const sheet = { title, content, gone, opener: app.sheet?.opener ?? document.activeElement, abort, signal: abort.signal };
  update({ sheet });
  return sheet;
}

export function closeSheet() {
  const opener = app.sheet?.opener;
  update({ sheet: null });
  queueMicrotask(() => opener?.isConnected && opener.focus());
}
