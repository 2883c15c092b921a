// Verdict: the verdict on a turn with its faults, and the notices about what hinders the referee.

import { app, isLive, secondsElapsed } from "./app.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { chips, tileName, tileNames } from "./tile.js";
import { formatList, withTiles, messageText, formatNumber, currentLanguage, t } from "./i18n.js";

const NEWS_SECONDS = 8; // so long a verdict is the largest on a screen that nobody touches
const STALE_SECONDS = 2; // a younger picture is still being read
const MAX_TILES = 8; // of one fault; more would not help anyone
export const VERDICT_SIGNS = { legal: "good", illegal: "bad", undecided: "doubt" };

export const playerName = (seat) => app.state?.match?.players[seat]?.name ?? t("player.unknown");

/** The winner of a finished match. */
export function matchLine({ ranking, ranks }) {
  if (!ranks) return t(ranking.length ? "over.nobody" : "over.cut");
  const winners = ranking.filter((seat) => ranks[seat] === 1).map(playerName);
  return winners.length > 1 ? t("over.shared", { names: formatList(winners) }) : t("over.match", { name: winners[0] });
}

/** Whether the game is over. */
export const isOver = (match) => ["game_over", "clearing", "match_over"].includes(match.phase);

export function overLine(match) {
  if (!isOver(match)) return null;
  if (match.phase === "match_over" && match.ranking) return matchLine(match);
  const last = match.results.at(-1);
  if (!last) return t("over.before");
  return t(last?.blocked ? "over.blocked" : last?.on_time ? "over.on_time" : "over.game", { name: playerName(last?.winners[0]), game: match.game });
}

/** A fault's sentence, in the page's language. */
export const faultText = (fault) => upperFirst(messageText(fault));

const upperFirst = (text) => text.charAt(0).toLocaleUpperCase(currentLanguage()) + text.slice(1);

/** A verdict in one short line. */
export function verdictLine(verdict) {
  const name = playerName(verdict.seat);
  if (verdict.verdict === "illegal") return t("verdict.illegal", { name });
  if (verdict.verdict === "undecided") return t(verdict.stands ? "verdict.undecided_stands" : "verdict.undecided", { name });
  if (verdict.outcome === "no_play") return t("verdict.no_play", { name });
  return t(verdict.late && !verdict.stands ? "verdict.late" : "verdict.legal", { name });
}

/** Whether a verdict is about the turn that is being played: nobody else may be named beside its sign. */
export const isOfThisTurn = (verdict, match) => verdict.game === match.game && verdict.turn === match.turn && verdict.seat === match.seat;

/** Whether a verdict is news: about this turn, or some seconds old. */
export const isNews = (verdict, match) => isOfThisTurn(verdict, match) || app.state.at - verdict.judged_at + secondsElapsed() < NEWS_SECONDS;

/** A verdict for screen readers and voices, with tiles and faults in words. */
export function spokenVerdict(verdict) {
  const why = verdict.verdict === "illegal" ? withTiles(tileName, () => verdict.faults.map(faultText)) : [];
  const played = verdict.verdict === "legal" && verdict.played.length ? [tileNames(verdict.played)] : [];
  return [verdictLine(verdict), ...played, ...why].join(". ");
}

/** The panel of the last verdict. */
export function verdictPanel() {
  const verdict = app.state.match?.verdict;
  if (!verdict) return null;
  if (isPutRight(verdict)) return putRightPanel(verdict);
  const kind = VERDICT_SIGNS[verdict.verdict];
  return h(
    "section",
    { class: `verdict ${kind}`, "aria-labelledby": "verdict-line" },
    h("span", { class: "sign" }, icon(kind)),
    h(
      "div",
      {},
      h("h2", { id: "verdict-line" }, verdictLine(verdict)),
      verdict.verdict === "legal" && verdict.played.length > 0 && h("p", { class: "said" }, t("verdict.played"), " ", chips(verdict.played, { marks: ["small"] })),
      verdict.verdict === "legal" && verdict.played.length > 0 && verdict.meld !== null && h("p", { class: "said" }, t("verdict.meld", { count: verdict.meld })),
      verdict.verdict !== "legal" && (app.state.match.restore ? h("details", {}, h("summary", {}, t("verdict.why")), faultList(verdict.faults)) : faultList(verdict.faults)),
    ),
  );
}

/** Whether the table, judged illegal, has been put right since and waits for judgement. */
export function isPutRight(verdict) {
  const { match, table } = app.state;
  return verdict.verdict === "illegal" && match.phase === "turn" && !table.stale && verdict.turn === match.turn && verdict.game === match.game && match.now?.verdict === "legal";
}

const putRightPanel = (verdict) =>
  h(
    "section",
    { class: "verdict doubt", "aria-labelledby": "verdict-line" },
    h("span", { class: "sign" }, icon("undo")),
    h("div", {}, h("h2", { id: "verdict-line" }, t("verdict.mended")), h("p", { class: "said" }, t("verdict.mended_how")), h("details", {}, h("summary", {}, verdictLine(verdict)), faultList(verdict.faults))),
  );

/** The faults with their guilty tiles. */
export function faultList(faults) {
  return h(
    "ul",
    { class: "faults" },
    faults.map((fault) => h("li", {}, fault.tiles.length > 0 && fault.tiles.length <= MAX_TILES && chips(fault.tiles, { marks: ["small", "guilty"] }), h("span", {}, `${faultText(fault)}.`))),
  );
}

/** The indices of the tiles that the faults blame. */
export function guiltyTiles(table, faults) {
  const guilty = new Set();
  for (const fault of faults ?? []) {
    const set = fault.set === null ? null : table.sets[fault.set];
    if (set?.state !== "wrong") continue;
    const blamed = [...fault.tiles];
    for (const index of set.tiles) {
      const position = blamed.indexOf(table.tiles[index]?.tile);
      if (position >= 0) {
        blamed.splice(position, 1);
        guilty.add(index);
      }
    }
  }
  return guilty;
}

/** What hinders the referee now, most important first. */
export function notices() {
  const { state } = app;
  const found = [];
  const add = (kind, sign, key, values, isTransient = false) => found.push({ kind, sign, text: t(key, values), isTransient });
  if (!isLive()) add("bad", "link", "notice.unlinked");
  if (!state) return found;
  if (state.safe_mode) found.push({ kind: "bad", sign: "bad", text: t("notice.safe_mode", { why: messageText(state.safe_mode_message) }) });
  const { table, match } = state;
  if (table.camera === "lost") add("bad", "camera", "notice.camera_lost");
  if (table.camera === "none") add("doubt", "camera", "notice.camera_none");
  if (table.hands) add("doubt", "hand", "notice.hands", {}, true);
  if ((state.arbiter?.called_at ?? null) !== null) add("doubt", "hand", "notice.arbiter", { time: ageText(state.at - state.arbiter.called_at + secondsElapsed()) });
  if (match?.halted.includes("pause")) add("doubt", "pause", "notice.pause");
  if (match?.halted.includes("restart")) add("doubt", "undo", "notice.restart");
  if (match?.phase === "looking" && !table.hands) add("doubt", "clock", "notice.looking", {}, true);
  if (match?.phase === "time_up") add("doubt", "clock", "notice.time_up");
  if (match?.phase === "clearing") add("doubt", "table", "notice.clear");
  if (table.stale && !table.hands && table.seen_at !== null) {
    const seconds = state.at - table.seen_at + secondsElapsed();
    if (table.camera === "lost" || seconds > STALE_SECONDS) add("doubt", "clock", "notice.stale", { time: ageText(seconds) }, table.camera !== "lost");
    else if (match?.phase !== "looking") add("doubt", "eye", "notice.reading", {}, true);
  }
  return found;
}

function ageText(seconds) {
  const [value, unit] = seconds < 90 ? [seconds, "second"] : [seconds / 60, "minute"];
  return formatNumber(Math.max(1, Math.round(value)), { style: "unit", unit, unitDisplay: "long" });
}

/** The notice that will pass by itself, shown on the drawing so that no button moves. */
export function transientNotice() {
  const notice = notices().find((notice) => notice.isTransient);
  return notice && h("p", { class: "passing" }, icon(notice.sign), notice.text);
}

/** The lasting notices, as lines with a sign each. */
export function noticeList() {
  const lasting = notices().filter((notice) => !notice.isTransient && (notice.sign !== "link" || !app.state)); // the top bar shows that
  return lasting.length > 0 && h("ul", { class: "hindrances" }, lasting.map((notice) => h("li", { class: notice.kind }, icon(notice.sign), h("span", {}, notice.text))));
}
