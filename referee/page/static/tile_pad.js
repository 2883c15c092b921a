// Tile pad: buttons for every tile of the edition, to correct a tile or enter a rack.

import { findEdition } from "./app.js";
import { h } from "./elements.js";
import { chip, colourName, parseTile } from "./tile.js";
import { t } from "./i18n.js";

const COLOURS = ["K", "R", "B", "O"];

/**
 * Rows of tiles by colour, jokers last. `onTap(tile)` runs for each tap; `repeat` allows fast repeated taps.
 * @param {(tile: string) => any} onTap
 * @param {{id?: string, repeat?: boolean}} [options]
 */
export function tilePad(onTap, { id, repeat = false } = {}) {
  const tiles = findEdition(id)?.tiles ?? [];
  const rows = [...COLOURS.map((colour) => tiles.filter((tile) => isColour(tile, colour))), tiles.filter((tile) => parseTile(tile).joker)];
  return h(
    "div",
    { class: "pad" },
    rows.filter((row) => row.length).map((row, index) =>
      h(
        "div",
        { class: "pad-row", role: "group", "aria-label": index < 4 ? colourName(COLOURS[index]) : t("pad.jokers") },
        row.map((tile) => chip(tile, { onclick: () => onTap(tile), repeat })),
      ),
    ),
  );
}

const isColour = (tile, colour) => !parseTile(tile).joker && tile[0] === colour;
