"""Faces into tiles: jokers that the box lacks, and poor pictures."""

import numpy as np

from referee.reading.observation import TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile
from referee.vision.detections import SYMBOLS, Faces
from referee.vision.naming import doubt_poor_table, name_faces, read_names

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


def test_a_joker_that_the_edition_lacks_is_asked_about_and_never_a_sure_one() -> None:
    symbol = np.zeros((1, len(SYMBOLS)), np.float32)
    symbol[0, SYMBOLS.index("JD")], symbol[0, SYMBOLS.index("J")] = 0.97, 0.02
    faces = Faces(
        symbol=symbol,
        ink=np.full((1, 4), 0.25, np.float32),
        upright=np.ones(1, np.float32),
        embedding=np.zeros((1, 32), np.float32),
    )
    quads = np.array([[[0, 0], [9, 0], [9, 13], [0, 13]]], np.float32)
    named = {
        edition: read_names(name_faces(faces, rule_set(edition).box), quads, sure=0.9)[0]
        for edition in ("original", "twist")
    }
    assert str(named["twist"].tile) == "JD"
    assert not named["twist"].unsure
    assert named["original"].unsure
    assert named["original"].confidence < 0.1
    assert named["original"].bare > 0.9
