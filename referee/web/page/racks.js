// Racks: the form for everyone's remaining tiles at the end of a game: typed, tapped on the pad, or only their value.

import { app, viewMemory, isOrganiser, sendCommand, update } from "./app.js";
import { button, field, commandButton, segmented, checkbox } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { tilePad } from "./tile_pad.js";
import { chip, colourName, localNotation, colourLetter, tileName, parseTile, parseTypedTile } from "./tile.js";
import { playerName } from "./verdict.js";
import { formatList, t } from "./i18n.js";

/** The organiser's form, which keeps its contents while States come; others read what the referee waits for. */
export function racksForm(match) {
  const form = viewMemory(`racks-${match.began_at}-${match.game}`, { racks: {}, open: null, announced: {}, could: {}, wrong: {} });
  const unopened = match.results.at(-1)?.unopened ?? [];
  return h(
    "section",
    { class: "card racks", "aria-labelledby": "racks-line" },
    h("h2", { id: "racks-line" }, t("racks.title", { game: match.game })),
    h("p", { class: "help" }, t(isOrganiser() ? "racks.how" : "racks.wait")),
    match.rack_asked && rackQuestion(match.rack_asked),
    isOrganiser() && [
      match.waiting_for_racks.map((seat) => rackFields(seat, form, unopened.includes(seat), match)),
      h("div", { class: "row" }, button(t("racks.enter"), () => submitRacks(match, form), { kind: "first", sign: "good" })),
    ],
  );
}

const rackEntry = (form, seat) => (form.racks[seat] ??= { kind: "tiles", text: "", value: "" });

/** What the camera could not read of the rack shown last. */
const rackQuestion = ({ seat, reason, expected, tiles }) =>
  h("p", { class: "notice doubt", role: "status" }, icon("doubt"), h("span", {}, t(`racks.asked_${reason}`, { name: playerName(seat), expected, tiles: tiles.length })));

function rackFields(seat, form, unopened, match) {
  const shown = match.racks?.find((rack) => rack.seat === seat);
  const entry = rackEntry(form, seat);
  if (shown && entry.seen !== shown.tiles.join(" ")) Object.assign(entry, { kind: "tiles", text: shown.tiles.map(localNotation).join(" "), seen: shown.tiles.join(" ") });
  const name = playerName(seat);
  const tiles = parseRack(entry.text);
  const hasOpeningPenalty = unopened && match.could_open_penalty !== null;
  return h(
    "fieldset",
    { key: `rack-${seat}` },
    h("legend", {}, t("racks.of", { name })),
    segmented(t("racks.kind", { name }), [["tiles", t("racks.tiles")], ["value", t("racks.value")]], entry.kind, (kind) => ((entry.kind = kind), update())),
    entry.kind === "value"
      ? field(t("racks.points"), { name: `value-${seat}`, type: "number", inputmode: "numeric", min: 0, max: 2000, value: entry.value, oninput: (event) => ((entry.value = event.target.value), update()) }, { wrong: form.wrong[seat] })
      : [
          field(t("racks.notation"), { name: `rack-${seat}`, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", value: entry.text, oninput: (event) => ((entry.text = event.target.value), update()) }, { help: notationHelp(), wrong: form.wrong[seat] ?? unknownText(tiles) }),
          h("p", { class: "rack-line" }, tiles.known.map((tile, index) => chip(tile, { key: `${index}-${tile}`, label: t("racks.take_away", { tile: tileName(tile) }), onclick: () => removeTile(entry, index) })), h("output", {}, t("racks.worth", { count: rackValue(tiles.known), tiles: tiles.known.length }))),
          match.can.includes("show_rack") && commandButton("show_rack", { details: { seat }, sign: "eye", label: t(shown ? "racks.show_again" : "racks.show", { name }) }),
          button(t(form.open === seat ? "racks.pad_close" : "racks.pad"), () => ((form.open = form.open === seat ? null : seat), update()), { kind: "quiet", "aria-expanded": String(form.open === seat) }),
          form.open === seat && tilePad((tile) => ((entry.text = [...tiles.known, tile].map(localNotation).join(" ")), update()), { repeat: true }),
        ],
    hasOpeningPenalty && entry.kind === "value" && checkbox(t("racks.could_open"), { name: `could-${seat}`, checked: Boolean(form.could[seat]), onchange: (event) => (form.could[seat] = event.target.checked) }),
    hasOpeningPenalty && checkbox(t("racks.announced"), { name: `announced-${seat}`, checked: Boolean(form.announced[seat]), onchange: (event) => (form.announced[seat] = event.target.checked) }),
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

function submitRacks(match, form) {
  form.wrong = {};
  const racks = {};
  for (const seat of match.waiting_for_racks) {
    const entry = rackEntry(form, seat);
    const value = entry.kind === "value" ? entry.value.trim() : parseRack(entry.text);
    if (entry.kind === "value" && !/^\d+$/.test(value)) form.wrong[seat] = t("racks.no_value");
    else if (entry.kind === "tiles" && value.unknown.length) form.wrong[seat] = unknownText(value);
    else if (entry.kind === "tiles" && !value.known.length) form.wrong[seat] = t("racks.empty");
    racks[seat] = entry.kind === "value" ? Number(value) : (value.known ?? []).join(" ");
  }
  update();
  if (Object.keys(form.wrong).length) return;
  const seats = (flags) => match.waiting_for_racks.filter((seat) => flags[seat]);
  const couldOpen = seats(form.could).filter((seat) => rackEntry(form, seat).kind === "value");
  sendCommand("racks", { racks, could_open: couldOpen, announced: seats(form.announced) }, t("racks.done"));
}
