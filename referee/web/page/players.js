// Players: what they are called, and who sits where; names may change at any time, places between games.

import { app, closeSheet, openSheet, toast, update } from "./app.js";
import { button, field, sayForm } from "./controls.js";
import { h } from "./elements.js";
import { t } from "./words.js";

/** A button for the organiser that opens the list of players. */
export const playersButton = (match) => match.can.includes("rename") && app.session.organiser && button(t("players.open"), openPlayers, { sign: "people", kind: "names" });

function openPlayers() {
  const { match } = app.state;
  const form = { names: match.players.map((one) => one.name), order: [...match.order], wrong: null, sending: false };
  openSheet(t("players.title"), () => playersForm(form));
}

function playersForm(form) {
  const { match } = app.state;
  const moves = match.can.includes("reseat");
  return h(
    "form",
    { class: "fields", onsubmit: (event) => (event.preventDefault(), keep(form)) },
    h("p", { class: "help" }, t(moves ? "players.how" : "players.later")),
    form.order.map((seat, place) =>
      h(
        "div",
        { class: "row player", key: `seat-${seat}` },
        field(t("start.player", { number: place + 1 }), { name: `name-${seat}`, value: form.names[seat], maxlength: 40, autocomplete: "off", required: true, oninput: (event) => (form.names[seat] = event.target.value) }),
        moves && step(form, place, -1),
        moves && step(form, place, 1),
      )),
    form.wrong && h("p", { class: "notice bad", role: "alert" }, form.wrong),
    h("div", { class: "row" }, h("button", { type: "submit", class: "button first" }, t("players.keep")), button(t("sheet.cancel"), closeSheet)),
  );
}

/** A button that changes a player's place with the one before or after. */
function step(form, place, by) {
  const { order, names } = form;
  const change = () => (([order[place], order[place + by]] = [order[place + by], order[place]]), update());
  const name = names[order[place]];
  return button("", change, { sign: by < 0 ? "up" : "below", kind: "icon-only", disabled: !(place + by in order), "data-again": "", "aria-label": t(by < 0 ? "players.up" : "players.down", { name }) });
}

async function keep(form) {
  const { match } = app.state;
  if (form.sending || !match) return;
  const names = form.names.map((name) => name.trim());
  const words = [
    names.some((name, seat) => name !== match.players[seat].name) && { say: "rename", names },
    form.order.some((seat, place) => seat !== match.order[place]) && { say: "reseat", order: form.order },
  ].filter(Boolean);
  if (!(await sayForm(form, words))) return;
  closeSheet();
  if (words.length) toast(t("players.done"));
}
