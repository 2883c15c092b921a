// Talk: asks the referee, tells it what people want, and listens to what it tells, over links that fail.

export const TRUST_SECONDS = 20; // what was heard longer ago is not trusted: the referee speaks every ten
const ANSWER_SECONDS = 10; // who has not answered by then does not answer
const MAX_WAIT = 15;

let csrf = "";

/** What the referee refused, in English, with its message's id and values where it gave them. */
export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? `HTTP ${status}`);
    this.status = status;
    this.id = answer.error_id ?? "";
    this.message_id = answer.message_id ?? null;
    this.values = answer.values ?? {};
    this.errors = answer.errors ?? {};
    this.seconds = answer.seconds ?? null;
  }
}

export const useToken = (token) => {
  csrf = token ?? "";
};

/** Ask for something; resolves to its JSON. */
export const ask = (path) => answered(path, { cache: "no-store", headers: { accept: "application/json" } });

/** Load a part of the page. */
export const load = (path) => answered(path, {});

/** Send something; resolves to the answer's JSON, rejects with Refused. */
export const send = (path, body = {}) =>
  answered(path, { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrf }, body: JSON.stringify(body) });

/** Ask until there is an answer. */
export async function insist(path) {
  for (let wait = 1; ; wait = longer(wait)) {
    try {
      return await ask(path);
    } catch (error) {
      await pause(error.seconds ?? wait);
    }
  }
}

async function answered(path, options) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), 1000 * ANSWER_SECONDS);
  try {
    const response = await fetch(path, { ...options, signal: patience.signal });
    const answer = await response.json().catch((error) => {
      if (response.ok) throw error; // half an answer is none
      return {};
    });
    if (!response.ok) throw new Refused(response.status, answer);
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

const longer = (wait) => Math.min(2 * wait, MAX_WAIT);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
export { longer, pause };

/**
 * Listen to the referee: `heard.state(state)`, `heard.told(told)`, `heard.session()`, `heard.link(isThere)`.
 *
 * A browser gives a stream up for good that was refused once, and waits for ever for one that does not answer. So this
 * opens it anew, ever more slowly, whenever it failed or was silent for too long, and at once when the device wakes.
 */
export function listen(heard) {
  let source = null;
  let opening = null;
  let silence = null;
  let wait = 1;
  const expect = (seconds) => {
    clearTimeout(silence);
    silence = setTimeout(later, 1000 * seconds);
  };
  const open = () => {
    clearTimeout(opening);
    source?.close();
    source = new EventSource("/api/events");
    source.onerror = later;
    source.addEventListener("state", (event) => {
      expect(TRUST_SECONDS);
      wait = 1;
      heard.link(true);
      heard.state(JSON.parse(event.data));
    });
    source.addEventListener("told", (event) => heard.told(JSON.parse(event.data)));
    source.addEventListener("session", () => heard.session());
    expect(ANSWER_SECONDS);
  };
  const later = () => {
    source.close();
    clearTimeout(silence);
    clearTimeout(opening);
    heard.link(false);
    opening = setTimeout(open, 1000 * wait * (0.75 + Math.random() / 2)); // not all phones at once
    wait = longer(wait);
  };
  const wake = () => {
    if (document.hidden || heard.trusts()) return;
    wait = 1;
    open();
  };
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("pageshow", (event) => event.persisted && wake());
  window.addEventListener("online", wake);
  open();
}
