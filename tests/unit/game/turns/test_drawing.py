"""The house rule `drawn_tile_waits`: whether who plays nothing and draws may still lay a tile in that turn."""

from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.event_parts import Reason
from referee.game.events import ClockRuns, DrawTakenBack, Drew, Judged, TurnStarted, TurnTakenBack
from referee.game.inputs import PlayerLeft, RummikubCalled, Seat, TableCorrected, Undone
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import TableStill
from referee.rules.notation import parse_tile

from ..conftest import OPEN, kinds, one  # isort: skip

AT_ONCE = (("drawn_tile_waits", False),)


@pytest.fixture
def at_once(evening: Any) -> Any:
    """At this table a drawn tile may be played in the same turn; Ann has opened and Ben, who has not, is to move."""
    return evening.start("Ann Ben", house_rules=AT_ONCE).play(OPEN) and evening


def test_as_the_booklets_say_the_turn_ends_with_the_draw(evening: Any) -> None:
    evening.start("Ann Ben").play(OPEN)
    told = evening.press()
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]
    assert (one(told, Drew).reason, evening.match.seat) == (Reason.NO_PLAY, 0)


def test_as_the_booklets_say_whoever_takes_the_press_back_puts_the_drawn_tile_back(evening: Any) -> None:
    evening.start("Ann Ben").play(OPEN)
    evening.press()
    told = evening.enter(Undone(evening.at))
    assert one(told, DrawTakenBack).tiles == 1  # else the press and its undo would let the drawn tile be played
    assert evening.match.racks[1] == 14


def test_where_it_may_be_played_at_once_the_player_draws_and_goes_on_with_the_time_of_the_press(at_once: Any) -> None:
    at_once.wait(20.0)
    told = at_once.press()
    assert kinds(told) == ["Judged", "Drew", "ClockRuns"]
    assert (one(told, Judged).stands, one(told, Drew).reason, at_once.match.racks[1]) == (
        False,
        Reason.PLAYS_ON,
        15,
    )
    assert one(told, ClockRuns).seconds_left == pytest.approx(38.0, abs=0.2)
    assert words(one(told, Drew), ("Ann", "Ben")) == "  Ben draws 1 tile and plays on, if it fits; else press again."
    assert (at_once.match.phase, at_once.match.seat) == (Phase.TURN, 1)


def test_and_lays_what_was_drawn(at_once: Any) -> None:
    at_once.press()
    told = at_once.play(f"{OPEN} / B10 K10 O10")
    assert kinds(told) == ["MeldCounted", "Judged", "TurnStarted"]
    assert (at_once.match.racks[1], at_once.match.seat) == (12, 0)  # 14 and the one drawn, less three


def test_or_presses_again_and_passes_without_drawing_twice(at_once: Any) -> None:
    at_once.press()
    told = at_once.press()
    assert kinds(told) == ["Judged", "TurnStarted"]
    assert (one(told, Judged).stands, at_once.match.racks[1], at_once.match.seat) == (True, 15, 0)


def test_that_second_press_can_be_taken_back_and_the_drawn_tile_stays(at_once: Any) -> None:
    at_once.press()
    at_once.press()
    told = at_once.enter(Undone(at_once.at))
    assert (kinds(told), at_once.match.seat, at_once.match.racks[1]) == (["TurnTakenBack"], 1, 15)
    assert kinds(at_once.press()) == ["Judged", "TurnStarted"]


def test_the_next_turn_draws_anew(at_once: Any) -> None:
    at_once.press()
    at_once.press()
    assert one(at_once.press(), Drew).seat == 0


def test_time_that_runs_out_after_the_draw_draws_nothing_more(at_once: Any) -> None:
    at_once.press()
    at_once.wait(70.0)
    told = at_once.enter(TableStill(at_once.at))
    assert kinds(told) == ["Judged", "TurnStarted"]
    assert at_once.match.racks[1] == 15


def test_a_table_left_broken_after_the_draw_still_costs_the_penalty(at_once: Any) -> None:
    at_once.press()
    at_once.lay(f"{OPEN} / K1")
    at_once.wait(70.0)
    at_once.enter(TableStill(at_once.at))
    assert one(at_once.lay(OPEN), Drew).tiles == 3
    assert at_once.match.racks[1] == 18


def test_the_press_that_drew_can_be_taken_back_and_the_tile_with_it(at_once: Any) -> None:
    at_once.press()
    told = at_once.enter(Undone(at_once.at))
    assert (one(told, TurnTakenBack).seat, one(told, DrawTakenBack).tiles) == (1, 1)
    assert (at_once.match.racks[1], at_once.match.play.has_drawn) == (14, False)
    assert one(at_once.press(), Drew).tiles == 1


def test_with_the_pool_empty_there_is_nothing_to_play_on_with(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(*AT_ONCE, ("rack_tiles", 20), ("pass_draw", 14))).lay("")
    while evening.match.pool:
        evening.press()
    while evening.match.play.has_drawn:
        evening.press()
    told = evening.press()
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]  # the turn is over: there is nothing to play on with
    assert words(one(told, Drew), ("Ann", "Ben")).endswith("to draw.")
    assert any(player.passed for player in evening.match.players)


def test_a_tile_taken_for_another_after_the_draw_does_not_end_the_turn(at_once: Any) -> None:
    at_once.press()
    assert not any(isinstance(event, TurnStarted) for event in at_once.enter(_named(at_once)))
    assert (at_once.match.seat, at_once.match.racks[1]) == (1, 15)


def _named(evening: Any) -> TableCorrected:
    return TableCorrected(evening.at, TileIs(2, parse_tile("R12")), "organiser")


def test_a_play_found_to_be_none_after_the_next_turn_began_draws_and_stays_past(at_once: Any) -> None:
    """Ben was seen to lay a fourth tile; it is none, so he draws, and the turn stays with Ann."""
    at_once.play(f"{OPEN} / B10 K10 O10")
    at_once.press()
    at_once.press()
    at_once.play(f"{OPEN} R13 / B10 K10 O10")
    told = at_once.enter(TableCorrected(at_once.at, TileIs(3, None), "organiser"))
    assert (one(told, Drew).reason, one(told, Judged).stands) == (Reason.NO_PLAY, True)
    assert at_once.match.seat == 0


def test_a_call_with_nothing_laid_draws_and_plays_on_too(at_once: Any) -> None:
    at_once.now += 3.0
    at_once.enter(RummikubCalled(at_once.at))
    told = at_once.enter(TableStill(at_once.at))
    assert kinds(told) == ["Judged", "Drew", "ClockRuns"]
    assert not at_once.match.play.claims_win


def test_who_leaves_while_the_press_waits_does_not_play_on(evening: Any) -> None:
    evening.start("Ann Ben Cem", house_rules=AT_ONCE).play(OPEN)
    evening.now += 3.0
    evening.enter(RummikubCalled(evening.at, Seat(1)))
    evening.enter(PlayerLeft(evening.at, Seat(1)))
    evening.now += 0.5
    evening.enter(TableStill(evening.at))
    assert (evening.match.seat, evening.match.phase) == (2, Phase.TURN)
