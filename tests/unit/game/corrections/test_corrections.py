"""Words about tiles that the reader doubted: they speak of what lay there when they were said, and of that alone."""

import cmath
import math
from dataclasses import replace

import pytest

from referee.game.correction_types import TileIs
from referee.game.corrections.corrections import NO_CORRECTIONS, Corrections, add_stated_correction, correct
from referee.reading.observation import TableReading, TileReading, TrackId
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_tile


def look(
    first: str, *, confidence: float = 1.0, other: str | None = None, off: float = 0.0, turn: float = 0.0
) -> TableReading:
    """A row of three whose first tile is read so, sure or with another name beside it.

    It lies `off` its place by pixels, turned by degrees about its middle.
    """
    tiles = []
    for place, name in enumerate((first, "O4", "O5")):
        middle, angle = complex(30.0 * place + 14, 19), 0.0
        if place == 0:
            middle, angle = middle + off, math.radians(turn)
        corners = (
            middle + complex(x, y) * cmath.rect(1, angle) for x, y in ((-14, -19), (14, -19), (14, 19), (-14, 19))
        )
        a, b, c, d = ((corner.real, corner.imag) for corner in corners)
        chance = confidence if place == 0 else 1.0
        others = ((parse_tile(other), 1 - chance),) if other and place == 0 else ()
        tiles.append(
            TileReading(
                quad=(a, b, c, d),
                tile=parse_tile(name),
                confidence=chance,
                alternatives=others,
                unsure=bool(others),
                place=TrackId(place),
            )
        )
    row = tuple(tiles)
    return TableReading(frame_id="look", at=1.0, tiles=row, layouts=lay_out_tiles(row))


@pytest.mark.parametrize(("chance", "asked"), [(0.04, False), (0.45, True), (0.95, True)])
def test_a_word_about_a_tile_is_no_word_about_what_lay_there_before(chance: float, *, asked: bool) -> None:
    """A joker was swapped for the tile it stood for: what the reader nearly took for it may have been misread."""
    now = look("O3", confidence=1 - chance, other="J")
    corrections = named(now, "O3")
    corrected = correct(now, corrections)
    assert (str(corrected.tiles[0].tile), corrected.tiles[0].unsure) == ("O3", False)
    before = correct(look("J"), corrections, corrected, earlier=True).tiles[0]
    assert (str(before.tile), before.unsure) == ("J", asked)
    assert ("O3" in {str(name) for name, _ in before.alternatives}) is asked
    again = correct(look("J", confidence=0.6, other="O3"), corrections, corrected, earlier=True).tiles[0]
    assert (str(again.tile), again.unsure) == ("O3", False)


NUDGED = 5.0  # pixels of a tile 28 wide: still its place, but further than an untouched tile seems to lie
FLICKERING = 1.5


@pytest.mark.parametrize(
    ("now", "confidence", "off", "turn", "asked"),
    [
        pytest.param("O3", 0.6, 0.0, 0.0, False, id="as it was"),
        pytest.param("O8", 0.6, FLICKERING, 1.0, False, id="untouched, read otherwise"),
        pytest.param("O8", 1.0, FLICKERING, 1.0, False, id="untouched, surely read otherwise"),
        pytest.param("O3", 0.6, NUDGED, 0.0, False, id="nudged, read as it was"),
        pytest.param("O8", 0.6, NUDGED, 0.0, True, id="nudged, read otherwise"),
        pytest.param("O8", 1.0, NUDGED, 0.0, True, id="nudged, surely read otherwise"),
        pytest.param("O8", 0.6, 0.0, 9.0, True, id="turned, read otherwise"),
    ],
)
def test_a_doubtful_tile_that_was_moved_and_looks_like_the_other_is_asked_about_again(
    now: str, confidence: float, off: float, turn: float, *, asked: bool
) -> None:
    """It may have been exchanged for the other."""
    corrections = named(look("O3", confidence=0.6, other="O8"), "O3")
    other = {"O3": "O8", "O8": "O3"}[now] if confidence < 1 else None
    seen = correct(look(now, confidence=confidence, other=other, off=off, turn=turn), corrections).tiles[0]
    assert seen.unsure is asked
    if asked:
        assert {str(seen.tile), *(str(name) for name, _ in seen.alternatives)} == {"O3", "O8"}
    else:
        assert str(seen.tile) == "O3"


def test_a_tile_that_is_misread_as_before_stays_what_it_was_said_to_be_where_it_is_nudged() -> None:
    corrections = named(look("O8", confidence=0.6, other="O3"), "O3")
    corrections = named(look("O3", confidence=0.6, other="O8"), "O3", corrections)
    for again in ("O3", "O8"):
        seen = correct(look(again, off=NUDGED), corrections).tiles[0]
        assert (str(seen.tile), seen.unsure) == (("O3", False) if again == "O3" else ("O8", True))
    corrections = named(look("O8", confidence=0.6, other="O3"), "O3", corrections)
    seen = correct(look("O8", off=NUDGED), corrections).tiles[0]
    assert (str(seen.tile), seen.unsure) == ("O3", False)


def test_once_both_tiles_of_an_exchange_were_named_only_a_move_is_asked_about() -> None:
    corrections = named(look("O3", confidence=0.6, other="O8"), "O3")
    second = look("O8", confidence=0.6, other="O3", off=NUDGED)
    corrections = named(second, "O8", corrections)
    for again in (second, look("O3", confidence=0.6, other="O8", off=NUDGED)):
        tile = correct(again, corrections).tiles[0]
        assert (str(tile.tile), tile.unsure) == ("O8", False)
    assert correct(look("O3"), corrections).tiles[0].unsure
    first = look("O3", confidence=0.6, other="O8")
    before = correct(first, corrections, correct(second, corrections), earlier=True).tiles[0]
    assert (str(before.tile), before.unsure) == ("O3", False), "the table before the exchange"


def test_what_was_said_to_be_no_tile_stays_none_however_it_flickers() -> None:
    corrections = named(look("O3", confidence=0.6, other="O8"), None)
    assert correct(look("O8", confidence=0.6, other="O3", off=NUDGED), corrections).tiles[0].tile is None


def test_a_tile_that_was_named_and_is_hidden_later_may_be_gone_unless_it_was_named_then() -> None:
    seen = look("O3", confidence=0.6, other="O8")
    nothing_seen = replace(seen.tiles[0], confidence=0.0, alternatives=(), unsure=True)
    hidden = replace(seen, tiles=(nothing_seen, *seen.tiles[1:]))
    corrected = correct(hidden, named(seen, "O8")).tiles[0]
    assert (str(corrected.tile), corrected.hidden) == ("O8", True)
    corrected = correct(hidden, named(hidden, "O8")).tiles[0]
    assert (str(corrected.tile), corrected.unsure) == ("O8", False)


def test_a_tile_in_doubt_again_stays_so_when_another_gets_its_name() -> None:
    """A box holds two of each: the second is no sign that the first has gone."""
    corrections = named(look("O3", confidence=0.6, other="O8"), "O3")
    nudged = look("O8", off=NUDGED)
    second = replace(nudged.tiles[1], tile=parse_tile("O8"), unsure=True, alternatives=((parse_tile("O3"), 0.4),))
    both = replace(nudged, tiles=(nudged.tiles[0], second, nudged.tiles[2]))
    corrections = named(both, "O3", corrections, index=1)
    first, other, _ = correct(both, corrections).tiles
    assert first.unsure
    assert (str(other.tile), other.unsure) == ("O3", False)


def named(
    read: TableReading, tile: str | None, corrections: Corrections = NO_CORRECTIONS, index: int = 0
) -> Corrections:
    """What is known once somebody has said what this tile is."""
    said = TileIs(index, None if tile is None else parse_tile(tile))
    after = add_stated_correction(corrections, read, correct(read, corrections), 1.0, said)
    assert after is not None
    return after
