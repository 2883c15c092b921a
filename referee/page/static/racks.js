// Racks: the form for everyone's remaining tiles at the end of a game: typed, tapped on the pad, or only their value.

import { app, viewMemory, isOrganiser, update } from "./app.js";
import { sendCommand, subjectOf } from "./commands.js";
import { button, field, commandButton, segmented, checkbox } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { tilePad } from "./tile_pad.js";
import { chip, colourName, localNotation, colourLetter, tileName, parseTile, parseTypedTile } from "./tile.js";
import { playerName } from "./verdict.js";
import { formatList, t } from "./i18n.js";

/** The organiser's form, which keeps its contents while States come; others read what the referee waits for. */
export function racksForm(match) {
  const form = rackMemory(match, match.game, match.waiting_for_racks);
  const subject = subjectOf("racks");
  return h(
    "section",
    { class: "card racks", "aria-labelledby": "racks-line" },
    h("h2", { id: "racks-line" }, t("racks.title", { game: match.game })),
    h("p", { class: "help" }, t(isOrganiser() ? "racks.how" : "racks.wait")),
    match.rack_asked && rackQuestion(match.rack_asked),
    isOrganiser() && [
      form.seats.map((seat) => rackFields(seat, form, match)),
      h("div", { class: "row" }, button(t("racks.enter"), () => submitRacks(form, subject), { kind: "first", sign: "good" })),
    ],
  );
}

/** The form of an earlier game whose scores wait for racks; they may be said to be lost. */
export function openRacksForm(match, { game, missing }) {
  const form = rackMemory(match, game, missing), line = `racks-line-${game}`;
  const subject = subjectOf("racks");
  return h(
    "section",
    { class: "card racks", "aria-labelledby": line, key: line },
    h("h2", { id: line }, t("racks.title", { game })),
    h("p", { class: "help" }, t("racks.later", { game }), " ", formatList(missing.map((seat) => playerName(seat)))),
    isOrganiser() && [
      missing.map((seat) => rackFields(seat, form, match)),
      h("div", { class: "row" }, button(t("racks.enter"), () => submitRacks(form, subject), { kind: "first", sign: "good" }), button(t("racks.lose"), () => sendCommand("racks", { racks: {}, game }, t("racks.lost", { game }), subject), { kind: "quiet" })),
    ],
  );
}

/** What is typed into a game's form; `of` tells fields of several games apart. */
function rackMemory(match, game, seats) {
  const form = viewMemory(`racks-${match.began_at}-${game}`, { racks: {}, open: null, announced: {}, could: {}, wrong: {} });
  const isLast = game === match.results.length && match.waiting_for_racks !== null;
  return Object.assign(form, { game, seats, of: isLast ? "" : `${game}-`, unopened: match.results[game - 1]?.unopened ?? [] });
}

/** Write a rack that was read elsewhere into the form of the last game. */
export function enterRack(match, seat, tiles) {
  const form = rackMemory(match, match.game, match.waiting_for_racks);
  Object.assign(rackEntry(form, seat), { kind: "tiles", text: tiles.map(localNotation).join(" ") });
}

const rackEntry = (form, seat) => (form.racks[seat] ??= { kind: "tiles", text: "", value: "" });

/** What the camera could not read of the rack shown last. */
const rackQuestion = ({ seat, reason, expected, tiles }) =>
  h("p", { class: "notice doubt", role: "status" }, icon("doubt"), h("span", {}, t(`racks.asked_${reason}`, { name: playerName(seat), expected, tiles: tiles.length })));

function rackFields(seat, form, match) {
  const shown = form.of ? null : match.racks?.find((rack) => rack.seat === seat);
  const entry = rackEntry(form, seat);
  if (shown && entry.seen !== shown.tiles.join(" ")) Object.assign(entry, { kind: "tiles", text: shown.tiles.map(localNotation).join(" "), seen: shown.tiles.join(" ") });
  const name = playerName(seat);
  const tiles = parseRack(entry.text);
  const hasOpeningPenalty = form.unopened.includes(seat) && match.could_open_penalty !== null;
  return h(
    "fieldset",
    { key: `rack-${form.of}${seat}` },
    h("legend", {}, t("racks.of", { name })),
    segmented(t("racks.kind", { name }), [["tiles", t("racks.tiles")], ["value", t("racks.value")]], entry.kind, (kind) => ((entry.kind = kind), update())),
    entry.kind === "value"
      ? field(t("racks.points"), { name: `value-${form.of}${seat}`, type: "number", inputmode: "numeric", min: 0, max: 2000, value: entry.value, oninput: (event) => ((entry.value = event.target.value), update()) }, { wrong: form.wrong[seat] })
      : [
          field(t("racks.notation"), { name: `rack-${form.of}${seat}`, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", value: entry.text, oninput: (event) => ((entry.text = event.target.value), update()) }, { help: notationHelp(), wrong: form.wrong[seat] ?? unknownText(tiles) }),
          h("p", { class: "rack-line" }, tiles.known.map((tile, index) => chip(tile, { key: `${index}-${tile}`, label: t("racks.take_away", { tile: tileName(tile) }), onclick: () => removeTile(entry, index) })), h("output", {}, t("racks.worth", { count: rackValue(tiles.known), tiles: tiles.known.length }))),
          !form.of && match.can.includes("show_rack") && commandButton("show_rack", { details: { seat }, sign: "eye", label: t(shown ? "racks.show_again" : "racks.show", { name }) }),
          button(t(form.open === seat ? "racks.pad_close" : "racks.pad"), () => ((form.open = form.open === seat ? null : seat), update()), { kind: "quiet", "aria-expanded": String(form.open === seat) }),
          form.open === seat && tilePad((tile) => ((entry.text = [...tiles.known, tile].map(localNotation).join(" ")), update()), { repeat: true }),
        ],
    hasOpeningPenalty && entry.kind === "value" && checkbox(t("racks.could_open"), { name: `could-${form.of}${seat}`, checked: Boolean(form.could[seat]), onchange: (event) => (form.could[seat] = event.target.checked) }),
    hasOpeningPenalty && checkbox(t("racks.announced"), { name: `announced-${form.of}${seat}`, checked: Boolean(form.announced[seat]), onchange: (event) => (form.announced[seat] = event.target.checked) }),
  );
}

/** How to type tiles, with the colours of this box. */
function notationHelp() {
  const colours = ["K", "R", "B", "O"].map((colour) => t("racks.colour", { letter: colourLetter(colour), colour: colourName(colour) }));
  return t("racks.notation_help", { colours: formatList(colours), example: `${colourLetter("R")}7 ${colourLetter("K")}12 J` });
}

function removeTile(entry, index) {
  entry.text = parseRack(entry.text).known.filter((_, other) => other !== index).map(localNotation).join(" ");
  update();
}

/** Split typed text into tiles of the box and unknown words. */
function parseRack(text) {
  const words = text.split(/[\s,;/]+/).filter(Boolean);
  return { known: words.map(parseTypedTile).filter(Boolean), unknown: words.filter((word) => !parseTypedTile(word)).map((word) => word.toLocaleUpperCase()) };
}

const unknownText = ({ unknown: words }) => (words.length ? t("racks.unknown", { words: words.join(" ") }) : null);
const rackValue = (tiles) => tiles.reduce((sum, tile) => sum + (parseTile(tile).number ?? app.state.match.joker_penalty), 0);

function submitRacks(form, subject) {
  form.wrong = {};
  const racks = {};
  for (const seat of form.seats) {
    const entry = rackEntry(form, seat);
    const value = entry.kind === "value" ? entry.value.trim() : parseRack(entry.text);
    if (entry.kind === "value" && !/^\d+$/.test(value)) form.wrong[seat] = t("racks.no_value");
    else if (entry.kind === "tiles" && value.unknown.length) form.wrong[seat] = unknownText(value);
    else if (entry.kind === "tiles" && !value.known.length) form.wrong[seat] = t("racks.empty");
    racks[seat] = entry.kind === "value" ? Number(value) : (value.known ?? []).join(" ");
  }
  update();
  if (Object.keys(form.wrong).length) return;
  const seats = (flags) => form.seats.filter((seat) => flags[seat]);
  const couldOpen = seats(form.could).filter((seat) => rackEntry(form, seat).kind === "value");
  sendCommand("racks", { racks, could_open: couldOpen, announced: seats(form.announced), game: form.game }, t("racks.done"), subject);
}
