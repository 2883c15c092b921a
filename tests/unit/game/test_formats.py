"""A match by another format: banks, dealt jokers, a game lost on time, the ranking."""

from typing import Any

from referee.game.events import GameScored, GameStarted, GameWon, MatchOver, TimeGiven, TurnStarted, Warned
from referee.game.inputs import ClockSet, MatchEnded, RacksTold, Seat, Undone
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import TableStill

from .conftest import kinds, one  # isort: skip

NAMES = ("Ann", "Ben")
LOSES = (("out_of_time", "lose"),)
SHORT = (*LOSES, ("bank_seconds", 20), ("turn_seconds", 5))


def pass_turn(evening: Any, after: float) -> tuple[Any, ...]:
    """Press after so many seconds with nothing played."""
    told: tuple[Any, ...] = evening.press(after=after)
    return told


def test_a_turn_takes_from_the_bank_only_what_goes_beyond_its_seconds(evening: Any) -> None:
    evening.start("Ann Ben", format="two-player").lay("")
    begun = one(tuple(evening.told), TurnStarted)
    assert (begun.seconds, begun.banks) == (610.0, {"Ann": 600.0, "Ben": 600.0})
    told = pass_turn(evening, 28.0)  # 30 s since the game began
    assert one(told, TurnStarted).banks == {"Ann": 580.0, "Ben": 600.0}
    told = pass_turn(evening, 8.0)
    assert one(told, TurnStarted).banks == {"Ann": 580.0, "Ben": 600.0}
    assert one(told, TurnStarted).seconds == 590.0


def test_what_a_fischer_clock_leaves_of_a_turn_is_kept(evening: Any) -> None:
    evening.start("Ann Ben", format="two-player", house_rules=(("clock", "fischer"),)).lay("")
    told = pass_turn(evening, 2.0)  # 4 s since the game began, of a turn's 10
    assert evening.match.players[0].bank == 606.0
    assert one(told, TurnStarted).seconds == 610.0


def test_the_bank_warns_like_any_clock_and_its_end_ends_the_turn(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("bank_seconds", 20), ("turn_seconds", 5))).lay("")
    assert [event.seconds_left for event in evening.wait(20.0) if isinstance(event, Warned)] == [15.0, 5.0]
    evening.wait(5.0)
    assert evening.match.phase is Phase.TIME_UP
    told = evening.enter(TableStill(evening.at))
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]
    assert one(told, TurnStarted).banks == {"Ann": 0.0, "Ben": 20.0}
    pass_turn(evening, 1.0)
    assert evening.match.play.clock.left_at(evening.match.now) == 5.0, "every turn has its own seconds"


def test_a_press_taken_back_gives_the_bank_back_too(evening: Any) -> None:
    evening.start("Ann Ben", format="two-player").lay("")
    pass_turn(evening, 28.0)
    evening.wait(3.0)
    evening.enter(Undone(evening.at))
    assert (evening.match.seat, [player.bank for player in evening.match.players]) == (0, [600.0, 600.0])
    assert evening.match.play.clock.left_at(evening.match.now) == 580.0


# Lost on time -----------------------------------------------------------------------------------------------------


def lost(evening: Any) -> tuple[Any, ...]:
    """Ann opens, and Ben's time runs out; a minute later nothing else has happened."""
    evening.start("Ann Ben", house_rules=SHORT, games=2).play("R10 R11 R12")
    told: tuple[Any, ...] = evening.wait(60.0)
    return told


def test_the_first_to_run_out_loses_where_that_is_set(evening: Any) -> None:
    told = lost(evening)
    assert kinds(told) == ["Warned", "Warned", "TimeOver", "GameWon"]
    assert (evening.match.phase, one(told, GameWon).seat) == (Phase.GAME_OVER, 0)
    assert words(one(told, GameWon), NAMES).startswith("Ann wins game 1 on time.")
    told = evening.enter(RacksTold(evening.at, ((Seat(1), 40),)))
    assert one(told, GameScored).scores == {"Ann": 40, "Ben": -40}
    assert one(evening.enter(MatchEnded(evening.at)), MatchOver).ranking == ("Ann", "Ben")


def test_a_winner_on_time_is_not_charged_for_never_having_opened(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=SHORT).lay("K1")
    evening.wait(60.0)
    assert (evening.match.results[-1].winners, evening.match.results[-1].unopened) == ((1,), (0,))


def test_a_game_lost_on_time_goes_on_when_the_organiser_gives_time(evening: Any) -> None:
    lost(evening)
    assert evening.enter(Undone(evening.at, "organiser")) == (), "there is no time to go back to"
    told = evening.enter(ClockSet(evening.at, 30.0, "organiser"))
    assert kinds(told) == ["TurnTakenBack", "TimeGiven"]
    assert one(told, TimeGiven).seat == 1
    assert (evening.match.phase, evening.match.seat, evening.match.results) == (Phase.TURN, 1, ())
    told = pass_turn(evening, 12.0)
    assert one(told, TurnStarted).banks == {"Ann": 20.0, "Ben": 18.0}


def test_the_next_game_begins_with_full_banks(evening: Any) -> None:
    lost(evening)
    evening.lay("")
    assert (evening.match.game, [player.bank for player in evening.match.players]) == (2, [20.0, 20.0])


# Words and ranks --------------------------------------------------------------------------------------------------


def test_the_words_name_the_format_the_jokers_and_the_banks(evening: Any) -> None:
    evening.start("Ann Ben", format="two-player")
    begun, turn = one(tuple(evening.told), GameStarted), one(tuple(evening.told), TurnStarted)
    assert words(begun, NAMES) == (
        "Game 1 (original, two-player): Ann, Ben. Each player takes 1 joker first. Ann begins."
    )
    assert words(turn, NAMES) == "Turn 1, Ann, not opened yet, 610 s. Time in the banks: Ann 10:00, Ben 10:00."


def test_the_lowest_total_wins_at_an_open_table(evening: Any) -> None:
    evening.start("Ann Ben Cem", format="open-table").play("R10 R11 R12")
    evening.lay("R10 R11 R12 / B10 K10 O10")
    evening.press(call=True)
    assert evening.match.setup.games == 3
    told = evening.enter(RacksTold(evening.at, ((Seat(0), 25), (Seat(2), 12))))
    assert one(told, GameScored).totals == {"Ann": 25, "Ben": 0, "Cem": 12}
    assert one(evening.enter(MatchEnded(evening.at)), MatchOver).ranking == ("Ben", "Cem", "Ann")
