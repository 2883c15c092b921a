// Victory: the end of a match on the whole screen: the podium, the highlights and the rematch.

import { app, viewMemory, update } from "./app.js";
import { button } from "./controls.js";
import { h } from "./elements.js";
import { cachedRequest } from "./requests.js";
import { navigate } from "./navigation.js";
import { openRematch } from "./start.js";
import { chips } from "./tile.js";
import { matchLine, playerName } from "./verdict.js";
import { formatDuration, formatSigned, t } from "./i18n.js";

const PODIUM_STEPS = 3;

/** Whether the match is over and somebody has won it. */
export const isWon = (match) => Boolean(match?.ranking?.length && match.ranks);

/** Whether the end of the match fills the screen: until somebody returns to the table. */
export const isVictoryShown = (match) => isWon(match) && viewMemory("victory", { closed: null }).closed !== matchKey(match);

const matchKey = (match) => `${match.began_at}`;

/** The request for the match's story, which reloads when the match changes. */
export const matchStory = (match) => cachedRequest("story", "/api/story", match && [match.began_at, match.game, match.turn, match.ranking?.join(), match.results.length, app.eventCount, app.disconnectedAt].join());

/** The whole view. */
export function victoryView() {
  const { match } = app.state;
  const close = () => (Object.assign(viewMemory("victory", {}), { closed: matchKey(match) }), update());
  return h(
    "section",
    { class: "victory", "aria-labelledby": "victory-line" },
    h("h1", { id: "victory-line" }, matchLine(match)),
    podium(match),
    highlights(matchStory(match).answer),
    h(
      "div",
      { class: "row" },
      match.can.includes("start") && app.session.organiser && button(t("victory.rematch"), openRematch, { sign: "play", kind: "first" }),
      button(t("story.open"), () => navigate("story"), { sign: "turns", kind: app.session.organiser ? "" : "first" }),
      button(t("victory.table"), close, { sign: "table", kind: "quiet" }),
    ),
  );
}

/** The players by rank; those below the podium get one line each. */
export function podium(match) {
  const place = (seat) => match.ranks[seat];
  const step = (seat) => h(
    "li",
    { class: `step place-${Math.min(place(seat), PODIUM_STEPS + 1)}` },
    h("strong", {}, playerName(seat)),
    h("span", { class: "points" }, pointsText(match.players[seat], match)),
    h("span", { class: "block" }, `${place(seat)}.`),
  );
  return h("ol", { class: "podium" }, match.ranking.map(step));
}

/** A player's total, with the games won in a match of several. */
const pointsText = ({ games_won: count, total }, { games }) => (games > 1 ? t("score.line", { count, total: formatSigned(total) }) : formatSigned(total));

/** The highlights: the longest run, the largest play and the mean turn. */
export function highlights(story) {
  if (!story?.turns.length) return null;
  const best = (key) => story.players.reduce((best, other) => (other[key].length > best[key].length ? other : best));
  const [run, play] = [best("longest_run"), best("longest_play")];
  const seconds = story.players.reduce((sum, player) => sum + player.seconds, 0);
  return h(
    "dl",
    { class: "highlights" },
    run.longest_run.length > 0 && [h("dt", {}, t("story.longest_run")), h("dd", {}, h("strong", {}, run.name), chips(run.longest_run, { marks: ["tiny"] }))],
    play.longest_play.length > 0 && [h("dt", {}, t("story.longest_play")), h("dd", {}, h("strong", {}, play.name), chips(play.longest_play, { marks: ["tiny"] }))],
    [h("dt", {}, t("story.mean_turn")), h("dd", {}, h("strong", {}, formatDuration(seconds / story.turns.length)), h("span", {}, t("story.turns", { count: story.turns.length })))],
  );
}
