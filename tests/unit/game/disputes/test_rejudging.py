"""What a rules lawyer would ask: the odd cases of an evening, each with the answer we give."""

from typing import Any

import pytest

from referee.game.correction_types import TileIs, TileMissed
from referee.game.event_parts import Reason
from referee.game.events import (
    DrawTakenBack,
    Drew,
    GameStarted,
    GameWon,
    Judged,
    LookingAgain,
    MatchOver,
    RestoreNeeded,
    TilesChanged,
    TurnStarted,
    TurnTakenBack,
    WrongSeat,
)
from referee.game.inputs import (
    GameEnded,
    NextGame,
    PlayerLeft,
    RacksTold,
    Seat,
    TableCorrected,
    Ticked,
    TurnEnded,
    Undone,
)
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import TableMoving, TableStill
from referee.rules.editions import EDITIONS
from referee.rules.notation import parse_tile, parse_tiles
from referee.rules.verdict import Fault, Illegal, Legal, Undecided

from ..conftest import OPEN, TABLE, kinds, one  # isort: skip


# Pressing ----------------------------------------------------------------------------------------------------------


def test_who_forgets_to_press_and_is_followed_by_the_next_player(evening: Any) -> None:
    """Ben lays while it is still Ann's turn: his tiles count as hers, for nobody can see whose hand it was.

    His own button says so at once, and Ann can still press for her turn.
    """
    evening.opened().lay(f"{TABLE} / K1 K2 K3")
    told = evening.press(seat=1)
    assert one(told, WrongSeat).pressed == 1
    assert evening.match.seat == 0
    assert one(evening.press(seat=0), Judged).verdict.played == parse_tiles("K1 K2 K3")


def test_a_button_where_nobody_sits_does_nothing(evening: Any) -> None:
    """Buttons are wired for six seats, and two play."""
    evening.opened()
    assert evening.press(seat=4) == ()
    assert one(evening.press(seat=1), WrongSeat).pressed == 1


def test_the_next_player_presses_too_soon_after_a_common_button(evening: Any) -> None:
    """A second press within a second is one with the first; after it, it is the next player's."""
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    assert evening.match.seat == 1
    assert evening.press(after=0.5) == ()
    told = evening.press(after=1.1)
    assert (one(told, Drew).seat, one(told, Drew).reason) == (1, Reason.NO_PLAY)


def test_a_press_by_mistake_is_undone_after_the_next_player_moved_a_tile(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.lay(f"{TABLE} / K1 K2 K3 / O5", after=3.0)
    told = evening.enter(Undone(evening.at))
    assert (one(told, TurnTakenBack).seat, one(told, TilesChanged).added) == (0, (parse_tile("O5"),))
    evening.lay(f"{TABLE} / K1 K2 K3")  # Ben takes it back
    assert isinstance(one(evening.press(), Judged).verdict, Legal)


def test_an_undo_gives_back_a_tile_drawn_by_mistake(evening: Any) -> None:
    evening.opened()
    racks, pool = evening.match.racks, evening.match.pool
    evening.press()
    assert evening.match.pool == pool - 1
    evening.enter(Undone(evening.at))
    assert (evening.match.racks, evening.match.pool, evening.match.seat) == (racks, pool, 0)


def test_what_was_drawn_for_a_press_taken_back_is_put_back(evening: Any) -> None:
    evening.opened().press()
    told = evening.enter(Undone(evening.at))
    assert kinds(told) == ["TurnTakenBack", "DrawTakenBack"]
    assert (one(told, DrawTakenBack).seat, one(told, DrawTakenBack).tiles) == (0, 1)
    assert words(told[1], ("Ann", "Ben")).strip() == "Ann puts back the tile drawn for it."
    evening.play(f"{TABLE} / K1 K2 K3")
    assert kinds(evening.enter(Undone(evening.at))) == ["TurnTakenBack"]  # nothing was drawn for that one


def test_who_drew_for_a_turn_in_which_a_tile_was_missed_puts_it_back(evening: Any) -> None:
    """A draw that still holds is not told again: nobody is to draw twice."""
    evening.opened().play(f"{TABLE} / K1 K2 B3", doubts={8: "K3"})
    evening.wait(16.0)
    evening.press()
    told = evening.enter(TableCorrected(evening.at, TileIs(8, parse_tile("K3")), "organiser"))
    assert (one(told, Judged).seat, "Drew" in kinds(told)) == (1, False)
    told = evening.enter(TableCorrected(evening.at, TileMissed(8, parse_tile("K4")), "organiser"))
    assert "Drew" not in kinds(told)
    assert "DrawTakenBack" not in kinds(told)


def test_a_tile_said_to_be_one_already_there_before_makes_the_player_draw_after_all(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.press()
    told = evening.enter(TableCorrected(evening.at, TileMissed(7, parse_tile("K3")), "organiser"))
    assert one(told, Judged).stands
    told = evening.enter(TableCorrected(evening.at, TileIs(8, None), "organiser"))
    assert isinstance(one(told, Judged).verdict, Illegal)
    assert evening.match.seat == 0


def test_a_tile_exchanged_in_its_place_takes_another_press(evening: Any) -> None:
    """Ann was sent back and mends her set where it lies; a word on another tile is no press."""
    evening.opened().play(f"{TABLE} / R5 B5 K6")
    evening.lay(f"{TABLE} / R5 B5 K5")
    told = evening.say(TileIs(0, parse_tile("R10")))
    assert (kinds(told), evening.match.seat) == (["TileNamed"], 0)
    assert isinstance(one(evening.press(), Judged).verdict, Legal)


def test_an_undo_after_the_winning_press_takes_the_win_back(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3")
    assert "GameWon" in kinds(evening.press(call=True))
    assert "TurnTakenBack" in kinds(evening.enter(Undone(evening.at)))
    assert (evening.match.results, evening.match.phase) == ((), Phase.TURN)


# Winning -----------------------------------------------------------------------------------------------------------


def test_the_last_tile_on_an_illegal_table_wins_nothing(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 4),))
    told = evening.lay("R10 R11 R12 / K1") + evening.press(call=True)
    assert isinstance(one(told, Judged).verdict, Illegal)
    assert "GameWon" not in kinds(told)
    assert one(evening.play("R10 R11 R12 R13"), GameWon).reason is Reason.EMPTY_RACK


def test_the_last_tile_laid_as_the_time_runs_out_wins_if_it_lay_there_in_time(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 4),)).lay("R10 R11 R12 R13")
    evening.wait(60.0)
    told = evening.enter(TableStill(evening.at))
    assert (one(told, GameWon).seat, one(told, GameWon).reason) == (0, Reason.EMPTY_RACK)


def test_the_last_tile_laid_after_the_time_wins_nothing(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 4),)).lay("R10 R11 R12")
    evening.now += 57.0
    told = evening.lay("R10 R11 R12 R13", after=6.0)
    assert kinds(told)[-2:] == ["Judged", "RestoreNeeded"]
    assert one(evening.lay(""), Drew).reason is Reason.PENALTY


def test_a_call_with_tiles_left_by_the_referees_count_wins_and_is_said(evening: Any) -> None:
    """Players may have miscounted, or the referee: it says so, and the win can be taken back."""
    evening.start("Ann Ben").lay("R10 R11 R12")
    told = evening.press(call=True)
    assert kinds(told)[-2:] == ["GameWon", "CountDiffers"]
    assert words(told[-1], ("Ann", "Ben")) == ("By my count Ann has 11 tiles left. If that is so, take the win back.")
    evening.enter(Undone(evening.at))
    assert (evening.match.phase, evening.match.racks[0]) == (Phase.TURN, 14)


def test_the_referee_has_counted_a_tile_too_few_and_the_win_is_taken_back(evening: Any) -> None:
    """Ann had drawn two tiles that stuck together: the game goes on, and the call ends it."""
    evening.start("Ann Ben", house_rules=(("rack_tiles", 3),)).lay("R10 R11 R12")
    won = one(evening.press(), GameWon)
    assert words(won, ("Ann", "Ben")).startswith("By my count the rack is empty: Rummikub! Ann wins game 1.")
    evening.enter(Undone(evening.at))
    told = evening.press(after=3.0)
    assert ("GameWon" in kinds(told), evening.match.racks[0], evening.match.seat) == (False, 1, 1)
    evening.press()
    evening.lay("R10 R11 R12 R13")
    assert one(evening.press(call=True), GameWon).reason is Reason.CALLED
    assert evening.match.racks[0] == 0


def test_another_player_drew_the_highest_tile_for_the_second_game(evening: Any) -> None:
    evening.start(games=2).play("R10 R11 R12")
    evening.enter(GameEnded(evening.at))
    evening.wait(6.0)
    assert one(evening.lay(""), GameStarted).seat == 1
    told = evening.enter(NextGame(evening.at, Seat(2), "organiser"))
    assert (one(told, GameStarted).seat, one(told, GameStarted).game, evening.match.seat) == (2, 2, 2)
    assert len(evening.match.results) == 1
    evening.play("R10 R11 B12")
    assert evening.enter(NextGame(evening.at, Seat(0), "organiser")) == ()  # a verdict was given


def test_a_call_with_nothing_laid_wins_nothing(evening: Any) -> None:
    evening.opened()
    told = evening.press(call=True)
    assert kinds(told) == ["Judged", "Drew", "TurnStarted"]


def test_a_call_with_nothing_laid_wins_nothing_where_a_doubt_stays_either(evening: Any) -> None:
    evening.opened().lay(TABLE, doubts={0: "R9"})
    assert isinstance(one(evening.press(call=True), Judged).verdict, Undecided)
    assert kinds(evening.wait(15.0)) == ["Judged", "Drew", "TurnStarted"]


def test_a_call_on_the_wrong_turn_is_no_call(evening: Any) -> None:
    evening.opened()
    assert kinds(evening.press(seat=1, call=True)) == ["WrongSeat"]
    assert "GameWon" not in kinds(evening.play(f"{TABLE} / K1 K2 K3"))


# Time --------------------------------------------------------------------------------------------------------------


def test_a_press_and_the_end_of_the_time_at_the_same_moment(evening: Any) -> None:
    """What falls due at a moment has happened when the press of that moment comes: the time was over."""
    evening.start()
    evening.now = 60.0
    assert "TimeOver" in kinds(evening.enter(TurnEnded(evening.at)))


def test_a_penalty_is_announced_once(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    evening.now += 3.0
    told = evening.press() + evening.press() + evening.lay(TABLE)
    assert [type(event) for event in told].count(Drew) == 1
    assert evening.enter(Ticked(evening.at)) == ()


def test_the_table_is_restored_by_its_sets_not_by_its_tiles(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1")
    evening.wait(60.0)
    assert one(evening.enter(TableStill(evening.at)), RestoreNeeded).guide.surplus == (parse_tile("K1"),)
    told = evening.lay("R10 B10 K10 O10 / R11 R12")  # the right tiles in other sets
    assert one(told, RestoreNeeded).guide.missing == ()
    assert "Restored" in kinds(evening.lay("O10 K10 B10 / R12 R11 R10"))


def test_nobody_gains_time_by_pressing_an_illegal_table(evening: Any) -> None:
    evening.opened()
    left = [evening.match.play.clock.left_at(evening.match.now)]
    for _ in range(3):
        evening.play(f"{TABLE} / K1")
        left.append(evening.match.play.clock.left_at(evening.match.now))
    assert left == sorted(left, reverse=True)
    assert len(set(left)) == 4


def test_nobody_gains_time_by_holding_a_hand_over_the_table(evening: Any) -> None:
    """The clock waits for hands ten seconds, then the turn goes on where it stood."""
    evening.opened().lay(f"{TABLE} / K1")
    evening.press(after=20.0)
    left = evening.match.play.clock.left_at(evening.match.now)
    evening.now += 2.0
    evening.enter(TableMoving(evening.at))
    evening.now += 1.0
    evening.enter(TurnEnded(evening.at))
    told = evening.wait(10.0)
    assert kinds(told) == ["LookingAgain", "ClockRuns"]
    assert evening.match.play.clock.left_at(evening.match.now) == pytest.approx(left - 3.0)


# Who is there ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_turns_go_round(evening: Any, players: int) -> None:
    evening.start(" ".join(("Ann", "Ben", "Cem", "Dora")[:players])).lay("")
    seats = [one(evening.press(), TurnStarted).seat for _ in range(2 * players)]
    assert seats == [*range(1, players), 0] * 2


def test_of_two_players_one_leaving_ends_the_match(evening: Any) -> None:
    evening.opened()
    told = evening.enter(PlayerLeft(evening.at, Seat(0)))
    assert one(told, MatchOver).ranking == ("Ben", "Ann")


def test_the_seat_of_one_who_left_is_passed_over(evening: Any) -> None:
    evening.start("Ann Ben Cem Dora").lay("")
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert [one(evening.press(), TurnStarted).seat for _ in range(4)] == [1, 3, 0, 1]


def test_the_tiles_of_one_who_left_are_out_of_the_game(evening: Any) -> None:
    evening.start("Ann Ben Cem").lay("")
    pool = evening.match.pool
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert evening.match.pool == pool


# The end of games --------------------------------------------------------------------------------------------------


def test_an_empty_pool_passes_instead_of_drawing_and_the_last_pass_blocks(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 20),)).lay("")
    while evening.match.pool:
        evening.press()
    told = [*evening.press(), *evening.press()]
    assert [event.tiles for event in told if isinstance(event, Drew)] == [0, 0]
    assert isinstance(told[-1], GameWon)


def test_a_play_between_two_passes_unblocks(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 20),)).lay("")
    while evening.match.pool:
        evening.press()
    evening.press()
    evening.play(OPEN)
    assert "GameWon" not in kinds(evening.press())


def test_a_penalty_takes_no_more_than_the_pool_holds(evening: Any) -> None:
    evening.start("Ann Ben", house_rules=(("rack_tiles", 20),)).lay("")
    while evening.match.pool > 1:
        evening.press()
    evening.lay("K1")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    assert one(evening.lay(""), Drew).tiles == 1


def test_the_lowest_rack_wins_a_blocked_game_and_two_may_share_it(evening: Any) -> None:
    evening.start("Ann Ben Cem", games=1).lay("")
    evening.enter(GameEnded(evening.at))
    racks = ((Seat(0), 10), (Seat(1), 25), (Seat(2), 10))
    told = evening.enter(RacksTold(evening.at, racks))
    assert told[0].scores == {"Ann": 7, "Ben": -15, "Cem": 7}
    assert evening.match.results[-1].winners == (0, 2)
    ended = one(evening.enter(NextGame(evening.at)), MatchOver)
    assert (ended.ranking, ended.ranks) == (("Ann", "Cem", "Ben"), {"Ann": 1, "Cem": 1, "Ben": 3})
    table = "          total\n  1. Ann     +7\n  1. Cem     +7\n  3. Ben    -15"
    said = f"The match is over: Ann and Cem share the win.\n{table}"
    assert words(ended, evening.match.setup.names) == said


@pytest.mark.parametrize("edition", sorted(EDITIONS))
@pytest.mark.parametrize("players", [2, 4])
def test_a_round_has_a_game_for_each_player_and_each_begins_one(evening: Any, edition: str, players: int) -> None:
    """Where the booklet has tiles drawn for it, the organiser says who begins; unsaid, it is the next to the left."""
    evening.start(" ".join(("Ann", "Ben", "Cem", "Dora")[:players]), edition).lay("")
    starters = [0]
    for _ in range(players - 1):
        evening.enter(GameEnded(evening.at))
        starters.append(one(evening.enter(NextGame(evening.at)), GameStarted).seat)
    assert starters == list(range(players))
    evening.enter(GameEnded(evening.at))
    ended = evening.enter(NextGame(evening.at))[-1]
    assert (ended.ranking[0], ended.ranks) == ("Ann", {})
    assert words(ended, evening.match.setup.names) == "The match is over. Nobody has won a game."
    assert evening.match.phase is Phase.MATCH_OVER


def test_the_next_game_does_not_begin_on_a_table_that_is_not_cleared(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(6.0)
    assert one(evening.enter(NextGame(evening.at)), LookingAgain).reason is Reason.CLEAR
    assert evening.lay("R10") == ()
    assert one(evening.lay(""), GameStarted).game == 2


def test_a_table_cleared_while_a_win_can_still_be_undone_waits(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    assert evening.lay("", after=2.0) == ()
    assert "TurnTakenBack" in kinds(evening.enter(Undone(evening.at)))


def test_and_then_the_next_game_begins_by_itself(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    won = evening.now
    evening.lay("", after=2.0)
    (started, *_) = evening.wait(10.0)
    assert (type(started), started.at) == (GameStarted, pytest.approx(won + 5.0, abs=0.2))


def test_tiles_of_the_last_game_do_not_reach_into_the_next(evening: Any) -> None:
    evening.start(games=2).lay(OPEN)
    evening.press(call=True)
    evening.wait(6.0)
    evening.lay("")
    told = evening.play("R7 R8 R9")
    assert [fault.fault for fault in one(told, Judged).verdict.violations] == [Fault.INITIAL_MELD_TOO_LOW]


def test_a_correction_of_the_next_play_disputes_no_verdict_on_the_turn_before(evening: Any) -> None:
    """Ann's K3 was read as R11; Ben takes it up and moves the true R11. That one lay there as Ann's turn ended."""
    evening.opened().lay(f"{TABLE} / K1 K2 R11")
    evening.say(TileIs(8, parse_tile("K3")))
    assert isinstance(one(evening.press(), Judged).verdict, Legal)
    evening.lay("R10 R12 / B10 K10 O10 / K1 K2 / R11 / O5")
    assert "Judged" not in kinds(evening.say(TileIs(8, parse_tile("O6"))))
