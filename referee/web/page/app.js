// App: what the page knows at the moment, and one way to draw it anew.

import { ask, send, useToken } from "./talk.js";
import { has, knows, line, phrase, spoken, t } from "./words.js";

/** Everything a view draws from; views read it and change it only through `update`. */
export const app = {
  state: null, // what the referee told last
  heardAt: 0, // when that was, in the page's own seconds
  linked: false, // whether the referee is heard at all
  session: { organiser: false, pin_set: true },
  editions: [],
  tab: "table",
  sheet: null, // the dialog that is open: a function that gives its content, with a `title`
  notice: null, // what was refused or done last: {text, bad}
  local: {}, // what single views remember, by name
};

const NOTICE_MILLISECONDS = 8000; // what was done is no news for longer

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

export const now = () => performance.now() / 1000;

/** The seconds left on the turn's clock, counted on here from what was told last; null without a limit. */
export function secondsLeft() {
  const clock = app.state?.match?.clock;
  if (!clock || clock.seconds_left === null) return null;
  return Math.max(0, clock.seconds_left - (clock.running ? now() - app.heardAt : 0));
}

/** Whether this page may change the match. */
export const mayAct = () => app.session.organiser;

/** What was refused, in the page's language. */
export function refusal(error) {
  if (error.status === undefined) return t("notice.unreachable");
  if (error.seconds !== null) return t("refused.wait", { count: Math.ceil(error.seconds) });
  // The English line says most; in another language a general sentence is better than a foreign one.
  const said = line(error.message);
  const exact = spoken() === "en" || knows(error.phrase) || said !== error.message;
  const key = `refused.${error.id}`;
  return has(key) && !(exact && LOOSE.includes(error.id)) ? t(key) : phrase(error.phrase, said);
}

/** Do something that may be refused; what was refused is shown in the page's language. */
export async function attempt(doing, done = null) {
  try {
    const answer = await doing();
    const notice = done ? { text: done, bad: false } : null;
    update({ notice });
    if (notice) setTimeout(() => app.notice === notice && update({ notice: null }), NOTICE_MILLISECONDS);
    return answer;
  } catch (error) {
    if (error.status === 403) await refreshSession();
    update({ notice: { text: refusal(error), bad: true } });
    return null;
  }
}

export const say = (word, details = {}, done = null) => attempt(() => send("/api/say", { say: word, ...details }), done);

export async function refreshSession() {
  const session = await ask("/api/session").catch(() => null);
  if (!session) return;
  useToken(session.csrf);
  update({ session });
}

export const openSheet = (title, content) => update({ sheet: { title, content, opener: document.activeElement }, notice: null });

export function closeSheet() {
  const opener = app.sheet?.opener;
  update({ sheet: null });
  queueMicrotask(() => opener?.isConnected && opener.focus());
}
