"""No game begins on a table that is not cleared, and one that is taken up again goes on with what lies there."""

from typing import Any

import pytest

from referee.game.correction_types import TileIs
from referee.game.event_parts import Reason
from referee.game.events import Drew, GameStarted, Judged, LookingAgain
from referee.game.inputs import MatchEnded, MatchStarted, NextGame, Paused, Restarted, Resumed, Seat, TurnEnded
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.rules.notation import parse_table, parse_tile
from referee.rules.verdict import Legal, Outcome

from ..conftest import OPEN, TABLE, kinds, one, reading  # isort: skip

NAMES = ("Ann", "Ben", "Cem")


def begin(evening: Any, first: int = 0) -> Any:
    return evening.enter(MatchStarted(at=evening.at, names=NAMES, edition="original", first=Seat(first)))


def settles(evening: Any, table: str) -> Any:
    """A look at a table over which nothing has moved since the match began."""
    evening.now += 1.0
    return evening.enter(TableSettled(evening.at, Seconds(0.0), reading(table)))


def lies_there(evening: Any) -> None:
    """A match has ended and its sets are left."""
    evening.opened().enter(MatchEnded(evening.at))


def test_a_match_begins_once_the_sets_of_the_last_one_are_cleared_away(evening: Any) -> None:
    lies_there(evening)
    assert one(begin(evening, first=2), LookingAgain).reason is Reason.CLEAR
    assert evening.match.phase is Phase.CLEARING
    assert one(evening.press(), LookingAgain).reason is Reason.CLEAR
    assert kinds(evening.enter(NextGame(evening.at))) == ["LookingAgain"]
    begun = one(evening.lay(""), GameStarted)
    assert (begun.seat, begun.game, begun.turn, begun.names) == (2, 1, 1, NAMES)
    assert one(evening.play(OPEN), Judged).verdict.meld == 33


@pytest.mark.parametrize("pressed", [False, True], ids=["as it settles", "as it settles after a press"])
def test_sets_of_the_first_steps_open_for_nobody(evening: Any, pressed: bool) -> None:  # noqa: FBT001 - a parameter
    """They were taken for the first player's: 33 points for who had laid nothing."""
    begin(evening)
    if pressed:
        evening.press()
    assert kinds(settles(evening, OPEN)) == ["LookingAgain"]
    assert evening.match.phase is Phase.CLEARING
    assert evening.match.play.clock.left is None
    assert kinds(evening.lay("")) == ["GameStarted", "TurnStarted"]
    assert not any(player.opened for player in evening.match.players)


def test_nor_after_the_break_in_which_a_match_waits_for_its_first_press(evening: Any) -> None:
    begin(evening)
    evening.enter(Paused(evening.at))
    evening.lay(OPEN)  # people deal; the table moves, and the sets are left
    assert kinds(evening.enter(Resumed(evening.at))) == ["LookingAgain"]
    assert not evening.match.pauses.halted
    assert kinds(evening.lay("")) == ["GameStarted", "TurnStarted"]


def test_a_break_holds_while_the_table_is_cleared(evening: Any) -> None:
    lies_there(evening)
    begin(evening)
    evening.enter(Paused(evening.at))
    assert evening.lay("") == ()
    assert kinds(evening.enter(Resumed(evening.at))) == ["GameStarted", "TurnStarted"]


def test_what_the_first_player_lays_is_that_players(evening: Any) -> None:
    begin(evening)
    settles(evening, "")
    assert evening.match.phase is Phase.TURN
    said = one(evening.play(OPEN), Judged).verdict
    assert (type(said), said.outcome) == (Legal, Outcome.PLAYED)


def test_so_is_what_is_laid_before_the_first_look(evening: Any) -> None:
    begin(evening)
    assert one(evening.play(OPEN), Judged).stands


def test_a_match_that_is_taken_up_again_goes_on_with_what_lies_there(evening: Any) -> None:
    evening.opened()
    evening.enter(Restarted(evening.at))
    settles(evening, TABLE)
    assert evening.match.phase is Phase.TURN
    assert not evening.match.pauses.halted


def test_so_does_one_that_was_cut_off_in_its_first_turn(evening: Any) -> None:
    begin(evening)
    evening.enter(Restarted(evening.at))
    settles(evening, OPEN)
    evening.enter(Resumed(evening.at))
    assert evening.match.phase is Phase.TURN
    assert one(evening.press(), Judged).stands


def test_what_is_still_seen_is_named_and_one_word_says_that_it_is_no_tile(evening: Any) -> None:
    evening.start("Ann Ben", games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(10.0)
    evening.lay("K5")  # a printed sheet beside the table
    asked = one(evening.enter(NextGame(evening.at)), LookingAgain)
    assert [(doubt.may_be, str(doubt.where)) for doubt in asked.doubts] == [((parse_tile("K5"),), "alone on the table")]
    assert "K5 (alone on the table)" in words(asked, ("Ann", "Ben"))
    assert "GameStarted" in kinds(evening.say(TileIs(0, None)))
    evening.play(f"K5 / {OPEN}")
    assert evening.match.seat == 0


def test_two_presses_say_so_without_a_page_and_the_sheet_is_no_tile_of_the_game(evening: Any) -> None:
    evening.start("Ann Ben", games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(10.0)
    evening.lay("K5")
    evening.enter(NextGame(evening.at))
    assert kinds(evening.press()) == ["LookingAgain"]
    assert "GameStarted" in kinds(evening.press())
    verdict = one(evening.play(f"K5 / {OPEN}"), Judged)
    assert (type(verdict.verdict), verdict.game, len(verdict.verdict.played)) == (Legal, 2, 3)


# A printed sheet that lies there all evening ------------------------------------------------------------------------


def sheet(evening: Any) -> str:
    """A sheet with tiles printed on it lies on the table as the match begins, and the referee asks to clear it."""
    begin(evening)
    printed = "K4 R4 B4 / R4 R5 R6 R7"
    assert kinds(settles(evening, printed)) == ["LookingAgain"]
    return printed


def test_an_opening_laid_beside_a_printed_sheet_begins_the_game(evening: Any) -> None:
    printed = sheet(evening)
    evening.lay(f"{printed} / {OPEN}")
    evening.now += 1.0
    told = (*evening.press(), *evening.lay(f"{printed} / {OPEN}"))
    assert "GameStarted" in kinds(told)
    judged = one(told, Judged)
    assert (judged.seat, judged.verdict.meld, judged.stands) == (0, 33, True)
    after = one(evening.play(f"{printed} / {OPEN} / {TABLE.split(' / ')[1]}"), Judged)
    assert after.seat == 1, "the sheet is no part of the table"


def test_a_press_while_a_hand_is_over_the_sheet_counts_once_it_is_gone(evening: Any) -> None:
    printed = sheet(evening)
    evening.now += 1.0
    evening.enter(TableMoving(evening.at))
    evening.now += 1.0
    assert evening.press() == ()
    told = evening.lay(f"{printed} / {OPEN}")
    assert "GameStarted" in kinds(told)
    assert evening.match.game == 1


def test_what_is_laid_beside_it_is_not_called_no_tile_at_a_second_press(evening: Any) -> None:
    printed = sheet(evening)
    assert kinds(evening.press()) == ["LookingAgain"]
    evening.lay(f"{printed} / R1 R2 R3")
    evening.now += 2.0
    told = (*evening.press(), *evening.lay(f"{printed} / R1 R2 R3"))
    judged = one(told, Judged)
    assert (judged.seat, judged.stands, str(judged.table)) == (0, False, str(parse_table("R1 R2 R3")))


def test_who_lays_tiles_beside_it_at_a_second_press_has_the_turn_and_the_player_before_has_passed(evening: Any) -> None:
    printed = sheet(evening)
    assert kinds(evening.press()) == ["LookingAgain"]
    evening.lay(f"{printed} / {OPEN}")
    evening.now += 2.0
    told = (*evening.enter(TurnEnded(evening.at, Seat(1))), *evening.lay(f"{printed} / {OPEN}"))
    assert (one(told, Drew).seat, one(told, Judged).seat, one(told, Judged).stands) == (0, 1, True)


def test_sets_pushed_together_while_people_clear_begin_nothing(evening: Any) -> None:
    sheet(evening)
    evening.lay(OPEN)
    evening.now += 1.0
    assert kinds(evening.press()) == ["LookingAgain"]
    assert evening.match.phase is Phase.CLEARING
