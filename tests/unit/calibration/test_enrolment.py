"""Faces are learnt from their embeddings, too like ones are named, and only sure ones are recognised."""

from dataclasses import replace

import numpy as np
import pytest

from referee.errors import CalibrationError
from referee.rules.notation import parse_tile, parse_tiles
from referee.rules.tiles import NumberTile, Tile
from referee.vision.classify.enrolment import (
    Embeddings,
    apply_enrolment,
    check_reader,
    confusable_pairs,
    enrol,
    training_looks,
)
from referee.vision.classify.naming import LogOdds, name_faces
from referee.vision.geometry.detections import EMBEDDING_SIZE, INKS, SYMBOLS, Faces
from referee.vision.profile import Enrolment

READER = "0123456789abcdef"


def unit(vectors: Embeddings) -> Embeddings:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def looks_at(directions: Embeddings, spread: float = 0.02, count: int = 8, seed: int = 0) -> list[Embeddings]:
    rng = np.random.default_rng(seed)
    return [unit(direction + rng.normal(0, spread, (count, EMBEDDING_SIZE))) for direction in directions]


def faces_with(embedding: Embeddings, symbol: str = "8") -> Faces:
    chances = np.full((len(embedding), len(SYMBOLS)), 0.01, np.float32)
    chances[:, SYMBOLS.index(symbol)] = 1 - 0.01 * (len(SYMBOLS) - 1)
    return Faces(
        symbol=chances,
        ink=np.full((len(embedding), len(INKS)), 0.25, np.float32),
        upright=np.ones(len(embedding), np.float32),
        embedding=embedding.astype(np.float32),
    )


def told(faces: Faces, enrolment: Enrolment, box: str = "J JD JC JM") -> LogOdds:
    return apply_enrolment(name_faces(faces, dict.fromkeys(parse_tiles(box), 2)), faces.embedding, enrolment)


def names(known: LogOdds) -> list[str]:
    return [str(tile.number) if isinstance(tile, NumberTile) else str(tile) for tile in known.likeliest]


def chance(known: LogOdds, name: str, row: int = 0) -> float:
    tile: Tile = parse_tile(name)
    return float(known.probabilities[row, known.tiles.index(tile)])


AXES = np.eye(EMBEDDING_SIZE)
FOUR = "J JD JC JM"


def test_enrolled_faces_are_recognised_and_strangers_left_as_they_were() -> None:
    enrolment = enrol(parse_tiles(FOUR), looks_at(AXES[:4]), READER)
    assert confusable_pairs(enrolment, looks_at(AXES[:4], seed=3)) == ()
    seen = np.concatenate([*looks_at(AXES[:4], count=1, seed=7), unit(AXES[4:6] + 0.1)])
    assert names(told(faces_with(seen), enrolment)) == ["J", "JD", "JC", "JM", "8", "8"]


def test_faces_that_cannot_be_told_apart_are_named() -> None:
    directions = np.array([AXES[0], AXES[1], unit(AXES[1] + 0.02 * AXES[2]), AXES[3]])
    enrolment = enrol(parse_tiles(FOUR), looks_at(directions), READER)
    pairs = confusable_pairs(enrolment, looks_at(directions, seed=3))
    assert [(str(one), str(other)) for one, other, _ in pairs] == [("JD", "JC")]


def test_two_jokers_of_one_name_may_look_alike() -> None:
    directions = np.array([AXES[0], AXES[0], AXES[1]])
    enrolment = enrol(parse_tiles("J J JD"), looks_at(directions), READER)
    assert confusable_pairs(enrolment, looks_at(directions, seed=3)) == ()
    assert names(told(faces_with(AXES[:1]), enrolment)) == ["J"]


def test_number_tiles_shown_too_draw_the_line() -> None:
    joker, number = AXES[0], unit(AXES[0] + 0.75 * AXES[1])  # alike by 0.8
    warned = enrol(parse_tiles("JD"), looks_at(joker[None], 0.05), READER, number[None])
    assert warned.near > 0.81
    seen = np.concatenate([number[None], unit(AXES[0] + 0.3 * AXES[1])[None]])
    assert names(told(faces_with(seen), warned)) == ["8", "JD"]


def test_a_joker_that_the_reader_sees_and_nobody_enrolled_stays_possible() -> None:
    enrolment = enrol(parse_tiles("JD JM"), looks_at(AXES[:2]), READER)
    known = told(faces_with(unit(AXES[1:2] + 0.1), "J"), enrolment)
    assert min(chance(known, "J"), chance(known, "JM")) > 0.3, "neither is sure"


def test_what_looks_like_a_joker_and_may_be_no_face_may_still_be_none() -> None:
    """A ring in the marble was one of two jokers for sure, so every name it could have accused the player."""
    enrolment = enrol(parse_tiles("J JM"), looks_at(AXES[:2]), READER)
    ring = faces_with(unit(AXES[:1] + 0.1), "J")
    ring.symbol[0, SYMBOLS.index("J")] -= 0.2
    ring.symbol[0, SYMBOLS.index("none")] += 0.2
    known = told(ring, enrolment)
    assert names(known) == ["J"]
    assert known.probabilities[0, -1] == pytest.approx(0.21, abs=0.01), "as likely as before"


def test_where_the_reader_and_the_enrolled_faces_agree_both_count() -> None:
    between = unit(AXES[0] + 0.98 * AXES[1])  # nearer to the first, but not by much
    enrolment = replace(enrol(parse_tiles("J JM"), looks_at(AXES[:2], 0.15), READER), near=0.4)
    of_stranger, of_joker = (told(faces_with(between[None], said), enrolment) for said in ("8", "J"))
    assert 0.5 < chance(of_stranger, "J") < chance(of_joker, "J")


def test_coloured_jokers_are_known_with_their_ink() -> None:
    enrolment = enrol(parse_tiles("JK JR JB JO"), looks_at(AXES[:4]), READER)
    assert names(told(faces_with(AXES[:4]), enrolment, "JK JR JB JO")) == ["JK", "JR", "JB", "JO"]
    assert names(told(faces_with(AXES[:4]), enrolment)) == ["J"] * 4, "of a box whose jokers have no colour"


def test_an_enrolled_face_that_the_box_lacks_is_no_tile_of_it() -> None:
    enrolment = enrol(parse_tiles("J JD"), looks_at(AXES[:2]), READER)
    known = told(faces_with(unit(AXES[:2] + 0.1)), enrolment, "J")
    assert chance(known, "J", 0) > 0.8
    assert known.probabilities[1, -1] > 0.8, "so it is asked about"


def test_faces_learnt_by_another_reader() -> None:
    enrolment = enrol(parse_tiles(FOUR), looks_at(AXES[:4]), READER)
    with pytest.raises(CalibrationError, match="learnt by reader 0123456789abcdef, and this is fedc; run"):
        check_reader(enrolment, "fedc")


def test_no_faces_named() -> None:
    with pytest.raises(CalibrationError, match="no tile is named; say what lies in the picture"):
        enrol((), [], READER)


def test_nothing_seen_is_nothing_recognised() -> None:
    enrolment = enrol(parse_tiles("JD"), looks_at(AXES[:1]), READER)
    assert told(faces_with(np.zeros((0, EMBEDDING_SIZE))), enrolment).likeliest == ()


def test_looks_are_crops_of_the_same_face_both_ways_up() -> None:
    crop = np.random.default_rng(0).integers(0, 255, (64, 48, 3), dtype=np.uint8)
    looks = training_looks(crop)
    half = len(looks) // 2
    assert np.array_equal(looks[0], crop)
    assert np.array_equal(looks[half], crop[::-1, ::-1])
