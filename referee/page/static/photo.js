// Photo: a photograph from this device, read by the referee: what a rack is worth, whether a table is legal, what could be played.

import { app, closeSheet, errorText, isOrganiser, openSheet, retryWithNewToken, update, viewMemory } from "./app.js";
import { post, upload } from "./api.js";
import { button, segmented, selectField, wrongLine } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { asSentence, formatNumber, messageText, t } from "./i18n.js";
import { navigate } from "./navigation.js";
import { enterRack } from "./racks.js";
import { scene } from "./scene.js";
import { tilePad } from "./tile_pad.js";
import { chip, chips, tileName, tileNames } from "./tile.js";
import { playerName } from "./verdict.js";
import { zoomable } from "./zoom.js";

const LONGEST_SIDE = 2560; // pixels that are sent; the smallest tile worth reading then still has twenty
const JPEG_QUALITIES = [0.85, 0.7, 0.5]; // the next one where a picture is still larger than MAX_BYTES
const MAX_BYTES = 1_500_000;
const NOTHING = { shown: null, judged: null, play: null, wrong: null, sent: null };

/** The whole view. */
export function photoView() {
  const memory = photoMemory();
  return h(
    "div",
    { class: "view photo-view", ondragover: (event) => event.preventDefault(), ondrop: (event) => (event.preventDefault(), take(memory, event.dataTransfer.files[0])) },
    h("h1", {}, t("photo.title")),
    chooser(memory),
    memory.judged && memory.shown.tiles.length > 0 && (memory.as === "rack" ? rackCard(memory) : tableCard(memory)),
    memory.shown && pictureCard(memory),
  );
}

/** Take pictures that are pasted while the view is open. */
export const followPaste = () =>
  addEventListener("paste", (event) => (app.tab === "photo" || !app.session.has_table) && take(photoMemory(), [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"))));

const photoMemory = () => viewMemory("photo", { ...NOTHING, edition: app.state?.match?.edition ?? "original", as: "rack", table: null });

function chooser(memory) {
  const changeEdition = (event) => {
    Object.assign(memory, { edition: event.target.value, judged: null, play: null });
    update();
    if (memory.shown) judge(memory);
  };
  return h(
    "section",
    { class: "card", "aria-label": t("tab.photo") },
    !memory.shown && h("p", { class: "help" }, t(memory.table ? "photo.kept" : "photo.how")),
    h("div", { class: "row" }, fileButton(memory, t("photo.take"), { capture: "environment" }, "first"), fileButton(memory, t("photo.choose"), {}, "")),
    selectField(t("start.edition"), { name: "photo-edition", value: memory.edition, onchange: changeEdition }, app.editions.map((edition) => [edition.id, edition.name])),
    memory.sent !== null && h("p", { class: "help", role: "status" }, memory.sent < 1 ? t("photo.sending", { share: formatNumber(memory.sent, { style: "percent" }) }) : t("photo.reading")),
    wrongLine(memory.wrong),
  );
}

/** A button that opens the camera or the pictures of this device. */
const fileButton = (memory, text, props, kind) =>
  h("label", { class: `button ${kind}`.trim() }, icon("photo"), h("span", {}, text),
    h("input", { type: "file", accept: "image/*", class: "unseen", onchange: (event) => (take(memory, event.target.files[0]), (event.target.value = "")), ...props }));

/** Send a picture and show what was read; of several, the newest counts. */
async function take(memory, file) {
  if (!file) return;
  const sending = (memory.sending = {});
  if (memory.shown) URL.revokeObjectURL(memory.shown.url);
  Object.assign(memory, NOTHING, { sent: 0 });
  update();
  try {
    const picture = await shrunk(file);
    const tell = (share) => memory.sending === sending && update((memory.sent = share));
    const reading = await retryWithNewToken(() => upload(`/api/photo?edition=${encodeURIComponent(memory.edition)}`, picture, tell));
    if (memory.sending !== sending) return;
    Object.assign(memory, { shown: { ...reading, url: URL.createObjectURL(picture) }, as: "rack" });
    await judge(memory);
    if (memory.judged?.sets.some(({ legal }) => legal)) memory.as = "table";
  } catch (error) {
    if (memory.sending === sending) memory.wrong = error.isUnreadable ? t("photo.unreadable") : errorText(error);
  }
  if (memory.sending === sending) memory.sent = null;
  update();
}

/** A picture's file as a JPEG, upright, with at most LONGEST_SIDE pixels along its longer side, and few bytes. */
async function shrunk(file) {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw Object.assign(new Error("no picture"), { isUnreadable: true });
  });
  const factor = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(bitmap.width * factor), height: Math.round(bitmap.height * factor) });
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  let picture = null;
  for (const quality of JPEG_QUALITIES) {
    picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
    if (picture.size <= MAX_BYTES) break;
  }
  return picture;
}

const namesOf = ({ tiles }, set) => set.map((index) => tiles[index].tile).filter(Boolean);
const rackOf = ({ tiles }) => tiles.map(({ tile }) => tile).filter(Boolean);
const isDoubtful = ({ tile, unsure, gone }) => !gone && (unsure || !tile);

/** Let the referee judge what is read, or what people say it is. */
async function judge(memory) {
  const { shown, edition } = memory;
  memory.play = null;
  try {
    const judged = await retryWithNewToken(() => post("/api/photo/judge", { edition, sets: shown.sets.map((set) => namesOf(shown, set)) }));
    if (memory.shown === shown && memory.edition === edition) Object.assign(memory, { judged, wrong: null });
  } catch (error) {
    memory.wrong = errorText(error);
  }
  update();
}

function stateOf({ shown, judged }, index) {
  if (shown.sets[index].some((tile) => isDoubtful(shown.tiles[tile]))) return "doubt";
  return judged?.sets[index].legal ? "ok" : "wrong";
}

function pictureCard(memory) {
  const { shown } = memory;
  const unsure = new Set([...shown.tiles.keys()].filter((index) => isDoubtful(shown.tiles[index])));
  const sets = memory.as === "table" && memory.judged ? shown.sets.map((tiles, index) => ({ tiles, state: stateOf(memory, index) })) : [];
  const draw = (view) => scene({ tiles: shown.tiles, sets, size: shown.size, picture: shown.url, unsure, view, pick: (index) => openTile(memory, index), label: t("photo.picture") });
  return h(
    "section",
    { class: "card", "aria-label": t("photo.picture") },
    zoomable("photo", shown.size, shown.tiles.map(({ quad }) => quad), true, draw),
    h("p", { class: "help", role: "status" }, shown.tiles.length ? t("photo.tap") : t("photo.none")),
    unsure.size > 0 && h("p", { class: "notice doubt" }, icon("doubt"), h("span", {}, t("photo.doubts", { count: unsure.size }))),
    segmented(t("photo.as"), [["rack", t("photo.rack")], ["table", t("photo.table")]], memory.as, (as) => update((memory.as = as))),
  );
}

/** Ask what a tile of the photograph is. */
function openTile(memory, index) {
  const { shown } = memory;
  const tile = shown.tiles[index];
  const choose = (name) => {
    closeSheet();
    Object.assign(tile, { tile: name, unsure: false, gone: name === null });
    if (name === null) shown.sets = shown.sets.map((set) => set.filter((other) => other !== index)).filter((set) => set.length);
    judge(memory);
  };
  const candidates = [...new Set([tile.tile, ...tile.alternatives])].filter(Boolean);
  openSheet(t("correct.title"), () => [
    h("div", { class: "candidates" }, candidates.map((name) => chip(name, { key: name, marks: ["large"], label: t("correct.is", { tile: tileName(name) }), onclick: () => choose(name) }))),
    button(t("correct.back"), () => choose(null), { kind: "quiet" }),
    tilePad(choose, { id: memory.edition }),
  ]);
}

function rackCard(memory) {
  const tiles = rackOf(memory.shown);
  const { match } = app.state;
  const waiting = (isOrganiser() && match?.edition === memory.edition && match.waiting_for_racks) || [];
  const enter = (seat) => (enterRack(match, seat, tiles), navigate("score"));
  return h(
    "section",
    { class: "card", "aria-labelledby": "points-line" },
    h("h2", { id: "points-line", "aria-live": "polite" }, t("set.worth", { count: memory.judged.points })),
    h("p", { class: "help" }, t("photo.tiles", { count: tiles.length })),
    chips(tiles),
    h("div", { class: "row" }, waiting.map((seat) => button(t("photo.enter", { name: playerName(seat) }), () => enter(seat), { key: `enter-${seat}`, sign: "score" })),
      tiles.length > 0 && button(t("photo.play"), () => findPlay(memory, tiles), { key: "play", sign: "play", kind: "quiet", "aria-busy": memory.play?.isSearching ? "true" : null })),
    memory.play && playLines(memory.play),
  );
}

/** What could be played from the rack onto the remembered table. */
async function findPlay(memory, rack) {
  const play = (memory.play = { isSearching: true, wrong: null, tiles: [], sets: [] });
  update();
  try {
    Object.assign(play, await retryWithNewToken(() => post("/api/photo/play", { edition: memory.edition, sets: memory.table ?? [], rack })));
  } catch (error) {
    play.wrong = errorText(error);
  }
  play.isSearching = false;
  update();
}

function playLines({ isSearching, wrong, tiles, sets }) {
  if (wrong) return wrongLine(wrong);
  if (isSearching) return null;
  if (!tiles.length) return h("p", { role: "status" }, t("photo.no_play"));
  return [
    h("p", { role: "status" }, h("strong", {}, t("photo.plays", { tiles: tileNames(tiles) }))),
    h("ul", { class: "sets" }, sets.map((set, index) => h("li", { key: index }, chips(set, { marks: ["small"] })))),
  ];
}

function tableCard(memory) {
  const { shown, judged } = memory;
  const states = shown.sets.map((_, index) => stateOf(memory, index));
  const line = states.includes("wrong") ? "photo.not_legal" : states.includes("doubt") ? "photo.unclear" : "photo.legal";
  const keep = () => update(Object.assign(memory, { ...NOTHING, table: shown.sets.map((set) => namesOf(shown, set)) }));
  return h(
    "section",
    { class: "card", "aria-labelledby": "legal-line" },
    h("h2", { id: "legal-line", "aria-live": "polite" }, icon({ "photo.legal": "good", "photo.unclear": "doubt" }[line] ?? "bad"), t(line)),
    h("ul", { class: "sets" }, shown.sets.map((set, index) => setLine(namesOf(shown, set), states[index], judged.sets[index]))),
    line === "photo.legal" && h("div", { class: "row" }, button(t("photo.keep"), keep, { sign: "turns", kind: "quiet" })),
  );
}

function setLine(names, state, { kind, worth, why }) {
  const told = state === "wrong" ? asSentence(messageText(why)) : [t(`set.${state}`), state === "ok" && kind && t(`kind.${kind}`), state === "ok" && worth !== null && t("set.worth", { count: worth })].filter(Boolean).join(" · ");
  return h("li", { key: names.join(), class: state }, h("span", { class: "sign" }, icon({ ok: "good", doubt: "doubt" }[state] ?? "bad")), chips(names), h("span", { class: "told" }, told));
}
