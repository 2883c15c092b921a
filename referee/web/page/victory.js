// Victory: the end of a match fills the screen: who stands where, the longest run, the mean turn, and the rematch.

import { app, local, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { fetched } from "./fetched.js";
import { go } from "./place.js";
import { openRematch } from "./start.js";
import { chips } from "./tile.js";
import { matchLine, playerName } from "./verdict.js";
import { lasting, signed, t } from "./words.js";

const STEPS = 3; // of a podium

/** Whether the match is over and somebody has won it. */
export const isWon = (match) => Boolean(match?.ranking?.length && match.ranks);

/** Whether the end of the match is to fill the screen here: until somebody asks for the table again. */
export const fillsScreen = (match) => isWon(match) && local("victory", { closed: null }).closed !== keyOf(match);

const keyOf = (match) => `${match.began_at}`;

/** The story of the match, asked for anew when it has changed. */
export const storyOf = (match) => fetched("story", "/api/story", match && [match.began_at, match.game, match.turn, match.ranking?.join(), match.results.length, app.told, app.lostAt].join());

/** The whole view. */
export function victoryView() {
  const { match } = app.state;
  const close = () => (Object.assign(local("victory", {}), { closed: keyOf(match) }), update());
  return h(
    "section",
    { class: "victory", "aria-labelledby": "victory-line" },
    h("h1", { id: "victory-line" }, matchLine(match)),
    podium(match),
    highlights(storyOf(match).answer),
    h(
      "div",
      { class: "row" },
      match.can.includes("start") && app.session.organiser && button(t("victory.rematch"), openRematch, { sign: "play", kind: "first" }),
      button(t("story.open"), () => go("story"), { sign: "turns", kind: app.session.organiser ? "" : "first" }),
      button(t("victory.table"), close, { sign: "table", kind: "quiet" }),
    ),
  );
}

/** The players by their places; of many, those below the podium in one line each. */
export function podium(match) {
  const place = (seat) => match.ranks[seat];
  const step = (seat) => h(
    "li",
    { class: `step place-${Math.min(place(seat), STEPS + 1)}` },
    h("strong", {}, playerName(seat)),
    h("span", { class: "points" }, points(match.players[seat], match)),
    h("span", { class: "block" }, `${place(seat)}.`),
  );
  return h("ol", { class: "podium" }, match.ranking.map(step));
}

/** What a player has come to; who has won the only game stands on the first place. */
const points = ({ games_won: count, total }, { games }) => (games > 1 ? t("score.line", { count, total: signed(total) }) : signed(total));

/** What was best of the match: the longest run, the most tiles at once, and how long a turn took. */
export function highlights(story) {
  if (!story?.turns.length) return null;
  const best = (key) => story.players.reduce((one, other) => (other[key].length > one[key].length ? other : one));
  const [run, play] = [best("longest_run"), best("longest_play")];
  const seconds = story.players.reduce((sum, one) => sum + one.seconds, 0);
  return h(
    "dl",
    { class: "highlights" },
    run.longest_run.length > 0 && [h("dt", {}, t("story.longest_run")), h("dd", {}, h("strong", {}, run.name), chips(run.longest_run, { marks: ["tiny"] }))],
    play.longest_play.length > 0 && [h("dt", {}, t("story.longest_play")), h("dd", {}, h("strong", {}, play.name), chips(play.longest_play, { marks: ["tiny"] }))],
    [h("dt", {}, t("story.mean_turn")), h("dd", {}, h("strong", {}, lasting(seconds / story.turns.length)), h("span", {}, t("story.turns", { count: story.turns.length })))],
  );
}
