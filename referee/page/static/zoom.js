// Zoom: a frame that zooms a drawing with buttons, two fingers or the keyboard, and pans it.

import { viewMemory, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { pictureView, fittedView } from "./geometry.js";
import { transientNotice } from "./verdict.js";
import { t } from "./i18n.js";

const MAX_ZOOM = 8;

/** A drawing in a frame: `draw(view, ratio)` draws the visible part; `beside` goes below it, beside the zoom buttons. */
export function zoomable(name, size, quads, isPicture, draw, { stale = false, beside = null } = {}) {
  const memory = viewMemory(`zoom-${name}`, { zoomLevel: 1, x: 0, y: 0, fingers: new Map() });
  const ratio = matchMedia("(min-width: 50em), (orientation: portrait)").matches ? 1.45 : 1.15;
  const fit = isPicture ? pictureView(quads, size) : fittedView(quads, size, ratio);
  const view = visiblePart(fit, memory);
  const zoomBy = (factor) => zoom(memory, factor);
  return h(
    "div",
    { class: stale ? "frame stale" : "frame", onkeydown: (event) => onKey(memory, event) },
    h(
      "div",
      { class: "pane", style: { "touch-action": memory.zoomLevel > 1 ? "none" : "pan-y" }, onpointerdown: (event) => onPointerDown(memory, event), onpointermove: (event) => onPointerMove(memory, event), onpointerup: (event) => onPointerUp(memory, event), onpointercancel: (event) => onPointerUp(memory, event) },
      draw(view, ratio),
    ),
    transientNotice(),
    h(
      "div",
      { class: "below" },
      beside,
      h(
        "div",
        { class: "zoom", role: "group", "aria-label": t("zoom.label") },
        iconButton(t("zoom.in"), "plus", () => zoomBy(1.5), memory.zoomLevel >= MAX_ZOOM),
        iconButton(t("zoom.out"), "minus", () => zoomBy(1 / 1.5), memory.zoomLevel <= 1),
        memory.zoomLevel > 1 && iconButton(t("zoom.fit"), "fit", () => (Object.assign(memory, { zoomLevel: 1, x: 0, y: 0 }), update())),
      ),
    ),
  );
}

const iconButton = (label, sign, onclick, disabled = false) => button("", onclick, { sign, kind: "icon-only", "aria-label": label, title: label, "data-again": "", disabled });

/** The visible part of `fit` at a zoom level, its centre moved by x and y (shares of the fit). */
function visiblePart(fit, { zoomLevel, x, y }) {
  const [width, height] = [fit.width / zoomLevel, fit.height / zoomLevel];
  return { x: fit.x + fit.width * (0.5 + x) - width / 2, y: fit.y + fit.height * (0.5 + y) - height / 2, width, height };
}

function zoom(memory, factor) {
  memory.zoomLevel = Math.min(MAX_ZOOM, Math.max(1, memory.zoomLevel * factor));
  move(memory, 0, 0);
}

function move(memory, x, y) {
  const limit = (1 - 1 / memory.zoomLevel) / 2;
  const clamp = (value) => Math.min(limit, Math.max(-limit, value));
  memory.x = clamp(memory.x + x);
  memory.y = clamp(memory.y + y);
  update();
}

const PAN_SHARE = 0.25; // of the visible part
const PAN_DIRECTIONS = { ArrowLeft: [-PAN_SHARE, 0], ArrowRight: [PAN_SHARE, 0], ArrowUp: [0, -PAN_SHARE], ArrowDown: [0, PAN_SHARE] };

/** Pan a zoomed drawing with the arrow keys. */
function onKey(memory, event) {
  const [x, y] = PAN_DIRECTIONS[event.key] ?? [0, 0];
  if (memory.zoomLevel <= 1 || (!x && !y)) return;
  event.preventDefault();
  move(memory, x / memory.zoomLevel, y / memory.zoomLevel);
}

function onPointerDown(memory, event) {
  memory.fingers.set(event.pointerId, [event.clientX, event.clientY]);
}

function onPointerMove(memory, event) {
  const last = memory.fingers.get(event.pointerId);
  if (!last) return;
  const here = [event.clientX, event.clientY];
  const others = [...memory.fingers].filter(([id]) => id !== event.pointerId).map(([, position]) => position);
  memory.fingers.set(event.pointerId, here);
  const pane = event.currentTarget.getBoundingClientRect();
  if (others.length) {
    const fingerDistance = (position) => Math.hypot(position[0] - others[0][0], position[1] - others[0][1]);
    zoom(memory, fingerDistance(here) / Math.max(1, fingerDistance(last)));
  } else if (memory.zoomLevel > 1) {
    move(memory, (last[0] - here[0]) / pane.width / memory.zoomLevel, (last[1] - here[1]) / pane.height / memory.zoomLevel);
  }
}

const onPointerUp = (memory, event) => memory.fingers.delete(event.pointerId);
