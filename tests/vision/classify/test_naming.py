"""Faces into tiles: jokers that the box lacks."""

import numpy as np

from referee.rules.editions import rule_set
from referee.vision.classify.naming import name_faces, read_names
from referee.vision.geometry.detections import SYMBOLS, Faces


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
