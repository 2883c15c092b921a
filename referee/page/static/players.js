// Players: the form for names, at any time, and for the seating, between games.

import { app, closeSheet, openSheet, showToast, update } from "./app.js";
import { sendForm, subjectOf, whatIsOver } from "./commands.js";
import { button, field, wrongLine } from "./controls.js";
import { h } from "./elements.js";
import { t } from "./i18n.js";

/** The organiser's button that opens the form. */
export const playersButton = (match) => match.can.includes("rename") && app.session.organiser && button(t("players.open"), openPlayers, { sign: "people", kind: "names" });

function openPlayers() {
  const { match } = app.state;
  const form = { names: match.players.map((player) => player.name), order: [...match.order], wrong: null, wrongNames: null, sending: false, sheet: null };
  const subject = subjectOf("rename");
  form.sheet = { subject, signal: openSheet(t("players.title"), () => playersForm(form), () => whatIsOver(subject)).signal };
}

function playersForm(form) {
  const { match } = app.state;
  const canReseat = match.can.includes("reseat");
  return h(
    "form",
    { class: "fields", onsubmit: (event) => (event.preventDefault(), saveNames(form)) },
    h("p", { class: "help" }, t(canReseat ? "players.how" : "players.later")),
    form.order.map((seat, index) =>
      h(
        "div",
        { class: "row player", key: `seat-${seat}` },
        field(t("start.player", { number: index + 1 }), { name: `name-${seat}`, value: form.names[seat], maxlength: 40, autocomplete: "off", required: true, oninput: (event) => (form.names[seat] = event.target.value) }),
        canReseat && moveButton(form, index, -1),
        canReseat && moveButton(form, index, 1),
      )),
    wrongLine(form.wrongNames),
    form.wrong && h("p", { class: "notice bad", role: "alert" }, form.wrong),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button first", "aria-busy": form.sending ? "true" : null }, t("players.keep")), button(t("sheet.cancel"), closeSheet)),
  );
}

/** A button that swaps a player with the one before or after. */
function moveButton(form, index, step) {
  const { order, names } = form;
  const swap = () => (([order[index], order[index + step]] = [order[index + step], order[index]]), update());
  const name = names[order[index]];
  return button("", swap, { sign: step < 0 ? "up" : "below", kind: "icon-only", disabled: !(index + step in order), "data-again": "", "aria-label": t(step < 0 ? "players.up" : "players.down", { name }) });
}

async function saveNames(form) {
  const { match } = app.state;
  if (form.sending) return;
  const names = form.names.map((name) => name.trim());
  const commands = [
    names.some((name, seat) => name !== match.players[seat].name) && { say: "rename", names },
    form.order.some((seat, index) => seat !== match.order[index]) && { say: "reseat", order: form.order },
  ].filter(Boolean);
  if (!(await sendForm(form, commands, form.sheet)) || form.sheet.signal.aborted) return;
  closeSheet();
  if (commands.length) showToast(t("players.done"));
}
