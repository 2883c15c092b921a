"""Rows: tiles into sets by their places, in tile widths, whatever the angle, the seat and the camera."""

import cmath
import math
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.reading.observation import Layout, Point, Quad
from referee.reading.rows import lay_out
from tests.conftest import examples

HEIGHT = 1.4


def tile(x: float, y: float = 0.0, turn: float = 0.0, *, flipped: bool = False) -> Quad:
    """A tile with its middle at x, y, turned clockwise by `turn` degrees; flipped: its digits face the far side."""
    spin = cmath.exp(1j * math.radians(turn + 180 * flipped))
    corners = [complex(sx, sy * HEIGHT) / 2 * spin + complex(x, y) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    a, b, c, d = ((corner.real, corner.imag) for corner in corners)
    return (a, b, c, d)


def row(*gaps: float, y: float = 0.0, start: float = 0.0) -> list[Quad]:
    """Upright tiles from left to right with these gaps between them."""
    places = [start]
    for gap in gaps:
        places.append(places[-1] + 1 + gap)
    return [tile(x, y) for x in places]


def seen(quads: Iterable[Quad], view: Callable[[Point], Point]) -> list[Quad]:
    return [(view(a), view(b), view(c), view(d)) for a, b, c, d in quads]


def turned(degrees: float, scale: float = 40.0) -> Callable[[Point], Point]:
    spin = cmath.exp(1j * math.radians(degrees)) * scale

    def view(point: Point) -> Point:
        place = complex(*point) * spin
        return (place.real, place.imag)

    return view


def aslant(tilt: float, distance: float = 30.0) -> Callable[[Point], Point]:
    """A camera that looks from `distance` tile widths, tilted by `tilt` degrees."""
    lean = math.radians(tilt)

    def view(point: Point) -> Point:
        away = distance + point[1] * math.sin(lean)
        return (point[0] * 1000 / away, point[1] * math.cos(lean) * 1000 / away)

    return view


def best(quads: Sequence[Quad]) -> set[tuple[int, ...]]:
    """The sets of the best layout."""
    return set(lay_out(quads)[0].sets)


def test_an_empty_table_has_one_layout_and_nothing_in_it() -> None:
    assert lay_out([]) == (Layout((), (), 1.0),)


def test_a_tile_alone_is_loose() -> None:
    assert lay_out([tile(0)]) == (Layout((), (0,), 1.0),)


@pytest.mark.parametrize(
    ("quads", "sets"),
    [
        pytest.param(row(0, 0), {(0, 1, 2)}, id="touching"),
        pytest.param(row(0.25, 0.1, 0.2), {(0, 1, 2, 3)}, id="small gaps"),
        pytest.param(row(0.4, 0.45, 0.4, 0.42, 0.43), {(0, 1, 2, 3, 4, 5)}, id="a table laid loosely throughout"),
        pytest.param(row(0, 0, 0.7, 0, 0), {(0, 1, 2), (3, 4, 5)}, id="two sets end to end, a gap between"),
        pytest.param(row(0, 0, 0.5, 0, 0), {(0, 1, 2), (3, 4, 5)}, id="two sets end to end, half a tile between"),
        pytest.param(
            row(0, 0, 0.3, 0, 0), {(0, 1, 2), (3, 4, 5)}, id="two tight sets end to end, a third of a tile between"
        ),
        pytest.param(row(0, 0, 0.17, 0, 0), {(0, 1, 2), (3, 4, 5)}, id="two tight sets, a sixth of a tile between"),
        pytest.param(row(0, 0, 0.125, 0, 0), {(0, 1, 2), (3, 4, 5)}, id="two tight sets, an eighth of a tile between"),
        pytest.param(
            row(0.07, 0.08, 0.08, 0.18, 0.03, 0.02), {(0, 1, 2, 3), (4, 5, 6)}, id="two sets, each tight in its own way"
        ),
        pytest.param(
            row(-0.08, -0.12, -0.1, 0.07, -0.1, -0.11), {(0, 1, 2, 3), (4, 5, 6)}, id="a gap where the others overlap"
        ),
        pytest.param(
            row(0.2, 0.2, 0.2, 0.2, 0, 0, 0), {(0, 1, 2, 3), (4, 5, 6, 7)}, id="a loose set against a tight one"
        ),
        pytest.param(row(0, 0.1, 0.17, 0.02, 0.1), {(0, 1, 2, 3, 4, 5)}, id="the same gap in a careless row"),
        pytest.param(
            row(0.3, 0.3, 0.3, 0.12, 0.3, 0.3, 0.3), {(0, 1, 2, 3), (4, 5, 6, 7)}, id="loose sets pushed together"
        ),
        pytest.param(
            [*row(0, 0), *(tile(3 + x, flipped=True) for x in range(3))],
            {(0, 1, 2), (5, 4, 3)},
            id="two sets laid from opposite seats, touching",
        ),
        pytest.param(
            [*(tile(1.3 * x - 6, flipped=True) for x in range(5)), *row(0.15, 0.15, 0.15, start=0.35)],
            {(4, 3, 2, 1, 0), (5, 6, 7, 8)},
            id="a loose set pushed against a tighter one from the other seat",
        ),
        pytest.param(row(0, 0, 0.2), {(0, 1, 2, 3)}, id="a tile added with a small gap"),
        pytest.param(row(*[0.25] * 5, 0.8, 0, 0), {(0, 1, 2, 3, 4, 5), (6, 7, 8)}, id="a loose row beside a tight one"),
        pytest.param(row(0, 0, 0.9), {(0, 1, 2)}, id="a loose tile at the end"),
        pytest.param([*row(0, 0), *row(0, 0, y=1.42)], {(0, 1, 2), (3, 4, 5)}, id="stacked rows that touch"),
        pytest.param([*row(0, 0), *row(0, 0, y=1.4, start=0.5)], {(0, 1, 2), (3, 4, 5)}, id="stacked like bricks"),
        pytest.param([tile(0), tile(1, 0.2), tile(2, -0.15), tile(3, 0.1)], {(0, 1, 2, 3)}, id="crooked"),
        pytest.param([tile(0), tile(1.02, 0, 6), tile(2.05, 0, -7)], {(0, 1, 2)}, id="each a little askew"),
        pytest.param([tile(0), tile(0.75), tile(1.5)], {(0, 1, 2)}, id="overlapping"),
        pytest.param([tile(2), tile(0), tile(1)], {(1, 2, 0)}, id="seen in another order than laid"),
        pytest.param([tile(-x, flipped=True) for x in range(3)], {(0, 1, 2)}, id="a run read from the far side"),
        pytest.param(
            [tile(0, flipped=True), tile(1), tile(2), tile(3)], {(0, 1, 2, 3)}, id="one tile upside down is outvoted"
        ),
        pytest.param([*row(0, 0), tile(3.4, 0, 90)], {(0, 1, 2)}, id="a crosswise tile beside a row"),
        pytest.param([*row(0, 0), tile(3.3, 0, 45)], {(0, 1, 2)}, id="a tile lying at 45 degrees beside a row"),
        pytest.param([*row(0, 0), tile(1, 1.6, 30)], {(0, 1, 2)}, id="a loose tile under a row"),
    ],
)
def test_rows(quads: Sequence[Quad], sets: set[tuple[int, ...]]) -> None:
    assert best(quads) == sets


def bent(count: int, radius: float) -> list[Quad]:
    """A row laid along a circle, its tiles touching at their inner corners."""
    step = 2 * math.atan(0.5 / (radius - HEIGHT / 2))
    places = [cmath.exp(1j * (step * k - math.pi / 2)) * radius for k in range(count)]
    return [tile(place.real, place.imag, math.degrees(step * k)) for k, place in enumerate(places)]


@pytest.mark.parametrize("radius", [3.0, 5.0, 12.0, 100.0])
@pytest.mark.parametrize("count", [3, 5, 9])
def test_a_row_that_bends_is_one_row(radius: float, count: int) -> None:
    assert best(bent(count, radius)) == {tuple(range(count))}


def test_a_fan_is_one_row() -> None:
    fan = []
    for k in range(5):
        turn = -30 + 15 * k
        lever = cmath.exp(1j * math.radians(turn - 90)) * 3.0  # held three tile widths below: lower corners overlap
        fan.append(tile(lever.real, lever.imag, turn))
    assert best(fan) == {(0, 1, 2, 3, 4)}


def test_a_doubtful_gap_gives_both_tables_with_chances_that_add_up() -> None:
    layouts = lay_out(row(0, 0, 0.12, 0, 0))
    assert {frozenset(layout.sets) for layout in layouts[:2]} == {
        frozenset({(0, 1, 2, 3, 4, 5)}),
        frozenset({(0, 1, 2), (3, 4, 5)}),
    }
    assert layouts[1].score > 0.2
    assert sum(layout.score for layout in layouts) == pytest.approx(1)
    assert [layout.score for layout in layouts] == sorted((layout.score for layout in layouts), reverse=True)


def test_sets_pushed_together_are_offered_at_every_place_where_two_could_meet() -> None:
    one, *others = lay_out(row(*[0.0] * 6))
    assert one.sets == ((0, 1, 2, 3, 4, 5, 6),)
    assert one.score > 0.9
    assert {layout.sets for layout in others} == {((0, 1, 2), (3, 4, 5, 6)), ((0, 1, 2, 3), (4, 5, 6))}


def test_a_row_too_short_for_two_sets_has_one_layout() -> None:
    assert len(lay_out(row(0, 0, 0, 0))) == 1


def test_no_table_gives_more_layouts_than_anyone_can_weigh() -> None:
    crowded = [quad for y in range(9) for quad in row(0, 0, 0.15, 0, 0, 0.17, 0, 0, y=2.0 * y)]
    layouts = lay_out(crowded)
    assert 2 <= len(layouts) <= 8
    for layout in layouts:
        assert sorted(i for tiles in (*layout.sets, layout.loose) for i in tiles) == list(range(81)), layout


TABLE = [
    *row(0, 0.05, 0.1),  # 0-3
    *row(0.1, 0, y=2.0),  # 4-6
    *row(0, 0, 0.05, 0, y=2.0, start=4.5),  # 7-11
    *bent(4, 8.0)[::-1],  # 12-15, above
    tile(9, 0, 40),  # 16, loose
]
SETS = {(0, 1, 2, 3), (4, 5, 6), (7, 8, 9, 10, 11), (15, 14, 13, 12)}


def moved(quads: Sequence[Quad], x: float, y: float) -> list[Quad]:
    return seen(quads, lambda point: (point[0] + x, point[1] + y))


@settings(max_examples=examples(150))
@given(degrees=st.floats(-360, 360), scale=st.floats(8, 400), x=st.floats(-9, 9), y=st.floats(-9, 9))
def test_the_reading_does_not_depend_on_angle_scale_or_place(degrees: float, scale: float, x: float, y: float) -> None:
    assert best(seen(moved(TABLE, x, y), turned(degrees, scale))) == SETS


@settings(max_examples=examples(150))
@given(degrees=st.floats(-180, 180), tilt=st.floats(-40, 40))
def test_the_reading_does_not_depend_on_the_camera(degrees: float, tilt: float) -> None:
    assert best(seen(seen(moved(TABLE, -5, -1), turned(degrees, 1.0)), aslant(tilt))) == SETS


@settings(max_examples=examples(100))
@given(order=st.permutations(range(len(TABLE))))
def test_the_reading_does_not_depend_on_the_order_tiles_were_found_in(order: Sequence[int]) -> None:
    found = best([TABLE[index] for index in order])
    assert {tuple(order[index] for index in tiles) for tiles in found} == SETS


@st.composite
def rows_with_some_upside_down(draw: st.DrawFn) -> tuple[list[float], set[int]]:
    """The gaps of a row pushed together, and which few of its tiles are read from the other seat."""
    gaps = draw(st.lists(st.floats(-0.04, 0.04), min_size=2, max_size=12))
    return gaps, draw(st.sets(st.integers(0, len(gaps)), max_size=min(2, len(gaps) // 2)))


@settings(max_examples=examples(100))
@given(row_and_few=rows_with_some_upside_down())
@example(row_and_few=([0, 0, 0.039, -0.031, -0.031, -0.031], {0, 1}))
@example(row_and_few=([-0.04, -0.04, 0.04, 0.04, 0.04], {0, 1}))
@example(row_and_few=([-0.04, -0.04, 0.037, -0.009, -0.04], {4, 5}))
def test_tiles_pushed_together_are_one_set_read_as_most_of_them_lie(row_and_few: tuple[list[float], set[int]]) -> None:
    gaps, few = row_and_few
    upright = row(*gaps)
    quads = [(c, d, a, b) if index in few else (a, b, c, d) for index, (a, b, c, d) in enumerate(upright)]
    assert best(quads) == {tuple(range(len(quads)))}


@settings(max_examples=examples(100))
@given(quads=st.lists(st.builds(tile, st.floats(0, 12), st.floats(0, 12), st.floats(0, 360)), max_size=40))
def test_whatever_is_thrown_down_every_tile_is_told_once(quads: list[Quad]) -> None:
    for layout in lay_out(quads):
        assert sorted(i for tiles in (*layout.sets, layout.loose) for i in tiles) == list(range(len(quads)))
        assert [tiles for tiles in layout.sets if len(tiles) < 2] == []
