"""Players who play on bring the match to the turn they play: after a game, and after a press that was not heard."""

from typing import Any

import pytest

from referee.game.endgame.racks import open_games
from referee.game.events import Drew, GameScored, Judged, RackAsked, RackRead, RacksMissing
from referee.game.inputs import RacksTold, Seat, TableSettled, TurnEnded
from referee.game.state import Phase
from referee.rules.notation import parse_tiles
from referee.rules.verdict import Legal, Outcome

from ..conftest import kinds, one  # isort: skip

WON = "R10 R11 R12 / B10 K10 O10"
BENS = "R1 R2 K5 K6"


@pytest.fixture
def between(evening: Any) -> Any:
    """Ann has won; Ben's rack is read, and of Cem's, who holds four tiles, three were seen: the referee asks."""
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 4),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    assert one(show(evening, f"{WON} / {BENS}", 1), RackRead).owner == 1
    assert one(show(evening, f"{WON} / {BENS} / J B1 B1", 2), RackAsked).owner == 2
    return evening


def show(evening: Any, text: str, seat: int) -> tuple[Any, ...]:
    return evening.lay(text) + press(evening, seat)  # type: ignore[no-any-return]


def press(evening: Any, seat: int, after: float = 2.0) -> tuple[Any, ...]:
    """A press, and the looks that follow it."""
    evening.now += after
    told = evening.enter(TurnEnded(evening.at, Seat(seat)))
    for _ in range(2):
        evening.now += 0.5
        told += evening.enter(TableSettled(evening.at, evening.at, evening.seen))
    return told


def test_an_opening_on_the_cleared_table_is_the_first_turn_of_the_next_game(between: Any) -> None:
    between.lay("")
    between.wait(40.0)
    told = show(between, "K11 K12 K13", 1)
    assert kinds(told)[:2] == ["GameStarted", "StarterAssumed"] or "GameStarted" in kinds(told)
    missing = one(told, RacksMissing)
    assert (missing.of_game, missing.owners) == (1, (2,))
    verdict = one(told, Judged)
    assert (verdict.game, verdict.seat, type(verdict.verdict)) == (2, 1, Legal)
    assert (between.match.phase, between.match.seat, open_games(between.match)) == (Phase.TURN, 2, (1,))


def test_a_press_on_the_cleared_table_though_every_rack_was_asked_is_a_turn_without_a_play(between: Any) -> None:
    between.lay("")
    told = press(between, 1)
    assert one(told, Judged).verdict.outcome is Outcome.NO_PLAY
    assert (between.match.game, between.match.seat) == (2, 2)


def test_where_the_player_to_the_left_begins_the_players_before_have_passed(evening: Any) -> None:
    evening.start("Ann Ben Cem", edition="3in1-standard", house_rules=(("rack_tiles", 4),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    show(evening, f"{WON} / {BENS}", 1)
    show(evening, f"{WON} / {BENS} / J B1 B1", 2)
    evening.lay("")
    told = press(evening, 2)
    assert [event.seat for event in told if isinstance(event, Drew)] == [1, 2]
    assert one(told, Judged).seat == 2
    assert (evening.match.game, evening.match.seat) == (2, 0)


def test_a_rack_asked_twice_waits_no_longer_once_the_table_is_cleared(between: Any) -> None:
    assert one(show(between, f"{WON} / {BENS} / J B1", 2), RackAsked).owner == 2
    told = between.lay("")
    assert "GameStarted" in kinds(told)
    assert one(told, RacksMissing).owners == (2,)


def test_a_table_bare_between_two_racks_begins_nothing(between: Any) -> None:
    between.lay("")
    between.wait(30.0)
    assert one(show(between, "J B1 B1 O7", 2), GameScored).scores == {"Ann": 53, "Ben": -14, "Cem": -39}


def test_missing_racks_are_entered_later_or_lost(between: Any) -> None:
    between.lay("")
    press(between, 1)
    racks = ((Seat(1), between.match.results[0].shown[0][1]), (Seat(2), parse_tiles("J B1 B1 O7")))
    assert between.match.results[0].missing_racks == (2,)
    lost = between.enter(RacksTold(between.at, (), by="organiser", game=1))
    assert one(lost, RacksMissing).lost
    assert open_games(between.match) == ()
    assert one(between.enter(RacksTold(between.at, racks, game=1)), GameScored).scores["Cem"] == -39


def test_the_rack_of_who_laid_an_opening_by_chance_is_still_a_rack(evening: Any) -> None:
    evening.start("Ann Ben Cem", house_rules=(("rack_tiles", 3),), games=3)
    evening.lay(WON)
    evening.press(call=True)
    evening.wait(10.0)
    show(evening, f"{WON} / R1 R2 K5", 1)
    show(evening, f"{WON} / R1 R2 K5 / J J", 2)
    evening.lay("")
    assert one(show(evening, "K11 K12 K13", 2), RackRead).owner == 2
