"""Divisions: a row is one set or several, by how its tiles lie alone; either end may be the first."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.reading.row_segmentation import Adjacency, segmentations


def tight(*gaps: float) -> list[Adjacency]:
    """Tiles in line, read from one seat, with these gaps."""
    return [Adjacency(gap, 0.0, turned=False) for gap in gaps]


ADJACENCIES = st.lists(
    st.builds(Adjacency, gap=st.floats(-0.4, 0.6), shift=st.floats(-0.5, 0.5), turned=st.booleans()),
    min_size=1,
    max_size=14,
)


def ways(adjacencies: Sequence[Adjacency]) -> dict[tuple[int, ...], float]:
    return dict(segmentations(adjacencies, 0.0))


def test_two_touching_tiles_are_one() -> None:
    assert segmentations(tight(0.0), 0.0) == (((), 1.0),)


@pytest.mark.parametrize("gap", [0.3, 0.4, 0.55])
def test_a_wide_gap_between_tight_sets_leaves_no_doubt(gap: float) -> None:
    assert ways(tight(0, 0, gap, 0.01, 0))[(2,)] > 0.98


def test_the_wider_the_gap_the_likelier_it_divides() -> None:
    chances = [ways(tight(0, 0.02, gap, 0.01, 0)).get((2,), 0.0) for gap in (0.0, 0.08, 0.12, 0.16, 0.2, 0.3)]
    assert chances == sorted(chances)
    assert chances[0] < 0.03
    assert chances[-1] > 0.98


def test_the_same_gap_divides_less_likely_in_a_careless_row() -> None:
    assert ways(tight(0.02, 0.1, 0.16, 0, 0.09)).get((2,), 0.0) < ways(tight(0.02, 0, 0.16, 0, 0.01))[(2,)] / 2


def test_a_row_that_steps_aside_is_likelier_two() -> None:
    aside = [*tight(0, 0), Adjacency(0.1, 0.3, turned=False), *tight(0, 0)]
    assert ways(aside)[(2,)] > ways(tight(0, 0, 0.1, 0, 0))[(2,)] + 0.3


def in_lines(*shifts: float) -> list[Adjacency]:
    """Tiles a tenth of a width apart, each shifted so far."""
    return [Adjacency(0.1, shift, turned=False) for shift in shifts]


@pytest.mark.parametrize("aside", [0.12, -0.12])
def test_two_straight_lines_are_two_sets_though_all_gaps_are_alike(aside: float) -> None:
    assert ways(in_lines(0.01, 0, -0.01, aside, 0, 0.01, 0))[(3,)] > 0.6


@pytest.mark.parametrize(
    "shifts",
    [
        pytest.param([0.1] * 6, id="stairs"),
        pytest.param([-0.11, -0.09, -0.1, -0.12, -0.1, -0.1], id="stairs the other way"),
        pytest.param([0.06, -0.07, 0.12, -0.08, 0.05, -0.1, 0.04], id="a crooked row"),
    ],
)
def test_a_row_that_is_crooked_or_climbs_throughout_is_one(shifts: list[float]) -> None:
    assert segmentations(in_lines(*shifts), 0.1)[0][0] == ()


@given(adjacencies=ADJACENCIES)
def test_to_which_side_tiles_are_shifted_does_not_matter(adjacencies: list[Adjacency]) -> None:
    mirrored = ways([adjacency._replace(shift=-adjacency.shift) for adjacency in adjacencies])
    assert mirrored == pytest.approx(ways(adjacencies))


def test_gaps_as_wide_as_is_usual_on_the_table_divide_nothing() -> None:
    assert segmentations(tight(0.35, 0.36, 0.34, 0.35), 0.35) == (((), 1.0),)


def test_a_mosaic_of_tiles_in_one_row_is_told_like_any_other() -> None:
    assert next(iter(ways(tight(*[0.0, 0.07] * 149, 0.0)))) == ()


@given(adjacencies=ADJACENCIES)
def test_chances_are_in_order_and_no_way_comes_twice(adjacencies: list[Adjacency]) -> None:
    found = segmentations(adjacencies, 0.0)
    chances = [chance for _, chance in found]
    assert chances == sorted(chances, reverse=True)
    assert math.fsum(chances) <= 1 + 1e-9
    assert len({cuts for cuts, _ in found}) == len(found)
    assert all(cuts == tuple(sorted(set(cuts))) and set(cuts) <= set(range(len(adjacencies))) for cuts, _ in found)


@given(adjacencies=ADJACENCIES)
def test_a_row_read_from_its_other_end_divides_at_the_same_places(adjacencies: list[Adjacency]) -> None:
    best, there = segmentations(adjacencies, 0.0)[0]
    mirrored = ways(adjacencies[::-1])
    assert mirrored[tuple(sorted(len(adjacencies) - 1 - place for place in best))] == pytest.approx(there, rel=0.05)


@pytest.mark.parametrize(("gap", "shift"), [(0.43, 0.16), (0.3, 0.1), (0.2, -0.2)])
@pytest.mark.parametrize("neat", [[0.0], [0.0, 0.0], [0.01, 0.0, 0.0]])
def test_a_last_tile_knocked_aside_still_lies_in_its_set(neat: list[float], gap: float, shift: float) -> None:
    adjacencies = [*(Adjacency(one, 0.0, False) for one in neat), Adjacency(gap, shift, False)]
    for row in (adjacencies, adjacencies[::-1]):
        (cuts, chance), *_ = segmentations(row, 0.0)
        assert cuts == ()
        assert chance > 0.95


def test_two_sets_in_one_line_are_not_taken_for_one_with_a_tile_knocked_aside() -> None:
    for before, after in [(2, 2), (3, 2), (2, 4)]:
        adjacencies = [
            *[Adjacency(0.0, 0.0, False)] * before,
            Adjacency(0.3, 0.1, False),
            *[Adjacency(0.0, 0.0, False)] * after,
        ]
        (cuts, chance), *_ = segmentations(adjacencies, 0.0)
        assert cuts == (before,)
        assert chance > 0.99
