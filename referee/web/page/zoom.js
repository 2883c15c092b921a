// Zoom: a drawing that can be drawn nearer with buttons, two fingers, a wheel or the keyboard, and moved about.

import { local, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { inPicture, viewOf } from "./shapes.js";
import { passing } from "./verdict.js";
import { t } from "./words.js";

const MAX_TIMES = 8;

/** A drawing in a frame: `draw(view, ratio)` draws what the frame shows just now; `beside` stands below it, beside the zoom. */
export function zoomed(name, size, quads, whole, draw, { stale = false, beside = null } = {}) {
  const memory = local(`zoom-${name}`, { times: 1, x: 0, y: 0, fingers: new Map() });
  const ratio = matchMedia("(min-width: 50em)").matches ? 1.45 : 1.15;
  const fit = whole ? inPicture(quads, size) : viewOf(quads, size, ratio);
  const view = seen(fit, memory);
  const by = (factor) => zoom(memory, factor);
  return h(
    "div",
    { class: stale ? "frame stale" : "frame", onkeydown: (event) => steer(memory, event) },
    h(
      "div",
      { class: "pane", style: { "touch-action": memory.times > 1 ? "none" : "pan-y" }, onpointerdown: (event) => grasp(memory, event), onpointermove: (event) => drag(memory, event), onpointerup: (event) => letGo(memory, event), onpointercancel: (event) => letGo(memory, event) },
      draw(view, ratio),
    ),
    passing(),
    h(
      "div",
      { class: "below" },
      beside,
      h(
        "div",
        { class: "zoom", role: "group", "aria-label": t("zoom.label") },
        iconButton(t("zoom.in"), "plus", () => by(1.5), memory.times >= MAX_TIMES),
        iconButton(t("zoom.out"), "minus", () => by(1 / 1.5), memory.times <= 1),
        memory.times > 1 && iconButton(t("zoom.fit"), "fit", () => (Object.assign(memory, { times: 1, x: 0, y: 0 }), update())),
      ),
    ),
  );
}

const iconButton = (label, sign, onclick, disabled = false) => button("", onclick, { sign, kind: "icon-only", "aria-label": label, title: label, "data-again": "", disabled });

/** What is seen of `fit` when it is drawn so many times nearer, its middle moved by x and y (shares of the fit). */
function seen(fit, { times, x, y }) {
  const [width, height] = [fit.width / times, fit.height / times];
  return { x: fit.x + fit.width * (0.5 + x) - width / 2, y: fit.y + fit.height * (0.5 + y) - height / 2, width, height };
}

function zoom(memory, factor) {
  memory.times = Math.min(MAX_TIMES, Math.max(1, memory.times * factor));
  move(memory, 0, 0);
}

function move(memory, x, y) {
  const room = (1 - 1 / memory.times) / 2;
  const kept = (value) => Math.min(room, Math.max(-room, value));
  memory.x = kept(memory.x + x);
  memory.y = kept(memory.y + y);
  update();
}

const STEP = 0.25; // of what is seen
const STEPS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** Arrow keys move what was drawn nearer. */
function steer(memory, event) {
  const [x, y] = STEPS[event.key] ?? [0, 0];
  if (memory.times <= 1 || (!x && !y)) return;
  event.preventDefault();
  move(memory, x / memory.times, y / memory.times);
}

function grasp(memory, event) {
  memory.fingers.set(event.pointerId, [event.clientX, event.clientY]);
}

function drag(memory, event) {
  const last = memory.fingers.get(event.pointerId);
  if (!last) return;
  const here = [event.clientX, event.clientY];
  const others = [...memory.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
  memory.fingers.set(event.pointerId, here);
  const pane = event.currentTarget.getBoundingClientRect();
  if (others.length) {
    const far = (place) => Math.hypot(place[0] - others[0][0], place[1] - others[0][1]);
    zoom(memory, far(here) / Math.max(1, far(last)));
  } else if (memory.times > 1) {
    move(memory, (last[0] - here[0]) / pane.width / memory.times, (last[1] - here[1]) / pane.height / memory.times);
  }
}

const letGo = (memory, event) => memory.fingers.delete(event.pointerId);
