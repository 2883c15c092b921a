// Seats: who sits where, clockwise, what each has left, who moves and who is next.

import { h } from "./elements.js";
import { icon } from "./icons.js";
import { isOver } from "./verdict.js";
import { signed, t } from "./words.js";

/** The seats whose players are still there. */
export function seats(match) {
  const plays = !isOver(match);
  const present = match.order.map((seat) => match.players[seat]).filter((one) => !one.gone);
  const next = present[(present.findIndex((one) => one.seat === match.seat) + 1) % present.length];
  return h(
    "ol",
    { class: "seats", "aria-label": t("seats.label") },
    present.map((one) => {
      const moves = plays && one.seat === match.seat;
      return h(
        "li",
        { class: moves ? "moves" : "", "aria-current": moves ? "true" : null },
        h("strong", {}, one.name),
        plays && one === next && present.length > 2 && h("span", { class: "next" }, t("seats.next")),
        h("span", { class: "left" }, one.opened && plays && [icon("good"), h("span", { class: "unseen" }, t("turn.opened"))], t("tiles.count", { count: one.rack })),
        match.results.length > 0 && h("span", { class: "total" }, signed(one.total)),
      );
    }),
  );
}
