// Seats: the players clockwise, with their tiles left, who is to move and who is next.

import { h } from "./elements.js";
import { icon } from "./icons.js";
import { isOver } from "./verdict.js";
import { formatSigned, t } from "./i18n.js";

/** The seats of the players who have not left. */
export function seats(match) {
  const isPlaying = !isOver(match);
  const present = match.order.map((seat) => match.players[seat]).filter((player) => !player.gone);
  const next = present[(present.findIndex((player) => player.seat === match.seat) + 1) % present.length];
  return h(
    "ol",
    { class: "seats", "aria-label": t("seats.label") },
    present.map((player) => {
      const isToMove = isPlaying && player.seat === match.seat;
      return h(
        "li",
        { class: isToMove ? "moves" : "", "aria-current": isToMove ? "true" : null },
        h("strong", {}, player.name),
        isPlaying && player === next && present.length > 2 && h("span", { class: "next" }, t("seats.next")),
        h("span", { class: "left" }, player.opened && isPlaying && [icon("good"), h("span", { class: "unseen" }, t("turn.opened"))], t("tiles.count", { count: player.rack })),
        match.results.length > 0 && h("span", { class: "total" }, formatSigned(player.total)),
      );
    }),
  );
}
