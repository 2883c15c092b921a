// Racks: what everybody has left at the end of a game, typed, tapped on the pad, or only its value.

import { app, local, mayAct, say, update } from "./app.js";
import { button, field, saying, segmented, tick } from "./controls.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { pad } from "./pad.js";
import { chip, colourName, inLetters, letterOf, nameOf, parts, typed } from "./tile.js";
import { playerName } from "./verdict.js";
import { listed, t } from "./words.js";

/** The organiser's form, which stays as it is while the table goes on being watched; others read what is waited for. */
export function racksForm(match) {
  const form = local(`racks-${match.began_at}-${match.game}`, { racks: {}, open: null, announced: {}, could: {}, wrong: {} });
  const unopened = match.results.at(-1)?.unopened ?? [];
  return h(
    "section",
    { class: "card racks", "aria-labelledby": "racks-line" },
    h("h2", { id: "racks-line" }, t("racks.title", { game: match.game })),
    h("p", { class: "help" }, t(mayAct() ? "racks.how" : "racks.wait")),
    match.rack_asked && asked(match.rack_asked),
    mayAct() && [
      match.waiting_for_racks.map((seat) => rackOf(seat, form, unopened.includes(seat), match)),
      h("div", { class: "row" }, button(t("racks.enter"), () => enter(match, form), { kind: "first", sign: "good" })),
    ],
  );
}

const rack = (form, seat) => (form.racks[seat] ??= { kind: "tiles", text: "", value: "" });

/** What the camera could not make out of the rack shown last. */
const asked = ({ seat, reason, expected, tiles }) =>
  h("p", { class: "notice doubt", role: "status" }, icon("doubt"), h("span", {}, t(`racks.asked_${reason}`, { name: playerName(seat), expected, tiles: tiles.length })));

function rackOf(seat, form, unopened, match) {
  const shown = match.racks?.find((one) => one.seat === seat);
  const mine = rack(form, seat);
  if (shown && mine.seen !== shown.tiles.join(" ")) Object.assign(mine, { kind: "tiles", text: shown.tiles.map(inLetters).join(" "), seen: shown.tiles.join(" ") });
  const name = playerName(seat);
  const tiles = parse(mine.text);
  const penalised = unopened && match.could_open_penalty !== null;
  return h(
    "fieldset",
    { key: `rack-${seat}` },
    h("legend", {}, t("racks.of", { name })),
    segmented(t("racks.kind", { name }), [["tiles", t("racks.tiles")], ["value", t("racks.value")]], mine.kind, (kind) => ((mine.kind = kind), update())),
    mine.kind === "value"
      ? field(t("racks.points"), { name: `value-${seat}`, type: "number", inputmode: "numeric", min: 0, max: 2000, value: mine.value, oninput: (event) => ((mine.value = event.target.value), update()) }, { wrong: form.wrong[seat] })
      : [
          field(t("racks.notation"), { name: `rack-${seat}`, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", value: mine.text, oninput: (event) => ((mine.text = event.target.value), update()) }, { help: help(), wrong: form.wrong[seat] ?? unknown(tiles) }),
          h("p", { class: "rack-line" }, tiles.known.map((tile, place) => chip(tile, { key: `${place}-${tile}`, label: t("racks.take_away", { tile: nameOf(tile) }), onclick: () => without(mine, place) })), h("output", {}, t("racks.worth", { count: worth(tiles.known), tiles: tiles.known.length }))),
          match.can.includes("show_rack") && saying("show_rack", { details: { seat }, sign: "eye", label: t(shown ? "racks.show_again" : "racks.show", { name }) }),
          button(t(form.open === seat ? "racks.pad_close" : "racks.pad"), () => ((form.open = form.open === seat ? null : seat), update()), { kind: "quiet", "aria-expanded": String(form.open === seat) }),
          form.open === seat && pad((tile) => ((mine.text = [...tiles.known, tile].map(inLetters).join(" ")), update()), { again: true }),
        ],
    penalised && mine.kind === "value" && tick(t("racks.could_open"), { name: `could-${seat}`, checked: Boolean(form.could[seat]), onchange: (event) => (form.could[seat] = event.target.checked) }),
    penalised && tick(t("racks.announced"), { name: `announced-${seat}`, checked: Boolean(form.announced[seat]), onchange: (event) => (form.announced[seat] = event.target.checked) }),
  );
}

/** How tiles are typed, with the colours of this box. */
function help() {
  const colours = ["K", "R", "B", "O"].map((colour) => t("racks.colour", { letter: letterOf(colour), colour: colourName(colour) }));
  return t("racks.notation_help", { colours: listed(colours), example: `${letterOf("R")}7 ${letterOf("K")}12 J` });
}

function without(mine, place) {
  mine.text = parse(mine.text).known.filter((_, index) => index !== place).map(inLetters).join(" ");
  update();
}

/** Split typed text into tiles of the box and what is none. */
function parse(text) {
  const words = text.split(/[\s,;/]+/).filter(Boolean);
  return { known: words.map(typed).filter(Boolean), unknown: words.filter((word) => !typed(word)).map((word) => word.toLocaleUpperCase()) };
}

const unknown = ({ unknown: words }) => (words.length ? t("racks.unknown", { words: words.join(" ") }) : null);
const worth = (tiles) => tiles.reduce((sum, tile) => sum + (parts(tile).number ?? app.state.match.joker_penalty), 0);

function enter(match, form) {
  form.wrong = {};
  const racks = {};
  for (const seat of match.waiting_for_racks) {
    const mine = rack(form, seat);
    const value = mine.kind === "value" ? mine.value.trim() : parse(mine.text);
    if (mine.kind === "value" && !/^\d+$/.test(value)) form.wrong[seat] = t("racks.no_value");
    else if (mine.kind === "tiles" && value.unknown.length) form.wrong[seat] = unknown(value);
    else if (mine.kind === "tiles" && !value.known.length) form.wrong[seat] = t("racks.empty");
    racks[seat] = mine.kind === "value" ? Number(value) : (value.known ?? []).join(" ");
  }
  update();
  if (Object.keys(form.wrong).length) return;
  const seats = (ticked) => match.waiting_for_racks.filter((seat) => ticked[seat]);
  const could = seats(form.could).filter((seat) => rack(form, seat).kind === "value");
  say("racks", { racks, could_open: could, announced: seats(form.announced) }, t("racks.done"));
}
