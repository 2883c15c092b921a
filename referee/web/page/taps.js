// Taps: the second of a double tap, and a tap on what has only just come below the finger, are not meant.

const DOUBLE = 400; // milliseconds between the two taps of one
const NEAR = 24; // pixels between them
const SURPRISE = 250; // milliseconds in which nobody has seen yet that something moved
const MOVED = 8; // pixels

const places = new WeakMap(); // of buttons: where they were drawn last, and since when
let last = { at: -Infinity, x: 0, y: 0 };

/** Note where buttons stand now; called after each drawing. */
export function notePlaces() {
  const at = performance.now();
  for (const button of document.querySelectorAll("main button")) {
    const { left, top } = button.getBoundingClientRect();
    const [x, y] = button.closest(".action-bar") ? [left, top] : [left + scrollX, top + scrollY]; // what is pinned scrolls with nobody
    const known = places.get(button);
    if (!known) places.set(button, { x, y, at: -Infinity });
    else if (Math.hypot(known.x - x, known.y - y) > MOVED) places.set(button, { x, y, at });
  }
}

/** Keep such taps from every button but those that are meant to be tapped again and again (`data-again`). */
export function guardTaps() {
  document.addEventListener("click", judge, true);
}

function judge(event) {
  const pressed = event.target.closest("button, summary, a");
  const at = performance.now();
  const touched = event.pointerType === "touch";
  const close = at - last.at < DOUBLE && Math.hypot(event.clientX - last.x, event.clientY - last.y) < NEAR;
  const twice = touched ? close : event.detail > 1; // a mouse counts its own clicks
  const surprised = touched && at - (places.get(pressed)?.at ?? -Infinity) < SURPRISE;
  last = { at, x: event.clientX, y: event.clientY };
  if (!pressed || (pressed.dataset.again !== undefined && !surprised)) return;
  if (twice || surprised) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
