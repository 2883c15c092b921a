// Announcements: news as tones, vibration or speech, as chosen on this device; and keeping its screen on.

import { app, secondsLeft } from "./app.js";
import { locale } from "./i18n.js";
import { load, save } from "./storage.js";

/** The modes that this device offers; not every device can vibrate. */
export const SOUND_MODES = ["off", "vibrate" in navigator && "vibration", "chimes", "voice"].filter(Boolean);

const COUNTDOWN_SECONDS = [30, 10, 5];
const NOTES = { good: [660, 880], bad: [330, 247], doubt: [494], turn: [880] }; // hertz, played in order
const VIBRATIONS = { good: [90], bad: [250, 90, 250], doubt: [90, 90, 90], turn: [45] }; // milliseconds on, off, on
const NOTE_SECONDS = 0.16;
const VOLUME = 0.2;
const VIDEO_FRAME_SECONDS = 1; // between two frames of the blank video

let audio = null;
let lastSecondsLeft = null;

/** The mode chosen on this device: one of SOUND_MODES. */
export const soundMode = () => (SOUND_MODES.includes(load("sounds")) ? load("sounds") : "off");

/** Choose a mode. Browsers allow sound only after a tap, so call this from one. */
export function setSoundMode(mode) {
  save("sounds", mode);
  window.speechSynthesis?.cancel();
  lastSecondsLeft = null;
  resumeAudio();
  announce("", mode === "off" ? null : "turn");
}

/**
 * Announce news by its kind ("good", "bad", "doubt", "turn" or null) and, in voice mode, its text. What `replaces` what
 * was said before drops what is still to be spoken.
 */
export function announce(text, kind, { replaces = false } = {}) {
  if (soundMode() === "off") return;
  if (kind) soundMode() === "vibration" ? vibrate(VIBRATIONS[kind]) : playNotes(NOTES[kind]);
  if (text && soundMode() === "voice" && window.speechSynthesis) {
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.lang = locale();
    if (replaces) speechSynthesis.cancel();
    speechSynthesis.speak(utterance);
  }
}

/** Announce each second of the countdown once. */
export function countAloud() {
  const secondsNow = app.state?.match?.clock.running ? secondsLeft() : null;
  const secondsDue = lastSecondsLeft !== null && secondsNow !== null && COUNTDOWN_SECONDS.find((seconds) => secondsNow <= seconds && seconds < lastSecondsLeft);
  lastSecondsLeft = secondsNow;
  if (secondsDue) announce(String(secondsDue), "doubt", { replaces: true });
}

const vibrate = (pattern) => navigator.userActivation?.hasBeenActive && navigator.vibrate(pattern); // browsers refuse it before a tap

function playNotes(notes) {
  if (audio?.state !== "running") return; // nobody has tapped yet
  notes.forEach((pitch, index) => {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const begin = audio.currentTime + index * NOTE_SECONDS;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(VOLUME, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 2 * NOTE_SECONDS);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 2 * NOTE_SECONDS);
  });
}

const resumeAudio = () => soundMode() !== "off" && (audio ??= window.AudioContext && new AudioContext())?.resume();

/**
 * Keep the screen on while the page is visible: by a wake lock where the browser offers one (over HTTPS and on the
 * device itself), elsewhere by playing a blank video, because a screen does not sleep while a video plays.
 */
export function keepScreenOn(isWanted) {
  let [lock, video] = [null, null];
  const keepOn = async () => {
    if (document.hidden || !isWanted()) return video?.pause();
    if (!navigator.wakeLock) return (video ??= blankVideo()).play().catch(() => {});
    if (lock && !lock.released) return;
    lock = await navigator.wakeLock.request("screen").catch(() => null);
  };
  document.addEventListener("visibilitychange", keepOn);
  addEventListener("hashchange", keepOn);
  addEventListener("click", () => (resumeAudio(), keepOn()));
  keepOn();
}

/** A silent, invisible video as large as the screen. */
function blankVideo() {
  const [video, canvas] = [document.createElement("video"), document.createElement("canvas")];
  const context = canvas.getContext("2d");
  setInterval(() => context.fillRect(0, 0, 1, 1), 1000 * VIDEO_FRAME_SECONDS);
  Object.assign(video, { className: "film", muted: true, playsInline: true, tabIndex: -1, srcObject: canvas.captureStream() });
  video.setAttribute("aria-hidden", "true");
  document.body.append(video);
  return video;
}
