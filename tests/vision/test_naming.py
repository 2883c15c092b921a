"""Readings held against each other: poor pictures."""

from referee.reading.observation import TileReading
from referee.rules.notation import parse_tile
from referee.vision.naming import doubt_poor_table

SURE = 0.94
QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def said(name: str | None, confidence: float = 0.999) -> TileReading:
    tile = None if name is None else parse_tile(name)
    return TileReading(quad=QUAD, tile=tile, confidence=confidence, unsure=confidence < SURE)


def test_a_good_picture_with_a_few_doubts_is_left_alone() -> None:
    tiles = (*[said("K3")] * 40, *[said("B8", 0.5)] * 5)
    assert doubt_poor_table(tiles) == tiles
    few = (said("K3"), said("B8", 0.4), said("R9"))
    assert doubt_poor_table(few) == few


def test_in_a_poor_picture_everything_is_doubted() -> None:
    tiles = [*[said("K3")] * 40, *[said("B8", 0.4)] * 20]
    assert all(one.unsure for one in doubt_poor_table(tiles))


def test_backs_that_are_hardly_seen_do_not_make_a_picture_poor() -> None:
    tiles = (*[said("K3")] * 10, *[said(None, 0.5)] * 40)
    assert doubt_poor_table(tiles) == tiles
