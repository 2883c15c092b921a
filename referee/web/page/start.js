// Start: who plays, by which booklet, who begins, and what was agreed differently.

import { app, closeSheet, edition, format, local, mayAct, openSheet, toast, update } from "./app.js";
import { button, choice, field, orLogIn, sayForm, tick } from "./controls.js";
import { h } from "./elements.js";
import { fetched } from "./fetched.js";
import { go } from "./place.js";
import { has, t } from "./words.js";

const MAX_KNOWN = 12; // players offered by name

/** What stands where a match would be. */
export function startCard() {
  return h(
    "section",
    { class: "card start", "aria-labelledby": "start-line" },
    h("h2", { id: "start-line" }, t("start.none")),
    h("p", {}, t(mayAct() ? "start.how" : "start.how_ask")),
    h("div", { class: "row" }, orLogIn(t("start.open"), openStart, { kind: "first", sign: "play" }), button(t("setup.guide"), () => go("setup"), { kind: "quiet" })),
  );
}

/** Open the form, filled with the last match's players. */
export function openStart() {
  const match = app.state.match;
  const form = local("start", { edition: match?.edition ?? "original", format: match?.format ?? "booklet", names: match?.order.map((seat) => match.players[seat].name) ?? ["", ""], first: 0, games: "", house: {}, wrong: null });
  form.wrong = null;
  openSheet(t("start.title"), () => startForm(form));
}

/** Open the form for the same players, edition and number of games. */
export function openRematch() {
  openStart();
  local("start", {}).games = String(app.state.match.games);
}

function startForm(form) {
  const rules = edition(form.edition);
  const [fewest, most] = places(form);
  const set = (key) => (event) => ((form[key] = event.target.value), update());
  return h(
    "form",
    { class: "fields", onsubmit: (event) => (event.preventDefault(), begin(form)) },
    choice(t("start.edition"), { name: "edition", value: form.edition, onchange: (event) => (Object.assign(form, { edition: event.target.value, house: {} }), seat(form), update()) }, app.editions.map((one) => [one.id, one.name])),
    choice(t("start.format"), { name: "format", value: form.format, onchange: (event) => (Object.assign(form, { format: event.target.value, house: {} }), seat(form), update()) }, app.formats.map((one) => [one.id, t(`format.${one.id}`)]), { help: t(`formathelp.${form.format}`) }),
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
          form.names.length > fewest && button("", () => (form.names.splice(seat, 1), update()), { sign: "close", kind: "icon-only", "aria-label": t("start.remove", { number: seat + 1 }) }),
        )),
      known(form, most),
      form.names.length < most && button(t("start.add"), () => (form.names.push(""), update()), { sign: "plus", kind: "quiet" }),
    ),
    choice(t("start.first"), { name: "first", value: String(form.first), onchange: (event) => ((form.first = Number(event.target.value)), update()) }, form.names.map((name, seat) => [String(seat), name || t("start.player", { number: seat + 1 })])),
    field(t("start.games"), { name: "games", type: "number", min: 1, max: 99, inputmode: "numeric", value: form.games, oninput: set("games") }, { help: t("start.games_help", { count: games(form) }) }),
    h("details", {}, h("summary", {}, t("start.house")), (rules?.house_rules ?? []).map((rule) => houseRule(rule, form))),
    form.wrong && h("p", { class: "notice bad", role: "alert" }, form.wrong),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button first" }, t("start.begin")), button(t("sheet.cancel"), closeSheet)),
  );
}

/** The players of earlier evenings, each to be seated by a tap. */
function known(form, most) {
  const told = fetched("evenings", "/api/evenings").answer?.players ?? [];
  const names = told.map((one) => one.player).filter((name) => !form.names.includes(name)).slice(0, MAX_KNOWN);
  if (!names.length || (form.names.length >= most && !form.names.includes(""))) return null;
  const sit = (name) => {
    const free = form.names.indexOf("");
    form.names.splice(free < 0 ? form.names.length : free, free < 0 ? 0 : 1, name);
    update();
  };
  return h("div", { class: "candidates", role: "group", "aria-label": t("start.known") }, names.map((name) => button(name, () => sit(name), { key: name, sign: "plus", kind: "quiet", "data-again": "" })));
}

/** The fewest and the most players that edition and format have places for. */
function places(form) {
  const [fewest, most] = edition(form.edition)?.players ?? [2, 4];
  const played = format(form.format)?.players;
  return played ? [Math.max(fewest, played[0]), Math.min(most, played[1])] : [fewest, most];
}

/** Give the form as many places as are played at; a name is never taken away. */
function seat(form) {
  const [fewest, most] = places(form);
  while (form.names.length < fewest) form.names.push("");
  while (form.names.length > most && form.names.includes("")) form.names.splice(form.names.lastIndexOf(""), 1);
  if (form.first >= form.names.length) form.first = 0;
}

/** What a rule is without a house rule: as the format says, else the edition. */
const agreed = (rule, form) => format(form.format)?.changes[rule.key] ?? rule.value;
const changesIt = (rule, form) => rule.key in (format(form.format)?.changes ?? {});

function games(form) {
  const value = (key) => form.house[key] ?? format(form.format)?.changes[key] ?? edition(form.edition)?.house_rules.find((rule) => rule.key === key)?.value;
  return value("round_games") || (value("games_per_player") ?? 1) * form.names.length;
}

/** One rule of the house; what is left as edition and format say is not sent. */
function houseRule(rule, form) {
  const usual = agreed(rule, form);
  const value = form.house[rule.key] ?? usual;
  const name = `house-${rule.key}`;
  const label = has(`rule.${rule.key}`) ? t(`rule.${rule.key}`) : rule.key;
  const keep = (wanted) => {
    if (wanted === usual) delete form.house[rule.key];
    else form.house[rule.key] = wanted;
    update();
  };
  const help = rule.key in form.house ? t(changesIt(rule, form) ? "start.format_says" : "start.changed", { value: shown(usual) }) : null;
  if (rule.kind === "truth") return tick(label, { name, checked: value, onchange: (event) => keep(event.target.checked) }, help);
  if (rule.kind === "choice") {
    return choice(label, { name, value, onchange: (event) => keep(event.target.value) }, rule.choices.map((one) => [one, shown(one)]), { help });
  }
  return field(label, { name, type: "number", inputmode: "numeric", min: rule.least, max: rule.most, value: String(value ?? 0), onchange: (event) => keep(Number(event.target.value)) }, { help });
}

const shown = (value) => {
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  return has(`choice.${value}`) ? t(`choice.${value}`) : String(value ?? 0);
};

async function begin(form) {
  if (form.sending) return;
  const details = { names: form.names.map((name) => name.trim()), edition: form.edition, format: form.format, first: form.first, house_rules: form.house };
  if (form.games) details.games = Number(form.games);
  if (!(await sayForm(form, [{ say: "start", ...details }]))) return;
  app.local = { start: form };
  closeSheet();
  toast(t("start.done"));
  go("table");
}
