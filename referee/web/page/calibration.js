// Calibration: what the camera sees of its table and markers, what the profile knows, and the check before play.

import { attempt, update } from "./app.js";
import { calibrationSteps } from "./calibration_steps.js";
import { cameraGuide } from "./camera_guide.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { fetched, waiting } from "./fetched.js";
import { send } from "./talk.js";
import { has, message, number, t } from "./words.js";

/** Where on this view a finding of the check is explained, by its message. */
const CURES = {
  "found.blurred": "see-blurred",
  "found.tiles_dark": "see-dark",
  "found.picture_dark": "see-dark",
  "found.tiles_bright": "see-bright",
  "found.picture_bright": "see-bright",
  "found.burnt": "see-bright",
  "found.glare": "see-glare",
  "found.small": "see-small",
  "found.pushed": "see-moved",
  "found.moved": "see-moved",
  "found.no_table": "steps-line",
};
const PARTS = ["light", "lens", "table", "inks", "tiles"];

/** The part of the setup. */
export function calibration() {
  const told = fetched("calibration", "/api/calibration");
  const { answer, memory } = told;
  const check = async () => {
    memory.checking = true;
    update();
    const report = await attempt(() => send("/api/calibration/check"));
    memory.checking = false;
    if (report) memory.answer = { ...memory.answer, report: report.report ?? report };
    update();
  };
  return [
    cameraGuide(),
    calibrationSteps(told.again),
    h(
      "section",
      { class: "card", "aria-labelledby": "sees-line" },
      h("h2", { id: "sees-line" }, t("calibration.knows")),
      waiting(told),
      answer && profile(answer.profile),
    ),
    h(
      "section",
      { class: "card", "aria-labelledby": "check-line" },
      h("h2", { id: "check-line" }, t("calibration.check")),
      h("div", { class: "row" }, button(t(memory.checking ? "calibration.checking" : "calibration.check_now"), check, { kind: "first", disabled: Boolean(memory.checking) })),
      answer?.report ? checks(answer.report.checks) : h("p", { class: "help" }, t("calibration.no_report")),
    ),
  ];
}

function profile(known) {
  if (!known) return h("p", { class: "help" }, t("calibration.no_profile"));
  return h(
    "div",
    {},
    h("h3", {}, t("calibration.profile")),
    h("ul", { class: "plain" }, PARTS.map((part) => h("li", { class: known[part] ? "good" : "doubt" }, icon(known[part] ? "good" : "doubt"), t(`profile.${part}`), " ", h("small", {}, t(known[part] ? "profile.known" : "profile.unknown"))))),
  );
}

function checks(list) {
  const failed = list.filter((check) => !check.passed).length;
  return [
    h("p", { class: failed ? "notice bad" : "notice good", role: "status" }, icon(failed ? "bad" : "good"), failed ? t("calibration.failed", { count: failed, all: list.length }) : t("calibration.passed")),
    h("ul", { class: "checks" }, list.map((check) =>
      h(
        "li",
        { key: check.check, class: check.passed ? "good" : "bad" },
        icon(check.passed ? "good" : "bad"),
        h("div", {}, h("strong", {}, has(`check.${check.check}`) ? t(`check.${check.check}`) : check.check), h("span", { class: "figure" }, figure(check)), h("p", {}, message(check)), CURES[check.message_id] && button(t("calibration.cure"), () => lead(CURES[check.message_id]), { kind: "quiet" })),
      ))),
  ];
}

/** Lead to an element of this view, out of the fold it may lie in. */
function lead(id) {
  const place = document.getElementById(id);
  const fold = place.closest("details");
  if (fold) fold.open = true;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "center" });
}

const plain = (value) => (typeof value === "number" ? number(value, { maximumFractionDigits: 3 }) : typeof value === "boolean" ? t(value ? "yes" : "no") : String(value).replace(" to ", "–"));
const figure = ({ value, limit }) => (value === null ? "" : limit === null ? plain(value) : t("calibration.of", { value: plain(value), limit: plain(limit) }));
