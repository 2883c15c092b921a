// The wall: every table, alerts first; for the staff also commands to tables, penalties and results.

import { h, patch } from "/page/elements.js";
import { get, newId, subscribe, post, postOnce, setToken } from "/page/api.js";
import { SCOPES } from "/page/scopes.js";
import { asSentence, hasText, messageText, formatNumber, preferredLanguage, loadLanguage, currentLanguage, t } from "/page/i18n.js";
import { showTournament } from "./tournament.js";

const WAKE_SECONDS = 0.25;
const CARD_REM = { width: 18, height: 8, player: 1.6 }; // a table's card at a font size of 1 rem
const TOP_REM = 5; // the bar above the tables
const MAX_LETTERS_REM = 3;

const hall = { session: null, tables: new Map(), penalties: [], hasBroker: true, connected: false, offset: 0, delay: null, sheetContent: null, filter: "", details: null, notice: "" };
let key = newKey();

const now = () => performance.now() / 1000 + hall.offset;
const isStaff = () => ["organiser", "arbiter"].includes(hall.session?.role);
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
const textOr = (id, otherwise) => (hasText(id) ? t(id) : otherwise); // a newer table may send ids that this wall lacks
const roleText = (name) => textOr(`hall.role.${name}`, name);
const clockText = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function secondsLeft(table) {
  const { clock } = table;
  const left = (clock.left ?? Number.NaN) - (clock.running ? now() - table.heard_at : 0);
  return Number.isFinite(left) ? Math.max(0, left) : null;
}

const alertedSince = (table) => Math.min(...(table.alerts ?? []).map((alert) => alert.since));
function sortedTables() {
  const collator = new Intl.Collator(currentLanguage(), { numeric: true });
  return [...hall.tables.values()]
    .filter((table) => !hall.filter || [table.name, ...table.players.map((player) => player.name)].some((name) => name.toLowerCase().includes(hall.filter)))
    .sort((first, other) => alertedSince(first) - alertedSince(other) || collator.compare(first.name, other.name));
}

// The wall ------------------------------------------------------------------------------------------------------------

function topBar() {
  const { session } = hall;
  const calls = [...hall.tables.values()].filter((table) => table.alerts?.length).length;
  return [
    h("div", { class: "brand" }, h("img", { src: "/page/icon.svg", width: 28, height: 28, alt: "" }), h("span", {}, t("hall.title"))),
    h("span", { class: "sum" }, t("hall.tables", { count: hall.tables.size }), isStaff() && calls > 0 && h("b", { class: "calls" }, t("hall.waiting", { count: calls }))),
    h("span", { class: `link ${hall.connected && hall.hasBroker ? "up" : ""}` }, t(hall.connected ? (hall.hasBroker ? "hall.link.up" : "hall.link.no_broker") : "hall.link.down")),
    session && h("button", { type: "button", class: "button role", onclick: () => (session.role === "guest" ? askPin() : logout()) }, session.role === "guest" ? t("hall.pin") : t("hall.log_out", { role: roleText(session.role) })),
  ];
}

function toolsCard() {
  if (!isStaff()) return null;
  const all = [...hall.tables.values()].filter((table) => table.online).map((table) => table.name);
  return h("section", { class: "tools card", "aria-label": t("hall.all") },
    h("div", { class: "row" },
      commandButton(t("hall.pause_all"), "all", "pause"),
      commandButton(t("hall.resume_all"), "all", "resume"),
      commandButton(t("hall.add_all"), "all", "clock", { add: 60 }),
      commandButton(t("hall.end_round"), "all", "end_match", {}, t("hall.end_round_sure", { count: all.length })),
      h("button", { type: "button", class: "button", onclick: showPenalties }, `${t("hall.penalties")} (${hall.penalties.filter((penalty) => !penalty.withdrawn).length})`),
      h("button", { type: "button", class: "button", onclick: showResults }, t("hall.results")),
      h("button", { type: "button", class: "button", onclick: () => showTournament(page) }, t("hall.tournament")),
      h("input", { class: "filter", type: "search", placeholder: t("hall.find"), "aria-label": t("hall.find_label"), value: hall.filter, oninput: (event) => ((hall.filter = event.target.value.trim().toLowerCase()), draw()) }),
    ),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
  );
}

function commandButton(text, tables, verb, details = {}, sure = null) {
  const send = () => {
    const meant = meantFor(tables, verb); // what the wall shows now: asking takes its time
    if (!sure || confirm(sure)) command(tables, verb, details, text, meant);
  };
  return h("button", { type: "button", class: `button ${sure ? "danger" : ""}`, onclick: send }, text);
}

/** What a command is meant for at each table: the match, game and turn that the wall shows, as far as it refers to them. */
function meantFor(tables, verb) {
  const shown = [...hall.tables.values()].filter(({ name, match_id: match }) => match && (tables === "all" || tables.includes(name)));
  return Object.fromEntries(shown.map(({ name, match_id: match, game, turn }) => [name, { match: { match }, game: { match, game }, turn: { match, game, turn } }[SCOPES[verb]] ?? {}]));
}

async function command(tables, verb, details, text, meant = meantFor(tables, verb)) {
  hall.notice = `${text} …`;
  draw();
  await attempt(async () => {
    const { answers } = await postOnce("/api/ask", { tables, verb, with: details, meant, id: newId() });
    const failed = Object.entries(answers).filter(([, answer]) => !answer.ok);
    const done = Object.keys(answers).length - failed.length;
    hall.notice = [t("hall.done", { what: text, done, all: done + failed.length }), ...failed.slice(0, 4).map(([name, answer]) => `${name}: ${answerText(answer, "hall.no_change")}`)].join(" ");
  });
}

/** Why a table refused, in the reader's language. */
const answerText = (answer, otherwise) => (answer.error ? messageText({ ...answer, message: answer.error }) : t(otherwise));

/** The text of an error, in the reader's language. */
function errorText(error) {
  if (error.name === "AbortError") return t("notice.no_answer");
  return error.status === undefined ? t("notice.unreachable") : asSentence(messageText(error));
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    hall.notice = errorText(error);
    if (error.id === "session") await refresh();
  }
  draw();
}

function card(table) {
  const alerts = table.alerts ?? [];
  const seconds = secondsLeft(table);
  const low = seconds !== null && table.clock.running && seconds < 15;
  return h("li", { key: table.name, class: `table ${alerts.length ? "alert" : ""} ${table.online ? "" : "off"}`.trim(), "data-table": table.name },
    h("button", { type: "button", class: "face", onclick: () => isStaff() && showTable(table.name), disabled: !isStaff() },
      h("span", { class: "line" },
        h("b", { class: "name" }, table.name),
        h("span", { class: "phase" }, phase(table)),
        seconds !== null && h("span", { class: `clock ${low ? "low" : ""} ${table.clock.running ? "" : "still"}` }, clockText(seconds)),
      ),
      alerts.map((alert) => h("span", { key: alert.kind, class: "call" }, `${textOr(`hall.alert.${alert.kind}`, alert.kind)} · ${clockText(Math.max(0, now() - alert.since))}`)),
      (table.trouble ?? []).map((line) => h("span", { key: line.message_id, class: "trouble" }, messageText(line))),
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

/** The columns and font size with which few tables fill the screen; null for many, which keep the usual size and scroll. */
function gridStyle(tables) {
  const height = CARD_REM.height + CARD_REM.player * Math.max(...tables.map((table) => table.players.length));
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [wide, high] = [innerWidth / rem / CARD_REM.width, (innerHeight / rem - TOP_REM) / height];
  const letterSizes = tables.map((_, index) => Math.min(wide / (index + 1), high / Math.ceil(tables.length / (index + 1)))); // by number of columns
  const largest = Math.max(...letterSizes);
  if (largest <= 1) return null;
  return { "grid-template-columns": `repeat(${letterSizes.indexOf(largest) + 1}, minmax(0, 1fr))`, "font-size": `${Math.min(MAX_LETTERS_REM, largest).toFixed(2)}rem` };
}

function phase(table) {
  const phaseText = (phase) => textOr(`hall.phase.${phase}`, phase);
  if (!table.online) return phaseText(table.silent ? "silent" : "off");
  if (table.halted.length) return table.halted.includes("pause") ? phaseText("pause") : table.halted.map(phaseText).join(", ");
  return phaseText(table.phase ?? "none");
}

function verdict(table) {
  const who = table.players[table.verdict.seat]?.name ?? "";
  return [t(`verdict.${table.verdict.verdict}`, { name: who }), ...table.verdict.faults.slice(0, 1).map(messageText)].join(", ");
}

const foot = (table) => [
  table.game && t(table.games ? "hall.game_of" : "hall.game", table),
  table.pool !== null && table.pool !== undefined && t("hall.pool", { left: table.pool }),
  table.penalties > 0 && t("hall.penalty_count", { count: table.penalties }),
].filter(Boolean).join(" · ");

const page = { answerText, attempt, draw, newKey, openSheet, notice: () => hall.notice, tell: (text) => (hall.notice = text) };

let isDrawQueued = false;
function draw() {
  if (isDrawQueued) return;
  isDrawQueued = true;
  requestAnimationFrame(() => {
    isDrawQueued = false;
    patch(document.querySelector(".top"), topBar());
    const empty = hall.tables.size ? null : h("p", { class: "help" }, hall.delay ? t("hall.late", { count: Math.round(hall.delay / 60) }) : t("hall.nobody"));
    const shown = sortedTables();
    patch(document.querySelector("main"), toolsCard(), empty, h("ul", { class: "wall", style: isStaff() ? null : gridStyle(shown) }, shown.map(card)));
    if (hall.sheetContent) patch(document.querySelector("#sheet"), hall.sheetContent());
  });
}

// Sheets --------------------------------------------------------------------------------------------------------------

const dialog = () => /** @type {HTMLDialogElement} */ (document.querySelector("#sheet"));

function openSheet(title, content) {
  const close = h("button", { type: "button", class: "button", onclick: closeSheet }, t("sheet.close"));
  hall.sheetContent = () => h("div", { class: "sheet" }, h("div", { class: "row spread" }, h("h2", {}, title), close), content());
  const sheet = dialog();
  patch(sheet, hall.sheetContent());
  if (!sheet.open) sheet.showModal();
}

function closeSheet() {
  dialog().close();
}

async function showTable(name) {
  hall.details = null;
  openSheet(t("hall.table", { name }), () => tableSheet(name));
  hall.shownTable = name;
  await loadDetails();
}

const loadDetails = () => attempt(async () => (hall.details = await get(`/api/table/${encodeURIComponent(hall.shownTable)}`)));

function tableSheet(name) {
  const table = hall.tables.get(name);
  if (!table) return h("p", {}, t("hall.table_gone"));
  return [
    h("ul", { class: "wall one" }, card(table)),
    h("div", { class: "row" },
      commandButton(t("hall.pause"), [name], "pause"),
      commandButton(t("hall.resume"), [name], "resume"),
      commandButton("+30 s", [name], "clock", { add: 30 }),
      commandButton("+1 min", [name], "clock", { add: 60 }),
      commandButton(t("hall.next_game"), [name], "next_game"),
      commandButton(t("hall.end_match"), [name], "end_match", {}, t("hall.end_match_sure", { name })),
      table.alerts.some((alert) => alert.kind === "called") && commandButton(t("hall.coming"), [name], "answer_call"),
      table.page && h("a", { class: "button", href: table.page, target: "_blank", rel: "noopener" }, t("hall.own_page")),
      !table.online && h("button", { type: "button", class: "button danger", onclick: () => attempt(() => post("/api/forget", { table: name })) }, t("hall.forget")),
    ),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
    startForm(table),
    penaltyForm(table),
    h("h3", {}, t("hall.on_table")),
    h("p", { class: "sets" }, table.sets.length ? table.sets.map((tiles) => tiles.map((tile) => tile ?? "?").join(" ")).join(" / ") : t("hall.nothing")),
    h("h3", {}, t("hall.last_events")),
    h("ol", { class: "told" }, (hall.details?.table.name === name ? hall.details.told : []).map((event, at) => h("li", { key: `e${at}` }, eventText(table, event)))),
  ];
}

function eventText(table, event) {
  const name = table.players[event.seat]?.name;
  const label = event.event === "judged" ? t(`verdict.${event.verdict}`, { name: name ?? "" }) : textOr(`cue.${event.event}`, textOr(`hall.event.${event.event}`, event.event));
  const facts = [event.played ?? event.tiles ?? event.scores].flat().filter((fact) => typeof fact !== "object").join(" ");
  const seconds = event.seconds_left && `${Math.round(event.seconds_left)} s`;
  const points = event.points !== undefined && (event.needed ? `${event.points}/${event.needed}` : `${event.points}`);
  return [event.turn && t("hall.turn", { turn: event.turn }), event.event !== "judged" && name, label, facts, points, seconds, ...(event.faults ?? []).map(messageText)].filter(Boolean).join(" · ");
}

function startForm(table) {
  if (table.phase && table.phase !== "match_over") return null;
  const begin = (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const names = String(fields.get("names")).split(",").map((name) => name.trim()).filter(Boolean);
    command([table.name], "start", { names, edition: String(fields.get("edition")) }, t("hall.start"));
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
    const fields = new FormData(form);
    attempt(async () => {
      const body = { key, table: table.name, player: String(fields.get("player")), points: Number(fields.get("points")), reason: String(fields.get("reason")) };
      hall.penalties = (await post("/api/penalty", body)).penalties;
      key = newKey(); // only now, so that a retry after a lost answer counts once
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
  openSheet(t("hall.penalties"), () => hall.penalties.length ? h("ul", { class: "plain list" }, hall.penalties.map((penalty) => h("li", { key: penalty.number, class: penalty.withdrawn ? "gone" : "" },
    h("span", {}, penaltyLine(penalty)),
    penalty.withdrawn ? ` ${t("hall.withdrawn", { by: roleText(penalty.withdrawn) })}` : h("button", { type: "button", class: "button", onclick: () => attempt(async () => (hall.penalties = (await post("/api/withdraw", { number: penalty.number })).penalties)) }, t("hall.withdraw")),
  ))) : h("p", {}, t("hall.none")));
}

function penaltyLine(penalty) {
  const what = penalty.points ? t("hall.points", { count: penalty.points }) : t("hall.warning");
  return t("hall.penalty_line", { ...penalty, number: formatNumber(penalty.number), what, by: roleText(penalty.by), time: penalty.wall.slice(11, 16) });
}

async function showResults() {
  let results = [];
  const scoresText = (result) => result.players.map((player, seat) => `${player} ${result.scores[seat]}${result.told[seat] === result.scores[seat] ? "" : ` (${t("hall.table_said", { score: result.told[seat] })})`}`).join(", ");
  const correct = (result) => (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const scores = result.players.map((_, seat) => Number(form.get(`s${seat}`)));
    attempt(async () => {
      results = (await post("/api/correct", { key, match: result.match, scores, reason: String(form.get("reason")) })).results;
      key = newKey();
    });
  };
  openSheet(t("hall.results"), () => [
    h("p", {}, h("a", { href: "/api/results.csv", download: "results.csv" }, t("hall.csv"))),
    hall.notice && h("p", { class: "notice" }, hall.notice),
    h("ul", { class: "plain list" }, results.map((result) => h("li", { key: result.match },
      h("span", {}, t("hall.at_table", { table: result.table, what: scoresText(result) })),
      h("details", {}, h("summary", {}, t("hall.correct")), h("form", { class: "fields", onsubmit: correct(result) },
        result.players.map((player, seat) => h("label", { key: `s${seat}` }, player, h("input", { name: `s${seat}`, type: "number", value: result.scores[seat] }))),
        h("label", {}, t("hall.reason"), h("input", { name: "reason", required: true })), h("button", { class: "button" }, t("hall.correct")))),
    ))),
  ]);
  await attempt(async () => (results = (await get("/api/results")).results));
}

function askPin() {
  const enter = (event) => {
    event.preventDefault();
    const pin = String(new FormData(event.target).get("pin"));
    attempt(async () => {
      hall.session = await post("/api/login", { pin });
      location.reload(); // another role sees another wall
    });
  };
  openSheet(t("hall.pin"), () => [
    h("form", { class: "fields", onsubmit: enter }, h("label", {}, t("hall.pin_label"), h("input", { name: "pin", type: "password", inputmode: "numeric", autocomplete: "off", required: true })), h("button", { class: "button first" }, t("hall.log_in"))),
    hall.notice && h("p", { class: "notice", role: "status" }, hall.notice),
  ]);
}

const logout = () => attempt(async () => (await post("/api/logout"), location.reload()));

// News ----------------------------------------------------------------------------------------------------------------

async function refresh() {
  hall.session = await get("/api/session");
  setToken(hall.session.csrf);
}

function receiveNews(news) {
  hall.offset = news.now - performance.now() / 1000;
  hall.delay = news.delay ?? null;
  hall.hasBroker = news.linked ?? true;
  if (news.whole) hall.tables.clear();
  for (const name of news.gone ?? []) hall.tables.delete(name);
  for (const table of news.tables) hall.tables.set(table.name, table);
  if (news.penalties) hall.penalties = news.penalties;
  hall.receivedAt = performance.now();
  if (hall.shownTable && news.tables.some((table) => table.name === hall.shownTable)) loadDetails();
  draw();
}

document.querySelector("#sheet").addEventListener("close", () => ((hall.sheetContent = hall.shownTable = null), (hall.notice = ""), patch(document.querySelector("#sheet")), draw()));
setInterval(draw, 1000 * WAKE_SECONDS);
await loadLanguage(preferredLanguage());
await refresh();
draw();
subscribe({
  state: receiveNews,
  event: () => {},
  session: refresh,
  link: (up) => ((hall.connected = up), draw()),
  isTrusted: () => hall.connected && performance.now() - (hall.receivedAt ?? -1e9) < 15_000,
});
