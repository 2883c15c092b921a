"""Recorded matches, looked at by a camera that errs once, and put right by a person: the verdicts stay the same.

A tile is missed and added, two rows are read as one and parted, one row is read as two and joined.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from referee.game.correction_types import RowParted, RowsJoined, StatedCorrection, TileMissed
from referee.game.events import Judged
from referee.game.inputs import TableCorrected
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.reading.observation import Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import TileIndex
from referee.rules.verdict import Undecided
from referee.storage.journal import load_journal

SIMULATED = sorted(path for path in Path(__file__).parent.glob("*-*.jsonl"))


def find(reading: TableReading, quads: Sequence[Quad]) -> tuple[int | None, ...]:
    """The face that lies in each of these places."""
    faces = [index for index, tile in enumerate(reading.tiles) if tile.tile is not None]
    places = TileIndex([reading.tiles[index] for index in faces])
    found = [places.find(quad) for quad in quads]
    return tuple(None if place is None else faces[place] for place in found)


def laid_in_rows(inputs: list[Input]) -> Iterator[tuple[int, int]]:
    """Give each tile that lies in a set of three or more when it is first seen: the input's place, the tile's index."""
    before: TableReading | None = None
    for place, entered in enumerate(inputs):
        if not isinstance(entered, TableSettled):
            continue
        tiles = entered.reading.tiles
        known = (None,) * len(tiles) if before is None else find(before, [tile.quad for tile in tiles])
        for index, tile in enumerate(tiles):
            in_set = len(entered.reading.layouts[0].row_of(index)) > 2
            if known[index] is None and in_set and tile.tile is not None and not tile.unsure:
                yield place, index
        before = entered.reading


def blinded(inputs: list[Input], place: int, index: int) -> list[Input]:
    """Let the camera miss this tile where it lies, and a person add it to its neighbour in the set at once."""
    first = inputs[place]
    assert isinstance(first, TableSettled)
    missed = first.reading.tiles[index]
    row = first.reading.layouts[0].row_of(index)
    number = row.index(index)
    beside = row[number - 1] if number else row[1]
    seen = [_without(entered, missed) if at >= place else entered for at, entered in enumerate(inputs)]
    assert missed.tile is not None
    said = TileMissed(beside - (beside > index), missed.tile, after=bool(number))
    return [*seen[: place + 1], TableCorrected(Seconds(first.at), said, "organiser"), *seen[place + 1 :]]


def _without(entered: Input, missed: TileReading) -> Input:
    if not isinstance(entered, TableSettled):
        return entered
    there = entered.reading.tiles
    tiles = tuple(tile for tile in there if tile.tile != missed.tile or TileIndex((tile,)).find(missed.quad) is None)
    if len(tiles) == len(there):
        return entered
    return replace(entered, reading=replace(entered.reading, tiles=tiles, layouts=lay_out_tiles(tiles)))


# Rows --------------------------------------------------------------------------------------------------------------

Rows = tuple[tuple[int, ...], ...]


def new_sets(inputs: list[Input]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Give each set all of whose tiles are seen for the first time: the input's place, the tiles' indices."""
    first: dict[int, set[int]] = {}
    for place, index in laid_in_rows(inputs):
        first.setdefault(place, set()).add(index)
    for place, new in first.items():
        entered = inputs[place]
        assert isinstance(entered, TableSettled)
        yield from ((place, row) for row in entered.reading.layouts[0].sets if len(row) > 2 and new.issuperset(row))


def misread_rows(
    inputs: list[Input],
    place: int,
    said: StatedCorrection,
    ends: tuple[Quad, Quad],
    change: Callable[[Rows, int, int], Rows],
) -> list[Input]:
    """From this look on, change every layout in which tiles lie in both places, and say what is right at once."""
    seen = []
    for at, entered in enumerate(inputs):
        seen.append(entered)
        if at >= place and isinstance(entered, TableSettled):
            reading = entered.reading
            one, other = find(reading, ends)
            if one is not None and other is not None:
                layouts = tuple(replace(old, sets=change(old.sets, one, other)) for old in reading.layouts)
                seen[-1] = replace(entered, reading=replace(reading, layouts=layouts))
        if at == place:
            seen.append(TableCorrected(Seconds(entered.at), said, "organiser"))
    return seen


def as_one(rows: Rows, one: int, other: int) -> Rows:
    """Read two rows as one where the first ends with the one tile and the second begins with the other."""
    first, second = (next((row for row in rows if row[end] == index), None) for end, index in ((-1, one), (0, other)))
    if first is None or second is None or first == second:
        return rows
    return tuple((*first, *second) if row == first else row for row in rows if row != second)


def as_two(rows: Rows, one: int, other: int) -> Rows:
    """Read one row of four or more as two where it has these two side by side."""
    made: list[tuple[int, ...]] = []
    for row in rows:
        cut = row.index(other) if other in row else 0
        apart = cut > 1 and len(row) - cut > 1 and row[cut - 1] == one
        made += [row[:cut], row[cut:]] if apart else [row]
    return tuple(made)


def parted(inputs: list[Input]) -> Iterator[tuple[str, list[Input]]]:
    for place, row in new_sets(inputs):
        entered = inputs[place]
        assert isinstance(entered, TableSettled)
        tiles, sets = entered.reading.tiles, entered.reading.layouts[0].sets
        for other in (other for other in sets if other != row):
            ends = (tiles[row[-1]].quad, tiles[other[0]].quad)
            yield f"input {place}, {row} and {other}", misread_rows(inputs, place, RowParted(row[-1]), ends, as_one)


def joined(inputs: list[Input]) -> Iterator[tuple[str, list[Input]]]:
    for place, row in new_sets(inputs):
        entered = inputs[place]
        assert isinstance(entered, TableSettled)
        tiles = entered.reading.tiles
        for one, other in pairwise(row[1:-1]):
            ends = (tiles[one].quad, tiles[other].quad)
            yield f"input {place}, {row}", misread_rows(inputs, place, RowsJoined(row[0], row[-1]), ends, as_two)


def verdicts(inputs: list[Input]) -> list[Judged]:
    match, told = Match(), list[Judged]()
    for entered in inputs:
        match, events, _ = step(match, entered)
        told += [event for event in events if isinstance(event, Judged)]
    return told


def summary(judged: Judged) -> Any:
    return judged.game, judged.turn, judged.seat, type(judged.verdict), sorted(map(str, judged.verdict.played))


@pytest.mark.parametrize("path", SIMULATED, ids=lambda path: path.stem)
def test_a_tile_that_people_add_is_judged_as_if_it_had_been_seen(path: Path) -> None:
    """Up to where the referee has to ask for it, because the tiles beside it have moved and it has not turned up."""
    inputs = [entry.entered for entry in load_journal(path).entries]
    truth = verdicts(inputs)
    agreed = 0
    for place, index in laid_in_rows(inputs):
        for judged, true in zip(verdicts(blinded(inputs, place, index)), truth, strict=False):
            if isinstance(judged.verdict, Undecided) and not isinstance(true.verdict, Undecided):
                break
            assert summary(judged) == summary(true), f"tile {index} of input {place}"
            agreed += 1
    assert agreed > 100


@pytest.mark.parametrize("misread", [parted, joined])
@pytest.mark.parametrize("path", SIMULATED, ids=lambda path: path.stem)
def test_rows_that_people_part_or_join_are_judged_as_if_they_had_been_read_so(path: Path, misread: Any) -> None:
    inputs = [entry.entered for entry in load_journal(path).entries]
    truth = list(map(summary, verdicts(inputs)))
    for case, changed in misread(inputs):
        assert list(map(summary, verdicts(changed))) == truth, case
