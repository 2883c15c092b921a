// Controls: the buttons and fields of all views, and the organiser's login.

import { app, attempt, closeSheet, isPending, isOrganiser, openSheet, refreshSession, errorText, sendCommand, showToast, update } from "./app.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { post, setToken } from "./api.js";
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
  const send = async () => (await sendCommand(command, details, successText)) && then?.();
  const act = () => (confirmText ? confirmAction(label, confirmText, send) : send());
  return isOrganiser() && button(label, act, { sign, kind, "aria-busy": isPending(command, details) ? "true" : null });
}

/**
 * Send a form's commands in order; resolves to whether all succeeded. The form keeps an error's text as `wrong`.
 * @param {{ sending?: boolean, wrong?: any }} form
 * @param {any[]} commands
 */
export async function sendForm(form, commands) {
  form.sending = true;
  try {
    for (const command of commands) await post("/api/say", command);
    return true;
  } catch (error) {
    form.wrong = errorText(error);
    return false;
  } finally {
    form.sending = false;
    update();
  }
}

/** Ask for confirmation before an action. */
export function confirmAction(title, text, act) {
  openSheet(title, () => [
    h("p", {}, text),
    h("div", { class: "row" }, button(title, () => (closeSheet(), act()), { kind: "danger" }), button(t("sheet.cancel"), closeSheet)),
  ]);
}

/** Ask for the organiser's PIN, then continue with `then`. */
export function askPin(then = null) {
  let pin = "";
  let errorMessage = null;
  const enter = async (event) => {
    event.preventDefault();
    try {
      const session = await post("/api/login", { pin });
      setToken(session.csrf);
      update({ session });
      closeSheet();
      if (session.ended) showToast(t("pin.oldest_ended"));
      then?.();
    } catch (error) {
      errorMessage = errorText(error);
      if (error.id === "session") await refreshSession();
      update();
    }
  };
  openSheet(t("pin.title"), () => [
    h("p", {}, t(app.session.pin_set ? "pin.why" : "pin.made")),
    h(
      "form",
      { class: "fields", onsubmit: enter },
      field(t("pin.label"), { name: "pin", inputmode: "numeric", autocomplete: "off", type: "password", required: true, oninput: (event) => (pin = event.target.value) }, { wrong: errorMessage }),
      h("div", { class: "row" }, h("button", { class: "button first", type: "submit" }, icon("open"), h("span", {}, t("pin.enter"))), button(t("sheet.cancel"), closeSheet)),
    ),
  ]);
}

/** Log the organiser out. */
export const logOut = () =>
  attempt(async () => {
    const session = await post("/api/logout");
    setToken(session.csrf);
    update({ session });
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
