"""Words about tiles that the reader doubted: they speak of what lay there when they were said, and of that alone."""

import pytest

from referee.game.corrections import NO_CORRECTIONS, correct, correct_earlier, take_word
from referee.game.said import TileIs
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile


def look(first: str, *, confidence: float = 1.0, other: str | None = None, off: float = 0.0) -> TableReading:
    """A row of three whose first tile, `off` its place by pixels, is read so, sure or with another name beside it."""
    tiles = []
    for place, name in enumerate((first, "O4", "O5")):
        left = 30.0 * place + (off if place == 0 else 0.0)
        a, b, c, d = ((left + x, y) for x, y in ((0.0, 0.0), (28.0, 0.0), (28.0, 38.0), (0.0, 38.0)))
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


@pytest.mark.parametrize(
    ("now", "confidence", "off", "asked"),
    [
        ("O3", 0.6, 0.0, False),  # as it was
        ("O8", 0.6, 1.5, False),  # untouched: the reading flickers
        ("O3", 0.6, 5.0, False),  # pushed, and read as it was
        ("O8", 0.6, 5.0, True),
        ("O8", 1.0, 5.0, True),
        ("O8", 1.0, 1.5, False),  # no hand lays a tile so exactly
    ],
)
def test_a_doubtful_tile_that_was_moved_and_looks_like_the_other_is_asked_about_again(
    now: str, confidence: float, off: float, *, asked: bool
) -> None:
    before = look("O3", confidence=0.6, other="O8")
    corrections = take_word(NO_CORRECTIONS, before, before, 1.0, TileIs(0, parse_tile("O3")))
    assert corrections is not None
    other = {"O3": "O8", "O8": "O3"}[now] if confidence < 1 else None
    seen = correct(look(now, confidence=confidence, other=other, off=off), corrections).tiles[0]
    assert seen.unsure is asked
    if not asked:
        assert str(seen.tile) == "O3"
    else:
        assert {str(seen.tile), *(str(name) for name, _ in seen.alternatives)} == {"O3", "O8"}


def test_once_both_tiles_of_an_exchange_were_named_neither_is_asked_about_again() -> None:
    first = look("O3", confidence=0.6, other="O8")
    corrections = take_word(NO_CORRECTIONS, first, first, 1.0, TileIs(0, parse_tile("O3")))
    assert corrections is not None
    second = look("O8", confidence=0.6, other="O3", off=5.0)
    corrections = take_word(corrections, second, correct(second, corrections), 2.0, TileIs(0, parse_tile("O8")))
    assert corrections is not None
    for again in (second, look("O3", confidence=0.6, other="O8", off=5.0)):
        tile = correct(again, corrections).tiles[0]
        assert (str(tile.tile), tile.unsure) == ("O8", False)
