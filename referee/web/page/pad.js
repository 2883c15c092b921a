// Pad: all tiles of the edition's box to tap on, for a tile that was misread and for a rack counted by hand.

import { edition } from "./app.js";
import { h } from "./elements.js";
import { chip, colourName, parts } from "./tile.js";
import { t } from "./words.js";

const COLOURS = ["K", "R", "B", "O"];

/**
 * Rows of tiles by colour, jokers last; `tap(tile)` is told which, `again` and again where several are wanted.
 * @param {(tile: string) => any} tap
 * @param {{id?: string, again?: boolean}} [options]
 */
export function pad(tap, { id, again = false } = {}) {
  const tiles = edition(id)?.tiles ?? [];
  const rows = [...COLOURS.map((colour) => tiles.filter((tile) => isOf(tile, colour))), tiles.filter((tile) => parts(tile).joker)];
  return h(
    "div",
    { class: "pad" },
    rows.filter((row) => row.length).map((row, index) =>
      h(
        "div",
        { class: "pad-row", role: "group", "aria-label": index < 4 ? colourName(COLOURS[index]) : t("pad.jokers") },
        row.map((tile) => chip(tile, { onclick: () => tap(tile), again })),
      ),
    ),
  );
}

const isOf = (tile, colour) => !parts(tile).joker && tile[0] === colour;
