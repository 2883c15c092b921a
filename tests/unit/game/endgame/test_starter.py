"""Who starts the games after the first: the house rules `next_starter` and `ties_draw_again`."""

from typing import Any

import pytest

from referee.game.events import GameStarted, LookingAgain, MatchOver, StarterAssumed, StartTied
from referee.game.inputs import GameEnded, NextGame, PlayerLeft, Seat
from referee.game.state import Phase
from referee.game.texts.messages import words

from ..conftest import OPEN, kinds, one  # isort: skip

NAMES = ("Ann", "Ben", "Cem")
WESTERN, POLISH = "original", "3in1-standard"


def ended(evening: Any, edition: str, **house: Any) -> Any:
    """Ann began the first game, and it is over; the table is clear."""
    evening.start(" ".join(NAMES), edition, games=4, house_rules=tuple(house.items()))
    evening.lay("")
    evening.enter(GameEnded(evening.at))
    return evening


def begin(evening: Any, first: int | None = None, **drawn: int) -> tuple[Any, ...]:
    numbers = tuple((Seat(NAMES.index(name)), number) for name, number in drawn.items())
    told: tuple[Any, ...] = evening.enter(
        NextGame(evening.at, None if first is None else Seat(first), "organiser", numbers)
    )
    return told


# Tiles decide (western booklets) --------------------------------------------------------------------------------------


def test_who_drew_the_highest_tile_begins(evening: Any) -> None:
    told = begin(ended(evening, WESTERN), Ann=7, Ben=3, Cem=12)
    assert (one(told, GameStarted).seat, kinds(told)) == (2, ["GameStarted", "TurnStarted"])


def test_who_ties_draws_again_and_nobody_begins_meanwhile(evening: Any) -> None:
    told = begin(ended(evening, WESTERN), Ann=12, Ben=3, Cem=12)
    assert [type(event) for event in told] == [StartTied]
    assert words(told[0], NAMES) == "Cem and Ann each drew 12: they draw again."
    assert evening.match.phase is Phase.GAME_OVER
    assert one(begin(evening, Ann=5, Cem=4), GameStarted).seat == 0


def test_three_who_tie_are_all_named(evening: Any) -> None:
    (tied,) = begin(ended(evening, WESTERN), Ann=1, Ben=1, Cem=1)
    assert words(tied, NAMES) == "Ben, Cem and Ann each drew 1: they draw again."


def test_where_ties_do_not_draw_again_the_first_to_the_left_of_the_last_starter_begins(evening: Any) -> None:
    told = begin(ended(evening, WESTERN, ties_draw_again=False), Ann=12, Ben=3, Cem=12)
    assert one(told, GameStarted).seat == 2  # from Ben on, who sits left of Ann: Ben, Cem, Ann


def test_who_is_named_begins(evening: Any) -> None:
    told = begin(ended(evening, WESTERN), first=2)
    assert (one(told, GameStarted).seat, kinds(told)) == (2, ["GameStarted", "TurnStarted"])


@pytest.mark.parametrize(
    ("again", "ties"),
    [(True, "those who tie draw again"), (False, "of those who tie the first from Ben on")],
)
def test_until_somebody_says_who_drew_highest_the_player_to_the_left_begins_and_all_are_told(
    evening: Any, ties: str, *, again: bool
) -> None:
    told = begin(ended(evening, WESTERN, ties_draw_again=again))
    assert one(told, GameStarted).seat == 1
    said = words(one(told, StarterAssumed), NAMES)
    assert said == f"Nobody has said who drew the highest tile ({ties}): Ben begins until it is said on the page."


def test_and_may_be_said_until_the_first_verdict(evening: Any) -> None:
    begin(ended(evening, WESTERN))
    told = begin(evening, Ann=2, Cem=9)
    assert (one(told, GameStarted).seat, one(told, GameStarted).game, evening.match.starter) == (2, 2, 2)
    evening.press()
    assert begin(evening, Ann=2, Cem=9) == ()


def test_a_tie_said_in_the_first_turn_leaves_the_game_as_it_began(evening: Any) -> None:
    begin(ended(evening, WESTERN))
    assert kinds(begin(evening, Ann=9, Cem=9)) == ["StartTied"]
    assert (evening.match.game, evening.match.seat, evening.match.phase) == (2, 1, Phase.TURN)


def test_the_word_counts_however_often_the_next_game_is_asked_for(evening: Any) -> None:
    """The button for the next game was pressed again before the table was cleared: that had moved the start on."""
    evening.start(" ".join(NAMES), games=4).lay(OPEN)
    evening.press(call=True)
    assert isinstance(begin(evening, first=2)[0], LookingAgain)
    assert isinstance(begin(evening)[0], LookingAgain)
    assert isinstance(begin(evening)[0], LookingAgain)
    evening.wait(6.0)
    told = evening.lay("")
    assert (one(told, GameStarted).seat, kinds(told)) == (2, ["GameStarted", "TurnStarted"])


def test_asked_for_twice_with_nobody_named_it_is_still_the_left_neighbour(evening: Any) -> None:
    evening.start(" ".join(NAMES), games=4).lay(OPEN)
    evening.press(call=True)
    begin(evening)
    begin(evening)
    evening.wait(6.0)
    assert one(evening.lay(""), GameStarted).seat == 1


def test_who_was_named_and_leaves_does_not_begin(evening: Any) -> None:
    evening.start(" ".join(NAMES), games=4).lay(OPEN)
    evening.press(call=True)
    begin(evening, first=2)
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    evening.wait(6.0)
    assert one(evening.lay(""), GameStarted).seat == 1


def test_the_number_of_one_who_has_left_does_not_count(evening: Any) -> None:
    ended(evening, WESTERN)
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert one(begin(evening, Ann=3, Cem=13), GameStarted).seat == 0


def test_where_only_one_who_has_left_drew_nobody_begins(evening: Any) -> None:
    ended(evening, WESTERN)
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert begin(evening, Cem=13) == ()
    assert evening.match.phase is Phase.GAME_OVER


def test_where_only_one_who_has_left_drew_the_game_stays_as_it_began(evening: Any) -> None:
    ended(evening, WESTERN)
    begin(evening)
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert begin(evening, Cem=13) == ()
    assert (evening.match.game, evening.match.seat, evening.match.phase) == (2, 1, Phase.TURN)


# The seats decide (Polish booklet) ------------------------------------------------------------------------------------


def test_in_the_polish_box_the_start_goes_round_to_the_left(evening: Any) -> None:
    ended(evening, POLISH)
    starters = []
    for _ in range(3):
        told = begin(evening)
        assert kinds(told) == ["GameStarted", "TurnStarted"]  # nothing is assumed: so it is written
        starters.append(one(told, GameStarted).seat)
        evening.enter(GameEnded(evening.at))
    assert starters == [1, 2, 0]
    assert one(begin(evening), MatchOver)


def test_there_nobody_else_can_be_named_nor_drawn_for(evening: Any) -> None:
    ended(evening, POLISH)
    assert begin(evening, first=2) == ()
    assert begin(evening, Ann=3, Cem=13) == ()
    assert one(begin(evening, first=1), GameStarted).seat == 1
    assert begin(evening, first=2) == ()  # nor once it has begun
    assert evening.match.seat == 1


def test_there_who_has_left_is_passed_over(evening: Any) -> None:
    ended(evening, POLISH)
    evening.enter(PlayerLeft(evening.at, Seat(1)))
    assert one(begin(evening), GameStarted).seat == 2


def test_a_house_rule_lets_the_seats_decide_in_a_western_box_too(evening: Any) -> None:
    ended(evening, WESTERN, next_starter="left_of_last_starter")
    assert begin(evening, first=2) == ()
    assert one(begin(evening), GameStarted).seat == 1


def test_and_tiles_in_the_polish_one(evening: Any) -> None:
    told = begin(ended(evening, POLISH, next_starter="highest_tile"), Ann=2, Ben=1)
    assert one(told, GameStarted).seat == 0
