// Clock: the time left in the turn, counted on by the page between two words of the referee.

import { app, secondsLeft } from "./app.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** The clock with its bar; `big` fills a tablet. */
export function clock({ big = false } = {}) {
  const told = app.state?.match?.clock;
  if (!told) return null;
  const left = secondsLeft();
  const classes = ["clock", big && "big", left !== null && urgency(left), told.running || "stands"].filter(Boolean);
  return h(
    "div",
    { class: classes.join(" "), role: "timer", "aria-live": "off", "aria-label": t("clock.label") },
    h("span", { class: "digits" }, left === null ? "–" : digits(left)),
    h("span", { class: "hint" }, left === null ? t("clock.none") : told.running ? t("clock.left") : t("clock.stands")),
    told.of !== null && left !== null && h("progress", { max: told.of, value: left, "aria-label": t("clock.left") }),
  );
}

/** How the time stands, in whole seconds or minutes and seconds. */
export function digits(seconds) {
  const whole = Math.ceil(seconds);
  return whole > 99 ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}` : String(whole);
}

const urgency = (left) => (left <= 5 ? "last" : left <= 15 ? "soon" : "");
