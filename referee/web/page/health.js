// Health: how the machine and the camera do, and what the referee has written in its log.

import { attempt, local, mayAct, openSheet, update } from "./app.js";
import { askSure, button, orLogIn, tick } from "./controls.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { send } from "./talk.js";
import { has, lasting, locale, number, t } from "./words.js";

const REPORT_PICTURES = 10;
const HIDDEN = ["match", "told_at", "age", "retry", "can_end"];
const UNITS = { temperature: "°C", disk_free_mb: "MB", memory_mb: "MB", last_frame_age: "s" };

/** How everything does. */
export function health() {
  const told = fetched("health", "/api/health");
  const { answer, again } = told;
  const lines = Object.entries(answer ?? {}).filter(([key, value]) => !HIDDEN.includes(key) && value !== null && value !== undefined);
  return [h(
    "section",
    { class: "card", "aria-labelledby": "health-line" },
    h("h2", { id: "health-line" }, t("setup.health")),
    waiting(told),
    h("dl", { class: "figures" }, lines.map(([key, value]) => [h("dt", {}, has(`health.${key}`) ? t(`health.${key}`) : key.replaceAll("_", " ")), h("dd", {}, shown(key, value))])),
    h("div", { class: "row" }, button(t("again"), again, { sign: "undo" }), answer?.state === "safe" && orLogIn(t("health.retry"), () => attempt(() => send("/api/retry"), t("health.retried")), { kind: "first" })),
  ), answer?.can_end && mayAct() && machine()];
}

/** To restart and to shut down, which nobody needs a shell for. */
function machine() {
  const end = (then, done) => async () => (await attempt(() => send("/api/end", { then }))) && openSheet(t(`machine.${then}`), () => h("p", {}, t(done)));
  const ask = (then, done, options) => button(t(`machine.${then}`), () => askSure(t(`machine.${then}`), t(`machine.${then}_sure`), end(then, done)), options);
  return h(
    "section",
    { class: "card", "aria-labelledby": "machine-line" },
    h("h2", { id: "machine-line" }, t("machine.title")),
    h("p", { class: "help" }, t("machine.how")),
    h("div", { class: "row" }, ask("restart", "machine.restarting", { sign: "undo" }), ask("power_off", "machine.powering_off", { kind: "danger" })),
  );
}

function shown(key, value) {
  if (Array.isArray(value)) return value.length ? value.map((one) => named(key, one)).join(", ") : t("none");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (key === "state" && has(`state.${value}`)) return t(`state.${value}`);
  if (key === "seconds") return lasting(value);
  if (key === "reading_ms") return number(value.total, { maximumFractionDigits: 0 });
  if (key === "pid") return String(value);
  if (typeof value === "number") return `${number(value, { maximumFractionDigits: value < 100 ? 1 : 0 })} ${UNITS[key] ?? ""}`.trim();
  return String(value);
}

/** What the machine calls by a word: what slows it down, what its profile knows. */
function named(key, word) {
  const id = `${key === "profile" ? "known" : key}.${word.replaceAll(/\W/g, "_")}`;
  return has(id) ? t(id) : word;
}

/** One file for whoever is asked for help. */
function report() {
  const memory = local("report", { pictures: false });
  const href = `/api/export/report.zip${memory.pictures ? `?pictures=${REPORT_PICTURES}` : ""}`;
  return h(
    "section",
    { class: "card", "aria-labelledby": "report-line" },
    h("h2", { id: "report-line" }, t("report.title")),
    h("p", {}, t("report.how")),
    tick(t("report.pictures"), { name: "report-pictures", checked: memory.pictures, onchange: (event) => ((memory.pictures = event.target.checked), update()) }),
    h("div", { class: "row" }, h("a", { class: "button first", href, download: "" }, icon("down"), h("span", {}, t("report.save")))),
  );
}

/** The last lines of the log. */
export function logs() {
  const told = fetched("logs", "/api/logs?lines=200");
  const { answer, again } = told;
  return [report(), h(
    "section",
    { class: "card", "aria-labelledby": "logs-line" },
    h("h2", { id: "logs-line" }, t("logs.title")),
    h("div", { class: "row" }, button(t("again"), again, { sign: "undo" })),
    waiting(told),
    answer?.lines.length === 0 && h("p", { class: "help" }, t("logs.none")),
    h("ol", { class: "log" }, [...(answer?.lines ?? [])].reverse().map((one) => h("li", { class: one.level.toLowerCase() }, h("small", {}, when(one)), h("span", {}, one.message)))),
  )];
}

/** When a line was written, in the reader's own way, and how bad it is where it is bad. */
function when({ wall, level }) {
  const time = wall ? new Date(wall).toLocaleString(locale(), { dateStyle: "short", timeStyle: "medium" }) : "";
  return [time, has(`level.${level}`) && t(`level.${level}`)].filter(Boolean).join(" · ");
}
