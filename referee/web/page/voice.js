// Voice: what is new is rung by chimes or spoken by the browser, where this device was asked to; its screen stays on.

import { app, secondsLeft } from "./app.js";
import { locale } from "./words.js";

export const SOUNDS = ["off", "chimes", "voice"];

const SPOKEN_SECONDS = [30, 10, 5];
const NOTES = { good: [660, 880], bad: [330, 247], doubt: [494], turn: [880] }; // hertz, one after the other
const NOTE_SECONDS = 0.16;
const LOUDNESS = 0.2;

let sound = null;
let left = null;

/** What this device was asked to do: "off", "chimes" or "voice". */
export const sounds = () => (SOUNDS.includes(localStorage.getItem("sounds")) ? localStorage.getItem("sounds") : "off");

/** Do so from now on; a browser lets a page sound only after a tap, and this is one. */
export function useSounds(wanted) {
  localStorage.setItem("sounds", wanted);
  window.speechSynthesis?.cancel();
  left = null;
  wake();
  announce("", wanted === "off" ? null : "turn");
}

/** Ring what kind of news this is ("good", "bad", "doubt", "turn" or null), and speak it. */
export function announce(text, kind) {
  if (sounds() === "off") return;
  if (kind) ring(NOTES[kind]);
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

/** Keep the screen on while the page is looked at; browsers allow that over HTTPS and on the device itself only. */
export function stayAwake(wanted) {
  let lock = null;
  const ask = async () => {
    if (document.hidden || !wanted() || (lock && !lock.released)) return;
    lock = await navigator.wakeLock?.request("screen").catch(() => null);
  };
  document.addEventListener("visibilitychange", ask);
  addEventListener("hashchange", ask);
  addEventListener("click", () => (wake(), ask()));
  ask();
}
