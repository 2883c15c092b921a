// Clock: the time left in the turn, counted on by the page between two words of the referee, and no further.

import { app, isTrusted, secondsLeft } from "./app.js";
import { h } from "./elements.js";
import { t } from "./words.js";

const MAX_WHOLE_SECONDS = 99; // beyond that, minutes and seconds are shown

/** The clock with its bar; `big` fills a tablet. Where the referee was not heard for long it shows no time. */
export function clock({ big = false } = {}) {
  const told = app.state?.match?.clock;
  if (!told) return null;
  const left = isTrusted() ? secondsLeft() : null;
  const shown = left === null ? "–" : digits(left);
  const runs = told.running && app.linked;
  const classes = ["clock", big && "big", left !== null && urgency(left), runs || "stands"].filter(Boolean);
  return h(
    "div",
    { class: classes.join(" "), role: "timer", "aria-live": "off", "aria-label": t("clock.label") },
    h("span", { class: "digits" }, h("span", { style: { "--signs": String(shown.length) } }, shown)),
    h("span", { class: "hint" }, hint(told, left)),
    told.of !== null && left !== null && h("progress", { max: told.of, value: left, "aria-label": t("clock.left") }),
  );
}

function hint(told, left) {
  if (!app.linked || !isTrusted()) return t("link.down");
  if (left === null) return t("clock.none");
  return t(!told.running ? "clock.stands" : Math.ceil(left) > MAX_WHOLE_SECONDS ? "clock.minutes_left" : "clock.left");
}

/** What those who are not to move have in their banks; nothing where the clock knows no bank. */
export function banks(match) {
  const others = match.players.filter((one) => one.bank !== null && one.seat !== match.seat && !one.gone);
  if (!others.length) return null;
  return h("p", { class: "banks", "aria-label": t("clock.banks") }, others.map((one) => h("span", { key: one.seat }, t("clock.bank", { name: one.name, time: minutes(one.bank) }))));
}

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** How the time stands, in whole seconds or minutes and seconds. */
export function digits(seconds) {
  const whole = Math.ceil(seconds);
  return whole > MAX_WHOLE_SECONDS ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}` : String(whole);
}

const urgency = (left) => (left <= 5 ? "last" : left <= 15 ? "soon" : "");
