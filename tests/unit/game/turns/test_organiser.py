"""What the organiser says: tiles corrected for good, verdicts judged again, time given back, games ended."""

from typing import Any

import pytest

from referee.game.correction_events import TileNamed
from referee.game.correction_types import TileIs
from referee.game.corrections.corrections import NO_CORRECTIONS
from referee.game.event_parts import Reason
from referee.game.events import (
    ClockRuns,
    Drew,
    GameStarted,
    GameWon,
    Judged,
    MatchOver,
    RestoreNeeded,
    TableWatched,
    TilesChanged,
    TimeGiven,
    TurnStarted,
    TurnTakenBack,
    Warned,
)
from referee.game.inputs import (
    ClockSet,
    GameEnded,
    LetStand,
    MatchEnded,
    MatchStarted,
    NextGame,
    Paused,
    PlayerLeft,
    Restarted,
    Resumed,
    Seat,
    TableCorrected,
    Ticked,
    TurnEnded,
    Undone,
)
from referee.game.state import Phase
from referee.reading.inputs import Seconds, TableSettled, TableStill
from referee.rules.notation import format_table, parse_tile
from referee.rules.verdict import Illegal, Legal, Undecided

from ..conftest import OPEN, TABLE, kinds, one  # isort: skip


def name(evening: Any, index: int, tile: str, frame_id: str = "") -> tuple[Any, ...]:
    """The organiser says what a tile is ("": none)."""
    evening.now += 0.5
    named = parse_tile(tile) if tile else None
    return evening.enter(TableCorrected(evening.at, TileIs(index, named), "organiser", frame_id))


def again(evening: Any, text: str, **doubt: Any) -> tuple[Any, ...]:
    """The same table settles once more: the reader says what it said before."""
    return evening.lay(text, **doubt)


# A correction lasts -----------------------------------------------------------------------------------------------


def test_a_correction_is_told_with_who_and_what(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    named = one(name(evening, 8, "K3"), TileNamed)
    assert (named.index, named.was, named.tile, named.by) == (8, parse_tile("B3"), parse_tile("K3"), "organiser")
    assert named.frame_id == f"frame of {TABLE} / K1 K2 B3"


def test_no_later_look_takes_a_correction_back(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    assert one(name(evening, 8, "K3"), TableWatched).legal
    assert again(evening, f"{TABLE} / K1 K2 B3") == ()
    judged = one(evening.press(), Judged)
    assert isinstance(judged.verdict, Legal)
    assert format_table(judged.table) == f"{TABLE} / K1 K2 K3"


def test_nor_does_it_in_later_turns(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    name(evening, 8, "K3")
    evening.press()
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 B3 / O1 O2 O3"), Judged).verdict, Legal)


def test_a_tile_that_moves_may_be_misread_again_and_is_asked_about(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    name(evening, 8, "K3")
    evening.press()
    told = evening.play(f"{TABLE} / K1 K2 K4 / K5 B3 O9")  # the K3 is moved, and read as B3 once more
    assert isinstance(one(told, Judged).verdict, Illegal)  # K5 B3 O9 is no set, whatever the tile is
    assert isinstance(one(evening.play(f"{TABLE} / O1 O2 O3 / K1 K2 B3 K4"), Judged).verdict, Undecided)
    assert isinstance(one(name(evening, 11, "K3"), Judged).verdict, Legal)


def test_tiles_that_lay_there_all_along_are_not_doubted_for_it(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / B2 B3 B4")
    evening.lay(f"{TABLE} / B2 B3 B4 / K1 K2 B3")
    name(evening, 11, "K3")
    evening.press()
    told = evening.play(f"{TABLE} / B2 B3 B4 / K1 K2 / K3 K4 K5")  # the K3 has moved
    assert [violation.set_index for violation in one(told, Judged).verdict.violations] == [3]


def test_a_reader_sure_of_a_third_thing_in_that_place_is_asked_about(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    name(evening, 8, "K3")
    told = evening.play(f"{TABLE} / K1 K2 O3")
    assert one(told, Judged).doubts[0].may_be == (parse_tile("O3"), parse_tile("K3"))


def test_another_tile_in_that_place_changes_nothing_about_the_one_that_lay_there(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    name(evening, 8, "K3")
    evening.press()
    asked = one(evening.play(f"{TABLE} / K1 K2 O9"), Judged)  # the K3 is taken, and an O9 lies in its place
    assert asked.doubts[0].may_be == (parse_tile("O9"), parse_tile("K3"))
    judged = one(name(evening, 8, "O9"), Judged)
    assert (format_table(judged.before), format_table(judged.table)) == (
        f"{TABLE} / K1 K2 K3",
        f"{TABLE} / K1 K2 O9",
    )
    assert {violation.fault.value for violation in judged.verdict.violations} == {"tile_taken", "not_a_set"}
    back = one(evening.play(f"{TABLE} / K1 K2 B3"), Judged)  # the K3 is back, and read as a B3 once more
    assert isinstance(back.verdict, Legal)
    assert back.verdict.played == ()


def test_a_tile_that_is_none_can_be_said_to_be_none(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K4")
    assert one(name(evening, 6, ""), TableWatched).legal
    assert one(evening.press(), Judged).verdict.played == ()


def test_corrections_end_with_the_game(evening: Any) -> None:
    evening.start(games=2).lay("R10 R11 B12")
    name(evening, 2, "R12")
    evening.press(call=True)
    evening.wait(6.0)
    evening.lay("")
    assert evening.match.dispute.corrections == NO_CORRECTIONS
    assert isinstance(one(evening.play("R10 R11 B12"), Judged).verdict, Illegal)


@pytest.mark.parametrize("index", [-1, 9])
def test_a_tile_that_is_not_there_cannot_be_corrected(evening: Any, index: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    assert name(evening, index, "K3") == ()


def test_a_tap_on_an_old_picture_corrects_nothing(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    old = evening.match.table.shown.reading.frame_id
    evening.lay(f"{TABLE} / K1 K2 K3 / O1 O2 O3")
    assert name(evening, 8, "K4", old) == ()
    assert "TileNamed" in kinds(name(evening, 8, "K4", evening.match.table.shown.reading.frame_id))


# Judged again ------------------------------------------------------------------------------------------------------


def test_a_turn_sent_back_for_a_misread_tile_passes_on_when_it_is_corrected(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 B3")
    evening.wait(5.0)
    told = name(evening, 8, "K3")
    assert kinds(told) == ["TileNamed", "Judged", "TurnStarted"]
    assert (one(told, Judged).seat, one(told, Judged).stands, evening.match.seat) == (0, True, 1)


def test_it_is_sent_back_once_more_where_something_else_is_wrong(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 B3 / O1 O2")
    left = evening.match.play.clock.left_at(evening.match.now)
    told = name(evening, 8, "K3")
    assert kinds(told) == ["TileNamed", "Judged", "ClockRuns"]
    assert [violation.set_index for violation in one(told, Judged).verdict.violations] == [3]
    assert one(told, ClockRuns).seconds_left == pytest.approx(left - 0.5)


def test_once_the_table_has_changed_it_takes_another_press(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 B3")
    evening.lay(f"{TABLE} / K1 K2 B3 / O1")
    assert kinds(name(evening, 8, "K3")) == ["TileNamed"]
    assert evening.match.seat == 0
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 B3"), Judged).verdict, Legal)


def test_a_call_of_rummikub_counts_when_it_is_judged_again(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    evening.press(call=True)
    assert one(name(evening, 8, "K3"), GameWon).reason is Reason.CALLED


def test_a_correction_while_the_table_is_put_back(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    evening.wait(60.0)
    assert "RestoreNeeded" in kinds(evening.enter(TableStill(evening.at)))
    told = name(evening, 8, "K3")  # it lay there legal and still when the time was over: only the press was forgotten
    assert kinds(told) == ["TileNamed", "Judged", "TurnStarted"]
    assert one(told, Judged).late


def test_the_table_to_be_put_back_is_corrected_too(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.wait(60.0)
    assert format_table(one(evening.enter(TableStill(evening.at)), RestoreNeeded).table) == TABLE
    told = name(evening, 5, "R10")
    assert format_table(one(told, RestoreNeeded).table) == "R10 R11 R12 / B10 K10 R10"


def test_a_table_that_was_put_back_is_beyond_dispute(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    evening.wait(60.0)
    evening.enter(TableStill(evening.at))
    evening.lay(TABLE)  # the penalty is drawn, and Ben moves
    racks = evening.match.racks
    evening.lay(f"{TABLE} / K1 K2 B3")
    assert "Judged" not in kinds(name(evening, 8, "K3"))
    assert (evening.match.racks, evening.match.seat) == (racks, 1)
    assert [format_table(table) for table in evening.match.turn_start.tables] == [TABLE]


def test_a_turn_does_not_go_back_to_one_who_has_left(evening: Any) -> None:
    evening.start("Ann Ben Cem").play(OPEN)
    evening.enter(PlayerLeft(evening.at, Seat(0)))
    told = name(evening, 2, "B12")  # Ann's opening was none
    assert kinds(told) == ["TileNamed", "Judged", "RestoreNeeded"]
    assert "Drew" not in kinds(evening.lay(""))
    assert (evening.match.seat, evening.match.players[0].opened) == (1, False)


def test_several_doubts_are_settled_one_after_the_other(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3 / O1 O2 O3", doubts={8: "B3", 11: "R3"})
    evening.wait(14.0)
    told = name(evening, 8, "K3")
    assert kinds(told) == ["TileNamed", "Judged", "LookingAgain"]
    assert [doubt.index for doubt in one(told, Judged).doubts] == [11]
    assert evening.wait(14.0) == ()  # somebody is answering: it is waited for anew
    assert isinstance(one(name(evening, 11, "O3"), Judged).verdict, Legal)


def test_a_turn_that_passed_on_is_judged_again(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    told = name(evening, 8, "K4")  # it had been misread as legal, and nobody has touched the table since
    assert kinds(told) == ["TileNamed", "Judged", "TurnTakenBack"]
    assert isinstance(one(told, Judged).verdict, Illegal)
    assert (evening.match.seat, evening.match.turn, one(told, TurnTakenBack).seat) == (0, 3, 0)
    assert one(told, TurnTakenBack).seconds_left == pytest.approx(56.0)  # as at the press


def test_what_the_next_player_has_built_on_stands(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.lay(f"{TABLE} / K1 K2 K3 / O1 O2 O3")
    told = name(evening, 8, "K4")
    judged = one(told, Judged)
    assert (type(judged.verdict), judged.stands, judged.seat, evening.match.seat) == (Illegal, True, 0, 1)
    assert [format_table(table) for table in evening.match.turn_start.tables] == [f"{TABLE} / K1 K2 K4"]
    judged = one(evening.press(), Judged)  # Ben answers for what he laid alone
    assert (type(judged.verdict), judged.verdict.played) == (Legal, tuple(map(parse_tile, ("O1", "O2", "O3"))))


def test_an_undecided_turn_that_stood_can_be_settled_later(evening: Any) -> None:
    evening.start("Ann Ben").play("R10 R11 R12", doubts={2: "B12"})
    evening.wait(15.0)
    assert [format_table(table) for table in evening.match.turn_start.tables] == ["R10 R11 R12", "R10 R11 B12", ""]
    left = evening.match.play.clock.left_at(evening.match.now)
    told = name(evening, 2, "R12")
    assert kinds(told) == ["TileNamed", "Judged"]
    assert isinstance(one(told, Judged).verdict, Legal)
    assert len(evening.match.turn_start.tables) == 1
    assert evening.match.play.clock.left_at(evening.match.now) == pytest.approx(left - 0.5)


def test_a_play_that_was_none_draws_after_all(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    for index in (8, 7):
        name(evening, index, "")
    told = name(evening, 6, "")
    assert one(told, Drew).seat == evening.match.dispute.judged.checkpoint.seat
    assert evening.match.turn_start.best.sets == evening.match.table.current.hypotheses.best.sets


def test_a_tile_misread_in_the_table_before_accuses_nobody(evening: Any) -> None:
    evening.start("Ann Ben").play("R10 R11 R12")
    evening.play("R10 R11 R12 / B10 K10 O10")
    told = name(evening, 5, "R10")
    assert isinstance(one(told, Judged).verdict, Legal)
    assert isinstance(one(evening.press(), Judged).verdict, Legal)  # Ann, who began with the same misreading


def test_nothing_is_judged_again_after_the_next_press(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.play(f"{TABLE} / K1 K2 K3 / O1 O2 O3")
    evening.play(f"{TABLE} / K1 K2 K3 / O1 O2 O3 / B1 B2 B3")
    told = name(evening, 8, "K4")
    assert one(told, Judged).turn == 5  # the last turn alone; the tile lay in the table before it as well
    assert isinstance(one(told, Judged).verdict, Legal)


def test_a_game_that_was_won_by_a_misreading_goes_on(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3")
    evening.press(call=True)
    told = name(evening, 8, "K4")
    assert kinds(told) == ["TileNamed", "Judged", "TurnTakenBack"]
    assert (evening.match.phase, evening.match.seat, evening.match.results) == (Phase.TURN, 0, ())


# Letting stand, undoing, time --------------------------------------------------------------------------------------


def test_a_table_let_stand_says_by_whom(evening: Any) -> None:
    evening.start().play("R7 R8 R9")
    assert one(evening.enter(LetStand(evening.at, "players")), Judged).by == "players"
    assert evening.match.seat == 1


def test_what_was_let_stand_stands_whatever_is_corrected(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2")
    evening.enter(LetStand(evening.at))
    told = name(evening, 7, "K3")
    assert one(told, Judged).stands
    assert (format_table(evening.match.turn_start.best), evening.match.seat) == (f"{TABLE} / K1 K3", 1)


def test_the_organiser_may_undo_a_press_at_any_time_before_the_next(evening: Any) -> None:
    evening.start().play(OPEN)
    evening.wait(30.0)
    assert evening.enter(Undone(evening.at)) == ()
    told = evening.enter(Undone(evening.at, "organiser"))
    assert kinds(told) == ["TurnTakenBack"]
    assert one(told, TurnTakenBack).seconds_left == pytest.approx(56.0)


def test_what_the_next_player_laid_before_the_undo_is_told(evening: Any) -> None:
    evening.start().play(OPEN)
    evening.lay(f"{OPEN} / B1", after=4.0)
    told = evening.enter(Undone(evening.at))
    assert kinds(told) == ["TurnTakenBack", "TilesChanged"]
    assert (one(told, TilesChanged).added, one(told, TilesChanged).seat) == ((parse_tile("B1"),), 0)


def test_time_is_given_back(evening: Any) -> None:
    evening.start()
    evening.wait(50.0)
    told = evening.enter(ClockSet(evening.at, 30.0, "organiser"))
    assert (one(told, TimeGiven).seconds_left, one(told, TimeGiven).by) == (30.0, "organiser")
    assert [(event.seconds_left, event.at) for event in evening.wait(26.0)] == [(15.0, 65.0), (5.0, 75.0)]


def test_time_given_back_is_of_this_turn_alone(evening: Any) -> None:
    evening.start("Ann Ben")
    evening.wait(50.0)
    evening.enter(ClockSet(evening.at, 40.0, "organiser"))
    limits = [one(evening.play(""), TurnStarted).seconds for _ in range(4)]
    assert limits == [60.0, 60.0, 60.0, 60.0]


def test_time_given_back_calls_off_the_penalty(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.wait(60.0)
    assert "RestoreNeeded" in kinds(evening.enter(TableStill(evening.at)))
    evening.enter(ClockSet(evening.at, 20.0))
    assert evening.match.phase is Phase.TURN
    told = evening.play(f"{TABLE} / K1 K2 K4")
    assert kinds(told) == ["Judged", "ClockRuns"], "an illegal table may be mended: there is time again"
    assert not one(told, Judged).late
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 K3"), Judged).verdict, Legal)
    assert "Drew" not in evening.names()


def test_a_clock_set_in_a_break_stands(evening: Any) -> None:
    evening.start()
    evening.enter(Paused(evening.at))
    evening.enter(ClockSet(evening.at, 40.0))
    assert evening.wait(100.0) == ()
    assert one(evening.enter(Resumed(evening.at)), ClockRuns).seconds_left == 40.0


def test_one_who_has_left_needs_no_time(evening: Any) -> None:
    evening.start()
    evening.wait(61.0)
    evening.enter(PlayerLeft(evening.at, Seat(0)))
    assert evening.enter(ClockSet(evening.at, 40.0)) == ()
    evening.lay("")
    assert evening.match.seat == 1


def test_a_turn_without_a_clock_has_none_to_set(evening: Any) -> None:
    evening.start(house_rules=(("turn_seconds", 0),))
    assert evening.enter(ClockSet(evening.at, 40.0)) == ()


@pytest.mark.parametrize("seconds", [-1.0, 3601.0, float("nan")])
def test_no_clock_holds_such_a_time(seconds: float) -> None:
    with pytest.raises(ValueError, match="a clock is set to 0 to 3600 s"):
        ClockSet(Seconds(0.0), seconds)


# In a break --------------------------------------------------------------------------------------------------------


def test_a_dispute_is_settled_in_a_break_and_the_clock_stands(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 B3")
    evening.enter(Paused(evening.at, "organiser"))
    assert kinds(name(evening, 8, "K3")) == ["TileNamed", "Judged", "TurnStarted"]
    assert evening.wait(100.0) == ()
    told = evening.enter(Resumed(evening.at))
    assert kinds(told) == ["ClockRuns"]  # a tile renamed is no tile changed
    assert one(told, ClockRuns).seconds_left == 60.0


def test_a_turn_given_back_in_a_break_compares_the_table_after_it(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.enter(Paused(evening.at))
    assert "TurnTakenBack" in kinds(name(evening, 8, "K4"))
    evening.lay(f"{TABLE} / K1 K2")
    told = evening.enter(Resumed(evening.at))
    assert (kinds(told), one(told, TilesChanged).missing) == (["TilesChanged", "ClockRuns"], (parse_tile("K4"),))


def test_a_turn_sent_back_in_a_break_does_not_run(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 B3 / O1 O2")
    evening.enter(Paused(evening.at))
    assert kinds(name(evening, 8, "K3")) == ["TileNamed", "Judged"]
    assert evening.wait(100.0) == ()


@pytest.mark.parametrize(
    ("said", "phase", "told"),
    [
        pytest.param(LetStand, Phase.TURN, "Judged TurnStarted", id="let stand"),
        pytest.param(GameEnded, Phase.GAME_OVER, "GameWon", id="blocked"),
        pytest.param(MatchEnded, Phase.MATCH_OVER, "MatchOver", id="the evening is over"),
    ],
)
def test_the_organiser_decides_in_a_break(evening: Any, said: Any, phase: Any, told: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.enter(Paused(evening.at))
    assert " ".join(kinds(evening.enter(said(evening.at, "organiser")))) == told
    assert evening.match.phase is phase


def test_a_misread_table_after_a_restart_is_corrected_and_play_goes_on(evening: Any) -> None:
    evening.opened()
    evening.enter(Restarted(evening.at))
    assert "TilesChanged" in kinds(evening.lay("R10 R11 R12 / B10 K10 R10"))
    assert kinds(name(evening, 5, "O10")) == ["TileNamed", "ClockRuns"]


# Leaving, ending, beginning ----------------------------------------------------------------------------------------


def test_who_leaves_in_the_middle_of_a_turn_takes_the_tiles_back(evening: Any) -> None:
    evening.start().play(OPEN)
    evening.lay(f"{OPEN} / B1 B2")
    told = evening.enter(PlayerLeft(evening.at, Seat(1), "organiser"))
    assert kinds(told) == ["PlayerGone", "RestoreNeeded"]
    told = evening.lay(OPEN)
    assert kinds(told) == ["Restored", "TurnStarted"]  # nobody is there to draw
    assert evening.match.seat == 2


def test_who_leaves_after_the_press_is_judged_still(evening: Any) -> None:
    evening.start().play(OPEN)
    evening.lay(f"{OPEN} / B10 K10 O10")
    evening.now += 1.0
    evening.enter(TurnEnded(evening.at))
    evening.enter(PlayerLeft(evening.at, Seat(1)))
    evening.now += 1.0
    told = evening.enter(TableStill(evening.at))
    assert kinds(told) == ["Judged", "TurnStarted"]
    assert evening.match.seat == 2


def test_a_pass_of_one_who_left_does_not_block_the_game(evening: Any) -> None:
    evening.start("Ann Ben Cem")
    evening.lay("")
    while evening.match.pool:
        evening.press()
    assert [one(evening.press(), Drew).seat, one(evening.press(), Drew).seat] == [1, 2]
    evening.enter(PlayerLeft(evening.at, Seat(2)))
    assert evening.match.seat == 0
    assert one(evening.press(), GameWon).reason is Reason.BLOCKED


def test_after_a_match_another_begins_with_other_players_and_rules(evening: Any) -> None:
    evening.opened()
    assert "MatchOver" in kinds(evening.enter(MatchEnded(evening.at, "organiser")))
    evening.lay("")
    told = evening.enter(
        MatchStarted(
            at=evening.at, names=("Dora", "Emil", "Fay", "Gus"), edition="twist", first=Seat(2), by="organiser"
        )
    )
    assert (one(told, GameStarted).names, one(told, GameStarted).seat) == (("Dora", "Emil", "Fay", "Gus"), 2)
    assert (evening.match.game, evening.match.turn, evening.match.results) == (1, 1, ())


def test_the_organiser_says_who_begins_the_next_game(evening: Any) -> None:
    evening.start(games=2)
    evening.lay("")
    evening.enter(GameEnded(evening.at, "organiser"))
    assert one(evening.enter(NextGame(evening.at, Seat(2), "organiser")), GameStarted).seat == 2
    evening.enter(GameEnded(evening.at))
    assert one(evening.enter(NextGame(evening.at)), MatchOver).ranking == ("Ann", "Ben", "Cem")


def test_warnings_already_given_are_not_given_again(evening: Any) -> None:
    evening.start()
    evening.wait(50.0)
    evening.enter(ClockSet(evening.at, 4.0))
    assert [event for event in evening.wait(3.0) if isinstance(event, Warned)] == []
    assert "TimeOver" in kinds(evening.enter(Ticked(Seconds(evening.now + 2.0))))


def test_a_look_that_settles_after_the_correction_is_corrected_by_place(evening: Any, read_table: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    name(evening, 8, "K3")
    evening.now += 1.0
    evening.enter(TableSettled(evening.at, evening.at, read_table(f"{TABLE} / K1 K2 B3")))
    assert evening.match.table.current.reading.tiles[8].tile == parse_tile("K3")
