// Verdict: what the referee says of a turn, in words and with a sign, and what keeps it from seeing.

import { app, isLive, since } from "./app.js";
import { h } from "./elements.js";
import { icon } from "./icons.js";
import { chips, namesOf } from "./tile.js";
import { listed, message, number, spoken, t } from "./words.js";

const STALE_SECONDS = 2; // a picture younger than that is only being read
const MAX_TILES = 8; // of one fault: more of them tell nobody which is meant
export const LOOK = { legal: "good", illegal: "bad", undecided: "doubt" };

export const playerName = (seat) => app.state?.match?.players[seat]?.name ?? t("player.unknown");

/** Who has won the match that is over. */
export function matchLine({ ranking, ranks }) {
  if (!ranks) return t(ranking.length ? "over.nobody" : "over.cut");
  const first = ranking.filter((seat) => ranks[seat] === 1).map(playerName);
  return first.length > 1 ? t("over.shared", { names: listed(first) }) : t("over.match", { name: first[0] });
}

/** Whether a game is over, and what is said of it. */
export const isOver = (match) => ["game_over", "clearing", "match_over"].includes(match.phase);

export function overLine(match) {
  if (!isOver(match)) return null;
  if (match.phase === "match_over" && match.ranking) return matchLine(match);
  const last = match.results.at(-1);
  if (!last) return t("over.before");
  return t(last?.blocked ? "over.blocked" : last?.on_time ? "over.on_time" : "over.game", { name: playerName(last?.winners[0]), game: match.game });
}

/** The sentence of a fault, in the page's language. */
export const sentence = (fault) => upperFirst(message(fault));

const upperFirst = (text) => text.charAt(0).toLocaleUpperCase(spoken()) + text.slice(1);

/** What a verdict is called: one short line. */
export function headline(verdict) {
  const name = playerName(verdict.seat);
  if (verdict.verdict === "illegal") return t("verdict.illegal", { name });
  if (verdict.verdict === "undecided") return t(verdict.stands ? "verdict.undecided_stands" : "verdict.undecided", { name });
  if (verdict.outcome === "no_play") return t("verdict.no_play", { name });
  return t(verdict.late && !verdict.stands ? "verdict.late" : "verdict.legal", { name });
}

/** All of a verdict that is worth hearing, for a screen reader. */
export function spokenVerdict(verdict) {
  const why = verdict.verdict === "illegal" ? verdict.faults.map(sentence) : [];
  const played = verdict.verdict === "legal" && verdict.played.length ? [namesOf(verdict.played)] : [];
  return [headline(verdict), ...played, ...why].join(". ");
}

/** The panel of the last verdict; of a turn that is over only as long as nothing newer is to be said. */
export function verdictPanel() {
  const verdict = app.state.match?.verdict;
  if (!verdict) return null;
  if (isMended(verdict)) return mendedPanel(verdict);
  const look = LOOK[verdict.verdict];
  return h(
    "section",
    { class: `verdict ${look}`, "aria-labelledby": "verdict-line" },
    h("span", { class: "sign" }, icon(look)),
    h(
      "div",
      {},
      h("h2", { id: "verdict-line" }, headline(verdict)),
      verdict.verdict === "legal" && verdict.played.length > 0 && h("p", { class: "said" }, t("verdict.played"), " ", chips(verdict.played, { marks: ["small"] })),
      verdict.verdict === "legal" && verdict.played.length > 0 && verdict.meld !== null && h("p", { class: "said" }, t("verdict.meld", { count: verdict.meld })),
      verdict.verdict !== "legal" && (app.state.match.restore ? h("details", {}, h("summary", {}, t("verdict.why")), faultList(verdict.faults)) : faultList(verdict.faults)),
    ),
  );
}

/** Whether what was not legal has been put right since, and only waits to be judged. */
export function isMended(verdict) {
  const { match, table } = app.state;
  return verdict.verdict === "illegal" && match.phase === "turn" && !table.stale && verdict.turn === match.turn && verdict.game === match.game && match.now?.verdict === "legal";
}

const mendedPanel = (verdict) =>
  h(
    "section",
    { class: "verdict doubt", "aria-labelledby": "verdict-line" },
    h("span", { class: "sign" }, icon("undo")),
    h("div", {}, h("h2", { id: "verdict-line" }, t("verdict.mended")), h("p", { class: "said" }, t("verdict.mended_how")), h("details", {}, h("summary", {}, headline(verdict)), faultList(verdict.faults))),
  );

/** Every fault with its guilty tiles. */
export function faultList(faults) {
  return h(
    "ul",
    { class: "faults" },
    faults.map((fault) => h("li", {}, fault.tiles.length > 0 && fault.tiles.length <= MAX_TILES && chips(fault.tiles, { marks: ["small", "guilty"] }), h("span", {}, `${sentence(fault)}.`))),
  );
}

/** The indices of the tiles that the faults blame in the sets they name. */
export function guiltyTiles(table, faults) {
  const guilty = new Set();
  for (const fault of faults ?? []) {
    const set = fault.set === null ? null : table.sets[fault.set];
    if (set?.state !== "wrong") continue;
    const wanted = [...fault.tiles];
    for (const index of set.tiles) {
      const place = wanted.indexOf(table.tiles[index]?.tile);
      if (place >= 0) {
        wanted.splice(place, 1);
        guilty.add(index);
      }
    }
  }
  return guilty;
}

/** What hinders the referee just now, most important first. */
export function hindrances() {
  const { state } = app;
  const said = [];
  const add = (look, sign, key, values, passing = false) => said.push({ look, sign, text: t(key, values), passing });
  if (!isLive()) add("bad", "link", "notice.unlinked");
  if (!state) return said;
  if (state.safe_mode) said.push({ look: "bad", sign: "bad", text: t("notice.safe_mode", { why: state.safe_mode }) });
  const { table, match } = state;
  if (table.camera === "lost") add("bad", "camera", "notice.camera_lost");
  if (table.camera === "none") add("doubt", "camera", "notice.camera_none");
  if (table.hands) add("doubt", "hand", "notice.hands", {}, true);
  if ((state.arbiter?.called_at ?? null) !== null) add("doubt", "hand", "notice.arbiter", { time: age(state.at - state.arbiter.called_at + since()) });
  if (match?.halted.includes("pause")) add("doubt", "pause", "notice.pause");
  if (match?.halted.includes("restart")) add("doubt", "undo", "notice.restart");
  if (match?.phase === "looking" && !table.hands) add("doubt", "clock", "notice.looking", {}, true);
  if (match?.phase === "time_up") add("doubt", "clock", "notice.time_up");
  if (match?.phase === "clearing") add("doubt", "table", "notice.clear");
  if (table.stale && !table.hands && table.seen_at !== null) {
    const seconds = state.at - table.seen_at + since();
    if (table.camera === "lost" || seconds > STALE_SECONDS) add("doubt", "clock", "notice.stale", { time: age(seconds) }, table.camera !== "lost");
    else if (match?.phase !== "looking") add("doubt", "eye", "notice.reading", {}, true);
  }
  return said;
}

function age(seconds) {
  const [value, unit] = seconds < 90 ? [seconds, "second"] : [seconds / 60, "minute"];
  return number(Math.max(1, Math.round(value)), { style: "unit", unit, unitDisplay: "long" });
}

/** What passes by itself: it is shown on the drawing, so that nothing moves below somebody's finger. */
export function passing() {
  const one = hindrances().find((said) => said.passing);
  return one && h("p", { class: "passing" }, icon(one.sign), one.text);
}

/** The hindrances that last, as lines with a sign each. */
export function hindranceList() {
  const said = hindrances().filter((one) => !one.passing && (one.sign !== "link" || !app.state)); // the top bar tells that
  return said.length > 0 && h("ul", { class: "hindrances" }, said.map((one) => h("li", { class: one.look }, icon(one.sign), h("span", {}, one.text))));
}
