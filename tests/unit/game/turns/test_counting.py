"""What a turn that stood undecided does to the count of a rack, and that no such count ends a game."""

from dataclasses import replace
from typing import Any

import pytest

from referee.game.event_parts import Reason
from referee.game.events import Drew, EmptyRackAsked, GameWon, Judged, RackRead, TurnTakenBack
from referee.game.inputs import LetStand, Seat, Ticked, Undone
from referee.game.state import Phase
from referee.hardware.ports import Press, PressKind
from referee.rules.verdict import Legal, Outcome, Undecided
from referee.service.button_mapping import meaning

from ..conftest import TABLE, kinds, one, reading  # isort: skip

SIX = "K4 K5 K6"
HOLD = PressKind.HOLD


def nearly_empty(evening: Any, tiles: int) -> None:
    """Ann, who is to move, has that many tiles left."""
    match = evening.opened().match
    evening.match = replace(match, players=(replace(match.players[0], rack=tiles), *match.players[1:]))


def undecided(evening: Any, text: str, doubts: dict[int, str]) -> tuple[Any, ...]:
    evening.play(text, doubts=doubts)
    return evening.wait(16.0)  # type: ignore[no-any-return]


def test_where_a_tile_may_not_lie_there_the_rack_may_hold_it_and_a_tile_drawn_for_it(evening: Any) -> None:
    nearly_empty(evening, 5)
    told = undecided(evening, f"{TABLE} / K1", {6: "K7"})
    assert isinstance(one(told, Judged).verdict, Undecided)
    ann = evening.match.players[0]
    assert (ann.rack, ann.rack + ann.spare) == (4, 6)


def test_where_only_a_name_is_in_doubt_and_nothing_was_laid_the_player_draws(evening: Any) -> None:
    nearly_empty(evening, 5)
    told = undecided(evening, TABLE, {0: "R9"})
    assert one(told, Drew).tiles == 1
    ann = evening.match.players[0]
    assert (ann.rack, ann.spare) == (6, 0)


def test_the_next_decided_turn_tells_what_was_laid(evening: Any) -> None:
    nearly_empty(evening, 5)
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    assert evening.match.players[0].spare > 0
    evening.play(f"{TABLE} / {SIX} / R1 R2 R3")
    ann = evening.match.players[0]
    assert (ann.rack, ann.spare) == (2, 0)


def test_a_win_that_rests_on_an_undecided_table_is_asked_and_the_game_goes_on(evening: Any) -> None:
    nearly_empty(evening, 3)
    told = undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    assert kinds(told) == ["Judged", "EmptyRackAsked", "TurnStarted"]
    assert one(told, EmptyRackAsked).owner == 0
    assert (evening.match.phase, evening.match.seat) == (Phase.TURN, 1)
    evening.play(f"{TABLE} / {SIX} / R1 R2 R3")
    assert "GameWon" not in evening.names()
    assert evening.match.players[0].rack >= 1


def test_an_undecided_table_with_a_call_is_asked_too(evening: Any) -> None:
    nearly_empty(evening, 5)
    evening.lay(f"{TABLE} / {SIX}", doubts={6: "K1"})
    evening.press(call=True)
    assert "EmptyRackAsked" in kinds(evening.wait(16.0))


def test_a_count_that_was_a_range_wins_nothing_later_either(evening: Any) -> None:
    """Twist-pressman, seed 33: a turn stood undecided, its draw was not counted, and seven turns later came a win."""
    nearly_empty(evening, 6)
    undecided(evening, f"{TABLE} / K1 K2 K3", {6: "R5"})  # Ann may have drawn a tile instead
    undecided(evening, f"{TABLE} / K1 K2 K3", {0: "R9"})  # Ben's turn tells nothing of it
    told = evening.play(f"{TABLE} / K1 K2 K3 / {SIX}")
    assert isinstance(one(told, Judged).verdict, Legal)
    assert kinds(told) == ["Judged", "EmptyRackAsked", "TurnStarted"]


def test_who_lays_more_than_was_counted_is_asked(evening: Any) -> None:
    nearly_empty(evening, 2)
    told = evening.play(f"{TABLE} / {SIX}")
    assert kinds(told) == ["Judged", "EmptyRackAsked", "TurnStarted"]
    assert one(told, EmptyRackAsked).at_most == 1


def test_the_next_player_who_lays_a_whole_rack_says_that_the_rack_was_empty(evening: Any) -> None:
    """3in1-twist, seed 35: three racks were judged as turns, and the next game was refereed as this one."""
    nearly_empty(evening, 3)
    match = evening.match
    evening.match = replace(match, players=(match.players[0], replace(match.players[1], rack=4)))
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    told = evening.play(f"{TABLE} / {SIX} / R2 B7 O9 J")
    assert one(told, GameWon).seat == 0
    assert evening.match.phase is Phase.GAME_OVER
    assert one((*told, *evening.lay(f"{TABLE} / {SIX} / R2 B7 O9 J")), RackRead).owner == 1


@pytest.mark.parametrize("laid", ["R2 B7 O9", "R1 R2 R3 R4", "R1 R2 R3 / R5"])
def test_other_tiles_of_the_next_player_say_nothing_of_it(evening: Any, laid: str) -> None:
    nearly_empty(evening, 3)
    match = evening.match
    evening.match = replace(match, players=(match.players[0], replace(match.players[1], rack=5)))
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    evening.play(f"{TABLE} / {SIX} / {laid}")
    assert "GameWon" not in evening.names()


@pytest.mark.parametrize("seat", [None, 0], ids=["the common button", "Ann's button"])
def test_who_holds_the_button_says_that_the_rack_is_empty(evening: Any, seat: int | None) -> None:
    nearly_empty(evening, 3)
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    evening.now += 1.5
    held = meaning(Press(evening.at, HOLD, None if seat is None else Seat(seat)), evening.match)
    won = one(evening.enter(held), GameWon)
    assert (won.seat, won.reason, evening.match.players[0].rack) == (0, Reason.CALLED, 0)


def test_the_other_player_s_button_says_nothing_of_it(evening: Any) -> None:
    nearly_empty(evening, 3)
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    held = meaning(Press(evening.at, HOLD, Seat(1)), evening.match)
    assert isinstance(held, Undone)
    assert one(evening.enter(held), TurnTakenBack).seat == 0


def test_the_next_judged_turn_answers_no(evening: Any) -> None:
    nearly_empty(evening, 3)
    undecided(evening, f"{TABLE} / {SIX}", {6: "K1"})
    evening.play(f"{TABLE} / {SIX} / R1 R2 R3")
    assert not evening.match.asks_whether_empty(Seat(0))
    assert kinds(evening.press(0, call=True)) == ["Judged", "Drew", "TurnStarted"]


def test_a_table_that_the_organiser_lets_stand_ends_no_game_by_its_count_either(evening: Any) -> None:
    nearly_empty(evening, 3)
    evening.lay(f"{TABLE} / {SIX}", doubts={6: "K1"})
    evening.press()
    told = evening.enter(LetStand(evening.at, "organiser"))
    assert "GameWon" not in kinds(told)


def test_what_lay_under_a_hand_is_not_the_next_player_s_play(evening: Any) -> None:
    """Ann lays K1 K2 K3 under her arm, the table stands undecided, and Ben lays nothing."""
    evening.opened()
    covered = reading(TABLE)
    hidden = (*covered.tiles[:5], replace(covered.tiles[5], unsure=True, confidence=0.0))
    evening.show(replace(covered, tiles=hidden))
    evening.press()
    evening.wait(16.0)
    assert evening.match.seat == 1
    told = evening.play(f"{TABLE} / K1 K2 K3")
    verdict = one(told, Judged)
    assert isinstance(verdict.verdict, Undecided)
    assert (verdict.stands, verdict.reason, evening.match.seat) == (True, Reason.UNSEEN, 0)


def test_what_a_player_lays_after_a_sure_look_is_that_player_s(evening: Any) -> None:
    evening.opened()
    covered = reading(TABLE)
    hidden = (*covered.tiles[:5], replace(covered.tiles[5], unsure=True, confidence=0.0))
    evening.show(replace(covered, tiles=hidden))
    evening.press()
    evening.wait(16.0)
    evening.lay(TABLE)
    verdict = one(evening.play(f"{TABLE} / K1 K2 K3"), Judged).verdict
    assert (type(verdict), verdict.outcome) == (Legal, Outcome.PLAYED)
    assert evening.enter(Ticked(evening.at)) == ()
