// Setup: the way to a first match, who may do what, the camera's check, signals, settings, health and the log.

import { app, attempt, local, mayAct, refusal, toast, update } from "./app.js";
import { askPin, button, field, logOut, segmented } from "./controls.js";
import { h } from "./elements.js";
import { calibration } from "./calibration.js";
import { evenings } from "./evenings.js";
import { health, logs } from "./health.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";
import { fetched, pictured, waiting } from "./fetched.js";
import { go } from "./place.js";
import { openStart } from "./start.js";
import { send } from "./talk.js";
import { SOUNDS, sounds, useSounds } from "./voice.js";
import { has, languages, speak, spoken, t } from "./words.js";

const PARTS = { guide, page: pagePart, camera: calibration, signals, settings, evenings, health, logs };
const OPEN_PARTS = ["guide", "page", "health"]; // to everybody; the others to the organiser alone

/** The whole view: one part at a time. */
export function setupView() {
  const part = app.part in PARTS ? app.part : "guide";
  const open = (name) => go(`setup/${name}`);
  const isOpen = (name) => mayAct() || OPEN_PARTS.includes(name);
  queueMicrotask(() => showPressed(`${part}.${mayAct()}`)); // once it is drawn
  return h(
    "div",
    { class: "view setup-view" },
    h("h1", {}, t("setup.title")),
    h("div", { class: "parts", role: "group", "aria-label": t("setup.parts") }, Object.keys(PARTS).filter(isOpen).map((name) =>
      h("button", { type: "button", "aria-pressed": String(name === part), onclick: () => open(name) }, t(`setup.${name}`)))),
    isOpen(part) ? PARTS[part](open) : locked(t(`setup.${part}`)),
  );
}

let pressed = null;

/** Bring the pressed part into the strip of parts, once for each; who scrolls it then is left alone. */
function showPressed(which) {
  const here = /** @type {?HTMLElement} */ (document.querySelector('.parts [aria-pressed="true"]'));
  const strip = here?.parentElement;
  if (here && pressed !== which) strip.scrollLeft = here.offsetLeft - strip.offsetLeft - (strip.clientWidth - here.clientWidth) / 2;
  pressed = here && which;
}

/** What an address of a part says to who may not see it. */
const locked = (what) => h("section", { class: "card" }, h("p", { class: "locked-line" }, icon("lock"), t("lock.part", { what })), button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" }));

// ---- the way to a first match --------------------------------------------------------------------------------------

function guide(open) {
  const { state } = app;
  const seen = state.table.camera === "ok";
  /** @type {[string, boolean, () => unknown][]} */
  const steps = [
    ["pin", mayAct(), () => !mayAct() && button(t("pin.enter"), () => askPin(), { sign: "open" })],
    ["camera", seen, () => mayAct() && button(t("setup.camera"), () => open("camera"))],
    ["tiles", seen && state.table.tiles.length > 0, () => button(t("guide.look"), () => go("table"))],
    ["signals", local("signals", {}).heard === true, () => mayAct() && button(t("setup.signals"), () => open("signals"))],
    ["phones", false, () => button(t("setup.page"), () => open("page"))],
    ["match", state.match !== null, () => !state.match && mayAct() && button(t("start.open"), openStart, { sign: "play" })],
  ];
  return h(
    "section",
    { class: "card guide", "aria-labelledby": "guide-line" },
    h("h2", { id: "guide-line" }, t("guide.title")),
    h("ol", {}, steps.map(([name, done, act]) =>
      h("li", { class: done ? "done" : "" }, h("span", { class: "step", "aria-hidden": "true" }, done && icon("good")), h("div", {}, h("h3", {}, t(`guide.${name}`), done && h("span", { class: "unseen" }, t("guide.done"))), h("p", {}, t(`guide.${name}_how`)), act())))),
    h("a", { class: "button", href: "/manual", target: "_blank" }, icon("turns"), h("span", {}, t("guide.manual"))),
  );
}

// ---- this page: role, language, light, address ---------------------------------------------------------------------

function pagePart() {
  const told = fetched("address", "/api/address");
  const address = told.answer;
  return [
    h(
      "section",
      { class: "card", "aria-labelledby": "role-line" },
      h("h2", { id: "role-line" }, t("role.title")),
      h("p", {}, icon(mayAct() ? "open" : "lock"), t(mayAct() ? "role.organiser" : "role.guest")),
      h("div", { class: "row" }, mayAct() ? button(t("pin.leave"), logOut) : button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" })),
    ),
    mayAct() && pinCard(),
    h(
      "section",
      { class: "card", "aria-labelledby": "share-line" },
      h("h2", { id: "share-line" }, t("share.title")),
      address?.local_only ? h("p", { class: "doubt" }, icon("doubt"), t("share.local")) : h("p", {}, t("share.how")),
      waiting(told),
      address && !address.local_only && pictured("/api/qr.svg", { class: "qr", alt: t("share.qr", { address: address.addresses[0] }), width: 220, height: 220 }),
      h("ul", { class: "plain" }, (address?.addresses ?? []).map((one) => h("li", {}, h("a", { href: one }, one)))),
    ),
    h(
      "section",
      { class: "card", "aria-labelledby": "look-line" },
      h("h2", { id: "look-line" }, t("look.title")),
      h("div", { class: "stack" }, h("h3", {}, t("look.language")), languageChoice(), unreviewed(), h("h3", {}, t("look.theme")), theme(), h("h3", {}, t("sounds.title")), soundChoice()),
      h("p", { class: "help" }, t("sounds.how")),
    ),
  ];
}

/** Another PIN, for who knows the one there is. */
function pinCard() {
  const form = local("pin", { old: "", fresh: "", wrong: null });
  const keep = async (event) => {
    event.preventDefault();
    try {
      await send("/api/pin", { pin: form.old, new: form.fresh });
      Object.assign(form, { old: "", fresh: "", wrong: null });
      toast(t("pin.changed"));
    } catch (error) {
      form.wrong = refusal(error);
    }
    update();
  };
  const input = (name, key) => field(t(key), { name: `pin-${name}`, type: "password", inputmode: "numeric", autocomplete: "off", required: true, value: form[name], oninput: (event) => (form[name] = event.target.value) }, name === "fresh" ? { help: t("pin.digits"), wrong: form.wrong } : {});
  return h("section", { class: "card", "aria-labelledby": "pin-line" }, h("h2", { id: "pin-line" }, t("pin.change")), h("form", { class: "fields", onsubmit: keep }, input("old", "pin.old"), input("fresh", "pin.new"), h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t("pin.set")))));
}

/** The languages, each in its own words. */
export const languageChoice = () => segmented(t("look.language"), languages(), spoken(), (wanted) => attempt(() => speak(wanted)));

/** Who reads a language that no native speaker has read yet is told so. */
const unreviewed = () => languages().some(([code, , reviewed]) => code === spoken() && !reviewed) && h("p", { class: "help" }, t("look.unreviewed"));

function theme() {
  const chosen = localStorage.getItem("theme") ?? "auto";
  return segmented(t("look.theme"), ["auto", "light", "dark"].map((one) => [one, t(`look.${one}`)]), chosen, (wanted) => (useTheme(wanted), update()));
}

const soundChoice = () => segmented(t("sounds.title"), SOUNDS.map((one) => [one, t(`sounds.${one}`)]), sounds(), (wanted) => (useSounds(wanted), update()));

const DARK_WHERE = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };

/** Show the page light, dark, or as the device says. */
export function useTheme(wanted) {
  localStorage.setItem("theme", wanted);
  /** @type {HTMLLinkElement} */ (document.getElementById("dark")).media = DARK_WHERE[wanted] ?? DARK_WHERE.auto;
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="theme-color"]')).content = ground;
}

// ---- signals -------------------------------------------------------------------------------------------------------

function signals() {
  const told = fetched("cues", "/api/signals");
  const memory = local("signals", {});
  const play = async (cue) => {
    if (await attempt(() => send("/api/signals/test", { cue }), t("signals.played", { cue: cueName(cue) }))) memory.heard = true;
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "signals-line" },
    h("h2", { id: "signals-line" }, t("signals.title")),
    h("p", {}, t("signals.how")),
    waiting(told),
    h("div", { class: "grid" }, (told.answer?.cues ?? []).map((cue) => button(cueName(cue), () => play(cue), { sign: "play" }))),
  );
}

const cueName = (cue) => (has(`cue.${cue}`) ? t(`cue.${cue}`) : cue.replaceAll("_", " "));
