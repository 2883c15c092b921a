// Health: the state of the machine and the camera, the report and the log.

import { attempt, viewMemory, isOrganiser, openSheet, update } from "./app.js";
import { confirmAction, button, organiserButton, checkbox } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { post } from "./api.js";
import { hasText, formatDuration, locale, formatNumber, t } from "./i18n.js";

const REPORT_PICTURES = 10;
const HIDDEN = ["match", "told_at", "age", "retry", "can_end"];
const UNITS = { temperature: "°C", disk_free_mb: "MB", memory_mb: "MB", last_frame_age: "s", camera_delay: "s" };

/** The setup's part for health. */
export function health() {
  const request = cachedRequest("health", "/api/health");
  const { answer, reload } = request;
  const lines = Object.entries(answer ?? {}).filter(([key, value]) => !HIDDEN.includes(key) && value !== null && value !== undefined);
  return [h(
    "section",
    { class: "card", "aria-labelledby": "health-line" },
    h("h2", { id: "health-line" }, t("setup.health")),
    requestStatus(request),
    answer?.last_frame_age === null && h("p", { class: "doubt" }, icon("camera"), t("notice.camera_none")),
    h("dl", { class: "figures" }, lines.map(([key, value]) => [h("dt", {}, hasText(`health.${key}`) ? t(`health.${key}`) : key.replaceAll("_", " ")), h("dd", {}, formatValue(key, value))])),
    h("div", { class: "row" }, button(t("again"), reload, { sign: "undo" }), answer?.state === "safe" && organiserButton(t("health.retry"), () => attempt(() => post("/api/retry"), t("health.retried")), { kind: "first" })),
  ), answer?.can_end && isOrganiser() && machineCard()];
}

/** Buttons that restart or shut down the machine. */
function machineCard() {
  const end = (then, done) => async () => (await attempt(() => post("/api/end", { then }))) && openSheet(t(`machine.${then}`), () => h("p", {}, t(done)));
  const endButton = (then, done, options) => button(t(`machine.${then}`), () => confirmAction(t(`machine.${then}`), t(`machine.${then}_sure`), end(then, done)), options);
  return h(
    "section",
    { class: "card", "aria-labelledby": "machine-line" },
    h("h2", { id: "machine-line" }, t("machine.title")),
    h("p", { class: "help" }, t("machine.how")),
    h("div", { class: "row" }, endButton("restart", "machine.restarting", { sign: "undo" }), endButton("power_off", "machine.powering_off", { kind: "danger" })),
  );
}

function formatValue(key, value) {
  if (Array.isArray(value)) return value.length ? value.map((item) => wordText(key, item)).join(", ") : t("none");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (key === "state" && hasText(`state.${value}`)) return t(`state.${value}`);
  if (key === "seconds") return formatDuration(value);
  if (key === "reading_ms") return formatNumber(value.total, { maximumFractionDigits: 0 });
  if (key === "pid") return String(value);
  if (typeof value === "number") return `${formatNumber(value, { maximumFractionDigits: value < 100 ? 1 : 0 })} ${UNITS[key] ?? ""}`.trim();
  return String(value);
}

/** The text of an item that the machine names by an id, such as a throttling reason. */
function wordText(key, word) {
  const id = `${key === "profile" ? "known" : key}.${word.replaceAll(/\W/g, "_")}`;
  return hasText(id) ? t(id) : word;
}

/** The report: one file to send when asking for help. */
function reportCard() {
  const memory = viewMemory("report", { pictures: false });
  const href = `/api/export/report.zip${memory.pictures ? `?pictures=${REPORT_PICTURES}` : ""}`;
  return h(
    "section",
    { class: "card", "aria-labelledby": "report-line" },
    h("h2", { id: "report-line" }, t("report.title")),
    h("p", {}, t("report.how")),
    checkbox(t("report.pictures"), { name: "report-pictures", checked: memory.pictures, onchange: (event) => ((memory.pictures = event.target.checked), update()) }),
    h("div", { class: "row" }, h("a", { class: "button first", href, download: "" }, icon("down"), h("span", {}, t("report.save")))),
  );
}

/** The last lines of the log. */
export function logs() {
  const request = cachedRequest("logs", "/api/logs?lines=200");
  const { answer, reload } = request;
  return [reportCard(), h(
    "section",
    { class: "card", "aria-labelledby": "logs-line" },
    h("h2", { id: "logs-line" }, t("logs.title")),
    h("div", { class: "row" }, button(t("again"), reload, { sign: "undo" })),
    requestStatus(request),
    answer?.lines.length === 0 && h("p", { class: "help" }, t("logs.none")),
    h("ol", { class: "log" }, [...(answer?.lines ?? [])].reverse().map((entry) => h("li", { class: entry.level.toLowerCase() }, h("small", {}, entryTime(entry)), h("span", {}, entry.message)))),
  )];
}

/** An entry's time in the reader's format, and its level if serious. */
function entryTime({ wall, level }) {
  const time = wall ? new Date(wall).toLocaleString(locale(), { dateStyle: "short", timeStyle: "medium" }) : "";
  return [time, hasText(`level.${level}`) && t(`level.${level}`)].filter(Boolean).join(" · ");
}
