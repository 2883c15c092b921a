// Voice: what is new is rung, shaken or spoken, where this device was asked to; its screen stays on.

import { app, secondsLeft } from "./app.js";
import { locale } from "./words.js";

/** What a device can be asked to do; not every one can vibrate. */
export const SOUNDS = ["off", "vibrate" in navigator && "vibration", "chimes", "voice"].filter(Boolean);

const SPOKEN_SECONDS = [30, 10, 5];
const NOTES = { good: [660, 880], bad: [330, 247], doubt: [494], turn: [880] }; // hertz, one after the other
const SHAKES = { good: [90], bad: [250, 90, 250], doubt: [90, 90, 90], turn: [45] }; // milliseconds on, off, on
const NOTE_SECONDS = 0.16;
const LOUDNESS = 0.2;
const FILM_SECONDS = 1; // from one picture of nothing to the next

let sound = null;
let left = null;

/** What this device was asked to do: one of SOUNDS. */
export const sounds = () => (SOUNDS.includes(localStorage.getItem("sounds")) ? localStorage.getItem("sounds") : "off");

/** Do so from now on; a browser lets a page sound only after a tap, and this is one. */
export function useSounds(wanted) {
  localStorage.setItem("sounds", wanted);
  window.speechSynthesis?.cancel();
  left = null;
  wake();
  announce("", wanted === "off" ? null : "turn");
}

/** Ring or shake what kind of news this is ("good", "bad", "doubt", "turn" or null), and speak it. */
export function announce(text, kind) {
  if (sounds() === "off") return;
  if (kind) sounds() === "vibration" ? shake(SHAKES[kind]) : ring(NOTES[kind]);
  if (text && sounds() === "voice" && window.speechSynthesis) {
    const said = new SpeechSynthesisUtterance(text);
    said.lang = locale();
    speechSynthesis.speak(said);
  }
}

/** Count the last seconds aloud, each once. */
export function countAloud() {
  const now = app.state?.match?.clock.running ? secondsLeft() : null;
  const due = left !== null && now !== null && SPOKEN_SECONDS.find((one) => now <= one && one < left);
  left = now;
  if (due) announce(String(due), "doubt");
}

const shake = (pattern) => navigator.userActivation?.hasBeenActive && navigator.vibrate(pattern); // not before a tap, or browsers complain

function ring(notes) {
  if (sound?.state !== "running") return; // nobody has tapped yet
  notes.forEach((pitch, place) => {
    const [tone, volume] = [sound.createOscillator(), sound.createGain()];
    const begin = sound.currentTime + place * NOTE_SECONDS;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(LOUDNESS, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 2 * NOTE_SECONDS);
    tone.connect(volume).connect(sound.destination);
    tone.start(begin);
    tone.stop(begin + 2 * NOTE_SECONDS);
  });
}

const wake = () => sounds() !== "off" && (sound ??= window.AudioContext && new AudioContext())?.resume();

/**
 * Keep the screen on while the page is looked at: by a lock where the browser has one, over HTTPS and on the device
 * itself; elsewhere by a film of nothing, for a screen does not sleep while a film plays.
 */
export function stayAwake(wanted) {
  let [lock, film] = [null, null];
  const ask = async () => {
    if (document.hidden || !wanted()) return film?.pause();
    if (!navigator.wakeLock) return (film ??= filmOfNothing()).play().catch(() => {});
    if (lock && !lock.released) return;
    lock = await navigator.wakeLock.request("screen").catch(() => null);
  };
  document.addEventListener("visibilitychange", ask);
  addEventListener("hashchange", ask);
  addEventListener("click", () => (wake(), ask()));
  ask();
}

/** A film as large as the screen, silent and unseen. */
function filmOfNothing() {
  const [film, canvas] = [document.createElement("video"), document.createElement("canvas")];
  const pen = canvas.getContext("2d");
  setInterval(() => pen.fillRect(0, 0, 1, 1), 1000 * FILM_SECONDS);
  Object.assign(film, { className: "film", muted: true, playsInline: true, tabIndex: -1, srcObject: canvas.captureStream() });
  film.setAttribute("aria-hidden", "true");
  document.body.append(film);
  return film;
}
