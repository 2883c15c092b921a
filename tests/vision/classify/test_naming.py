"""Faces into tiles: jokers that the box lacks, and those that only other boxes have shown."""

import numpy as np
import pytest

from referee.reading.observation import TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile
from referee.vision.classify.naming import doubt_drawn_jokers, name_faces, read_names
from referee.vision.geometry.detections import SYMBOLS, Faces
from referee.vision.profile import EnrolledFace, Enrolment

QUADS = np.array([[[0, 0], [9, 0], [9, 13], [0, 13]]], np.float32)


def faces_of(**chances: float) -> Faces:
    symbol = np.full((1, len(SYMBOLS)), 1e-7, np.float32)
    for name, chance in chances.items():
        symbol[0, SYMBOLS.index(name)] = chance
    return Faces(
        symbol=symbol,
        ink=np.full((1, 4), 0.25, np.float32),
        upright=np.ones(1, np.float32),
        embedding=np.zeros((1, 32), np.float32),
    )


def test_a_joker_that_the_edition_lacks_is_asked_about_and_never_a_sure_one() -> None:
    faces = faces_of(JD=0.97, J=0.02)
    named = {
        edition: read_names(name_faces(faces, rule_set(edition).box), QUADS, sure=0.9)[0]
        for edition in ("original", "twist")
    }
    assert str(named["twist"].tile) == "JD"
    assert not named["twist"].unsure
    assert named["original"].unsure
    assert named["original"].confidence < 0.1
    assert named["original"].bare > 0.9


def read_joker(faces: Faces, edition: str, *shown: str) -> TileReading:
    """The reading in a box of which these jokers were shown."""
    learnt = tuple(EnrolledFace(parse_tile(name), ((1.0, 0.0),)) for name in shown)
    names = doubt_drawn_jokers(
        name_faces(faces, rule_set(edition).box), Enrolment(reader="reader", near=0.9, faces=learnt) if learnt else None
    )
    return read_names(names, QUADS, sure=0.9)[0]


@pytest.mark.parametrize(("shown", "unsure"), [((), True), (("JD", "JC"), True), (("J", "JM"), False)])
def test_a_joker_of_a_box_not_shown_is_not_sure_as_the_net_says(shown: tuple[str, ...], *, unsure: bool) -> None:
    """A drawn mirror joker was read as 0.995 a plain one."""
    read = read_joker(faces_of(J=0.993, JM=0.005), "twist", *shown)
    assert (str(read.tile), read.unsure) == ("J", unsure)
    assert "JM" in {str(name) for name, _ in read.alternatives}


def test_a_joker_like_no_other_is_sure_and_so_is_that_of_a_box_with_one_kind() -> None:
    assert not read_joker(faces_of(JC=0.9998, J=0.0001), "twist").unsure
    assert not read_joker(faces_of(J=0.993, JM=0.005), "original").unsure
