// Camera guide: what keeps the camera from seeing well, what to do about it, and a drawing of right and wrong.

import { app } from "./app.js";
import { h } from "./elements.js";
import { fetched, waiting } from "./fetched.js";
import { icon } from "./icons.js";
import { number, t } from "./words.js";

const LOOK_SECONDS = 2; // between two looks while the guide is open
const SYMPTOMS = ["nothing", "dark", "bright", "glare", "blurred", "tilted", "cut", "moved", "small", "covered"];
const FIGURES = ["tilted", "moved", "small", "covered"]; // whose values say something to people

let later = null;

/** The card with the live picture and what is wrong with it. */
export function cameraGuide() {
  const told = fetched("camera-guide", "/api/calibration/guide");
  const { answer, memory, again } = told;
  const shots = (memory.shots ??= 0);
  if (!memory.asking) later ??= setTimeout(() => {
    later = null;
    if (document.hidden || app.tab !== "setup" || app.part !== "camera") return;
    memory.shots += 1;
    again();
  }, 1000 * LOOK_SECONDS);
  const findings = answer?.findings ?? [];
  const wrong = SYMPTOMS.map((name) => findings.find((one) => one.symptom === name && one.seen)).filter(Boolean);
  const unknown = findings.filter((one) => one.seen === null).map((one) => one.symptom);
  return h(
    "section",
    { class: "card camera-guide", "aria-labelledby": "see-line" },
    h("h2", { id: "see-line" }, t("see.title")),
    waiting(told),
    answer && !answer.size && h("p", { class: "notice bad" }, icon("camera"), t("see.no_picture")),
    answer?.size && live(answer.size, wrong, shots),
    answer?.size && !wrong.length && h("p", { class: "notice good", role: "status" }, icon("good"), t(unknown.length ? "see.good_so_far" : "see.good")),
    h("ol", { class: "symptoms" }, wrong.map((one) => h("li", { key: one.symptom, id: `see-${one.symptom}`, class: "bad" }, advice(one.symptom, one)))),
    h("details", {}, h("summary", {}, t("see.all")), h("ol", { class: "symptoms" }, SYMPTOMS.filter((name) => !wrong.some((one) => one.symptom === name)).map((name) => h("li", { key: name, id: `see-${name}` }, advice(name))))),
  );
}

/** The live picture, with the tiles that are in trouble outlined. */
function live([width, height], wrong, shots) {
  const quads = wrong.flatMap((one) => one.quads);
  return h(
    "div",
    { class: "seen" },
    h("img", { class: "evidence", src: `/api/picture/calibration.jpg?${shots}`, alt: t("calibration.picture"), width, height }),
    quads.length > 0 && h("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, quads.map((quad) => h("polygon", { points: quad.map((point) => point.join(",")).join(" ") }))),
  );
}

const advice = (name, found = null) => [
  h("div", { class: "pair-drawn", "aria-hidden": "true" }, drawn(name, true), drawn(name, false)),
  h("div", {}, h("h3", {}, t(`see.${name}`), found && FIGURES.includes(name) && found.value !== null && h("span", { class: "figure" }, t("calibration.of", { value: number(found.value), limit: number(found.limit) }))), h("p", {}, t(`see.${name}_how`, { count: found?.quads.length ?? 0 }))),
];

/** A camera's picture of a table in a few lines: wrong as the symptom has it, or right. */
function drawn(name, wrong) {
  const is = (one) => wrong && name === one;
  const across = is("tilted") ? "M22 44 38 18H82L98 44Z" : is("cut") ? "M-8 10H70V66H-8Z" : is("moved") ? "M34 22 104 14 110 58 40 66Z" : is("small") ? "M44 24H76V44H44Z" : "M16 10H104V58H16Z";
  const [left, top, size] = is("small") ? [53, 31, 3] : is("tilted") ? [42, 27, 6] : is("cut") ? [6, 26, 9] : [34, 26, 9];
  const corners = is("small") || is("tilted") || is("cut") || is("moved") ? [] : [[20, 14], [94, 14], [20, 48], [94, 48]];
  return h(
    "svg",
    { viewBox: "0 0 120 80", class: wrong ? "wrong" : "right" },
    h("rect", { class: "frame", width: 120, height: 68 }),
    !is("nothing") && [
      h("path", { class: "table", d: across }),
      name === "moved" && h("path", { class: "was", d: "M16 10H104V58H16Z" }),
      [0, 1, 2, 3].map((place) => h("rect", { class: is("blurred") ? "piece soft" : "piece", x: left + place * size * 1.25, y: top, width: size, height: is("tilted") ? size * 0.6 : size * 1.4, rx: 1 })),
      name === "covered" && corners.map(([x, y], place) => h("rect", { class: "marker", x, y, width: 6, height: 6, opacity: is("covered") && place === 3 ? 0 : 1 })),
      is("covered") && h("circle", { class: "thing", cx: 96, cy: 50, r: 9 }),
      is("glare") && h("ellipse", { class: "shine", cx: 52, cy: 32, rx: 13, ry: 6 }),
    ],
    is("dark") && h("rect", { class: "shade", width: 120, height: 68 }),
    is("bright") && h("rect", { class: "burn", width: 120, height: 68 }),
    h("path", { class: "mark", d: wrong ? "M54 71 66 79M66 71 54 79" : "m54 75 4 4 8-8" }),
  );
}
