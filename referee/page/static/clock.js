// Clock: the time left in the turn. The page counts on between two States, and stops when the link is lost.

import { app, isTrusted, secondsLeft } from "./app.js";
import { h } from "./elements.js";
import { t } from "./i18n.js";

const MAX_SECONDS_ONLY = 99; // above this the clock shows minutes and seconds

/** The clock with its bar; `big` fills a tablet. Without a recent State it shows no time. */
export function clock({ big = false } = {}) {
  const state = app.state?.match?.clock;
  if (!state) return null;
  const left = isTrusted() ? secondsLeft() : null;
  const digits = left === null ? "–" : formatClock(left);
  const isRunning = state.running && app.connected;
  const classes = ["clock", big && "big", left !== null && urgencyClass(left), isRunning || "stands"].filter(Boolean);
  return h(
    "div",
    { class: classes.join(" "), again: () => clock({ big }), role: "timer", "aria-live": "off", "aria-label": t("clock.label") },
    h("span", { class: "digits" }, h("span", { style: { "--signs": String(digits.length) } }, digits)),
    h("span", { class: "hint" }, hint(state, left)),
    state.of !== null && left !== null && h("progress", { max: state.of, value: Math.ceil(left), "aria-label": t("clock.left") }),
  );
}

function hint(state, left) {
  if (!app.connected || !isTrusted()) return t("link.down");
  if (left === null) return t("clock.none");
  return t(!state.running ? "clock.stands" : Math.ceil(left) > MAX_SECONDS_ONLY ? "clock.minutes_left" : "clock.left");
}

/** The time banks of the players who are not to move; null without banks. */
export function bankList(match) {
  const others = match.players.filter((player) => player.bank !== null && player.seat !== match.seat && !player.gone);
  if (!others.length) return null;
  return h("p", { class: "banks", "aria-label": t("clock.banks") }, others.map((player) => h("span", { key: player.seat }, t("clock.bank", { name: player.name, time: formatMinutes(player.bank) }))));
}

const formatMinutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Format a time in whole seconds, or in minutes and seconds. */
export function formatClock(seconds) {
  const whole = Math.ceil(seconds);
  return whole > MAX_SECONDS_ONLY ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}` : String(whole);
}

const urgencyClass = (left) => (left <= 5 ? "last" : left <= 15 ? "soon" : "");
