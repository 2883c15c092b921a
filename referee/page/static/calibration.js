// Calibration: the camera guide, the calibration steps, the profile's contents and the check before play.

import { attempt, update } from "./app.js";
import { calibrationSteps } from "./calibration_steps.js";
import { cameraGuide } from "./camera_guide.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { post } from "./api.js";
import { hasText, messageText, formatNumber, t } from "./i18n.js";

/** The element of this view that explains a finding of the check, by message id. */
const REMEDIES = {
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

/** The setup's calibration part. */
export function calibration() {
  const request = cachedRequest("calibration", "/api/calibration");
  const { answer, memory } = request;
  const check = async () => {
    memory.checking = true;
    update();
    const report = await attempt(() => post("/api/calibration/check"));
    memory.checking = false;
    if (report) memory.answer = { ...memory.answer, report: report.report ?? report };
    update();
  };
  return [
    cameraGuide(),
    calibrationSteps(request.reload),
    h(
      "section",
      { class: "card", "aria-labelledby": "sees-line" },
      h("h2", { id: "sees-line" }, t("calibration.knows")),
      requestStatus(request),
      answer && profileList(answer.profile),
    ),
    h(
      "section",
      { class: "card", "aria-labelledby": "check-line" },
      h("h2", { id: "check-line" }, t("calibration.check")),
      h("div", { class: "row" }, button(t(memory.checking ? "calibration.checking" : "calibration.check_now"), check, { kind: "first", disabled: Boolean(memory.checking) })),
      answer?.report ? checkList(answer.report.checks) : h("p", { class: "help" }, t("calibration.no_report")),
    ),
  ];
}

function profileList(profile) {
  if (!profile) return h("p", { class: "help" }, t("calibration.no_profile"));
  return h(
    "div",
    {},
    h("h3", {}, t("calibration.profile")),
    h("ul", { class: "plain" }, PARTS.map((part) => h("li", { class: profile[part] ? "good" : "doubt" }, icon(profile[part] ? "good" : "doubt"), t(`profile.${part}`), " ", h("small", {}, t(profile[part] ? "profile.known" : "profile.unknown"))))),
  );
}

function checkList(checks) {
  const failed = checks.filter((check) => !check.passed).length;
  return [
    h("p", { class: failed ? "notice bad" : "notice good", role: "status" }, icon(failed ? "bad" : "good"), failed ? t("calibration.failed", { count: failed, all: checks.length }) : t("calibration.passed")),
    h("ul", { class: "checks" }, checks.map((check) =>
      h(
        "li",
        { key: check.check, class: check.passed ? "good" : "bad" },
        icon(check.passed ? "good" : "bad"),
        h("div", {}, h("strong", {}, hasText(`check.${check.check}`) ? t(`check.${check.check}`) : check.check), h("span", { class: "figure" }, valueWithLimit(check)), h("p", {}, messageText(check)), REMEDIES[check.message_id] && button(t("calibration.cure"), () => scrollToElement(REMEDIES[check.message_id]), { kind: "quiet" })),
      ))),
  ];
}

/** Scroll to an element of this view, and open the details that contain it. */
function scrollToElement(id) {
  const element = document.getElementById(id);
  const details = element.closest("details");
  if (details) details.open = true;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "center" });
}

const formatValue = (value) => (typeof value === "number" ? formatNumber(value, { maximumFractionDigits: 3 }) : typeof value === "boolean" ? t(value ? "yes" : "no") : String(value).replace(" to ", "–"));
const valueWithLimit = ({ value, limit }) => (value === null ? "" : limit === null ? formatValue(value) : t("calibration.of", { value: formatValue(value), limit: formatValue(limit) }));
