"""Unkind evenings: the same seed gives the same evening, the table stays what it is said to be."""

from collections.abc import Iterable
from itertools import groupby, islice, pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.rules.editions import rule_set
from referee.sim.camera_faults import CameraFaults, reshape_image
from referee.sim.hardship_kinds import LASTING_HARDSHIPS, USUAL_HARDSHIPS, WORLDS, Hardship, random_hardships
from referee.sim.hardships import MatchWithHardships
from referee.sim.layout import footprints_overlap
from referee.sim.light_faults import LightFaults
from referee.sim.render import Painter
from referee.sim.scenarios import match_with_hardships, simulated_match
from referee.sim.scene import PictureShape, SceneMoment
from referee.sim.table_objects import ObjectKind, TableObject, objects_at

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
    assert all(moment.at <= at or moment is shots[0] for at, moment, _ in taken)
    apart = np.diff([one.at for one in taken])
    assert camera.loss_runs > 5
    assert apart.min() > 0.17
    assert 0.5 < apart.max() < 5.0  # a run may begin where another ends
    at = taken[-1].at
    takes = camera.read(at)
    assert next(camera.frames(shots, 200.0)).at >= at + takes


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


def test_a_random_evening_has_one_to_three_worlds_and_every_world_comes() -> None:
    drawn = [set(random_hardships(seed)) & {*WORLDS} for seed in range(200)]
    assert {len(worlds) for worlds in drawn} == {1, 2, 3}
    assert set.union(*drawn) == {*WORLDS}
    assert all({*USUAL_HARDSHIPS} <= set(random_hardships(seed)) for seed in range(5))


def of_camera(*hardships: Hardship, seed: int = 5) -> CameraFaults:
    return CameraFaults.random(seed, hardships)


def test_a_quarter_of_the_single_frames_is_lost() -> None:
    camera = of_camera(Hardship.QUARTER)
    taken = list(camera.frames([SceneMoment(at / 5, (), ()) for at in range(1000)], 200.0))
    assert 0.2 < camera.lost_frames / (camera.lost_frames + len(taken)) < 0.3


def test_a_repeated_picture_is_repeated_for_three_seconds_and_is_the_last_one() -> None:
    camera = of_camera(Hardship.REPEATED)
    taken = list(camera.frames([SceneMoment(at / 5, (), ()) for at in range(1000)], 200.0))
    runs = [list(run) for is_repeat, run in groupby(taken, lambda one: one.is_repeat) if is_repeat]
    assert runs
    for run in runs:
        assert run[-1].at - run[0].at > 2.4 or run[-1] is taken[-1]
        last = next(one for one in reversed(taken) if one.at < run[0].at)
        assert all(one.moment is last.moment for one in run)


def test_a_late_picture_shows_an_earlier_moment_also_of_the_turn_before() -> None:
    camera = of_camera(Hardship.LATE)
    assert 0.2 <= camera.late_seconds <= 0.8
    list(camera.frames([SceneMoment(at / 10, (), ()) for at in range(100)], 10.0))
    first = next(camera.frames([SceneMoment(10 + at / 10, (), ()) for at in range(1, 100)], 20.0))
    assert first.at - camera.late_seconds - 0.11 <= first.moment.at <= first.at - camera.late_seconds


def test_an_arm_sags_by_time() -> None:
    camera = of_camera(Hardship.SAG)
    assert np.hypot(*camera.shift(420.0)) == pytest.approx(12.5, abs=0.13)
    assert np.hypot(*camera.shift(60.0)) == pytest.approx(1.75, abs=0.13)
    assert camera.shift(840.0) == camera.shift(5000.0)
    assert of_camera().shift(840.0) == (0.0, 0.0)


GREY = np.full((96, 128, 3), 120, np.uint8)


def levels(light: LightFaults, seconds: Iterable[float]) -> list[float]:
    return [float(light.lit(GREY, at).mean()) for at in seconds]


def test_a_lamp_is_switched_to_half_its_light_for_good_or_every_13_seconds() -> None:
    of_seed = {LightFaults.random(seed, {Hardship.SWITCHED}).for_good: seed for seed in range(20)}
    good, again = (LightFaults.random(of_seed[for_good], {Hardship.SWITCHED}) for for_good in (True, False))
    assert levels(good, (good.switched_at - 1, good.switched_at + 1, good.switched_at + 900)) == [120, 60, 60]
    at = again.switched_at
    assert levels(again, (at - 1, at + 1, at + 12, at + 14, at + 25, at + 27)) == [120, 60, 60, 120, 120, 60]


def test_a_lamp_flashes_shortly_in_every_ten_seconds() -> None:
    light = LightFaults.random(4, {Hardship.FLASHING})
    for start in range(0, 100, 10):
        lit = levels(light, np.arange(start, start + 10, 0.05))
        assert 0.2 <= 0.05 * sum(level > 150 for level in lit) <= 0.8


def test_tint_shadow_and_bands_change_colour_part_of_the_picture_and_rows() -> None:
    tint = LightFaults.random(4, {Hardship.TINTED})
    assert np.ptp(tint.lit(GREY, tint.switched_at + 1)[0, 0].astype(int)) > 10
    shadow = LightFaults.random(4, {Hardship.SHADOW})
    spells = [shadow.lit(GREY, at) for at in range(0, 240, 12)]
    dark = [picture for picture in spells if picture.min() < 80 and picture.max() == 120]
    assert 3 < len(dark) < 17
    bands = LightFaults.random(4, {Hardship.FLICKER})
    one, other = bands.banded(GREY, 0.0), bands.banded(GREY, 1.0)
    assert np.ptp(one[0], axis=0).max() == 0
    assert one.max() == pytest.approx(120 * 1.14, abs=1)
    assert one.min() == pytest.approx(120 * 0.86, abs=1)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("hardship", [Hardship.TURNED, Hardship.SQUEEZED])
def test_a_turned_camera_is_turned_back_after_the_press(hardship: Hardship) -> None:
    evening = unkind(hardship, seed=3)
    judgements = [true for turn in islice(evening.play(), 8) for true in turn.judgements if hardship in turn.hardships]
    pressed = [true for true in judgements if true.cause == "press"]
    assert pressed
    for true in pressed:
        shown = [shot.shape for shot in evening.scene.moments if true.at <= shot.at < true.seen_from]
        assert set(shown) - {PictureShape.KNOWN}
        assert PictureShape.KNOWN not in shown


def test_a_reshaped_picture_keeps_its_size_and_shows_something_else() -> None:
    picture = np.zeros((96, 128, 3), np.uint8)
    picture[:20, :20] = 255
    corners = {
        PictureShape.KNOWN: (0, 0),
        PictureShape.QUARTER: (0, -1),
        PictureShape.UPSIDE_DOWN: (-1, -1),
        PictureShape.MIRRORED: (0, -1),
    }
    for shape, corner in corners.items():
        shown = reshape_image(picture, shape)
        assert shown.shape == picture.shape
        assert shown[corner].min() == 255
        assert sum(shown[y, x].min() == 255 for y in (0, -1) for x in (0, -1)) == 1
    assert reshape_image(picture, PictureShape.SQUEEZED).mean() < picture.mean()
    picture[40:56, 56:72] = 255
    rows, columns = np.nonzero(reshape_image(picture, PictureShape.PORTRAIT)[20:-20, 20:-20, 0] > 127)
    assert (np.ptp(columns) + 1) / (np.ptp(rows) + 1) == pytest.approx(16 / 9, rel=0.1)


def test_a_sheet_and_a_screen_lie_there_from_the_start_and_nobody_lays_tiles_on_them() -> None:
    evening = unkind(Hardship.PRINTED, Hardship.SCREEN, seed=3)
    lying = [one.corners() for one in evening.scene.objects]
    assert [one.kind for one in evening.scene.objects] == [ObjectKind.LEAFLET, ObjectKind.SCREEN]
    turns = list(islice(evening.play(), 25))
    assert turns[-1].after.rows
    assert not any(turn.after.overlaps(corners) for turn in turns for corners in lying)


def test_a_screen_changes_every_seven_seconds() -> None:
    screen = TableObject(kind=ObjectKind.SCREEN, x=100.0, y=100.0, angle=0.0, seed=1)
    assert objects_at((screen,), 6.9) == (screen,)
    assert objects_at((screen,), 7.1) != (screen,)


def test_a_player_whose_press_was_lost_presses_again() -> None:
    evening = unkind(Hardship.LOST_PRESS, seed=3)
    kind = unkind(seed=3)
    lost, heard = (next(one.play()) for one in (evening, kind))
    assert len(evening.scene.presses) == len(kind.scene.presses)
    assert 3.0 <= lost.judgements[0].at - heard.judgements[0].at <= 5.0
