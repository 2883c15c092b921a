// App: what the page knows at the moment, and one way to draw it anew.

import { TRUST_SECONDS, insist, send, useToken } from "./talk.js";
import { has, message, spoken, t } from "./words.js";

/**
 * Everything a view draws from; views read it and change it only through `update`.
 * @type {import("./page.d.ts").App}
 */
export const app = {
  state: null, // what the referee told last
  heardAt: 0, // when that was, in the page's own seconds
  heardWall: 0, // and by the device's clock, for the other one stands still while a device sleeps
  lostAt: null, // when the link was lost; null while the referee is heard
  linked: false, // whether the referee is heard at all
  told: 0, // how often something was told that the list of turns shows
  session: { organiser: false, pin_set: true },
  editions: [],
  formats: [],
  tab: "table",
  part: null, // of the setup
  large: false, // whether the large view is open
  inSight: false, // whether the card of the turn is on the screen
  sheet: null, // the dialog that is open: a function that gives its content, with a `title`
  toast: null, // what was refused or done last: {text, bad}
  local: {}, // what single views remember, by name
};

const TOAST_SECONDS = { good: 5, bad: 12 };
const AGAIN_SECONDS = 0.5; // after its answer a word said again is one said twice

const LOOSE = ["now", "busy", "request", "unknown"]; // refusals whose own line says more than their kind

let drawing = () => {};
let waiting = false;

export const onDraw = (draw) => {
  drawing = draw;
};

/** Change what is known, and draw once for all changes made in one go. */
export function update(changes = {}) {
  Object.assign(app, changes);
  if (waiting) return;
  waiting = true;
  queueMicrotask(() => {
    waiting = false;
    drawing();
  });
}

/** What a view remembers between drawings. */
export function local(name, initial) {
  app.local[name] ??= initial;
  return app.local[name];
}

/** What was played so far and what it counts; while hands hide the table, what was seen before. */
export function soFar(match) {
  const memory = local("so-far", { turn: null, played: [], meld: null });
  const turn = `${match.began_at}.${match.game}.${match.turn}`;
  if (turn !== memory.turn || !app.state.table.stale) Object.assign(memory, { turn, played: match.played, meld: match.meld });
  return memory;
}

/** The edition of the match, or the one named. */
export const edition = (id = app.state?.match?.edition) => app.editions.find((one) => one.id === id) ?? app.editions[0] ?? null;

/** The format of that name. */
export const format = (id) => app.formats.find((one) => one.id === id) ?? null;

export const now = () => performance.now() / 1000;

/** How many seconds ago the referee was heard. */
export const age = () => Math.max(now() - app.heardAt, (Date.now() - app.heardWall) / 1000);

/** Whether what is shown may be believed. */
export const isTrusted = () => app.state !== null && age() <= TRUST_SECONDS;
export const isLive = () => app.linked && isTrusted();

/** The seconds since the State was told, as far as they may be counted on here: not beyond the loss of the link. */
export const since = () => Math.max(0, Math.min(app.lostAt ?? now(), app.heardAt + TRUST_SECONDS, now()) - app.heardAt);

/** The seconds left on the turn's clock, counted on here from what was told last; null without a limit. */
export function secondsLeft() {
  const clock = app.state?.match?.clock;
  if (!clock || clock.seconds_left === null) return null;
  return Math.max(0, clock.seconds_left - (clock.running ? since() : 0));
}

/** Whether this page may change the match. */
export const mayAct = () => app.session.organiser;

/** What was refused, in the page's language. */
export function refusal(error) {
  if (error.name === "AbortError") return t("notice.no_answer");
  if (error.status === undefined) return t("notice.unreachable");
  if (error.seconds !== null) return t("refused.wait", { count: Math.ceil(error.seconds) });
  // The English line says most; in another language a general sentence is better than a foreign one.
  const exact = spoken() === "en" || has(error.message_id);
  const key = `refused.${error.id}`;
  return has(key) && !(exact && LOOSE.includes(error.id)) ? t(key) : message(error);
}

/** Say something on a toast: it covers nothing that is tapped, and moves nothing. */
export function toast(text, bad = false) {
  const said = { text, bad };
  update({ toast: said });
  setTimeout(() => app.toast === said && update({ toast: null }), 1000 * TOAST_SECONDS[bad ? "bad" : "good"]);
}

/** Do something that may be refused; what was refused is shown in the page's language. */
export async function attempt(doing, done = null) {
  try {
    const answer = await knocking(doing);
    if (done) toast(done);
    else if (app.toast?.bad) update({ toast: null });
    return answer;
  } catch (error) {
    if (error.status === 403) refreshSession();
    toast(refusal(error), true);
    return null;
  }
}

/** Do it, and once more where only the token was too old: then the page has not been told yet that it is another. */
async function knocking(doing) {
  try {
    return await doing();
  } catch (error) {
    const { organiser } = app.session;
    if (error.id !== "session") throw error;
    await refreshSession();
    if (app.session.organiser !== organiser) throw error;
    return doing();
  }
}

const entering = new Map();

/** Say a word; said twice by a double tap it is said once. */
export function say(word, details = {}, done = null) {
  const key = JSON.stringify([word, details]);
  if (!entering.has(key)) {
    const forget = () => (entering.delete(key), update());
    entering.set(key, attempt(() => send("/api/say", { say: word, ...details }), done).finally(() => setTimeout(forget, 1000 * AGAIN_SECONDS)));
    update();
  }
  return entering.get(key);
}

/** Whether this word is on its way. */
export const isSaid = (word, details = {}) => entering.has(JSON.stringify([word, details]));

let asking = null;

/** Ask who this page is; what it lost meanwhile is told. */
export function refreshSession() {
  asking ??= insist("/api/session").then((session) => {
    asking = null;
    useToken(session.csrf);
    if (app.session.organiser && !session.organiser) toast(t("pin.ended"), true);
    update({ session });
  });
  return asking;
}

export const openSheet = (title, content) => update({ sheet: { title, content, opener: app.sheet?.opener ?? document.activeElement } });

export function closeSheet() {
  const opener = app.sheet?.opener;
  update({ sheet: null });
  queueMicrotask(() => opener?.isConnected && opener.focus());
}
