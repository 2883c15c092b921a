// The wall: every table at once, alerts first; for the staff also what may be asked of tables, and penalties.

import { h, lay } from "/page/elements.js";
import { ask, listen, send, useToken } from "/page/talk.js";
import { has, message, number, preferredLanguage, speak, spoken, t } from "/page/words.js";
import { showTournament } from "./tournament.js";

const WAKE_SECONDS = 0.25;
const CARD_REM = { width: 18, height: 8, player: 1.6 }; // of a table's card, with letters of 1 rem
const TOP_REM = 5; // of the bar above the tables
const MAX_LETTERS_REM = 3;

const hall = { session: null, tables: new Map(), penalties: [], linked: true, up: false, offset: 0, delay: null, open: null, filter: "", told: null, notice: "" };
let key = newKey();

const now = () => performance.now() / 1000 + hall.offset;
const decides = () => ["organiser", "arbiter"].includes(hall.session?.role);
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
const known = (id, otherwise) => (has(id) ? t(id) : otherwise); // a newer table may tell what this wall does not know
const role = (name) => known(`hall.role.${name}`, name);
const clockText = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function left(table) {
  const { clock } = table;
  if (clock.left === null || clock.left === undefined) return null;
  return Math.max(0, clock.running ? clock.left - (now() - table.heard_at) : clock.left);
}

const since = (table) => Math.min(...(table.alerts ?? []).map((alert) => alert.since));
function ordered() {
  const named = new Intl.Collator(spoken(), { numeric: true });
  return [...hall.tables.values()]
    .filter((table) => !hall.filter || [table.name, ...table.players.map((player) => player.name)].some((name) => name.toLowerCase().includes(hall.filter)))
    .sort((one, other) => since(one) - since(other) || named.compare(one.name, other.name));
}

// The wall ------------------------------------------------------------------------------------------------------------

function top() {
  const { session } = hall;
  const calls = [...hall.tables.values()].filter((table) => table.alerts?.length).length;
  return [
    h("div", { class: "brand" }, h("img", { src: "/page/icon.svg", width: 28, height: 28, alt: "" }), h("span", {}, t("hall.title"))),
    h("span", { class: "sum" }, t("hall.tables", { count: hall.tables.size }), decides() && calls > 0 && h("b", { class: "calls" }, t("hall.waiting", { count: calls }))),
    h("span", { class: `link ${hall.up && hall.linked ? "up" : ""}` }, t(hall.up ? (hall.linked ? "hall.link.up" : "hall.link.no_broker") : "hall.link.down")),
    session && h("button", { type: "button", class: "button role", onclick: () => (session.role === "guest" ? askPin() : logout()) }, session.role === "guest" ? t("hall.pin") : t("hall.log_out", { role: role(session.role) })),
  ];
}

function tools() {
  if (!decides()) return null;
  const all = [...hall.tables.values()].filter((table) => table.online).map((table) => table.name);
  return h("section", { class: "tools card", "aria-label": t("hall.all") },
    h("div", { class: "row" },
      act(t("hall.pause_all"), "all", "pause"),
      act(t("hall.resume_all"), "all", "resume"),
      act(t("hall.add_all"), "all", "clock", { add: 60 }),
      act(t("hall.end_round"), "all", "end_match", {}, t("hall.end_round_sure", { count: all.length })),
      h("button", { type: "button", class: "button", onclick: showPenalties }, `${t("hall.penalties")} (${hall.penalties.filter((one) => !one.withdrawn).length})`),
      h("button", { type: "button", class: "button", onclick: showResults }, t("hall.results")),
      h("button", { type: "button", class: "button", onclick: () => showTournament(around) }, t("hall.tournament")),
      h("input", { class: "filter", type: "search", placeholder: t("hall.find"), "aria-label": t("hall.find_label"), value: hall.filter, oninput: (event) => ((hall.filter = event.target.value.trim().toLowerCase()), draw()) }),
    ),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
  );
}

function act(text, tables, verb, details = {}, sure = null) {
  return h("button", { type: "button", class: `button ${sure ? "danger" : ""}`, onclick: () => (!sure || confirm(sure)) && command(tables, verb, details, text) }, text);
}

async function command(tables, verb, details, text) {
  hall.notice = `${text} …`;
  draw();
  await attempt(async () => {
    const { answers } = await send("/api/ask", { tables, verb, with: details });
    const failed = Object.entries(answers).filter(([, answer]) => !answer.ok);
    const done = Object.keys(answers).length - failed.length;
    hall.notice = [t("hall.done", { what: text, done, all: done + failed.length }), ...failed.slice(0, 4).map(([name, answer]) => `${name}: ${answer.error ?? t("hall.no_change")}`)].join(" ");
  });
}

async function attempt(doing) {
  try {
    await doing();
  } catch (error) {
    hall.notice = error.message;
    if (error.id === "session") await refresh();
  }
  draw();
}

function card(table) {
  const alerts = table.alerts ?? [];
  const seconds = left(table);
  const low = seconds !== null && table.clock.running && seconds < 15;
  return h("li", { key: table.name, class: `table ${alerts.length ? "alert" : ""} ${table.online ? "" : "off"}`.trim(), "data-table": table.name },
    h("button", { type: "button", class: "face", onclick: () => decides() && show(table.name), disabled: !decides() },
      h("span", { class: "line" },
        h("b", { class: "name" }, table.name),
        h("span", { class: "phase" }, phase(table)),
        seconds !== null && h("span", { class: `clock ${low ? "low" : ""} ${table.clock.running ? "" : "still"}` }, clockText(seconds)),
      ),
      alerts.map((alert) => h("span", { key: alert.kind, class: "call" }, `${known(`hall.alert.${alert.kind}`, alert.kind)} · ${clockText(Math.max(0, now() - alert.since))}`)),
      h("span", { class: "players" }, table.players.map((player, seat) => h("span", { key: `p${seat}`, class: `player ${seat === table.seat ? "turn" : ""} ${player.gone ? "gone" : ""}`.trim() },
        h("span", { class: "who" }, player.name),
        h("span", { class: "tiles" }, player.tiles === null || player.tiles === undefined ? "" : t("hall.tiles", { count: player.tiles })),
        h("span", { class: "total" }, player.total),
      ))),
      table.verdict && h("span", { class: `verdict ${table.verdict.verdict}` }, verdict(table)),
      h("span", { class: "foot" }, foot(table)),
    ),
  );
}

/** The columns and the size of letters with which few tables fill a screen; many keep the usual size, and scroll. */
function filling(tables) {
  const height = CARD_REM.height + CARD_REM.player * Math.max(...tables.map((table) => table.players.length));
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [wide, high] = [innerWidth / rem / CARD_REM.width, (innerHeight / rem - TOP_REM) / height];
  const sizes = tables.map((_, place) => Math.min(wide / (place + 1), high / Math.ceil(tables.length / (place + 1)))); // by columns
  const largest = Math.max(...sizes);
  if (largest <= 1) return null;
  return { "grid-template-columns": `repeat(${sizes.indexOf(largest) + 1}, minmax(0, 1fr))`, "font-size": `${Math.min(MAX_LETTERS_REM, largest).toFixed(2)}rem` };
}

function phase(table) {
  const named = (phase) => known(`hall.phase.${phase}`, phase);
  if (!table.online) return named("off");
  if (table.halted.length) return table.halted.includes("pause") ? named("pause") : table.halted.map(named).join(", ");
  return named(table.phase ?? "none");
}

function verdict(table) {
  const who = table.players[table.verdict.seat]?.name ?? "";
  return [t(`verdict.${table.verdict.verdict}`, { name: who }), ...table.verdict.faults.slice(0, 1).map(message)].join(", ");
}

const foot = (table) => [
  table.game && t(table.games ? "hall.game_of" : "hall.game", table),
  table.pool !== null && table.pool !== undefined && t("hall.pool", { left: table.pool }),
  table.penalties > 0 && t("hall.penalty_count", { count: table.penalties }),
].filter(Boolean).join(" · ");

const around = { attempt, draw, newKey, openSheet, notice: () => hall.notice, tell: (text) => (hall.notice = text) };

let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    lay(document.querySelector(".top"), top());
    const empty = hall.tables.size ? null : h("p", { class: "help" }, hall.delay ? t("hall.late", { count: Math.round(hall.delay / 60) }) : t("hall.nobody"));
    const shown = ordered();
    lay(document.querySelector("main"), tools(), empty, h("ul", { class: "wall", style: decides() ? null : filling(shown) }, shown.map(card)));
    if (hall.open) lay(document.querySelector("#sheet"), hall.open());
  });
}

// Sheets --------------------------------------------------------------------------------------------------------------

const dialog = () => /** @type {HTMLDialogElement} */ (document.querySelector("#sheet"));

function openSheet(title, content) {
  const close = h("button", { type: "button", class: "button", onclick: closeSheet }, t("sheet.close"));
  hall.open = () => h("div", { class: "sheet" }, h("div", { class: "row spread" }, h("h2", {}, title), close), content());
  const sheet = dialog();
  lay(sheet, hall.open());
  if (!sheet.open) sheet.showModal();
}

function closeSheet() {
  dialog().close();
}

async function show(name) {
  hall.told = null;
  openSheet(t("hall.table", { name }), () => tableSheet(name));
  hall.shown = name;
  await load();
}

const load = () => attempt(async () => (hall.told = await ask(`/api/table/${encodeURIComponent(hall.shown)}`)));

function tableSheet(name) {
  const table = hall.tables.get(name);
  if (!table) return h("p", {}, t("hall.table_gone"));
  return [
    table.trouble.map((line) => h("p", { key: line.message_id, class: "call" }, message(line))),
    h("ul", { class: "wall one" }, card(table)),
    h("div", { class: "row" },
      act(t("hall.pause"), [name], "pause"),
      act(t("hall.resume"), [name], "resume"),
      act("+30 s", [name], "clock", { add: 30 }),
      act("+1 min", [name], "clock", { add: 60 }),
      act(t("hall.next_game"), [name], "next_game"),
      act(t("hall.end_match"), [name], "end_match", {}, t("hall.end_match_sure", { name })),
      table.alerts.some((alert) => alert.kind === "called") && act(t("hall.coming"), [name], "answer_call"),
      table.page && h("a", { class: "button", href: table.page, target: "_blank", rel: "noopener" }, t("hall.own_page")),
      !table.online && h("button", { type: "button", class: "button danger", onclick: () => attempt(() => send("/api/forget", { table: name })) }, t("hall.forget")),
    ),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
    startForm(table),
    penaltyForm(table),
    h("h3", {}, t("hall.on_table")),
    h("p", { class: "sets" }, table.sets.length ? table.sets.map((tiles) => tiles.map((tile) => tile ?? "?").join(" ")).join(" / ") : t("hall.nothing")),
    h("h3", {}, t("hall.last_events")),
    h("ol", { class: "told" }, (hall.told?.table.name === name ? hall.told.told : []).map((event, at) => h("li", { key: `e${at}` }, told(table, event)))),
  ];
}

function told(table, event) {
  const name = table.players[event.seat]?.name;
  const label = event.event === "judged" ? t(`verdict.${event.verdict}`, { name: name ?? "" }) : known(`cue.${event.event}`, known(`hall.event.${event.event}`, event.event));
  const facts = [event.played ?? event.tiles ?? event.scores].flat().filter((fact) => typeof fact !== "object").join(" ");
  const seconds = event.seconds_left && `${Math.round(event.seconds_left)} s`;
  const points = event.points !== undefined && (event.needed ? `${event.points}/${event.needed}` : `${event.points}`);
  return [event.turn && t("hall.turn", { turn: event.turn }), event.event !== "judged" && name, label, facts, points, seconds, ...(event.faults ?? []).map(message)].filter(Boolean).join(" · ");
}

function startForm(table) {
  if (table.phase && table.phase !== "match_over") return null;
  const begin = (event) => {
    event.preventDefault();
    const said = new FormData(event.target);
    const names = String(said.get("names")).split(",").map((name) => name.trim()).filter(Boolean);
    command([table.name], "start", { names, edition: String(said.get("edition")) }, t("hall.start"));
  };
  return h("form", { class: "fields", onsubmit: begin },
    h("h3", {}, t("hall.start_match")),
    h("label", {}, t("hall.start_names"), h("input", { name: "names", required: true, value: table.players.map((player) => player.name).join(", ") })),
    h("label", {}, t("hall.edition"), h("select", { name: "edition", value: "original" }, ["original", "xp", "pressman", "twist"].map((name) => h("option", { key: name, value: name }, name)))),
    h("button", { class: "button first" }, t("hall.start")),
  );
}

function penaltyForm(table) {
  if (!table.players.length) return null;
  const enter = (event) => {
    event.preventDefault();
    const form = event.target;
    const said = new FormData(form);
    attempt(async () => {
      const body = { key, table: table.name, player: String(said.get("player")), points: Number(said.get("points")), reason: String(said.get("reason")) };
      hall.penalties = (await send("/api/penalty", body)).penalties;
      key = newKey(); // only now: asked again after a cut, it counts once
      form.reset();
      form.elements.points.value = 0;
      hall.notice = t("hall.entered");
    });
  };
  return h("form", { class: "fields penalty", onsubmit: enter },
    h("h3", {}, t("hall.penalty")),
    h("div", { class: "row" },
      h("label", {}, t("hall.player"), h("select", { name: "player" }, table.players.map((player) => h("option", { key: player.name, value: player.name }, player.name)))),
      h("label", {}, t("hall.penalty_points"), h("input", { name: "points", type: "number", min: 0, max: 10000, value: 0, required: true })),
      h("label", {}, t("hall.reason"), h("input", { name: "reason", required: true, maxlength: 200 })),
      h("button", { class: "button" }, t("hall.enter")),
    ),
  );
}

function showPenalties() {
  openSheet(t("hall.penalties"), () => hall.penalties.length ? h("ul", { class: "plain list" }, hall.penalties.map((one) => h("li", { key: one.number, class: one.withdrawn ? "gone" : "" },
    h("span", {}, penaltyLine(one)),
    one.withdrawn ? ` ${t("hall.withdrawn", { by: role(one.withdrawn) })}` : h("button", { type: "button", class: "button", onclick: () => attempt(async () => (hall.penalties = (await send("/api/withdraw", { number: one.number })).penalties)) }, t("hall.withdraw")),
  ))) : h("p", {}, t("hall.none")));
}

function penaltyLine(one) {
  const what = one.points ? t("hall.points", { count: one.points }) : t("hall.warning");
  return t("hall.penalty_line", { ...one, number: number(one.number), what, by: role(one.by), time: one.wall.slice(11, 16) });
}

async function showResults() {
  let results = [];
  const said = (one) => one.players.map((player, seat) => `${player} ${one.scores[seat]}${one.told[seat] === one.scores[seat] ? "" : ` (${t("hall.table_said", { score: one.told[seat] })})`}`).join(", ");
  const correct = (one) => (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const scores = one.players.map((_, seat) => Number(form.get(`s${seat}`)));
    attempt(async () => {
      results = (await send("/api/correct", { key, match: one.match, scores, reason: String(form.get("reason")) })).results;
      key = newKey();
    });
  };
  openSheet(t("hall.results"), () => [
    h("p", {}, h("a", { href: "/api/results.csv", download: "results.csv" }, t("hall.csv"))),
    hall.notice && h("p", { class: "notice" }, hall.notice),
    h("ul", { class: "plain list" }, results.map((one) => h("li", { key: one.match },
      h("span", {}, t("hall.at_table", { table: one.table, what: said(one) })),
      h("details", {}, h("summary", {}, t("hall.correct")), h("form", { class: "fields", onsubmit: correct(one) },
        one.players.map((player, seat) => h("label", { key: `s${seat}` }, player, h("input", { name: `s${seat}`, type: "number", value: one.scores[seat] }))),
        h("label", {}, t("hall.reason"), h("input", { name: "reason", required: true })), h("button", { class: "button" }, t("hall.correct")))),
    ))),
  ]);
  await attempt(async () => (results = (await ask("/api/results")).results));
}

function askPin() {
  const enter = (event) => {
    event.preventDefault();
    const pin = String(new FormData(event.target).get("pin"));
    attempt(async () => {
      hall.session = await send("/api/login", { pin });
      location.reload(); // another role follows another wall
    });
  };
  openSheet(t("hall.pin"), () => [
    h("form", { class: "fields", onsubmit: enter }, h("label", {}, t("hall.pin_label"), h("input", { name: "pin", type: "password", inputmode: "numeric", autocomplete: "off", required: true })), h("button", { class: "button first" }, t("hall.log_in"))),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
  ]);
}

const logout = () => attempt(async () => (await send("/api/logout"), location.reload()));

// What is heard -------------------------------------------------------------------------------------------------------

async function refresh() {
  hall.session = await ask("/api/session");
  useToken(hall.session.csrf);
}

function hear(news) {
  hall.offset = news.now - performance.now() / 1000;
  hall.delay = news.delay ?? null;
  hall.linked = news.linked ?? true;
  if (news.whole) hall.tables.clear();
  for (const name of news.gone ?? []) hall.tables.delete(name);
  for (const table of news.tables) hall.tables.set(table.name, table);
  if (news.penalties) hall.penalties = news.penalties;
  hall.heard = performance.now();
  if (hall.shown && news.tables.some((table) => table.name === hall.shown)) load();
  draw();
}

document.querySelector("#sheet").addEventListener("close", () => ((hall.open = hall.shown = null), (hall.notice = ""), lay(document.querySelector("#sheet")), draw()));
setInterval(draw, 1000 * WAKE_SECONDS);
await speak(preferredLanguage());
await refresh();
draw();
listen({
  state: hear,
  told: () => {},
  session: refresh,
  link: (up) => ((hall.up = up), draw()),
  trusts: () => hall.up && performance.now() - (hall.heard ?? -1e9) < 15_000,
});
