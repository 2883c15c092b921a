// Tap guard: ignores the second tap of a double tap, and a tap on a button that has just moved under the finger.

const DOUBLE_TAP_MS = 400;
const DOUBLE_TAP_PX = 24;
const JUST_MOVED_MS = 250; // too short for people to notice that a button moved
const MIN_MOVE_PX = 8;

const buttonPositions = new WeakMap(); // of each button: its last position, and since when
let lastTap = { at: -Infinity, x: 0, y: 0 };

/** Record the buttons' positions; call after each rendering. */
export function recordButtonPositions() {
  const at = performance.now();
  for (const button of document.querySelectorAll("main button")) {
    const { left, top } = button.getBoundingClientRect();
    const [x, y] = button.closest(".action-bar") ? [left, top] : [left + scrollX, top + scrollY]; // a pinned button does not scroll
    const known = buttonPositions.get(button);
    if (!known) buttonPositions.set(button, { x, y, at: -Infinity });
    else if (Math.hypot(known.x - x, known.y - y) > MIN_MOVE_PX) buttonPositions.set(button, { x, y, at });
  }
}

/** Block such taps on every button except those meant for repeated taps (`data-again`). */
export function guardTaps() {
  document.addEventListener("click", filterTap, true);
}

function filterTap(event) {
  const pressed = event.target.closest("button, summary, a");
  const at = performance.now();
  const isTouch = event.pointerType === "touch";
  const isNearLast = at - lastTap.at < DOUBLE_TAP_MS && Math.hypot(event.clientX - lastTap.x, event.clientY - lastTap.y) < DOUBLE_TAP_PX;
  const isDoubleTap = isTouch ? isNearLast : event.detail > 1; // a mouse counts its own clicks
  const hasJustMoved = isTouch && at - (buttonPositions.get(pressed)?.at ?? -Infinity) < JUST_MOVED_MS;
  lastTap = { at, x: event.clientX, y: event.clientY };
  if (!pressed || (pressed.dataset.again !== undefined && !hasJustMoved)) return;
  if (isDoubleTap || hasJustMoved) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
