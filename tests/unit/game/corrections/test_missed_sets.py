"""A set of which the camera sees nothing: said by a person, judged at once, believed until it is seen elsewhere."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from referee.game.correction_events import ProposalEnded, ProposalMade, SetAdded
from referee.game.correction_types import SetMissed, TileIs, TileMissed
from referee.game.event_parts import Reason
from referee.game.events import GameStarted, Judged, LookingAgain, Restored, TurnStarted
from referee.game.inputs import CorrectionProposed, ProposalAnswered, Restarted, Seat, TableCorrected, Undone
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import Seconds, TableSettled, TableStill
from referee.rules.notation import format_table, format_tiles, parse_tile, parse_tiles
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided
from referee.storage.json_codec import event_to_json, input_from_json, input_to_json

from ..conftest import OPEN, TABLE, kinds, one  # isort: skip

FIVES = "R5 B5 K5"


def say(evening: Any, tiles: str = FIVES, frame_id: str = "") -> tuple[Any, ...]:
    evening.now += 0.5
    return evening.enter(TableCorrected(evening.at, SetMissed(parse_tiles(tiles)), "organiser", frame_id))


def name(evening: Any, index: int, tile: str | None) -> tuple[Any, ...]:
    evening.now += 0.5
    named = TileIs(index, None if tile is None else parse_tile(tile))
    return evening.enter(TableCorrected(evening.at, named, "organiser"))


def table_of(told: tuple[Any, ...]) -> str:
    return format_table(one(told, Judged).table)


# Laid, and judged --------------------------------------------------------------------------------------------------


def test_a_set_nobody_saw_is_played_by_whoever_is_to_move(evening: Any) -> None:
    evening.opened().lay(TABLE)
    told = one(say(evening), SetAdded)
    assert words(told, ("Ann", "Ben")) == "  As the organiser says: R5 B5 K5 lies there too, of which I saw nothing."
    judged = one(evening.press(), Judged)
    assert (type(judged.verdict), format_table(judged.table)) == (Legal, f"{TABLE} / {FIVES}")
    assert format_tiles(judged.verdict.played) == FIVES
    assert evening.match.racks[0] == 14 - 3 - 3


def test_it_may_be_the_first_set_of_all_on_a_table_that_is_seen_empty(evening: Any) -> None:
    evening.start("Ann Ben").lay("")
    say(evening, OPEN)
    assert one(evening.press(), Judged).verdict.meld == 33
    assert [player.opened for player in evening.match.players] == [True, False]


def test_a_press_taken_for_no_play_is_judged_again(evening: Any) -> None:
    """Ann laid the fives and pressed; nothing was seen of them, so she was told to draw."""
    evening.opened().lay(TABLE)
    assert one(evening.press(), Judged).verdict.outcome is Outcome.NO_PLAY
    assert evening.match.racks[0] == 14 - 3 + 1
    told = say(evening)
    assert kinds(told) == ["SetAdded", "DrawTakenBack", "Judged"]
    assert one(told, Judged).verdict.outcome is Outcome.PLAYED
    assert (evening.match.seat, evening.match.racks[0]) == (1, 14 - 3 - 3)


def test_it_is_judged_like_any_other_set(evening: Any) -> None:
    evening.opened().lay(TABLE)
    say(evening, "R5 B5 K6")
    judged = one(evening.press(), Judged)
    assert isinstance(judged.verdict, Illegal)
    assert [violation.fault for violation in judged.verdict.violations] == [Fault.NOT_A_SET]


def test_more_of_a_tile_than_the_box_holds_accuses_nobody(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / R7 B7 K7")
    say(evening, "R7 B7 K7")
    say(evening, "R7 B7 O7")
    assert isinstance(one(evening.press(), Judged).verdict, Undecided)


# Believed -----------------------------------------------------------------------------------------------------------


def later(evening: Any) -> Any:
    """Ann has played the fives that nobody saw; Ben is to move."""
    evening.opened().lay(TABLE)
    say(evening)
    evening.press()
    return evening


def test_it_lies_there_in_later_turns(evening: Any) -> None:
    judged = one(later(evening).play(f"{TABLE} / O1 O2 O3"), Judged)
    assert (type(judged.verdict), format_table(judged.table)) == (Legal, f"{TABLE} / O1 O2 O3 / {FIVES}")
    assert format_tiles(judged.verdict.played) == "O1 O2 O3"


def test_two_missed_sets_lie_side_by_side(evening: Any) -> None:
    evening.opened().lay(TABLE)
    say(evening)
    say(evening, "O1 O2 O3")
    told = evening.press()
    assert table_of(told) == f"{TABLE} / {FIVES} / O1 O2 O3"
    quads = [tile.quad for tile in evening.match.table.shown.reading.tiles]
    assert len(set(quads)) == len(quads) == 12


def test_once_all_of_it_is_seen_it_has_turned_up(evening: Any) -> None:
    told = later(evening).play(f"{TABLE} / {FIVES} / O1 O2 O3")
    assert table_of(told) == f"{TABLE} / {FIVES} / O1 O2 O3"
    assert format_tiles(one(told, Judged).verdict.played) == "O1 O2 O3"


def test_it_is_there_again_when_the_camera_loses_it_again(evening: Any) -> None:
    later(evening).lay(f"{TABLE} / {FIVES}")
    told = evening.play(f"{TABLE} / O1 O2 O3")
    assert table_of(told) == f"{TABLE} / O1 O2 O3 / {FIVES}"


def test_a_tile_of_it_seen_elsewhere_is_asked_about_and_accuses_nobody(evening: Any) -> None:
    """The K5 beside K3 K4 came from the fives or from Ben's rack: nobody can tell who has not seen it."""
    told = later(evening).play(f"{TABLE} / K3 K4 K5")
    assert isinstance(one(told, Judged).verdict, Undecided)
    (doubt,) = one(told, LookingAgain).doubts
    assert (format_tiles(doubt.may_be), str(doubt.where)) == ("K5", "tile 3 of R5 B5 ?")


def test_it_lies_there_still_says_a_person(evening: Any) -> None:
    told = later(evening).play(f"{TABLE} / K3 K4 K5")
    (doubt,) = one(told, LookingAgain).doubts
    again = name(evening, doubt.index, "K5")
    assert (type(one(again, Judged).verdict), table_of(again)) == (Legal, f"{TABLE} / K3 K4 K5 / {FIVES}")


def test_or_that_it_came_from_there(evening: Any) -> None:
    """Then two fives are left; Ben answers for them once it is said that nothing lies in its place."""
    told = later(evening).play(f"{TABLE} / K3 K4 K5")
    (doubt,) = one(told, LookingAgain).doubts
    for index, tile in ((doubt.index, None), (9, "R5")):
        assert isinstance(one(name(evening, index, tile), Judged).verdict, Undecided)
    again = name(evening, 10, "B5")
    assert (type(one(again, Judged).verdict), table_of(again)) == (Illegal, f"{TABLE} / K3 K4 K5 / R5 B5")


def test_nobody_is_accused_where_another_tile_lies_unseen_in_its_place(evening: Any) -> None:
    """Ben took the K5 and laid an O5 for it, where the camera sees nothing."""
    told = later(evening).play(f"{TABLE} / K3 K4 K5")
    (doubt,) = one(told, LookingAgain).doubts
    name(evening, doubt.index, None)
    evening.now += 0.5
    missed = TileMissed(10, parse_tile("O5"))
    evening.enter(TableCorrected(evening.at, missed, "organiser"))
    name(evening, 9, "R5")
    told = name(evening, 10, "B5")
    assert (type(one(told, Judged).verdict), table_of(told)) == (Legal, f"{TABLE} / K3 K4 K5 / R5 B5 O5")
    assert not any(isinstance(event, Judged) and isinstance(event.verdict, Illegal) for event in evening.told)


def test_what_left_it_and_is_seen_no_more_may_have_gone_back(evening: Any) -> None:
    """Ben, sent back for it, puts the K5 back among the fives that nobody sees: he is not accused of taking it."""
    told = later(evening).play(f"{TABLE} / K3 K4 K5")
    (doubt,) = one(told, LookingAgain).doubts
    for index, tile in ((doubt.index, None), (9, "R5"), (10, "B5")):
        name(evening, index, tile)
    assert evening.match.phase is Phase.TURN
    told = evening.play(f"{TABLE} / O1 O2 O3")
    (doubt,) = one(told, LookingAgain).doubts
    assert (type(one(told, Judged).verdict), format_tiles(doubt.may_be)) == (Undecided, "K5")
    again = name(evening, doubt.index, "K5")
    assert (type(one(again, Judged).verdict), table_of(again)) == (Legal, f"{TABLE} / O1 O2 O3 / {FIVES}")


def test_the_same_tile_twice_in_it_must_be_seen_twice(evening: Any) -> None:
    evening.start("Ann Ben", edition="twist").play(OPEN)
    evening.play(TABLE)
    evening.lay(TABLE)
    say(evening, "R3 R4 JM R4 R3")
    evening.press()
    told = evening.play(f"{TABLE} / R3 B3 K3")
    assert isinstance(one(told, Judged).verdict, Undecided)
    assert len(one(told, LookingAgain).doubts) == 2  # either R3 may be the one that moved


def test_a_cleared_table_is_clear_whatever_was_said_to_lie_there(evening: Any) -> None:
    evening.start("Ann Ben", games=2).lay("R10 R11")
    evening.enter(TableCorrected(evening.at, TileMissed(1, parse_tile("R12")), "organiser"))
    say(evening)
    evening.press(call=True)
    assert evening.match.phase is Phase.GAME_OVER
    evening.wait(6.0)
    told = evening.lay("")
    assert one(told, GameStarted).game == 2
    evening.play(OPEN)
    assert format_table(evening.match.turn_start.best) == OPEN  # nothing that was said reaches into the next game


def test_the_table_put_back_counts_it_in(evening: Any) -> None:
    later(evening).lay(f"{TABLE} / K1")
    evening.wait(70.0)
    evening.enter(TableStill(evening.at))
    assert evening.match.phase is Phase.RESTORE
    assert one(evening.lay(TABLE), Restored)


def test_after_a_restart_the_table_is_as_it_was(evening: Any) -> None:
    later(evening).enter(Restarted(evening.at))
    told = evening.lay(TABLE)
    assert kinds(told) == ["ClockRuns"]


# Taken back, agreed to, written down ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(6, 6, 6), (8, 7, 6), (7, 6, 6)], ids=str)
def test_it_can_be_taken_back_tile_by_tile(evening: Any, order: tuple[int, ...]) -> None:
    evening.opened().lay(TABLE)
    say(evening)
    for index in order:
        name(evening, index, None)
    assert one(evening.press(), Judged).verdict.outcome is Outcome.NO_PLAY


def test_a_tile_of_it_may_be_another_one(evening: Any) -> None:
    evening.opened().lay(TABLE)
    say(evening, "R5 B5 K6")
    name(evening, 8, "K5")
    assert table_of(evening.press()) == f"{TABLE} / {FIVES}"


def test_the_press_after_it_can_be_undone_and_what_was_said_stays(evening: Any) -> None:
    later(evening).enter(Undone(evening.at))
    assert (evening.match.seat, evening.match.racks[0]) == (0, 11)
    assert table_of(evening.press()) == f"{TABLE} / {FIVES}"


def test_no_tiles_are_no_set(evening: Any) -> None:
    evening.opened().lay(TABLE)
    assert say(evening, "") == ()


def test_a_look_that_is_gone_is_spoken_of_no_more(evening: Any) -> None:
    evening.opened().lay(TABLE)
    evening.lay(f"{TABLE} / O1 O2 O3")
    assert say(evening, FIVES, frame_id=f"frame of {OPEN}") == ()


def propose(evening: Any) -> tuple[Any, ...]:
    evening.now += 0.5
    said = SetMissed(parse_tiles(FIVES))
    return evening.enter(CorrectionProposed(at=evening.at, said=said, seat=Seat(0), voice=("a",), by="players"))


def agree(evening: Any) -> tuple[Any, ...]:
    evening.now += 0.5
    answered = ProposalAnswered(at=evening.at, agrees=True, seat=Seat(1), voice=("b",), by="players")
    return evening.enter(answered)


def test_where_players_correct_by_agreement_it_holds_once_another_one_agrees(evening: Any) -> None:
    evening.opened().lay(TABLE)
    said = words(one(propose(evening), ProposalMade), ("Ann", "Ben"))
    assert said.startswith("  Ann says: R5 B5 K5 lies there too, of which I saw nothing. Does another player agree?")
    assert evening.match.dispute.corrections.sets == ()
    told = agree(evening)
    assert (one(told, ProposalEnded).reason, one(told, SetAdded).by) == (Reason.AGREED, "Ann, Ben")
    assert table_of(evening.press()) == f"{TABLE} / {FIVES}"


def test_not_on_a_table_that_has_changed_since(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / O4 O5 O6")
    propose(evening)
    evening.lay(f"{TABLE} / O4 O5 O6 O7")
    assert one(agree(evening), ProposalEnded).reason is Reason.CHANGED
    assert evening.match.dispute.corrections.sets == ()


def test_it_is_written_down_and_repeated(evening: Any, new_evening: Callable[[], Any]) -> None:
    later(evening).play(f"{TABLE} / K3 K4 K5")
    index = len(evening.match.table.shown.reading.tiles) - 1
    evening.enter(TableCorrected(evening.at, TileIs(index, None), "organiser"))
    propose(evening)
    agree(evening)
    again = new_evening()
    again.second_looks = False
    for entered in evening.inputs:
        again.enter(input_from_json(json.loads(json.dumps(input_to_json(entered)))))
    assert [event_to_json(event) for event in again.told] == [event_to_json(event) for event in evening.told]
    assert again.match == evening.match


def test_a_look_anew_at_a_table_at_rest_keeps_it(evening: Any) -> None:
    evening.opened().lay(TABLE)
    say(evening)
    evening.now += 1.0
    evening.enter(TableSettled(evening.at, Seconds(evening.now - 0.4), evening.seen))
    told = evening.press()
    assert (table_of(told), one(told, TurnStarted).seat) == (f"{TABLE} / {FIVES}", 1)
