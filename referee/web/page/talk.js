// Talk: asks the referee, tells it what people want, and listens to what it tells.

let csrf = "";

/** What the referee refused, in its own words, with its sentence to translate where it gave one. */
export class Refused extends Error {
  constructor(status, answer) {
    super(answer.error ?? `HTTP ${status}`);
    this.status = status;
    this.id = answer.error_id ?? "";
    this.phrase = answer.phrase ?? null;
    this.errors = answer.errors ?? {};
    this.seconds = answer.seconds ?? null;
  }
}

export const useToken = (token) => {
  csrf = token ?? "";
};

/** Ask for something; resolves to its JSON. */
export async function ask(path) {
  return answered(await fetch(path, { cache: "no-store", headers: { accept: "application/json" } }));
}

/** Send something; resolves to the answer's JSON, rejects with Refused. */
export async function send(path, body = {}) {
  return answered(
    await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": csrf },
      body: JSON.stringify(body),
    }),
  );
}

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

/** Listen to the referee: `heard.state(state)`, `heard.told(told)`, `heard.link(isThere)`; the browser reconnects. */
export function listen(heard) {
  const source = new EventSource("/api/events");
  source.onopen = () => heard.link(true);
  source.onerror = () => heard.link(false);
  source.addEventListener("state", (event) => heard.state(JSON.parse(event.data)));
  source.addEventListener("told", (event) => heard.told(JSON.parse(event.data)));
  return source;
}
