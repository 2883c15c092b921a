"""Unkind evenings: the same seed gives the same evening, the table stays what it is said to be."""

from itertools import islice, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.rules.editions import rule_set
from referee.sim.camera_faults import CameraFaults
from referee.sim.hardships import LASTING_HARDSHIPS, Hardship, MatchWithHardships
from referee.sim.layout import footprints_overlap
from referee.sim.render import Painter
from referee.sim.scenarios import match_with_hardships, simulated_match
from referee.sim.scene import SceneMoment
from referee.sim.table_objects import ObjectKind, TableObject

SIZE = (1280, 960)


def unkind(*hardships: Hardship, seed: int = 5) -> MatchWithHardships:
    rules = rule_set("original")
    return match_with_hardships(rules, seed=seed, games=1, cheat_rate=0.3, size=SIZE, hardships=hardships)[0]


def test_the_same_seed_gives_the_same_unkind_evening() -> None:
    one, other = unkind(*Hardship), unkind(*Hardship)
    assert list(islice(one.play(), 8)) == list(islice(other.play(), 8))
    assert one.scene.moments == other.scene.moments


def test_without_hardships_it_is_the_kind_evening() -> None:
    kind, _ = simulated_match(rule_set("original"), seed=5, games=1, cheat_rate=0.3, size=SIZE)
    none = unkind()
    assert list(islice(kind.play(), 5)) == list(islice(none.play(), 5))
    assert kind.scene.moments == none.scene.moments


@pytest.mark.parametrize("hardship", [one for one in Hardship if one not in LASTING_HARDSHIPS])
def test_each_hardship_comes_in_a_third_of_the_turns_and_changes_no_truth(hardship: Hardship) -> None:
    evening = unkind(hardship, seed=3)
    turns = list(islice(evening.play(), 12))
    if hardship is not Hardship.OUTSIDE:  # where somebody sits at every side there is no room for it
        assert evening.turn_counts[hardship.value] * 3 >= len(turns)
    spoilt = {Hardship.OVERLAP, Hardship.FACE_DOWN, Hardship.OUTSIDE}
    assert all(turn.all_visible == (not spoilt & set(turn.hardships)) for turn in turns)
    for before, after in pairwise(turns):
        assert sorted(map(str, before.after.table.sets)) == sorted(map(str, after.before.sets))


def test_a_camera_that_nothing_befalls_is_steady() -> None:
    steady = CameraFaults.random(3, {Hardship.SLID})
    assert (steady.frame_rate, steady.reading_seconds, steady.loss_rate, steady.sag_pixels, steady.has_lamps) == (
        5.0,
        (0.0, 0.0),
        0.0,
        0.0,
        False,
    )
    few = CameraFaults.random(3, {Hardship.FEW})
    assert 1.0 <= few.frame_rate < 5.0
    every = CameraFaults.random(3, set(Hardship))
    assert every.frame_rate == few.frame_rate, "each is drawn alike, whatever else befalls"
    assert every.verdict_seconds > few.verdict_seconds > steady.verdict_seconds


def test_a_row_that_is_pushed_off_the_table_takes_along_the_tile_that_was_slid() -> None:
    both = {Hardship.SLID, Hardship.OUTSIDE}
    evenings = [unkind(*both, seed=seed) for seed in range(6)]
    turns = [turn for evening in evenings for turn in islice(evening.play(), 8) if both <= {*turn.hardships}]
    assert turns
    for turn in turns:
        assert {*turn.displaced_tiles} & {*turn.judgements[0].arrangement.tiles} in (
            {*row.tiles} for row in turn.judgements[0].arrangement.rows
        )


def test_nobody_lays_tiles_under_one_that_has_fallen() -> None:
    evenings = [unkind(Hardship.FALLEN, seed=seed) for seed in range(4)]
    for evening in evenings:
        list(islice(evening.play(), 12))
    fallen = [
        (one, shot) for evening in evenings for shot in evening.scene.moments for one in shot.laid if one.copy == 950
    ]
    assert fallen
    for one, shot in fallen:
        assert not any(footprints_overlap(one.corners(), other.corners()) for other in shot.laid if other is not one)


def test_a_press_in_haste_comes_while_a_hand_is_over_the_table() -> None:
    evening = unkind(Hardship.HASTY)
    hasty = [turn for turn in islice(evening.play(), 10) if Hardship.HASTY in turn.hardships]
    shots = evening.scene.moments
    presses = [true.at for turn in hasty if turn.before.sets for true in turn.judgements if true.cause == "press"]
    assert presses
    assert any(next(shot for shot in shots if shot.at > at).hands for at in presses)


def test_an_unsteady_camera_shows_what_lay_there_and_loses_runs_of_two_seconds_at_most() -> None:
    camera = CameraFaults(Random(1), frame_rate=5.0, reading_seconds=(0.3, 1.5), loss_rate=0.2, direction=0.0)
    shots = [SceneMoment(at / 5, (), ()) for at in range(1, 500)]
    taken: list[Any] = list(camera.frames(shots, 100.0))
    assert all(shot.at <= at or shot is shots[0] for at, shot in taken)
    apart = np.diff([at for at, _ in taken])
    assert camera.loss_runs > 5
    assert apart.min() > 0.17
    assert 0.5 < apart.max() < 5.0  # a run may begin where another ends
    at = taken[-1][0]
    takes = camera.read(at)
    assert next(camera.frames(shots, 200.0))[0] >= at + takes


def test_things_are_drawn_below_the_tiles_and_taken_away_again() -> None:
    evening, setting = simulated_match(rule_set("original"), seed=3, games=1, cheat_rate=0.0, size=SIZE)
    list(islice(evening.play(), 4))
    laid = evening.scene.moments[-1].laid
    painter = Painter(setting)
    bare = painter.paint(laid)
    row = evening.scene.arrangement.rows[0]
    card = TableObject(kind=ObjectKind.SHEET, x=row.x, y=row.y, angle=0.3, seed=1)
    with_card = painter.paint(laid, objects=(card,))
    spot = np.round(setting.view.quad(row.tiles[0], setting.style.thickness).mean(axis=0)).astype(int)
    corner = np.round(setting.view.project_flat(card.corners()).mean(axis=0) + np.array([0, 90])).astype(int)
    face = np.s_[spot[1] - 3 : spot[1] + 3, spot[0] - 3 : spot[0] + 3]
    assert np.abs(bare[face].astype(int) - with_card[face]).max() < 12
    assert np.abs(bare[corner[1], corner[0]].astype(int) - with_card[corner[1], corner[0]]).max() > 20
    assert np.array_equal(painter.paint(laid), bare)
