// Controls: the buttons and fields of all views, and the organiser's login.

import { app, attempt, closeSheet, isOrganiser, openSheet, retryWithNewToken, errorText, showToast, tellOtherTabs, update, useSession } from "./app.js";
import { isPending, sendCommand, subjectOf, whatIsOver } from "./commands.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { getUntilAnswered, post, setToken } from "./api.js";
import { t } from "./i18n.js";

/**
 * A button; `kind` may be "first" (the main one) or "danger".
 * @param {string} text
 * @param {?(event?: any) => any} onclick
 * @param {import("./page.d.ts").ButtonOptions} [options]
 */
export function button(text, onclick, { sign = null, kind = "", ...props } = {}) {
  return h("button", { type: "button", class: `button ${kind}`.trim(), onclick, ...props }, sign && icon(sign), h("span", {}, text));
}

/**
 * A button for the organiser; anybody else gets a login button that continues with the action.
 * @param {string} text
 * @param {() => any} onclick
 * @param {import("./page.d.ts").ButtonOptions} [options]
 */
export const organiserButton = (text, onclick, options = {}) => (isOrganiser() ? button(text, onclick, options) : button(t("pin.enter"), () => askPin(onclick), { sign: "open" }));

/** An organiser's button for a command. `confirmText` is asked first, `successText` is shown afterwards, then `then` runs. */
export function commandButton(command, { details = {}, sign = null, kind = "", confirmText = null, label = t(`say.${command}`), successText = null, then = null } = {}) {
  const subject = subjectOf(command); // what the button was shown with, whatever comes before the tap or the confirmation
  const send = async () => (await sendCommand(command, details, successText, subject)) && then?.();
  const act = () => (confirmText ? confirmAction(label, confirmText, send, () => whatIsOver(subject)) : send());
  return isOrganiser() && button(label, act, { sign, kind, "aria-busy": isPending(command, details, subject) ? "true" : null });
}

/**
 * Ask for confirmation before an action, until `gone()` says why it is too late.
 * @param {string} title
 * @param {string} text
 * @param {() => any} act
 * @param {() => ?string} [gone]
 */
export function confirmAction(title, text, act, gone) {
  openSheet(title, () => [
    h("p", {}, text),
    h("div", { class: "row" }, button(title, () => (closeSheet(), act()), { kind: "danger" }), button(t("sheet.cancel"), closeSheet)),
  ], gone);
}

/** Ask for the organiser's PIN, then continue with `then`. */
export function askPin(then = null) {
  const form = { pin: "", wrong: null, sending: false };
  const sheet = openSheet(t("pin.title"), () => [
    h("p", {}, t(app.session.pin_set ? "pin.why" : "pin.made")),
    h(
      "form",
      { class: "fields", onsubmit: (event) => (event.preventDefault(), form.sending || logIn(form, sheet, then)) },
      field(t("pin.label"), { name: "pin", inputmode: "numeric", autocomplete: "off", type: "password", required: true, oninput: (event) => (form.pin = event.target.value) }, { wrong: form.wrong }),
      h("div", { class: "row" }, h("button", { class: "button first", type: "submit", "aria-busy": form.sending ? "true" : null }, icon("open"), h("span", {}, t("pin.enter"))), button(t("sheet.cancel"), closeSheet)),
    ),
  ]);
}

/** Send the PIN once, and go on unless the sheet was closed meanwhile. */
async function logIn(form, sheet, then) {
  Object.assign(form, { sending: true, wrong: null });
  update();
  try {
    const session = await retryWithNewToken(() => post("/api/login", { pin: form.pin }, sheet.signal));
    if (sheet.signal.aborted) return takeBackLogin();
    useSession(session);
    tellOtherTabs();
    closeSheet();
    if (session.ended) showToast(t("pin.oldest_ended"));
    then?.();
  } catch (error) {
    if (sheet.signal.aborted) return takeBackLogin();
    form.wrong = errorText(error);
  }
  form.sending = false;
  update();
}

/** Log out again if the answer to a login that was cancelled has come all the same. */
async function takeBackLogin() {
  const session = await getUntilAnswered("/api/session");
  setToken(session.csrf);
  useSession(session.organiser ? await post("/api/logout") : session);
}

/** Log the organiser out. */
export const logOut = () =>
  attempt(async () => {
    useSession(await post("/api/logout"));
    tellOtherTabs();
  }, t("pin.out"));

/** A labelled field with help and an error message. */
export function field(label, props, { help = null, wrong = null, control = "input", children = [] } = {}) {
  const id = props.id ?? `field-${props.name}`;
  const descriptions = [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  return h(
    "div",
    { class: wrong ? "field wrong" : "field", key: id },
    h("label", { for: id }, label),
    h(control, { ...props, id, "aria-describedby": descriptions || null, "aria-invalid": wrong ? "true" : null }, children),
    help && h("p", { class: "help", id: `${id}-help` }, help),
    wrong && h("p", { class: "wrong", id: `${id}-wrong` }, icon("bad"), wrong),
  );
}

/** What is wrong with the fields above; nothing without a text. */
export const wrongLine = (text) => text && h("p", { class: "wrong", role: "alert" }, icon("bad"), text);

/** A labelled drop-down list of `options`: pairs of value and name. */
export function selectField(label, props, options, more = {}) {
  const children = options.map(([value, name]) => h("option", { value, selected: value === props.value || null }, name));
  return field(label, props, { ...more, control: "select", children });
}

/** A labelled checkbox. */
export function checkbox(label, props, help = null) {
  const id = props.id ?? `field-${props.name}`;
  return h("div", { class: "field tick", key: id }, h("label", { for: id }, h("input", { ...props, id, type: "checkbox" }), h("span", {}, label)), help && h("p", { class: "help" }, help));
}

/** A row of buttons, one of them pressed. */
export function segmented(label, options, chosen, choose) {
  return h(
    "div",
    { class: "segmented", role: "group", "aria-label": label },
    options.map(([value, name]) => h("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value) }, name)),
  );
}
