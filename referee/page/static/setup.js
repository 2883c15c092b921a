// Setup: the guide to a first match, this page's role and language, calibration, signals, settings, health and the log.

import { app, attempt, viewMemory, isOrganiser, errorText, showToast, update } from "./app.js";
import { askPin, button, field, logOut, segmented } from "./controls.js";
import { h } from "./elements.js";
import { calibration } from "./calibration.js";
import { eveningsPart } from "./evenings.js";
import { health, logs } from "./health.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";
import { cachedRequest, retryablePicture, requestStatus } from "./requests.js";
import { navigate } from "./navigation.js";
import { openStart } from "./start.js";
import { load, save } from "./storage.js";
import { post } from "./api.js";
import { SOUND_MODES, soundMode, setSoundMode } from "./announcements.js";
import { addTexts, hasText, languages, loadLanguage, currentLanguage, t } from "./i18n.js";

const PARTS = { guide: guidePart, page: pagePart, camera: calibration, signals: signalsPart, settings, evenings: eveningsPart, health, logs };
const PUBLIC_PARTS = ["guide", "page", "health"]; // the others are the organiser's
const WORDY_PARTS = ["guide", "camera", "settings"]; // their texts are loaded with the setup

/** The whole view, which shows one part at a time. */
export function setupView() {
  const part = app.part in PARTS ? app.part : "guide";
  const openPart = (name) => navigate(`setup/${name}`);
  const texts = cachedRequest("setup-texts", `/page/text/setup/${currentLanguage()}.json`, currentLanguage());
  if (texts.answer) addTexts(texts.answer);
  const isAllowed = (name) => isOrganiser() || PUBLIC_PARTS.includes(name);
  queueMicrotask(() => scrollToPart(`${part}.${isOrganiser()}`)); // after the rendering
  return h(
    "div",
    { class: "view setup-view" },
    h("h1", {}, t("setup.title")),
    h("div", { class: "parts", role: "group", "aria-label": t("setup.parts") }, Object.keys(PARTS).filter(isAllowed).map((name) =>
      h("button", { type: "button", "aria-pressed": String(name === part), onclick: () => openPart(name) }, t(`setup.${name}`)))),
    WORDY_PARTS.includes(part) && !texts.answer ? requestStatus(texts) : isAllowed(part) ? PARTS[part](openPart) : lockedCard(t(`setup.${part}`)),
  );
}

let lastPart = null;

/** Scroll the strip to the open part, once per part, so that people can scroll it afterwards. */
function scrollToPart(key) {
  const button = /** @type {?HTMLElement} */ (document.querySelector('.parts [aria-pressed="true"]'));
  const strip = button?.parentElement;
  if (button && lastPart !== key) strip.scrollLeft = button.offsetLeft - strip.offsetLeft - (strip.clientWidth - button.clientWidth) / 2;
  lastPart = button && key;
}

/** The card shown instead of a part that only the organiser may see. */
const lockedCard = (what) => h("section", { class: "card" }, h("p", { class: "locked-line" }, icon("lock"), t("lock.part", { what })), button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" }));

// ---- the guide to a first match --------------------------------------------------------------------------------------

function guidePart(open) {
  const { state } = app;
  const hasCamera = state.table.camera === "ok";
  /** @type {[string, boolean, () => unknown][]} */
  const steps = [
    ["pin", isOrganiser(), () => !isOrganiser() && button(t("pin.enter"), () => askPin(), { sign: "open" })],
    ["camera", hasCamera, () => isOrganiser() && button(t("setup.camera"), () => open("camera"))],
    ["tiles", hasCamera && state.table.tiles.length > 0, () => button(t("guide.look"), () => navigate("table"))],
    ["signals", viewMemory("signals", {}).heard === true, () => isOrganiser() && button(t("setup.signals"), () => open("signals"))],
    ["phones", false, () => button(t("setup.page"), () => open("page"))],
    ["match", state.match !== null, () => !state.match && isOrganiser() && button(t("start.open"), openStart, { sign: "play" })],
  ];
  return h(
    "section",
    { class: "card guide", "aria-labelledby": "guide-line" },
    h("h2", { id: "guide-line" }, t("guide.title")),
    h("ol", {}, steps.map(([name, done, action]) =>
      h("li", { class: done ? "done" : "" }, h("span", { class: "step", "aria-hidden": "true" }, done && icon("good")), h("div", {}, h("h3", {}, t(`guide.${name}`), done && h("span", { class: "unseen" }, t("guide.done"))), h("p", {}, t(`guide.${name}_how`)), action())))),
    h("a", { class: "button", href: "/manual", target: "_blank" }, icon("turns"), h("span", {}, t("guide.manual"))),
  );
}

// ---- this page: role, language, light, address ---------------------------------------------------------------------

function pagePart() {
  const request = cachedRequest("address", "/api/address");
  const address = request.answer;
  return [
    h(
      "section",
      { class: "card", "aria-labelledby": "role-line" },
      h("h2", { id: "role-line" }, t("role.title")),
      h("p", {}, icon(isOrganiser() ? "open" : "lock"), t(isOrganiser() ? "role.organiser" : "role.guest")),
      h("div", { class: "row" }, isOrganiser() ? button(t("pin.leave"), logOut) : button(t("pin.enter"), () => askPin(), { sign: "open", kind: "first" })),
    ),
    isOrganiser() && pinCard(),
    h(
      "section",
      { class: "card", "aria-labelledby": "share-line" },
      h("h2", { id: "share-line" }, t("share.title")),
      address?.local_only ? h("p", { class: "doubt" }, icon("doubt"), t("share.local")) : h("p", {}, t("share.how")),
      requestStatus(request),
      address && !address.local_only && retryablePicture("/api/qr.svg", { class: "qr", alt: t("share.qr", { address: address.addresses[0] }), width: 220, height: 220 }),
      h("ul", { class: "plain" }, (address?.addresses ?? []).map((value) => h("li", {}, h("a", { href: value }, value)))),
    ),
    h(
      "section",
      { class: "card", "aria-labelledby": "look-line" },
      h("h2", { id: "look-line" }, t("look.title")),
      h("div", { class: "stack" }, h("h3", {}, t("look.language")), languageChoice(), unreviewedNote(), h("h3", {}, t("look.theme")), themeChoice(), h("h3", {}, t("sounds.title")), soundChoice()),
      h("p", { class: "help" }, t("sounds.how")),
    ),
  ];
}

/** The form that changes the PIN. */
function pinCard() {
  const form = viewMemory("pin", { old: "", fresh: "", wrong: null });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post("/api/pin", { pin: form.old, new: form.fresh });
      Object.assign(form, { old: "", fresh: "", wrong: null });
      showToast(t("pin.changed"));
    } catch (error) {
      form.wrong = errorText(error);
    }
    update();
  };
  const input = (name, key) => field(t(key), { name: `pin-${name}`, type: "password", inputmode: "numeric", autocomplete: "off", required: true, value: form[name], oninput: (event) => (form[name] = event.target.value) }, name === "fresh" ? { help: t("pin.digits"), wrong: form.wrong } : {});
  return h("section", { class: "card", "aria-labelledby": "pin-line" }, h("h2", { id: "pin-line" }, t("pin.change")), h("form", { class: "fields", onsubmit: submit }, input("old", "pin.old"), input("fresh", "pin.new"), h("div", { class: "row" }, h("button", { class: "button", type: "submit" }, t("pin.set")))));
}

/** The choice of language, each in its own name. */
export const languageChoice = () => segmented(t("look.language"), languages(), currentLanguage(), (value) => attempt(() => loadLanguage(value)));

/** A note for readers of a language that no native speaker has reviewed. */
const unreviewedNote = () => languages().some(([code, , reviewed]) => code === currentLanguage() && !reviewed) && h("p", { class: "help" }, t("look.unreviewed"));

function themeChoice() {
  const chosen = load("theme") ?? "auto";
  return segmented(t("look.theme"), ["auto", "light", "dark"].map((name) => [name, t(`look.${name}`)]), chosen, (wanted) => (setTheme(wanted), update()));
}

const soundChoice = () => segmented(t("sounds.title"), SOUND_MODES.map((mode) => [mode, t(`sounds.${mode}`)]), soundMode(), (wanted) => (setSoundMode(wanted), update()));

const DARK_MEDIA = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };

/** Use the light or the dark theme, or the device's choice. */
export function setTheme(wanted) {
  save("theme", wanted);
  /** @type {HTMLLinkElement} */ (document.getElementById("dark")).media = DARK_MEDIA[wanted] ?? DARK_MEDIA.auto;
  const background = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="theme-color"]')).content = background;
}

// ---- signals -------------------------------------------------------------------------------------------------------

function signalsPart() {
  const request = cachedRequest("cues", "/api/signals");
  const memory = viewMemory("signals", {});
  const play = async (cue) => {
    if (await attempt(() => post("/api/signals/test", { cue }), t("signals.played", { cue: cueName(cue) }))) memory.heard = true;
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "signals-line" },
    h("h2", { id: "signals-line" }, t("signals.title")),
    h("p", {}, t("signals.how")),
    requestStatus(request),
    h("div", { class: "grid" }, (request.answer?.cues ?? []).map((cue) => button(cueName(cue), () => play(cue), { sign: "play" }))),
  );
}

const cueName = (cue) => (hasText(`cue.${cue}`) ? t(`cue.${cue}`) : cue.replaceAll("_", " "));
