"""A tile that lies face down in a set leaves that set in doubt; outside every set it changes nothing."""

from dataclasses import replace

import pytest

from referee.game.table.hypotheses import hypotheses
from referee.game.table.judging import judge_hypotheses
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tile
from referee.rules.verdict import Illegal, Legal, Undecided, Verdict

RULES = rule_set("original")
WIDTH, HEIGHT = 9.0, 13.0


def lying(*rows: str) -> TableReading:
    """Rows of tiles that touch, far from each other; `back` lies face down, for sure."""
    tiles = []
    for number, row in enumerate(rows):
        for column, name in enumerate(row.split()):
            x, y = 9.5 * column, 40.0 * number
            quad = ((x, y), (x + WIDTH, y), (x + WIDTH, y + HEIGHT), (x, y + HEIGHT))
            tile = None if name == "back" else parse_tile(name)
            tiles.append(TileReading(quad=quad, tile=tile, confidence=0.99, unsure=False, bare=0.0))
    reading = TableReading(frame_id="f", at=0.0, tiles=tuple(tiles), layouts=lay_out_tiles(tiles))
    return replace(reading, layouts=reading.layouts)


def verdict(before: str, after: TableReading) -> Verdict:
    return judge_hypotheses((parse_table(before),), hypotheses(after), opened=True, rules=RULES).verdict


@pytest.mark.parametrize("row", ["back R4 R5", "R3 back R5", "R3 R4 back", "R3 R4 back R6"])
def test_nobody_is_accused_of_a_tile_that_was_turned_face_down_in_its_set(row: str) -> None:
    before = "R3 R4 R5 R6 / K9 R9 B9" if row.endswith("R6") else "R3 R4 R5 / K9 R9 B9"
    assert isinstance(verdict(before, lying(row, "K9 R9 B9 O9")), Undecided)


def test_a_set_with_a_tile_face_down_does_not_pass() -> None:
    assert isinstance(verdict("K9 R9 B9", lying("K9 R9 B9", "R3 R4 R5 back")), Undecided)


def test_where_it_lies_is_said() -> None:
    (doubt,) = hypotheses(lying("R3 R4 R5 back", "K9 R9 B9")).doubts
    assert doubt.index == 3
    assert doubt.may_be == ()


def test_a_pool_beside_the_sets_changes_nothing() -> None:
    assert isinstance(verdict("R3 R4 R5", lying("R3 R4 R5 R6", "back back back")), Legal)


def fallen(reading: TableReading, x: float, y: float) -> TableReading:
    """The same with one tile more, face down and a quarter turn from the others, with its middle here."""
    half_width, half_height = HEIGHT / 2, WIDTH / 2
    a, c = (x - half_width, y - half_height), (x + half_width, y + half_height)
    back = TileReading(quad=((c[0], a[1]), c, (a[0], c[1]), a), tile=None, confidence=0.9)
    tiles = (*reading.tiles, back)
    return replace(reading, tiles=tiles, layouts=lay_out_tiles(tiles))


@pytest.mark.parametrize(("across", "down", "doubtful"), [(33.0, 13.0, True), (-5.0, 13.0, True), (33.0, 17.0, False)])
def test_a_tile_that_fell_over_the_end_of_a_row_may_cover_one_of_it(
    across: float, down: float, *, doubtful: bool
) -> None:
    """It lies across the place where the row would go on, or beside it."""
    found = verdict("R3 R4 R5 R6 / K9 R9 B9", fallen(lying("R3 R4 R5", "K9 R9 B9 O9"), across, down))
    assert isinstance(found, Undecided if doubtful else Illegal)


def test_a_fault_elsewhere_is_a_fault_still() -> None:
    found = verdict("R3 R4 R5", lying("R3 R4 R5 back", "K9 R9 B7"))
    assert isinstance(found, Illegal)
    assert [[str(tile) for tile in one.tiles] for one in found.violations] == [["B7"]]


def verdict_after_doubt(before: TableReading, after: TableReading) -> Verdict:
    """The verdict on a turn that began after one which stayed undecided: the table stood as it was read."""
    began = hypotheses(before)
    return judge_hypotheses(
        began.tables, hypotheses(after), opened=True, rules=RULES, began=began.certain, unlikely=began.unlikely
    ).verdict


def test_what_was_face_down_is_no_other_set_now() -> None:
    """A set of which a tile was not seen is not taken for two tiles that were laid since."""
    found = verdict_after_doubt(lying("back O10 O11", "K9 K10 K11"), lying("O9 O10 O11", "K9 K10 K11", "B3 R13"))
    assert isinstance(found, Illegal)
    assert [[str(tile) for tile in one.tiles] for one in found.violations] == [["B3", "R13"]]


@pytest.mark.parametrize("row", ["back O10 O11", "O9 O10 back", "O9 back O11"])
def test_a_tile_turned_up_again_was_not_played(row: str) -> None:
    found = verdict_after_doubt(lying(row, "K9 K10 K11"), lying("O9 O10 O11", "K9 K10 K11", "B3 B4 B5"))
    assert not isinstance(found, Illegal)
