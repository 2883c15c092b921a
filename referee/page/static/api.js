// API: requests to the referee and its event stream, over unreliable links.

export const TRUST_SECONDS = 20; // an older State is not trusted: the referee sends one every ten
const ANSWER_SECONDS = 10; // a request without an answer by then has failed
const UPLOAD_SECONDS = 60; // for a picture over a poor link, and its reading
const GIVE_UP_SECONDS = 20; // a command without an answer by then is not sent again
const MAX_WAIT_SECONDS = 15;

let csrf = "";

/** An error that the referee answered with: in English, with the message's id and values. */
export class ApiError extends Error {
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

export const setToken = (token) => {
  csrf = token ?? "";
};

/** GET a path; resolves to the answer's JSON, rejects with ApiError. */
export const get = (path) => request(path, { cache: "no-store", headers: { accept: "application/json" } });

/** Load a JSON file of the page. */
export const loadFile = (path) => request(path, {});

/**
 * POST a body; resolves to the answer's JSON, rejects with ApiError.
 * @param {string} path
 * @param {object} [body]
 * @param {?AbortSignal} [signal]
 */
export const post = (path, body = {}, signal = null) =>
  request(path, { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrf }, body: JSON.stringify(body) }, signal);

/**
 * POST a picture; `onProgress(share)` is called as it is sent. Resolves and rejects as `post`.
 * @param {string} path
 * @param {Blob} picture
 * @param {(share: number) => void} onProgress
 */
export const upload = (path, picture, onProgress) =>
  new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest(); // fetch does not tell how much has been sent
    sent.open("POST", path);
    sent.setRequestHeader("content-type", picture.type);
    sent.setRequestHeader("x-csrf-token", csrf);
    sent.responseType = "json";
    sent.timeout = 1000 * UPLOAD_SECONDS;
    sent.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    sent.onload = () => (sent.status === 200 && sent.response ? resolve(sent.response) : reject(new ApiError(sent.status, sent.response ?? {})));
    sent.onerror = sent.ontimeout = () => reject(new Error("no answer"));
    sent.send(picture);
  });

/** A new id for a command; `crypto.randomUUID` needs HTTPS. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * POST a body that has an id, again and again until there is an answer: a repeated one is done once. `onTrouble(error)` is called after each failure.
 * @param {string} path
 * @param {object} body
 * @param {{ signal?: ?AbortSignal, onTrouble?: (error: any) => void }} [options]
 */
export async function postOnce(path, body, { signal = null, onTrouble = () => {} } = {}) {
  const since = performance.now();
  for (let wait = 0.5; ; wait = nextWait(wait)) {
    try {
      return await post(path, body, signal);
    } catch (error) {
      if (error.status !== undefined || signal?.aborted || performance.now() - since > 1000 * GIVE_UP_SECONDS) throw error;
      onTrouble(error);
      await sleep(wait);
    }
  }
}

/** GET a path again and again until there is an answer. */
export async function getUntilAnswered(path) {
  for (let wait = 1; ; wait = nextWait(wait)) {
    try {
      return await get(path);
    } catch (error) {
      await sleep(error.seconds ?? wait);
    }
  }
}

async function request(path, options, cancelled = null) {
  const abort = new AbortController();
  const cancel = () => abort.abort();
  if (cancelled?.aborted) cancel();
  cancelled?.addEventListener("abort", cancel);
  const timer = setTimeout(() => abort.abort(), 1000 * ANSWER_SECONDS);
  try {
    const response = await fetch(path, { ...options, signal: abort.signal });
    const answer = await response.json().catch((error) => {
      if (response.ok) throw error; // the answer was cut off
      return {};
    });
    if (!response.ok) throw new ApiError(response.status, answer);
    return answer;
  } finally {
    clearTimeout(timer);
    cancelled?.removeEventListener("abort", cancel);
  }
}

const nextWait = (wait) => Math.min(2 * wait, MAX_WAIT_SECONDS);
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
export { nextWait, sleep };

/**
 * Subscribe to the referee's events. Handlers: `state(state)`, `event(event)`, `session()`, `link(isUp)`, `isTrusted()`.
 *
 * A browser gives up a stream that was refused once, and waits for ever for one that does not answer. So this function
 * reopens the stream with growing pauses after a failure or silence, and at once when the device wakes.
 */
export function subscribe(handlers) {
  let source = null;
  let reopenTimer = null;
  let silenceTimer = null;
  let wait = 1;
  const expectWithin = (seconds) => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(reopenLater, 1000 * seconds);
  };
  const open = () => {
    clearTimeout(reopenTimer);
    source?.close();
    source = new EventSource("/api/events");
    source.onerror = reopenLater;
    source.addEventListener("state", (event) => {
      expectWithin(TRUST_SECONDS);
      wait = 1;
      handlers.link(true);
      handlers.state(JSON.parse(event.data));
    });
    source.addEventListener("told", (event) => handlers.event(JSON.parse(event.data)));
    source.addEventListener("session", () => handlers.session());
    expectWithin(ANSWER_SECONDS);
  };
  const reopenLater = () => {
    source.close();
    clearTimeout(silenceTimer);
    clearTimeout(reopenTimer);
    handlers.link(false);
    reopenTimer = setTimeout(open, 1000 * wait * (0.75 + Math.random() / 2)); // not all phones at once
    wait = nextWait(wait);
  };
  const wake = () => {
    if (document.hidden || handlers.isTrusted()) return;
    wait = 1;
    open();
  };
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("pageshow", (event) => event.persisted && wake());
  window.addEventListener("online", wake);
  open();
}
