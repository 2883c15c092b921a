// Health: how the machine and the camera do, and what the referee has written in its log.

import { attempt, mayAct } from "./app.js";
import { button, guarded } from "./controls.js";
import { h } from "./elements.js";
import { fetched, locked } from "./setup_part.js";
import { send } from "./talk.js";
import { has, line, number, t } from "./words.js";

const HIDDEN = ["match", "told_at", "age", "retry"];
const UNITS = { temperature: "°C", disk_free_mb: "MB", memory_mb: "MB", last_frame_age: "s", seconds: "s" };

/** How everything does. */
export function health() {
  const { answer, again } = fetched("health", "/api/health");
  const lines = Object.entries(answer ?? {}).filter(([key, value]) => !HIDDEN.includes(key) && value !== null && value !== undefined);
  return h(
    "section",
    { class: "card", "aria-labelledby": "health-line" },
    h("h2", { id: "health-line" }, t("setup.health")),
    h("dl", { class: "figures" }, lines.map(([key, value]) => [h("dt", {}, has(`health.${key}`) ? t(`health.${key}`) : key.replaceAll("_", " ")), h("dd", {}, shown(key, value))])),
    h("div", { class: "row" }, button(t("again"), again, { sign: "undo" }), answer?.state === "safe" && guarded(t("health.retry"), () => attempt(() => send("/api/retry"), t("health.retried")), { kind: "first" })),
  );
}

function shown(key, value) {
  if (Array.isArray(value)) return value.length ? value.join(", ") : t("none");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (key === "state" && has(`state.${value}`)) return t(`state.${value}`);
  if (typeof value === "number") return `${key === "pid" ? value : number(value, { maximumFractionDigits: 2 })} ${UNITS[key] ?? ""}`.trim();
  if (typeof value === "object") return Object.entries(value).map(([name, one]) => `${name} ${shown("", one)}`).join(", ");
  return key === "reason" ? line(value) : String(value);
}

/** The last lines of the log. */
export function logs() {
  if (!mayAct()) return locked(t("setup.logs"));
  const { answer, again } = fetched("logs", "/api/logs?lines=200");
  return h(
    "section",
    { class: "card", "aria-labelledby": "logs-line" },
    h("h2", { id: "logs-line" }, t("setup.logs")),
    h("div", { class: "row" }, button(t("again"), again, { sign: "undo" })),
    h("ol", { class: "log" }, [...(answer?.lines ?? [])].reverse().map((one) => h("li", { class: one.level.toLowerCase() }, h("small", {}, `${one.wall ?? ""} ${one.level}`), h("span", {}, line(one.message))))),
  );
}
