"""The way up of a 6 or 9: neighbours that lie alike tell it, neighbours that lie any way do not."""

from collections.abc import Sequence

import numpy as np
import pytest

from referee.rules.notation import parse_tile
from referee.vision.classify.naming import LogOdds, name_faces, read_names
from referee.vision.context.way_up import apply_ways_up, turn_over
from referee.vision.geometry.detections import EMBEDDING_SIZE, SYMBOLS, Faces, Floats

Seen = tuple[str, float, float]  # number, its probability, degrees clockwise by which the tile lies turned
UPRIGHT_ROW = [("5", 0.99, 0.0), ("7", 0.99, 0.0), ("10", 0.99, 0.0), ("12", 0.99, 0.0)]


def faces_of(seen: Sequence[Seen]) -> tuple[Floats, Faces]:
    """Red tiles beside each other; what a 6 or 9 may be otherwise is the other of them."""
    symbol = np.full((len(seen), len(SYMBOLS)), 1e-6, np.float32)
    quads = []
    for row, (number, chance, degrees) in enumerate(seen):
        other = {"6": "9", "9": "6"}.get(number, "none")
        symbol[row, SYMBOLS.index(number)], symbol[row, SYMBOLS.index(other)] = chance, 1 - chance
        turn = np.radians(degrees)
        right, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        middle = np.array([30.0 * row, 0.0])
        quads.append([middle + x * right + y * down for x, y in ((-10, -14), (10, -14), (10, 14), (-10, 14))])
    count = len(seen)
    ink = np.tile(np.array([0.001, 0.997, 0.001, 0.001], np.float32), (count, 1))
    embedding = np.zeros((count, EMBEDDING_SIZE), np.float32)
    return np.array(quads, np.float32), Faces(
        symbol=symbol, ink=ink, upright=np.ones(count, np.float32), embedding=embedding
    )


def read(*seen: Seen) -> list[tuple[str, bool]]:
    quads, faces = faces_of(seen)
    names = apply_ways_up(name_faces(faces, None), quads, faces)
    return [(str(tile.tile), tile.unsure) for tile in read_names(names, quads, sure=0.91)]


def test_a_six_that_lies_as_its_row_stays_sure() -> None:
    assert read(*UPRIGHT_ROW, ("6", 0.95, 0.0))[-1] == ("R6", False)


def test_a_six_upside_down_in_its_row_is_a_nine_unless_it_was_sure() -> None:
    assert read(*UPRIGHT_ROW, ("6", 0.7, 180.0))[-1] == ("R9", False)
    assert read(*UPRIGHT_ROW, ("6", 0.985, 180.0))[-1][1], "asked about"
    assert read(*UPRIGHT_ROW, ("6", 0.9999, 180.0))[-1] == ("R6", False)


@pytest.mark.parametrize("crosswise", [90.0, 270.0])
def test_a_six_across_its_row_is_as_it_was_read(crosswise: float) -> None:
    assert read(*UPRIGHT_ROW, ("6", 0.95, crosswise))[-1] == ("R6", False)


def test_tiles_strewn_any_way_up_leave_a_six_as_it_was_read() -> None:
    strewn = [(number, chance, 90.0 * at) for at, (number, chance, _) in enumerate(UPRIGHT_ROW)]
    for way in (0.0, 90.0, 180.0, 270.0):
        assert read(*strewn, ("6", 0.95, way))[-1] == ("R6", False)


def test_numbers_that_look_alike_upside_down_and_doubtful_ones_do_not_vote() -> None:
    others = [(number, 0.99, 0.0) for number in ("1", "8", "11", "9")]
    assert read(*others, ("6", 0.95, 180.0))[-1] == ("R6", False)
    assert read(*[(number, 0.8, 0.0) for number, _, _ in UPRIGHT_ROW], ("6", 0.95, 180.0))[-1] == ("R6", False)


def test_one_neighbour_weighs_a_quarter_of_four_at_most() -> None:
    assert read(UPRIGHT_ROW[0], ("6", 0.95, 180.0))[-1] == ("R6", False)


def test_a_tile_that_others_made_a_nine_lies_the_other_way_up() -> None:
    quads, faces = faces_of([*UPRIGHT_ROW, ("6", 0.7, 180.0)])
    names = apply_ways_up(name_faces(faces, None), quads, faces)
    before = read_names(names, quads, sure=0.91)
    after = turn_over(before, faces)
    assert [one.quad for one in after[:-1]] == [one.quad for one in before[:-1]]
    a, b, c, d = before[-1].quad
    assert (after[-1].tile, after[-1].quad) == (parse_tile("R9"), (c, d, a, b))


def test_no_tile_has_no_vote() -> None:
    quads, faces = faces_of([])
    names = name_faces(faces.pick(np.zeros(0, np.intp)), None)
    assert isinstance(apply_ways_up(names, quads.reshape(-1, 4, 2), faces), LogOdds)
    assert turn_over((), faces) == ()
