// Pad: all tiles of the edition's box to tap on, for a tile that was misread and for a rack counted by hand.

import { app } from "./app.js";
import { h } from "./elements.js";
import { chip, parts } from "./tile.js";
import { t } from "./words.js";

const COLOURS = ["K", "R", "B", "O"];

/** The edition of the match, or the one named. */
export const edition = (id = app.state?.match?.edition) => app.editions.find((one) => one.id === id) ?? app.editions[0] ?? null;

/** Rows of tiles by colour, jokers last; `tap(tile)` is told which. */
export function pad(tap, { id } = {}) {
  const tiles = edition(id)?.tiles ?? [];
  const rows = [...COLOURS.map((colour) => tiles.filter((tile) => isOf(tile, colour))), tiles.filter((tile) => parts(tile).joker)];
  return h(
    "div",
    { class: "pad" },
    rows.filter((row) => row.length).map((row, index) =>
      h(
        "div",
        { class: "pad-row", role: "group", "aria-label": index < 4 ? t(`colour.${COLOURS[index]}`) : t("pad.jokers") },
        row.map((tile) => chip(tile, { onclick: () => tap(tile) })),
      ),
    ),
  );
}

const isOf = (tile, colour) => !parts(tile).joker && tile[0] === colour;
