"""A 6 or a 9 that alone lies upside down in its row is rather the other digit; whatever else lies so stays."""

import numpy as np
import pytest

from referee.vision.context.orientation import weigh_by_neighbours
from referee.vision.geometry.detections import EMBEDDING, SYMBOLS, Faces, Floats
from referee.vision.geometry.quads import quads_of, turned

Said = tuple[str, float, bool]
"""A digit, how sure, and whether it is upright."""


def row(count: int, step: float = 44.0) -> Floats:
    centre = np.array([[100 + step * number, 100] for number in range(count)], np.float32)
    up, right = (np.tile(np.array([side], np.float32), (count, 1)) for side in ([0, -30], [21, 0]))
    return quads_of(centre, up, right)


def faces(*said: Said) -> Faces:
    """What is said of each tile; what is left is the chance of the same tile turned round, 6 for 9."""
    symbol = np.zeros((len(said), len(SYMBOLS)), np.float32)
    for place, (name, chance, _) in enumerate(said):
        symbol[place, SYMBOLS.index({"6": "9", "9": "6"}.get(name, "1"))] = 1 - chance
        symbol[place, SYMBOLS.index(name)] = chance
    ink = np.tile(np.array([[0.999, 0.001, 0, 0]], np.float32), (len(said), 1))
    upright = np.array([0.99 if up else 0.01 for _, _, up in said], np.float32)
    return Faces(symbol=symbol, ink=ink, upright=upright, embedding=np.zeros((len(said), EMBEDDING), np.float32))


def chance(of: Faces, place: int, name: str) -> float:
    return float(of.symbol[place, SYMBOLS.index(name)])


FIVE, SEVEN, EIGHT = ("5", 0.999, True), ("7", 0.999, True), ("8", 0.999, True)


@pytest.mark.parametrize(("looks", "is_rather"), [("9", "6"), ("6", "9")])
def test_alone_upside_down_it_is_rather_the_other(looks: str, is_rather: str) -> None:
    after = weigh_by_neighbours(row(4), faces(FIVE, (looks, 0.97, False), SEVEN, EIGHT))
    assert chance(after, 1, is_rather) == pytest.approx(0.03 * 0.985 / (0.03 * 0.985 + 0.97 * 0.015), abs=1e-3)
    assert after.upright[1] == pytest.approx(chance(after, 1, is_rather), abs=0.02), "and it lies as the others do"


def test_one_that_is_plain_stays_what_it_is_and_one_that_is_not_is_asked_about() -> None:
    for certain, least, most in ((0.9999, 0.97, 1.0), (0.998, 0.5, 0.95)):
        after = weigh_by_neighbours(row(4), faces(FIVE, ("9", certain, False), SEVEN, EIGHT))
        assert least < chance(after, 1, "9") < most


@pytest.mark.parametrize(
    "said",
    [
        pytest.param((FIVE, ("6", 0.97, True), SEVEN, EIGHT), id="it lies as the others do"),
        pytest.param((FIVE, ("4", 0.97, False), SEVEN, EIGHT), id="another digit"),
        pytest.param((FIVE, ("9", 0.97, False), ("8", 0.999, False), SEVEN), id="another lies as it does"),
        pytest.param((FIVE, ("9", 0.97, False), ("8", 0.9, True)), id="only one neighbour is sure"),
        pytest.param((("9", 0.97, False),), id="alone"),
    ],
)
def test_nothing_else_is_changed(said: tuple[Said, ...]) -> None:
    before = faces(*said)
    after = weigh_by_neighbours(row(len(said)), before)
    np.testing.assert_allclose(after.symbol, before.symbol, atol=1e-6)
    np.testing.assert_allclose(after.upright, before.upright, atol=1e-6)


def test_one_whose_way_up_is_open_stays() -> None:
    """A 9 in the middle of its tile may be read as a 9 by one half of the model and as upside down by the other."""
    before = faces(FIVE, ("9", 0.7, False), SEVEN, EIGHT)
    before.upright[1] = 0.3
    np.testing.assert_allclose(weigh_by_neighbours(row(4), before).symbol, before.symbol, atol=1e-6)


def test_tiles_of_other_rows_say_nothing() -> None:
    quads = row(4)
    quads[[0, 2, 3]] += np.array([0, 70], np.float32)
    before = faces(FIVE, ("9", 0.97, False), SEVEN, EIGHT)
    np.testing.assert_allclose(weigh_by_neighbours(quads, before).symbol, before.symbol, atol=1e-6)


def test_whichever_way_round_the_quads_were_cut_out() -> None:
    """A quad's own way up is open until its face is read: the same tiles in quads turned over say the same."""
    quads = row(4)
    before = faces(FIVE, ("9", 0.97, False), SEVEN, EIGHT)
    over = np.where(np.array([True, False, True, False])[:, None, None], turned(quads), quads).astype(np.float32)
    flipped = faces(("5", 0.999, False), ("9", 0.97, False), ("7", 0.999, False), EIGHT)
    np.testing.assert_allclose(
        weigh_by_neighbours(over, flipped).symbol, weigh_by_neighbours(quads, before).symbol, atol=1e-6
    )


def test_no_tiles_are_no_trouble() -> None:
    assert len(weigh_by_neighbours(row(4)[:0], faces(FIVE).pick(np.zeros(1, bool)))) == 0
