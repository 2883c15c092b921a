"""Faces are learnt from their embeddings, too like ones are named, and only sure ones are recognised."""

from dataclasses import replace

import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.rules.notation import parse_tiles
from referee.vision.classify.enrolment import Looks, enrol, looks_of, recognise, too_alike
from referee.vision.geometry.detections import EMBEDDING, INKS, SYMBOLS, Faces, Floats

READER = "0123456789abcdef"


def unit(vectors: Looks) -> Looks:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def looks_at(directions: Looks, spread: float = 0.02, count: int = 8, seed: int = 0) -> list[Looks]:
    rng = np.random.default_rng(seed)
    return [unit(direction + rng.normal(0, spread, (count, EMBEDDING))) for direction in directions]


def faces_with(embedding: Looks, symbol: str = "8") -> Faces:
    chances = np.full((len(embedding), len(SYMBOLS)), 0.01, np.float32)
    chances[:, SYMBOLS.index(symbol)] = 1 - 0.01 * (len(SYMBOLS) - 1)
    return Faces(
        symbol=chances,
        ink=np.full((len(embedding), len(INKS)), 0.25, np.float32),
        upright=np.ones(len(embedding), np.float32),
        embedding=embedding.astype(np.float32),
    )


def names(faces: Faces) -> list[str]:
    return [SYMBOLS[int(column)] for column in faces.symbol.argmax(axis=1)]


AXES = np.eye(EMBEDDING)
FOUR = "J JD JC JM"


def test_enrolled_faces_are_recognised_and_strangers_left_as_they_were() -> None:
    enrolment = enrol(parse_tiles(FOUR), looks_at(AXES[:4]), READER)
    assert too_alike(enrolment, looks_at(AXES[:4], seed=3)) == ()
    seen = np.concatenate([*looks_at(AXES[:4], count=1, seed=7), unit(AXES[4:6] + 0.1)])
    assert names(recognise(faces_with(seen), enrolment, READER)) == ["J", "JD", "JC", "JM", "8", "8"]


def test_faces_that_cannot_be_told_apart_are_named() -> None:
    directions = np.array([AXES[0], AXES[1], unit(AXES[1] + 0.02 * AXES[2]), AXES[3]])
    enrolment = enrol(parse_tiles(FOUR), looks_at(directions), READER)
    pairs = too_alike(enrolment, looks_at(directions, seed=3))
    assert [(str(one), str(other)) for one, other, _ in pairs] == [("JD", "JC")]


def test_two_jokers_of_one_name_may_look_alike() -> None:
    directions = np.array([AXES[0], AXES[0], AXES[1]])
    enrolment = enrol(parse_tiles("J J JD"), looks_at(directions), READER)
    assert too_alike(enrolment, looks_at(directions, seed=3)) == ()
    assert names(recognise(faces_with(AXES[:1]), enrolment, READER)) == ["J"]


def test_number_tiles_shown_too_draw_the_line() -> None:
    joker, number = AXES[0], unit(AXES[0] + 0.75 * AXES[1])  # alike by 0.8
    warned = enrol(parse_tiles("JD"), looks_at(joker[None], 0.05), READER, number[None])
    assert warned.near > 0.81
    seen = np.concatenate([number[None], unit(AXES[0] + 0.3 * AXES[1])[None]])
    assert names(recognise(faces_with(seen), warned, READER)) == ["8", "JD"]


def test_a_joker_that_the_reader_sees_and_nobody_enrolled_stays_possible() -> None:
    enrolment = enrol(parse_tiles("JD JM"), looks_at(AXES[:2]), READER)
    known = recognise(faces_with(unit(AXES[1:2] + 0.1), "J"), enrolment, READER)
    chances = dict(zip(SYMBOLS, known.symbol[0].tolist(), strict=True))
    assert 0.3 < chances["J"] < 0.6
    assert 0.3 < chances["JM"] < 0.6


def test_what_looks_like_a_joker_and_may_be_no_face_may_still_be_none() -> None:
    """A ring in the marble was one of two jokers for sure, so every name it could have accused the player."""
    enrolment = enrol(parse_tiles("J JM"), looks_at(AXES[:2]), READER)
    ring = faces_with(unit(AXES[:1] + 0.1), "J")
    ring.symbol[0, SYMBOLS.index("J")] -= 0.2
    ring.symbol[0, SYMBOLS.index("none")] += 0.2
    known = recognise(ring, enrolment, READER)
    assert names(known) == ["J"]
    assert known.symbol[0, SYMBOLS.index("none")] > 0.2
    assert known.symbol[0].sum() == pytest.approx(1.0, abs=1e-5)


def test_where_the_reader_and_the_enrolled_faces_agree_both_count() -> None:
    between = unit(AXES[0] + 0.98 * AXES[1])  # nearer to the first, but not by much
    enrolment = replace(enrol(parse_tiles("J JM"), looks_at(AXES[:2], 0.15), READER), near=0.4)
    of_stranger, of_joker = (recognise(faces_with(between[None], said), enrolment, READER) for said in ("8", "J"))
    column = SYMBOLS.index("J")
    assert 0.5 < of_stranger.symbol[0, column] < of_joker.symbol[0, column]


def test_coloured_jokers_are_known_with_their_ink() -> None:
    enrolment = enrol(parse_tiles("JK JR JB JO"), looks_at(AXES[:4]), READER)
    known = recognise(faces_with(AXES[:4]), enrolment, READER)
    assert names(known) == ["J"] * 4
    assert [INKS[int(column)] for column in known.ink.argmax(axis=1)] == ["K", "R", "B", "O"]


def test_faces_learnt_by_another_reader() -> None:
    enrolment = enrol(parse_tiles(FOUR), looks_at(AXES[:4]), READER)
    with pytest.raises(CalibrationError, match="learnt by reader 0123456789abcdef, and this is fedc; run"):
        recognise(faces_with(AXES[:1]), enrolment, "fedc")


def test_no_faces_named() -> None:
    with pytest.raises(CalibrationError, match="no tile is named; say what lies in the picture"):
        enrol((), [], READER)


def test_nothing_seen_is_nothing_recognised() -> None:
    enrolment = enrol(parse_tiles("JD"), looks_at(AXES[:1]), READER)
    nothing: Floats = np.zeros((0, EMBEDDING), np.float32)
    assert len(recognise(faces_with(nothing.astype(np.float64)), enrolment, READER)) == 0


def test_looks_are_crops_of_the_same_face_both_ways_up() -> None:
    crop = np.random.default_rng(0).integers(0, 255, (64, 48, 3), dtype=np.uint8)
    looks = looks_of(crop)
    half = len(looks) // 2
    assert np.array_equal(looks[0], crop)
    assert np.array_equal(looks[half], crop[::-1, ::-1])
