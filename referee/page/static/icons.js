// Icons: small drawings beside a word, never instead of one.

import { h } from "./elements.js";

const PATHS = {
  table: "M3 9h18M5 9v10M19 9v10M7 5h4v4H7zM13 5h4v4h-4z",
  turns: "M4 5h16v5H4zM4 14h16v5H4zM8 7.5h4M8 16.5h8",
  score: "M4 20V10h4v10M10 20V4h4v16M16 20v-7h4v7",
  setup: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  good: "m5 13 5 5L20 6",
  bad: "M6 6l12 12M18 6 6 18",
  unfinished: "M5 12v.1M12 12v.1M19 12v.1",
  doubt: "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.2-1.5 2.8M12 19v.1",
  hand: "M8 12V6a1.5 1.5 0 0 1 3 0v5V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v8c0 4-2 6-5 6-4 0-5-2-8-6 1-2 3-1 3 0",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 16a3 3 0 1 0 0-6 3 3 0 0 0 0 6M3 3l18 18",
  photo: "M4 8h4l2-3h4l2 3h4v11H4zM12 16a3 3 0 1 0 0-6 3 3 0 0 0 0 6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2",
  lock: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3",
  open: "M6 11h12v9H6zM8 11V8a4 4 0 0 1 7.5-2",
  undo: "M4 9h10a6 6 0 0 1 0 12h-3M4 9l5-5M4 9l5 5",
  big: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z",
  moon: "M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10",
  close: "M6 6l12 12M18 6 6 18",
  link: "M4 12a8 8 0 0 1 16 0M7 12a5 5 0 0 1 10 0M12 13v.1",
  up: "M6 14l6-6 6 6",
  below: "M6 10l6 6 6-6",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5c2 .8 3.5 2.6 3.5 5.5",
  down: "M12 4v12M6 11l6 6 6-6M4 20h16",
};

export function icon(name) {
  return h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: PATHS[name] }));
}
