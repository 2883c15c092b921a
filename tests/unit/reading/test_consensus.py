"""ConsensusState: several looks at a table at rest become one reading; hands, flicker and doubt do not."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.reading.consensus import ConsensusPolicy, ConsensusState, add_look, fuse
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import format_table, parse_tile
from tests.conftest import examples

PATIENCE = ConsensusPolicy(looks=3, quiet_seconds=0.4, restless_looks=8)


def tile(name: str, x: float, y: float = 0.0, confidence: float = 0.99, alternatives: str = "") -> TileReading:
    """A tile 30 pixels wide, `back` face down; below 0.9 it is unsure. Alternatives as `R9:0.3 R8:0.1`."""
    others = tuple((parse_tile(word.split(":")[0]), float(word.split(":")[1])) for word in alternatives.split())
    return TileReading(
        quad=((x, y), (x + 30, y), (x + 30, y + 42), (x, y + 42)),
        tile=None if name == "back" else parse_tile(name),
        confidence=confidence,
        alternatives=others,
        unsure=confidence < 0.9,
    )


def reading(at: float, tiles: Sequence[TileReading]) -> TableReading:
    return TableReading(frame_id=f"frame-{at:.1f}", at=at, tiles=tuple(tiles), layouts=lay_out_tiles(tiles))


def table(names: str, *, x: float = 0.0, y: float = 0.0) -> list[TileReading]:
    return [tile(name, x + 31 * place, y) for place, name in enumerate(names.split())]


def fold(looks: Sequence[tuple[TableReading, bool]]) -> list[tuple[float, str]]:
    """When the table settled, and to what."""
    state, told = ConsensusState(), []
    for one, moving in looks:
        state, settled = add_look(state, one, moving=moving, policy=PATIENCE)
        if settled is not None:
            told.append((round(one.at, 1), format_table(settled.table())))
    return told


def at_rest(tiles: Sequence[TileReading], start: float, looks: int) -> list[tuple[TableReading, bool]]:
    return [(reading(start + 0.2 * k, tiles), False) for k in range(looks)]


def hands(tiles: Sequence[TileReading], start: float, looks: int) -> list[tuple[TableReading, bool]]:
    return [(reading(start + 0.2 * k, tiles[k % 2 :]), True) for k in range(looks)]


def test_a_table_at_rest_settles_once() -> None:
    assert fold(at_rest(table("R3 R4 R5"), 0.0, 20)) == [(0.4, "R3 R4 R5")]


def test_an_empty_table_settles_too() -> None:
    assert fold(at_rest([], 0.0, 5)) == [(0.4, "")]


def test_three_looks_in_too_short_a_time_are_not_enough() -> None:
    quick = [(reading(0.05 * k, table("R3 R4 R5")), False) for k in range(6)]
    assert fold(quick) == []


def test_nothing_settles_under_hands() -> None:
    assert fold(hands(table("R3 R4 R5"), 0.0, 40)) == []


def test_the_table_settles_again_after_each_turn() -> None:
    before, after = table("R3 R4 R5"), table("R3 R4 R5 R6")
    looks = [*at_rest(before, 0.0, 4), *hands(after, 0.8, 5), *at_rest(after, 1.8, 4)]
    assert fold(looks) == [(0.4, "R3 R4 R5"), (2.2, "R3 R4 R5 R6")]


def test_a_tile_put_down_unnoticed_by_the_motion_gate_is_noticed() -> None:
    looks = [*at_rest(table("R3 R4 R5"), 0.0, 4), *at_rest(table("R3 R4 R5 R6"), 0.8, 4)]
    assert fold(looks) == [(0.4, "R3 R4 R5"), (1.2, "R3 R4 R5 R6")]


def test_a_tile_exchanged_between_two_frames_begins_the_looks_anew() -> None:
    """As of a camera with a frame a second, looked at several times: no frame shows the hand, and no name is mixed."""
    joker, twelve = table("R12 O12 J"), table("R12 O12 K12")
    before = [(reading(at, joker), False) for at in (1.0, 1.0, 1.0)]
    assert fold([*before, *at_rest(twelve, 2.0, 4)])[0][1] == "R12 O12 K12"


def test_a_lamp_that_never_rests_is_outvoted_by_looks_that_agree() -> None:
    looks = [(reading(0.2 * k, table("R3 R4 R5")), True) for k in range(20)]
    assert fold(looks) == [(1.4, "R3 R4 R5")]


def test_hands_that_change_nothing_do_not_settle_it_twice() -> None:
    still = table("R3 R4 R5")
    looks = [*at_rest(still, 0.0, 4), *[(one, True) for one, _ in at_rest(still, 0.8, 3)], *at_rest(still, 1.4, 5)]
    assert fold(looks) == [(0.4, "R3 R4 R5")]


def test_two_tiles_seen_in_one_place_do_not_stop_the_referee() -> None:
    two = [replace(tile(name, 0), bare=0.6) for name in ("R6", "R9")]
    fused = fuse([reading(0.2 * k, two) for k in range(3)])
    assert {str(one.tile) for one in fused.tiles} == {"R6", "R9"}
    assert all(one.bare == pytest.approx(0.6) for one in fused.tiles if len(one.alternatives) > 0)


def test_a_tile_seen_now_and_then_is_kept_in_doubt() -> None:
    steady, flickering = table("R3 R4 R5"), tile("R6", 93)
    looks = [reading(0.2 * k, [*steady, flickering] if k % 2 else steady) for k in range(6)]
    state, told = ConsensusState(), []
    for one in looks:
        state, settled = add_look(state, one, moving=False, policy=PATIENCE)
        told += [settled] if settled is not None else []
    (settled,) = told
    assert format_table(settled.table()) == "R3 R4 R5 R6"
    assert [str(settled.tiles[index].tile) for index in settled.unsure] == ["R6"]


def test_a_tile_that_all_of_the_last_looks_show_is_sure_though_a_hand_lay_over_it_before() -> None:
    steady, covered = table("R3 R4 R5"), tile("R6", 93)
    fused = fuse([reading(0.2 * k, [*steady, covered] if k >= 3 else steady) for k in range(6)])
    assert (fused.unsure, len(fused.tiles)) == ((), 4)
    fused = fuse([reading(0.2 * k, [*steady, covered] if k < 3 else steady) for k in range(6)])
    assert [str(fused.tiles[index].tile) for index in fused.unsure] == ["R6"], "gone in the last ones"


def test_backs_that_are_hardly_seen_come_and_go_unheeded() -> None:
    steady, pool = table("R3 R4 R5"), [tile("back", 31 * k, 200, confidence=0.6) for k in range(8)]
    looks = [(reading(0.2 * k, [*steady, *pool[: 3 * k % 9]]), False) for k in range(20)]
    assert fold(looks) == [(0.4, "R3 R4 R5")]


def test_doubtful_faces_that_come_and_go_delay_the_table_for_six_looks_at_most() -> None:
    flickering = [tile("JD", 400, confidence=0.6), tile("JM", 450, confidence=0.5)]
    looks = [(reading(0.2 * k, [*table("R3 R4 R5"), *flickering[: 2 * (k % 2)]]), False) for k in range(8)]
    assert [at for at, _ in fold(looks)] == [1.0]


@pytest.mark.parametrize("at", [[0.0, 0.4, 0.4, 0.8, 0.8, 1.2], [0.0, 0.0, 0.0, 1.4, 1.4, 1.4]])
def test_sure_tiles_that_come_and_go_from_look_to_look_delay_it_no_longer(at: list[float]) -> None:
    flickering, steady = [tile("R6", 400), tile("back", 450)], table("R3 R4 R5")
    shown = [2, 1, 0, 2, 0, 2]
    looks = [(reading(when, [*steady, *flickering[:count]]), False) for when, count in zip(at, shown, strict=True)]
    assert [when for when, _ in fold(looks)] == [at[-1]]


def test_what_hardly_looks_like_a_tile_is_none_where_it_lies_alone_and_in_doubt_in_a_row() -> None:
    hardly = [replace(tile("B8", x, confidence=0.05), bare=0.94) for x in (400, 93)]
    seen = fuse([reading(0.2 * k, [*table("R3 R4 R5"), *hardly]) for k in range(3)])
    assert format_table(seen.table()) == "R3 R4 R5 B8"
    assert [one.unsure for one in seen.tiles] == [False, False, False, True]


def test_a_face_in_the_place_of_a_back_that_was_hardly_seen_is_heeded() -> None:
    steady = table("R3 R4 R5")
    looks = [
        *at_rest([*steady, tile("back", 93, confidence=0.6)], 0.0, 4),
        *at_rest([*steady, tile("R6", 200)], 0.8, 4),
    ]
    assert fold(looks) == [(0.4, "R3 R4 R5"), (1.2, "R3 R4 R5 / R6")]


def test_a_back_is_in_doubt_only_where_it_may_well_be_a_face() -> None:
    one = reading(
        0.0,
        [
            tile("back", 0, confidence=0.6, alternatives="R3:0.04 K3:0.04"),
            tile("back", 60, confidence=0.6, alternatives="R3:0.3"),
            tile("back", 120),
            tile("R3", 180, confidence=0.6),
            tile("R3", 240),
        ],
    )
    assert one.unsure == (1, 3)


def test_a_tile_seen_once_in_many_looks_is_none() -> None:
    steady, ghost = table("R3 R4 R5"), tile("R6", 93)
    fused = fuse([reading(0.2 * k, [*steady, ghost] if k == 2 else steady) for k in range(6)])
    assert format_table(fused.table()) == "R3 R4 R5"


@pytest.mark.parametrize(
    ("beside", "changed", "still"),
    [
        (("back", 0.6), True, True),
        (("R9", 0.4), False, True),
        (("R9", 0.4), True, False),
        (("R9", 0.99), False, False),
    ],
)
def test_a_doubtful_tile_that_one_look_at_an_unchanged_picture_shows_is_none(
    beside: tuple[str, float], *, changed: bool, still: bool
) -> None:
    steady = table("R3 R4 R5")
    state = ConsensusState()
    for one, moving in at_rest(steady, 0.0, 4):
        state, _ = add_look(state, one, moving=moving, policy=PATIENCE)
    more = tile(beside[0], 300, confidence=beside[1])
    state, told = add_look(state, reading(2.0, [*steady, more]), moving=False, policy=PATIENCE, changed=changed)
    assert (state.reported, told) == (still, None)


def test_a_doubtful_tile_that_look_after_look_shows_is_one() -> None:
    steady, state = table("R3 R4 R5"), ConsensusState()
    for one, moving in at_rest(steady, 0.0, 4):
        state, _ = add_look(state, one, moving=moving, policy=PATIENCE)
    told = []
    for later in range(6):
        seen = reading(2.0 + later, [*steady, tile("R9", 300, confidence=0.4)])
        state, settled = add_look(state, seen, moving=False, policy=PATIENCE, changed=False)
        told += [] if settled is None else [format_table(settled.table())]
    assert told == ["R3 R4 R5 / R9"]


@pytest.mark.parametrize(("found", "unsure"), [((1, 4), True), ((1, 3, 5), True), ((0, 1, 3, 5), False)])
def test_a_tile_found_now_and_then_may_be_one(found: tuple[int, ...], unsure: bool) -> None:  # noqa: FBT001
    steady, hard_to_see = table("R3 R4 R5"), tile("R6", 93)
    fused = fuse([reading(0.2 * k, [*steady, hard_to_see] if k in found else steady) for k in range(6)])
    assert format_table(fused.table()) == "R3 R4 R5 R6"
    assert (fused.tiles[3].unsure, round(fused.tiles[3].bare, 3)) == (unsure, round(1 - len(found) / 6, 3))


def test_a_tile_outlined_otherwise_by_one_look_is_one_tile_and_no_change() -> None:
    steady = table("R3 R4 R5")
    looks = [(reading(0.2 * k, [*steady, tile("R6", 102 if k == 1 else 93)]), False) for k in range(3)]
    assert fold(looks) == [(0.4, "R3 R4 R5 R6")]
    assert fuse([one for one, _ in looks]).unsure == ()


def test_looks_that_contradict_each_other_leave_the_tile_unsure() -> None:
    looks = [reading(0.2 * k, [tile("R6" if k % 2 else "R9", 0, confidence=0.95)]) for k in range(4)]
    (fused,) = fuse(looks).tiles
    assert fused.unsure
    assert {str(fused.tile), str(fused.alternatives[0][0])} == {"R6", "R9"}


def test_tiles_that_half_cover_each_other_are_each_known_again() -> None:
    """As in a row laid like shingles: what lies in a tile's place is the nearest, not the first that is near enough."""
    shingled = [tile(name, 11.5 * place) for place, name in enumerate(["R3", "R4", "R5", "R6"])]
    shaken = [replace(one, quad=tile("R3", one.quad[0][0] + 1.5).quad) for one in shingled]
    fused = fuse([reading(0.0, shingled), reading(0.2, shaken), reading(0.4, shingled)])
    assert [str(one.tile) for one in fused.tiles] == ["R3", "R4", "R5", "R6"]
    assert fused.unsure == ()


def test_a_look_that_is_sure_of_another_tile_is_not_outvoted() -> None:
    looks = [reading(0.2 * k, [tile("R9" if k == 1 else "R6", 0)]) for k in range(3)]
    (fused,) = fuse(looks).tiles
    assert str(fused.tile) == "R6"
    assert fused.unsure


@pytest.mark.parametrize(("count", "asked"), [(3, True), (6, False)])
def test_one_doubtful_look_is_outvoted_by_many_sure_ones_not_by_two(count: int, *, asked: bool) -> None:
    looks = [reading(0.2 * k, [tile("R6", 0)]) for k in range(count)]
    looks[1] = reading(0.2, [tile("R9", 0, confidence=0.5, alternatives="R6:0.4")])
    (fused,) = fuse(looks).tiles
    assert str(fused.tile) == "R6"
    assert fused.unsure == asked


def test_a_look_that_is_less_sure_of_the_same_tile_is_not_asked_about() -> None:
    looks = [reading(0.2 * k, [tile("R6", 0)]) for k in range(3)]
    looks[1] = reading(0.2, [tile("R6", 0, confidence=0.6, alternatives="R9:0.3")])
    (fused,) = fuse(looks).tiles
    assert (str(fused.tile), fused.unsure) == ("R6", False)


def test_two_sure_looks_do_not_outvote_one_that_hardly_leaves_them_a_chance() -> None:
    sure, other = tile("B9", 0.0, confidence=0.99), tile("B6", 0.0, confidence=0.8, alternatives="B9:0.2")
    (fused,) = fuse([reading(0.0, [sure]), reading(0.2, [sure]), reading(0.4, [other])]).tiles
    assert (str(fused.tile), fused.unsure) == ("B9", True)


def test_what_lay_there_before_is_not_believed_against_most_looks() -> None:
    before = fuse([reading(0.0, [tile("R5", 0.0)])])
    sure = tile("R6", 0.0, confidence=0.95, alternatives="R5:0.05")
    doubtful = tile("R5", 0.0, confidence=0.6, alternatives="R6:0.35")
    (fused,) = fuse([reading(1.0, [sure]), reading(1.2, [doubtful]), reading(1.4, [sure])], before).tiles
    assert (str(fused.tile), fused.unsure) == ("R6", True)


def test_a_tile_that_has_not_moved_stays_sure_when_it_becomes_hard_to_read() -> None:
    before = reading(0.0, [tile("R6", 0), tile("K2", 100)])
    dim = [
        reading(1.0 + 0.2 * k, [tile("R6", 1, confidence=0.6, alternatives="R9:0.3"), tile("K2", 100)])
        for k in range(3)
    ]
    fused = fuse(dim, before)
    assert format_table(fused.table()) == "R6 / K2"
    assert fused.unsure == ()


def test_another_tile_where_it_lay_is_not_taken_for_it_however_hard_to_read() -> None:
    """Of a row that was moved up, the R6 came to lie where the R5 had; called an R5, a legal table was accused."""
    before = reading(0.0, [tile("R5", 0)])
    hard = [reading(1.0 + 0.2 * k, [tile("R6", 1, confidence=0.6, alternatives="R5:0.3")]) for k in range(3)]
    fused = fuse(hard, before)
    assert format_table(fused.table()) == "R6"
    assert fused.unsure == (0,)


@pytest.mark.parametrize(("x", "names"), [(1, {"JM": 0.06}), (9, {"JM": 0.05, "JC": 0.03})])
def test_a_doubtful_tile_that_has_not_moved_may_be_no_more_than_it_was(x: float, names: dict[str, float]) -> None:
    """A joker at rest may suddenly have been a third one too, and a turn without a play was asked about."""
    before = reading(0.0, [tile("J", 0, confidence=0.85, alternatives="JM:0.06")])
    dim = [reading(k, [tile("J", x, confidence=0.86, alternatives="JM:0.05 JC:0.03")]) for k in (1.0, 1.2, 1.4)]
    (fused,) = fuse(dim, before).tiles
    assert fused.unsure
    assert {str(name): round(chance, 2) for name, chance in fused.alternatives} == names


def test_a_tile_that_was_moved_does_not() -> None:
    before = reading(0.0, [tile("R6", 0)])
    dim = [reading(1.0 + 0.2 * k, [tile("R6", 9, confidence=0.6, alternatives="R9:0.3")]) for k in range(3)]
    assert fuse(dim, before).unsure == (0,)


def test_a_tile_surely_exchanged_in_its_place_is_believed() -> None:
    before = reading(0.0, [tile("J", 0)])
    assert format_table(fuse([reading(1.0 + 0.2 * k, [tile("R6", 1)]) for k in range(3)], before).table()) == "R6"


@settings(max_examples=examples(60))
@given(jitter=st.lists(st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5)), min_size=5, max_size=5))
def test_jitter_of_a_twentieth_of_a_tile_changes_nothing(jitter: list[tuple[float, float]]) -> None:
    looks = [(reading(0.2 * k, table("R3 R4 R5", x=dx, y=dy)), False) for k, (dx, dy) in enumerate(jitter)]
    assert [text for _, text in fold(looks)] == ["R3 R4 R5"]


@settings(max_examples=examples(60))
@given(order=st.permutations(range(5)))
def test_the_order_in_which_tiles_are_found_changes_nothing(order: list[int]) -> None:
    tiles = table("R3 R4 R5 R6 R7")
    fused = fuse([reading(0.0, tiles), reading(0.2, [tiles[index] for index in order]), reading(0.4, tiles)])
    assert format_table(fused.table()) == "R3 R4 R5 R6 R7"


@settings(max_examples=examples(60))
@given(confidences=st.lists(st.floats(0.5, 1.0), min_size=1, max_size=6))
def test_fusing_never_makes_a_tile_surer_than_its_surest_look(confidences: list[float]) -> None:
    (fused,) = fuse([reading(0.2 * k, [tile("R6", 0, confidence=c)]) for k, c in enumerate(confidences)]).tiles
    assert min(confidences) - 1e-9 <= fused.confidence <= max(confidences) + 1e-9


def test_patience_that_cannot_be_met_is_refused() -> None:
    with pytest.raises(ValueError, match="a consensus policy needs"):
        ConsensusPolicy(looks=0)


def test_every_settled_reading_is_of_looks_without_hands() -> None:
    tiles = table("R3 R4 R5")
    pattern = itertools.cycle([False, False, True])
    looks = [(reading(0.2 * k, tiles if k % 2 else tiles[1:]), next(pattern)) for k in range(60)]
    assert fold(looks) == []


def test_what_only_some_looks_found_may_be_nothing() -> None:
    sure, hardly = tile("R3", 0.0), replace(tile("R4", 31.0, confidence=0.5), bare=0.4)
    fused = fuse([reading(0.0, [sure, hardly]), reading(0.2, [sure, hardly]), reading(0.4, [sure])])
    assert [round(one.bare, 3) for one in fused.tiles] == [0.0, 0.6]


def test_a_tile_that_nobody_touched_is_known_again_though_it_is_located_otherwise() -> None:
    """Season, twist-pressman 1076, turn 8: a joker found a tenth of a tile aside at another scale."""
    known = table("K13 J K13")
    aside = [known[0], replace(known[1], quad=tile("J", 35.0).quad, confidence=0.8, unsure=True), known[2]]
    for patience, sure in ((PATIENCE, False), (PATIENCE.shorter(), True)):
        state, told = ConsensusState((), reading(0.0, known)), []
        for one, moving in at_rest(aside, 1.0, 4):
            state, settled = add_look(state, one, moving=moving, policy=patience)
            told += [settled] if settled else []
        assert [not any(one.unsure for one in settled.tiles) for settled in told] == [sure]
