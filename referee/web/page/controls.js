// Controls: buttons and fields that every view uses, and the question for the organiser's PIN.

import { app, attempt, closeSheet, isSaid, mayAct, openSheet, refreshSession, refusal, say, toast, update } from "./app.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { send, useToken } from "./talk.js";
import { t } from "./words.js";

/**
 * A button; `kind` may be "first" (the one most wanted) or "danger".
 * @param {string} text
 * @param {?(event?: any) => any} onclick
 * @param {import("./page.d.ts").ButtonOptions} [options]
 */
export function button(text, onclick, { sign = null, kind = "", ...props } = {}) {
  return h("button", { type: "button", class: `button ${kind}`.trim(), onclick, ...props }, sign && icon(sign), h("span", {}, text));
}

/**
 * A button for the organiser; anybody else is offered to log in, and then goes on with it.
 * @param {string} text
 * @param {() => any} onclick
 * @param {import("./page.d.ts").ButtonOptions} [options]
 */
export const orLogIn = (text, onclick, options = {}) => (mayAct() ? button(text, onclick, options) : button(t("pin.enter"), () => askPin(onclick), { sign: "open" }));

/** A button that says one word to the match, which only the organiser sees; with `sure` it asks first, and `done` is told once it was taken. */
export function saying(word, { details = {}, sign = null, kind = "", sure = null, label = t(`say.${word}`), done = null, then = null } = {}) {
  const speak = async () => (await say(word, details, done)) && then?.();
  const act = () => (sure ? askSure(label, sure, speak) : speak());
  return mayAct() && button(label, act, { sign, kind, "aria-busy": isSaid(word, details) ? "true" : null });
}

/**
 * Say what a form holds, word by word; whether all was taken. What was refused stands in the form.
 * @param {{ sending?: boolean, wrong?: any }} form
 * @param {any[]} words
 */
export async function sayForm(form, words) {
  form.sending = true;
  try {
    for (const word of words) await send("/api/say", word);
    return true;
  } catch (error) {
    form.wrong = refusal(error);
    return false;
  } finally {
    form.sending = false;
    update();
  }
}

/** Ask whether it is meant. */
export function askSure(title, text, act) {
  openSheet(title, () => [
    h("p", {}, text),
    h("div", { class: "row" }, button(title, () => (closeSheet(), act()), { kind: "danger" }), button(t("sheet.cancel"), closeSheet)),
  ]);
}

/** Ask for the organiser's PIN, and go on with what was wanted. */
export function askPin(then = null) {
  let pin = "";
  let refused = null;
  const enter = async (event) => {
    event.preventDefault();
    try {
      const session = await send("/api/login", { pin });
      useToken(session.csrf);
      update({ session });
      closeSheet();
      if (session.ended) toast(t("pin.oldest_ended"));
      then?.();
    } catch (error) {
      refused = refusal(error);
      if (error.id === "session") await refreshSession();
      update();
    }
  };
  openSheet(t("pin.title"), () => [
    h("p", {}, t(app.session.pin_set ? "pin.why" : "pin.made")),
    h(
      "form",
      { class: "fields", onsubmit: enter },
      field(t("pin.label"), { name: "pin", inputmode: "numeric", autocomplete: "off", type: "password", required: true, oninput: (event) => (pin = event.target.value) }, { wrong: refused }),
      h("div", { class: "row" }, h("button", { class: "button first", type: "submit" }, icon("open"), h("span", {}, t("pin.enter"))), button(t("sheet.cancel"), closeSheet)),
    ),
  ]);
}

/** Give the organiser's role back. */
export const logOut = () =>
  attempt(async () => {
    const session = await send("/api/logout");
    useToken(session.csrf);
    update({ session });
  }, t("pin.out"));

/** A labelled field, what helps below it, and what is wrong with it beside it. */
export function field(label, props, { help = null, wrong = null, control = "input", children = [] } = {}) {
  const id = props.id ?? `field-${props.name}`;
  const told = [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  return h(
    "div",
    { class: wrong ? "field wrong" : "field", key: id },
    h("label", { for: id }, label),
    h(control, { ...props, id, "aria-describedby": told || null, "aria-invalid": wrong ? "true" : null }, children),
    help && h("p", { class: "help", id: `${id}-help` }, help),
    wrong && h("p", { class: "wrong", id: `${id}-wrong` }, icon("bad"), wrong),
  );
}

/** A labelled choice among `options`: pairs of value and name. */
export function choice(label, props, options, more = {}) {
  const children = options.map(([value, name]) => h("option", { value, selected: value === props.value || null }, name));
  return field(label, props, { ...more, control: "select", children });
}

/** A labelled tick. */
export function tick(label, props, help = null) {
  const id = props.id ?? `field-${props.name}`;
  return h("div", { class: "field tick", key: id }, h("label", { for: id }, h("input", { ...props, id, type: "checkbox" }), h("span", {}, label)), help && h("p", { class: "help" }, help));
}

/** A few things of which one is pressed. */
export function segmented(label, options, chosen, choose) {
  return h(
    "div",
    { class: "segmented", role: "group", "aria-label": label },
    options.map(([value, name]) => h("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value) }, name)),
  );
}
