// Camera guide: the camera's problems on the live picture, how to mend each, and sketches of right and wrong.

import { app } from "./app.js";
import { h } from "./elements.js";
import { cachedRequest, requestStatus } from "./requests.js";
import { icon } from "./icons.js";
import { formatNumber, t } from "./i18n.js";

const REFRESH_SECONDS = 2; // between two pictures while the guide is open
const SYMPTOMS = ["nothing", "dark", "bright", "glare", "blurred", "tilted", "cut", "moved", "small", "covered"];
const SYMPTOMS_WITH_VALUES = ["tilted", "moved", "small", "covered"]; // whose values mean something to people

let refreshTimer = null;

/** The card with the live picture and its problems. */
export function cameraGuide() {
  const request = cachedRequest("camera-guide", "/api/calibration/guide");
  const { answer, memory, reload } = request;
  const pictureNumber = (memory.pictureNumber ??= 0);
  if (!memory.isLoading) refreshTimer ??= setTimeout(() => {
    refreshTimer = null;
    if (document.hidden || app.tab !== "setup" || app.part !== "camera") return;
    memory.pictureNumber += 1;
    reload();
  }, 1000 * REFRESH_SECONDS);
  const findings = answer?.findings ?? [];
  const problems = SYMPTOMS.map((name) => findings.find((finding) => finding.symptom === name && finding.seen)).filter(Boolean);
  const unknown = findings.filter((finding) => finding.seen === null).map((finding) => finding.symptom);
  return h(
    "section",
    { class: "card camera-guide", "aria-labelledby": "see-line" },
    h("h2", { id: "see-line" }, t("see.title")),
    requestStatus(request),
    answer && !answer.size && h("p", { class: "notice bad" }, icon("camera"), t("see.no_picture")),
    answer?.size && livePicture(answer.size, problems, pictureNumber),
    answer?.size && !problems.length && h("p", { class: "notice good", role: "status" }, icon("good"), t(unknown.length ? "see.good_so_far" : "see.good")),
    h("ol", { class: "symptoms" }, problems.map((finding) => h("li", { key: finding.symptom, id: `see-${finding.symptom}`, class: "bad" }, advice(finding.symptom, finding)))),
    h("details", {}, h("summary", {}, t("see.all")), h("ol", { class: "symptoms" }, SYMPTOMS.filter((name) => !problems.some((finding) => finding.symptom === name)).map((name) => h("li", { key: name, id: `see-${name}` }, advice(name))))),
  );
}

/** The live picture with the affected tiles outlined. */
function livePicture([width, height], problems, pictureNumber) {
  const quads = problems.flatMap((finding) => finding.quads);
  return h(
    "div",
    { class: "seen" },
    h("img", { class: "evidence", src: `/api/picture/calibration.jpg?${pictureNumber}`, alt: t("calibration.picture"), width, height }),
    quads.length > 0 && h("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, quads.map((quad) => h("polygon", { points: quad.map((point) => point.join(",")).join(" ") }))),
  );
}

const advice = (name, finding = null) => [
  h("div", { class: "pair-drawn", "aria-hidden": "true" }, sketch(name, true), sketch(name, false)),
  h("div", {}, h("h3", {}, t(`see.${name}`), finding && SYMPTOMS_WITH_VALUES.includes(name) && finding.value !== null && h("span", { class: "figure" }, t("calibration.of", { value: formatNumber(finding.value), limit: formatNumber(finding.limit) }))), h("p", {}, finding?.quads.length > 0 && `${t("see.outlined", { count: finding.quads.length })} `, t(`see.${name}_how`))),
];

/** A sketch of the camera's picture, with or without the symptom. */
function sketch(name, isWrong) {
  const hasSymptom = (symptom) => isWrong && name === symptom;
  const tablePath = hasSymptom("tilted") ? "M22 44 38 18H82L98 44Z" : hasSymptom("cut") ? "M-8 10H70V66H-8Z" : hasSymptom("moved") ? "M34 22 104 14 110 58 40 66Z" : hasSymptom("small") ? "M44 24H76V44H44Z" : "M16 10H104V58H16Z";
  const [left, top, size] = hasSymptom("small") ? [53, 31, 3] : hasSymptom("tilted") ? [42, 27, 6] : hasSymptom("cut") ? [6, 26, 9] : [34, 26, 9];
  const corners = hasSymptom("small") || hasSymptom("tilted") || hasSymptom("cut") || hasSymptom("moved") ? [] : [[20, 14], [94, 14], [20, 48], [94, 48]];
  return h(
    "svg",
    { viewBox: "0 0 120 80", class: isWrong ? "wrong" : "right" },
    h("rect", { class: "frame", width: 120, height: 68 }),
    !hasSymptom("nothing") && [
      h("path", { class: "table", d: tablePath }),
      name === "moved" && h("path", { class: "was", d: "M16 10H104V58H16Z" }),
      [0, 1, 2, 3].map((index) => h("rect", { class: hasSymptom("blurred") ? "piece soft" : "piece", x: left + index * size * 1.25, y: top, width: size, height: hasSymptom("tilted") ? size * 0.6 : size * 1.4, rx: 1 })),
      name === "covered" && corners.map(([x, y], index) => h("rect", { class: "marker", x, y, width: 6, height: 6, opacity: hasSymptom("covered") && index === 3 ? 0 : 1 })),
      hasSymptom("covered") && h("circle", { class: "thing", cx: 96, cy: 50, r: 9 }),
      hasSymptom("glare") && h("ellipse", { class: "shine", cx: 52, cy: 32, rx: 13, ry: 6 }),
    ],
    hasSymptom("dark") && h("rect", { class: "shade", width: 120, height: 68 }),
    hasSymptom("bright") && h("rect", { class: "burn", width: 120, height: 68 }),
    h("path", { class: "mark", d: isWrong ? "M54 71 66 79M66 71 54 79" : "m54 75 4 4 8-8" }),
  );
}
