// Commands: what each is meant for, and sending it so that it is done once, or not at all.

import { app, attempt, errorText, fieldErrors, showToast, update } from "./app.js";
import { newId, postOnce } from "./api.js";
import { SCOPES } from "./scopes.js";
import { isOver, playerName } from "./verdict.js";
import { t } from "./i18n.js";

const REPEAT_GUARD_SECONDS = 0.5; // the same command so soon after its answer is a double tap
const OWN_FIELDS = {
  undo: (match) => ({ of: match.undo_turn }),
  agree: ({ proposal }) => ({ ends_at: proposal?.ends_at ?? null }),
  refuse: ({ proposal }) => ({ ends_at: proposal?.ends_at ?? null }),
};

/** What a command refers to in the State that is shown: its `fields`, and whose turn it is. */
export function subjectOf(command) {
  const match = app.state?.match;
  const scope = SCOPES[command];
  if (!match || scope === "nothing") return { fields: {}, scope, name: "", over: false };
  const { id, game, turn } = match;
  const fields = { match: { match: id }, game: { match: id, game }, turn: { match: id, game, turn } }[scope];
  return { fields: { ...fields, ...OWN_FIELDS[command]?.(match) }, scope, name: playerName(match.seat), over: isOver(match) };
}

/** Why what a command refers to is gone by now; null if it is there. */
export function whatIsOver({ fields, scope, name, over }) {
  const match = app.state?.match;
  if (fields.match === undefined) return null;
  if (fields.match !== match?.id) return t("stale.match");
  const isGameOver = scope !== "match" && fields.game !== match.game;
  if (scope === "turn" && (isGameOver || fields.turn !== match.turn || over !== isOver(match))) return t("stale.turn", { name });
  return isGameOver ? t("stale.game", { game: fields.game }) : null;
}

const pendingCommands = new Map();
const keyOf = (command, details, { fields }) => JSON.stringify([command, details, fields]);

/** Send a command to the match, for what it was shown with; a double tap sends it once, but each tap that adds counts. */
export function sendCommand(command, details = {}, successText = null, subject = subjectOf(command)) {
  const key = keyOf(command, details, subject);
  if (pendingCommands.has(key) && details.add === undefined) return pendingCommands.get(key);
  const body = { say: command, ...details, ...subject.fields, id: newId() };
  const sent = attempt(() => postOnce("/api/say", body, { onTrouble: tellTrouble }), successText);
  const forget = () => (pendingCommands.get(key) === sent && pendingCommands.delete(key), update());
  sent.finally(() => setTimeout(forget, 1000 * REPEAT_GUARD_SECONDS));
  pendingCommands.set(key, sent);
  update();
  return sent;
}

const tellTrouble = (error) => showToast(errorText(error), { failure: true });

/** Whether this command waits for its answer. */
export const isPending = (command, details = {}, subject = subjectOf(command)) => pendingCommands.has(keyOf(command, details, subject));

/**
 * Send a form's commands in order, until its sheet is closed; resolves to whether all succeeded. The form keeps an
 * error's text: of the names as `wrongNames`, which stands beside them, any other as `wrong`. What was under way when
 * somebody cancelled it is taken back.
 * @param {{ sending?: boolean, wrong?: any, wrongNames?: any }} form
 * @param {any[]} commands
 * @param {{ signal: AbortSignal, subject: any }} sheet
 */
export async function sendForm(form, commands, { signal, subject }) {
  form.sending = true; // until the sheet is closed, if all succeed
  let id = null;
  update();
  try {
    for (const command of commands) {
      id = newId();
      await postOnce("/api/say", { ...command, ...subject.fields, id }, { signal });
    }
    return true;
  } catch (error) {
    if (signal.aborted) await attempt(() => postOnce("/api/cancel", { id }));
    else tellForm(form, error);
    form.sending = false;
    update();
    return false;
  }
}

function tellForm(form, error) {
  form.wrongNames = fieldErrors(error).names ?? null;
  form.wrong = form.wrongNames ? null : errorText(error);
}
