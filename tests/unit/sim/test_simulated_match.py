"""Evenings: tiles are neither lost nor made, turns keep the time, the same seed plays the same evening."""

from collections import Counter
from functools import lru_cache

import pytest

from referee.rules.editions import EDITIONS, rule_set
from referee.rules.verdict import Outcome
from referee.sim.camera import SimCamera, SimClock, demo_match
from referee.sim.demo import DEMO_EDITION, DEMO_RACKS, DEMO_TURNS, demo_scene, demo_setting
from referee.sim.scenarios import simulated_match
from referee.sim.simulated_match import TrueTurn

DEMO_VERDICTS = ("legal", "illegal", "legal", "legal", "legal", "illegal", "legal", "legal", "legal", "legal", "legal")


@lru_cache(1)
def played(edition: str, seed: int, *, games: int = 1, cheats: float = 0.4) -> tuple[list[TrueTurn], object]:
    evening, _ = simulated_match(rule_set(edition), seed=seed, games=games, cheat_rate=cheats)
    return list(evening.play()), evening


@pytest.mark.parametrize("edition", ["original", pytest.param("twist", marks=pytest.mark.slow)])
def test_the_same_seed_plays_the_same_evening(edition: str) -> None:
    (first, one), (second, two) = (played.__wrapped__(edition, 5) for _ in range(2))
    assert first == second
    assert one.scene.moments == two.scene.moments
    assert one.scene.presses == two.scene.presses
    assert played(edition, 6)[0] != first


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_evening_without_cheats_is_legal_throughout(edition: str) -> None:
    turns, _ = played(edition, 2, cheats=0.0)
    assert [judgement for turn in turns for judgement in turn.judgements if not judgement.is_legal] == []
    assert {turn.kind for turn in turns} == {None}
    assert any(judgement.outcome is Outcome.PLAYED for turn in turns for judgement in turn.judgements)


def test_every_picture_shows_each_tile_at_most_as_often_as_the_box_holds_it() -> None:
    box = Counter(rule_set("original").box)
    _, evening = played("original", 8)
    for shot in evening.scene.moments:
        shown = Counter(laid.tile for laid in shot.laid if laid.tile is not None)
        assert shown <= box
        places = [(laid.tile, laid.copy) for laid in shot.laid]
        assert len(set(places)) == len(places)


def test_time_runs_on_and_a_press_comes_after_quiet_looks() -> None:
    _, evening = played("original", 8)
    scene = evening.scene
    times = [shot.at for shot in scene.moments]
    assert times == sorted(set(times))
    for press in scene.presses:
        before = [shot for shot in scene.moments if shot.at < press.at][-5:]
        assert [shot.hands for shot in before] == [()] * len(before)
        assert [shot.laid for shot in before] == [before[0].laid] * len(before)


@pytest.mark.parametrize("edition", ["original", "xp", "3in1-twist"])
def test_only_those_who_are_meant_to_be_late_are(edition: str) -> None:
    limit = rule_set(edition).turn_seconds
    turns, _ = played(edition, 4, cheats=0.7)
    for turn in turns:
        timed_out = any(judgement.cause == "time" for judgement in turn.judgements)
        if timed_out:
            assert turn.ended - turn.started > limit
        else:
            assert turn.judgements[-1].at - turn.started < limit - 5


def test_a_second_game_begins_on_a_cleared_table() -> None:
    turns, _ = played("original", 3, games=2, cheats=0.0)
    second = [turn for turn in turns if turn.game == 2]
    assert second[0].before.sets == ()
    assert second[0].seat == 1
    assert not second[0].opened


def test_the_demo_shows_what_its_script_says() -> None:
    scene = demo_scene(demo_setting())
    assert sum(act.press for act in DEMO_TURNS) == len(DEMO_VERDICTS)
    assert len(scene.presses) == len(DEMO_VERDICTS) + len(DEMO_RACKS)
    assert DEMO_EDITION == "original"
    assert 120 < scene.now < 260


def test_a_short_demo_is_the_beginning_of_the_whole_one() -> None:
    whole, short = demo_scene(demo_setting()), demo_scene(demo_setting(), 3)
    assert [press.seat for press in short.presses] == [0, 1, 1, 2]  # the second player mends the table within a turn
    assert short.presses == whole.presses[:4]
    closing = 6
    assert short.moments[:-closing] == whole.moments[: len(short.moments) - closing]


def test_the_demo_camera_moves_the_clock_and_the_button_follows() -> None:
    camera, button, clock = demo_match()
    given = []
    for _ in range(35):
        frame = camera.capture()
        assert clock.now() == frame.at
        given += button.presses(frame.at)
    assert frame.image.shape == (1200, 1600, 3)
    assert [press.seat for press in given] == [0]
    camera.close()


def test_a_camera_without_shots_has_no_frames() -> None:
    from referee.hardware.ports import EndOfFrames  # noqa: PLC0415

    with pytest.raises(EndOfFrames):
        SimCamera(demo_setting(), [], SimClock()).capture()
