// Start: the form for a match: players, edition, format, starter and house rules.

import { app, closeSheet, findEdition, findFormat, viewMemory, isOrganiser, openSheet, showToast, update } from "./app.js";
import { button, selectField, field, organiserButton, checkbox, wrongLine } from "./controls.js";
import { sendForm, subjectOf } from "./commands.js";
import { h } from "./elements.js";
import { cachedRequest } from "./requests.js";
import { navigate } from "./navigation.js";
import { hasText, t } from "./i18n.js";

const MAX_KNOWN = 12; // of earlier evenings, offered by name

/** The card shown without a match. */
export function startCard() {
  return h(
    "section",
    { class: "card start", "aria-labelledby": "start-line" },
    h("h2", { id: "start-line" }, t("start.none")),
    h("p", {}, t(isOrganiser() ? "start.how" : "start.how_ask")),
    h("div", { class: "row" }, organiserButton(t("start.open"), openStart, { kind: "first", sign: "play" }), button(t("setup.guide"), () => navigate("setup"), { kind: "quiet" })),
  );
}

/** Open the form, filled with the last match's players. */
export function openStart() {
  const match = app.state.match;
  const form = viewMemory("start", { edition: match?.edition ?? "original", format: match?.format ?? "booklet", names: match?.order.map((seat) => match.players[seat].name) ?? ["", ""], first: 0, games: "", house: {}, wrong: null });
  Object.assign(form, { wrong: null, wrongNames: null, sending: false });
  const gone = () => (isBegun() && !form.sending ? t("start.begun") : null);
  form.sheet = { subject: subjectOf("start"), signal: openSheet(t("start.title"), () => startForm(form), gone).signal };
}

/** Whether a match is played, so that none can be started. */
const isBegun = () => app.state.match !== null && !app.state.match.can.includes("start");

/** Open the form for the same players, edition and number of games. */
export function openRematch() {
  openStart();
  viewMemory("start", {}).games = String(app.state.match.games);
}

function startForm(form) {
  const rules = findEdition(form.edition);
  const [min, max] = seatRange(form);
  const set = (key) => (event) => ((form[key] = event.target.value), update());
  return h(
    "form",
    { class: "fields", onsubmit: (event) => (event.preventDefault(), submit(form)) },
    selectField(t("start.edition"), { name: "edition", value: form.edition, onchange: (event) => (Object.assign(form, { edition: event.target.value, house: {} }), fitSeats(form), update()) }, app.editions.map((edition) => [edition.id, edition.name])),
    selectField(t("start.format"), { name: "format", value: form.format, onchange: (event) => (Object.assign(form, { format: event.target.value, house: {} }), fitSeats(form), update()) }, app.formats.map((format) => [format.id, t(`format.${format.id}`)]), { help: t(`formathelp.${form.format}`) }),
    h(
      "fieldset",
      {},
      h("legend", {}, t("start.players")),
      h("p", { class: "help" }, t("start.order")),
      form.names.map((name, seat) =>
        h(
          "div",
          { class: "row player", key: `seat-${seat}` },
          field(t("start.player", { number: seat + 1 }), { name: `name-${seat}`, value: name, maxlength: 40, autocomplete: "off", oninput: (event) => ((form.names[seat] = event.target.value), update()) }),
          form.names.length > min && button("", () => (form.names.splice(seat, 1), update()), { sign: "close", kind: "icon-only", "aria-label": t("start.remove", { number: seat + 1 }) }),
        )),
      wrongLine(form.wrongNames),
      knownPlayers(form, max),
      form.names.length < max && button(t("start.add"), () => (form.names.push(""), update()), { sign: "plus", kind: "quiet" }),
    ),
    selectField(t("start.first"), { name: "first", value: String(form.first), onchange: (event) => ((form.first = Number(event.target.value)), update()) }, form.names.map((name, seat) => [String(seat), name || t("start.player", { number: seat + 1 })])),
    field(t("start.games"), { name: "games", type: "number", min: 1, max: 99, inputmode: "numeric", value: form.games, oninput: set("games") }, { help: t("start.games_help", { count: gameCount(form) }) }),
    h("details", {}, h("summary", {}, t("start.house")), (rules?.house_rules ?? []).map((rule) => houseRuleField(rule, form))),
    form.wrong && h("p", { class: "notice bad", role: "alert" }, form.wrong),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button first", "aria-busy": form.sending ? "true" : null }, t("start.begin")), button(t("sheet.cancel"), closeSheet)),
  );
}

/** Buttons that seat players of earlier evenings. */
function knownPlayers(form, max) {
  const players = cachedRequest("evenings", "/api/evenings").answer?.players ?? [];
  const names = players.map((player) => player.player).filter((name) => !form.names.includes(name)).slice(0, MAX_KNOWN);
  if (!names.length || (form.names.length >= max && !form.names.includes(""))) return null;
  const addPlayer = (name) => {
    const freeSeat = form.names.indexOf("");
    form.names.splice(freeSeat < 0 ? form.names.length : freeSeat, freeSeat < 0 ? 0 : 1, name);
    update();
  };
  return h("div", { class: "candidates", role: "group", "aria-label": t("start.known") }, names.map((name) => button(name, () => addPlayer(name), { key: name, sign: "plus", kind: "quiet", "data-again": "" })));
}

/** The fewest and the most players that edition and format allow. */
function seatRange(form) {
  const [min, max] = findEdition(form.edition)?.players ?? [2, 4];
  const range = findFormat(form.format)?.players;
  return range ? [Math.max(min, range[0]), Math.min(max, range[1])] : [min, max];
}

/** Adapt the number of seats to edition and format; typed names stay. */
function fitSeats(form) {
  const [min, max] = seatRange(form);
  while (form.names.length < min) form.names.push("");
  while (form.names.length > max && form.names.includes("")) form.names.splice(form.names.lastIndexOf(""), 1);
  if (form.first >= form.names.length) form.first = 0;
}

/** A rule's value without a house rule: the format's, else the edition's. */
const usualValue = (rule, form) => findFormat(form.format)?.changes[rule.key] ?? rule.value;
const isChangedByFormat = (rule, form) => rule.key in (findFormat(form.format)?.changes ?? {});

function gameCount(form) {
  const value = (key) => form.house[key] ?? findFormat(form.format)?.changes[key] ?? findEdition(form.edition)?.house_rules.find((rule) => rule.key === key)?.value;
  return value("round_games") || (value("games_per_player") ?? 1) * form.names.length;
}

/** The field of a house rule; the form keeps only changed values. */
function houseRuleField(rule, form) {
  const usual = usualValue(rule, form);
  const value = form.house[rule.key] ?? usual;
  const name = `house-${rule.key}`;
  const label = hasText(`rule.${rule.key}`) ? t(`rule.${rule.key}`) : rule.key;
  const change = (wanted) => {
    if (wanted === usual) delete form.house[rule.key];
    else form.house[rule.key] = wanted;
    update();
  };
  const help = rule.key in form.house ? t(isChangedByFormat(rule, form) ? "start.format_says" : "start.changed", { value: valueText(usual) }) : null;
  if (rule.kind === "truth") return checkbox(label, { name, checked: value, onchange: (event) => change(event.target.checked) }, help);
  if (rule.kind === "choice") {
    return selectField(label, { name, value, onchange: (event) => change(event.target.value) }, rule.choices.map((choice) => [choice, valueText(choice)]), { help });
  }
  return field(label, { name, type: "number", inputmode: "numeric", min: rule.least, max: rule.most, value: String(value ?? 0), onchange: (event) => change(Number(event.target.value)) }, { help });
}

const valueText = (value) => {
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return hasText(`choice.${value}`) ? t(`choice.${value}`) : String(value ?? 0);
};

async function submit(form) {
  if (form.sending) return;
  const details = { names: form.names.map((name) => name.trim()), edition: form.edition, format: form.format, first: form.first, house_rules: form.house };
  if (form.games) details.games = Number(form.games);
  if (!(await sendForm(form, [{ say: "start", ...details }], form.sheet)) || form.sheet.signal.aborted) return;
  app.viewMemories = { start: form };
  closeSheet();
  showToast(t("start.done"));
  navigate("table");
}
