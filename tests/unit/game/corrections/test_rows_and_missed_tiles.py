"""What people say of tiles that were not seen, and of rows that were parted wrongly: judged at once, and for good."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from referee.game.correction_events import RowsNamed, TileAdded
from referee.game.correction_types import RowParted, RowsJoined, StatedCorrection, TileIs, TileMissed
from referee.game.events import DrawTakenBack, Drew, Judged, TableWatched
from referee.game.inputs import TableCorrected, Undone
from referee.game.state import Phase
from referee.game.texts.messages import words
from referee.reading.inputs import Seconds, TableSettled
from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import format_table, parse_tile, parse_tiles
from referee.rules.verdict import Illegal, Legal, Undecided
from referee.storage.json_codec import event_to_json, input_from_json, input_to_json

from ..conftest import TABLE, kinds, one, place  # isort: skip

K3, K4 = parse_tile("K3"), parse_tile("K4")


def with_gaps(text: str) -> TableReading:
    """A table with tiles the camera does not see (`.`), parted into rows by where the others lie."""
    tiles = [
        TileReading(quad=place(row, column), tile=parse_tile(name), confidence=1.0)
        for row, names in enumerate(text.split(" / "))
        for column, name in enumerate(names.split())
        if name != "."
    ]
    return TableReading(frame_id=f"frame of {text}", at=0.0, tiles=tuple(tiles), layouts=lay_out_tiles(tiles))


def look_again(evening: Any) -> tuple[Any, ...]:
    """The same table is read anew, and nothing has moved."""
    evening.now += 1.0
    return evening.enter(TableSettled(evening.at, Seconds(evening.now - 0.4), evening.seen))


# A tile that was missed --------------------------------------------------------------------------------------------


def test_a_tile_the_camera_missed_is_laid_by_whoever_is_to_move(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    told = evening.say(TileMissed(7, K3))
    added = one(told, TileAdded)
    assert (added.index, added.tile, str(added.where), added.by) == (8, K3, "tile 3 of K1 K2 K3", "organiser")
    assert words(added, ("Ann", "Ben")).strip() == "As the organiser says: K3 lies there too, tile 3 of K1 K2 K3."
    assert one(told, TableWatched).legal
    assert one(evening.press(), Judged).verdict.played == parse_tiles("K1 K2 K3")


def test_it_may_lie_before_the_first_tile_of_a_row(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K2 K3")
    evening.say(TileMissed(6, parse_tile("K1"), after=False))
    assert format_table(one(evening.press(), Judged).table) == f"{TABLE} / K1 K2 K3"


def test_it_may_lie_in_the_gap_for_want_of_which_one_row_was_read_as_two(evening: Any) -> None:
    evening.opened()
    evening.show(with_gaps(f"{TABLE} / K1 K2 . K4 K5"))
    assert len(evening.match.table.shown.reading.layouts[0].sets) == 4
    evening.say(TileMissed(7, K3))
    judged = one(evening.press(), Judged)
    assert format_table(judged.table) == f"{TABLE} / K1 K2 K3 K4 K5"
    assert isinstance(judged.verdict, Legal)


def test_two_tiles_side_by_side_may_be_missed(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K3))
    evening.say(TileMissed(8, K4))
    assert one(evening.press(), Judged).verdict.played == parse_tiles("K1 K2 K3 K4")


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(TileMissed(6, K3), id="a tile lies there"),
        pytest.param(TileMissed(40, K3), id="no such tile"),
        pytest.param(TileMissed(-1, K3), id="nor one from behind"),
        pytest.param(RowsJoined(0, 40), id="no such row"),
        pytest.param(RowParted(8), id="the row ends there"),
        pytest.param(TileIs(40, K3), id="no such tile to name"),
    ],
)
def test_what_says_nothing_of_the_table_changes_nothing(evening: Any, said: StatedCorrection) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3")
    before = evening.match
    assert evening.say(said) == ()
    assert evening.match.dispute.corrections == before.dispute.corrections


def test_it_stays_while_the_tiles_beside_it_stay(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K3))
    evening.press()
    told = evening.play(f"{TABLE} / K1 K2 / O1 O2 O3")
    assert one(told, Judged).verdict.played == parse_tiles("O1 O2 O3")


def test_it_belongs_to_the_turn_that_was_judged_if_nothing_has_moved_since(evening: Any) -> None:
    """Ann's K4 was not seen, so she was told to draw; nobody has touched the table since."""
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.play(f"{TABLE} / K1 K2 K3 / O1 O2 O3")
    rack = evening.match.racks[0]
    evening.lay(f"{TABLE} / K1 K2 K3 / O1 O2 O3")  # Ann reaches over the table
    assert one(evening.press(), Drew).seat == 0
    told = evening.say(TileMissed(8, K4))
    judged = one(told, Judged)
    assert (judged.seat, judged.verdict.played, judged.stands) == (0, (K4,), True)
    assert evening.match.racks[0] == rack - 1
    assert one(told, DrawTakenBack).tiles == 1
    assert evening.match.seat == 1
    assert one(evening.press(), Drew).seat == 1  # Ben has laid nothing


def test_it_belongs_to_the_player_to_move_if_the_table_has_moved_since(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.lay(f"{TABLE} / K1 K2 K3")  # Ben lays K4, which is not seen
    told = evening.say(TileMissed(8, K4))
    assert "Judged" not in kinds(told)
    assert one(evening.press(), Judged).verdict.played == (K4,)


def test_a_look_anew_at_a_table_at_rest_moves_it_to_no_other_turn(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3")
    evening.lay(f"{TABLE} / K1 K2 K3 / O1 O2 O3")
    evening.press()
    look_again(evening)
    look_again(evening)
    assert one(evening.say(TileMissed(8, K4)), Judged).seat == 1


def test_nobody_is_accused_of_a_tile_that_was_never_seen_and_may_have_moved(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K3))
    evening.press()
    told = evening.play("R10 R11 R12 / B10 K10 O10 / O1 O2 O3 / K1 K2")  # the K2 has moved on, and perhaps the K3
    judged = one(told, Judged)
    assert isinstance(judged.verdict, Undecided)
    assert [doubt.may_be for doubt in judged.doubts] == [(K3,)]
    told = evening.say(TileMissed(10, K3))
    assert isinstance(one(told, Judged).verdict, Legal)
    assert len(evening.match.dispute.corrections.missed) == 1


def test_a_tile_that_moved_and_is_seen_now_is_asked_about_no_more(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K3))
    evening.press()
    told = evening.play("R10 R11 R12 / B10 K10 O10 / O1 O2 O3 / K1 K2 K3")
    assert isinstance(one(told, Judged).verdict, Legal)


def test_what_was_added_can_be_taken_back_and_be_named_anew(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K4))
    evening.enter(TableCorrected(evening.at, TileIs(8, K3), "organiser"))
    assert evening.match.table.shown.reading.table().sets[-1] == parse_tiles("K1 K2 K3")
    evening.enter(TableCorrected(evening.at, TileIs(8, None), "organiser"))
    assert evening.match.dispute.corrections.missed == ()
    assert isinstance(one(evening.press(), Judged).verdict, Illegal)


@pytest.mark.parametrize(("seen", "verdict"), [("K3", Legal), ("K9", Undecided)])
def test_once_the_camera_sees_a_tile_there_both_must_agree(evening: Any, seen: str, verdict: type) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2")
    evening.say(TileMissed(7, K3))
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 {seen}"), Judged).verdict, verdict)


# Rows --------------------------------------------------------------------------------------------------------------


def test_two_rows_are_one(evening: Any) -> None:
    evening.opened()
    evening.show(with_gaps(f"{TABLE} / K1 K2 . . K3"))
    told = evening.say(RowsJoined(8, 6))
    named = one(told, RowsNamed)
    assert (named.was, named.rows) == ((parse_tiles("K3"), parse_tiles("K1 K2")), (parse_tiles("K1 K2 K3"),))
    assert words(named, ("Ann", "Ben")).strip() == "As the organiser says: K1 K2 K3 is one set."
    assert one(told, TableWatched).legal
    assert isinstance(one(evening.press(), Judged).verdict, Legal)


def test_one_row_is_two(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3 O1 O2 O3")
    told = evening.say(RowParted(8))
    assert one(told, RowsNamed).rows == (parse_tiles("K1 K2 K3"), parse_tiles("O1 O2 O3"))
    assert one(told, TableWatched).legal
    look_again(evening)
    assert format_table(one(evening.press(), Judged).table) == f"{TABLE} / K1 K2 K3 / O1 O2 O3"


def test_a_turn_sent_back_for_rows_is_judged_again_at_once(evening: Any) -> None:
    evening.opened()
    assert isinstance(one(evening.play(f"{TABLE} / K1 K2 K3 O1 O2 O3"), Judged).verdict, Illegal)
    judged = one(evening.say(RowParted(8)), Judged)
    assert (judged.seat, judged.stands, isinstance(judged.verdict, Legal)) == (0, True, True)
    assert evening.match.seat == 1


def test_a_person_says_that_a_row_is_one_where_the_referee_cannot_tell(evening: Any) -> None:
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    evening.opened()
    told = evening.play(
        f"{TABLE} / K1 K2 K3 K4 K5 K6 K7", others=[[*rows[:3], [9, 10, 11, 12]], [*rows[:2], range(6, 11), [11, 12]]]
    )
    assert isinstance(one(told, Judged).verdict, Undecided)
    judged = one(evening.say(RowsJoined(6, 12)), Judged)
    assert (format_table(judged.table), judged.stands) == (f"{TABLE} / K1 K2 K3 K4 K5 K6 K7", True)


def test_the_last_word_on_rows_counts(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3 O1 O2 O3")
    evening.say(RowParted(8))
    evening.say(RowsJoined(6, 11))
    assert len(evening.match.table.shown.reading.layouts[0].sets) == 3
    evening.say(RowParted(8))
    assert len(evening.match.table.shown.reading.layouts[0].sets) == 4


def test_rows_stay_as_they_were_said_to_be_in_later_turns(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3 O1 O2 O3")
    evening.say(RowParted(8))
    evening.press()
    told = evening.play(f"{TABLE} / K1 K2 K3 O1 O2 O3 / B1 B2 B3")
    assert one(told, Judged).verdict.played == parse_tiles("B1 B2 B3")
    assert isinstance(one(told, Judged).verdict, Legal)


@pytest.mark.parametrize("row", ["K1 J K3", "K1 K2 J"])
def test_a_joker_exchanged_where_it_lies_parts_no_row(evening: Any, row: str) -> None:
    evening.opened().lay(f"{TABLE} / {row} O1 O2 O3")
    evening.say(RowParted(8))
    evening.press()
    told = evening.play(f"{TABLE} / K1 K2 K3 O1 O2 O3 / J B2 B3")
    assert isinstance(one(told, Judged).verdict, Legal)


def test_other_tiles_in_the_same_places_lie_in_the_rows_they_are_seen_in(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3 O1 O2 O3")
    evening.say(RowParted(8))
    evening.press()
    told = evening.play(f"{TABLE} / B1 B2 B3 B4 B5 B6 / K1 K2 K3 / O1 O2 O3")
    assert isinstance(one(told, Judged).verdict, Legal)
    assert one(told, Judged).verdict.played == parse_tiles("B1 B2 B3 B4 B5 B6")
    assert len(one(told, Judged).table.sets) == 5


def test_a_tile_named_anew_stays_in_its_row(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3 O1 O2 O3")
    evening.say(RowParted(8))
    evening.say(TileIs(8, K3))
    assert format_table(one(evening.press(), Judged).table) == f"{TABLE} / K1 K2 K3 / O1 O2 O3"


def test_an_undo_keeps_what_was_said(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 K3 O1 O2 O3")
    evening.say(RowParted(8))
    evening.press()
    evening.enter(Undone(evening.at))
    assert (evening.match.seat, evening.match.phase) == (0, Phase.TURN)
    assert isinstance(one(evening.press(), Judged).verdict, Legal)


def test_it_is_written_down_and_repeated(evening: Any, new_evening: Callable[[], Any]) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 / O1 O2 O3 B4 B5 B6")
    for said in (TileMissed(7, K3), RowParted(10), RowsJoined(8, 9), TileIs(0, parse_tile("R9")), TileIs(0, None)):
        evening.say(said)
    again = new_evening()
    again.second_looks = False
    for entered in evening.inputs:
        again.enter(input_from_json(json.loads(json.dumps(input_to_json(entered)))))
    assert again.inputs[-5:] == evening.inputs[-5:]
    assert [event_to_json(event) for event in again.told] == [event_to_json(event) for event in evening.told]
    assert again.match == evening.match


def test_a_look_at_the_table_as_it_lies_may_be_spoken_of_though_a_newer_one_is_there(evening: Any) -> None:
    """A doubt is looked at anew every second; a person needs longer than that to answer."""
    evening.opened().play(f"{TABLE} / K1 K2 B3", doubts={8: "K3"})
    assert evening.match.phase is Phase.DOUBT
    frame_id = evening.match.table.shown.reading.frame_id
    for number in range(5):
        evening.now += 1.0
        newer = TableReading(
            frame_id=f"newer {number}", at=evening.now, tiles=evening.seen.tiles[::-1], layouts=_reversed(evening.seen)
        )
        evening.enter(TableSettled(evening.at, Seconds(evening.now - 0.4), newer))
    told = evening.enter(TableCorrected(evening.at, TileIs(8, K3), "organiser", frame_id))
    assert isinstance(one(told, Judged).verdict, Legal)


def _reversed(reading: TableReading) -> tuple[Layout, ...]:
    last = len(reading.tiles) - 1
    (layout,) = reading.layouts
    return (Layout(tuple(tuple(last - index for index in row) for row in layout.sets), (), 1.0),)


def test_once_the_table_has_moved_an_older_look_is_spoken_of_no_more(evening: Any) -> None:
    evening.opened().lay(f"{TABLE} / K1 K2 B3")
    frame_id = evening.match.table.shown.reading.frame_id
    evening.lay(f"{TABLE} / K1 K2 B3 / O1")
    assert evening.enter(TableCorrected(evening.at, TileIs(8, K3), "organiser", frame_id)) == ()
