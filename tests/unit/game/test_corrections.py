"""Words about tiles that the reader doubted: they speak of what lay there when they were said, and of that alone."""

import pytest

from referee.game.corrections import NO_CORRECTIONS, correct, correct_earlier, take_word
from referee.game.said import TileIs
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile


def look(first: str, *, confidence: float = 1.0, other: str | None = None) -> TableReading:
    """A row of three whose first tile is read so, sure or with another name beside it."""
    tiles = []
    for place, name in enumerate((first, "O4", "O5")):
        a, b, c, d = ((30.0 * place + x, y) for x, y in ((0.0, 0.0), (28.0, 0.0), (28.0, 38.0), (0.0, 38.0)))
        chance = confidence if place == 0 else 1.0
        others = ((parse_tile(other), 1 - chance),) if other and place == 0 else ()
        tiles.append(
            TileReading(
                quad=(a, b, c, d), tile=parse_tile(name), confidence=chance, alternatives=others, unsure=bool(others)
            )
        )
    row = tuple(tiles)
    return TableReading(frame_id="look", at=1.0, tiles=row, layouts=lay_out_tiles(row))


@pytest.mark.parametrize(("chance", "earlier"), [(0.04, "J"), (0.45, "O3")])
def test_a_word_about_a_tile_is_no_word_about_what_lay_there_before(chance: float, earlier: str) -> None:
    """A joker was swapped for the tile it stood for: only what the reader nearly took it for may be the same tile."""
    now = look("O3", confidence=1 - chance, other="J")
    corrections = take_word(NO_CORRECTIONS, now, now, 1.0, TileIs(0, parse_tile("O3")))
    assert corrections is not None
    corrected = correct(now, corrections)
    assert (str(corrected.tiles[0].tile), corrected.tiles[0].unsure) == ("O3", False)
    before = correct_earlier(look("J"), corrections, corrected).tiles[0]
    assert (str(before.tile), before.unsure) == (earlier, False)
