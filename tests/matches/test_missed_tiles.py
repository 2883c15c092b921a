"""Recorded matches, looked at by a camera that misses one tile which a person then adds: the verdicts stay the same."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.game.events import Judged
from referee.game.inputs import Input, Seconds, TableCorrected, TableSettled
from referee.game.joints import row_of
from referee.game.match import step
from referee.game.said import TileMissed
from referee.game.same_place import find_faces, same_place
from referee.game.state import Match
from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.verdict import Undecided
from referee.storage.journal import load_journal

SIMULATED = sorted(path for path in Path(__file__).parent.glob("*-*.jsonl"))


def laid_in_rows(inputs: list[Input]) -> Iterator[tuple[int, int]]:
    """Give each tile that lies in a set of three or more when it is first seen: the input's place, the tile's index."""
    before: TableReading | None = None
    for place, entered in enumerate(inputs):
        if not isinstance(entered, TableSettled):
            continue
        tiles = entered.reading.tiles
        known = (None,) * len(tiles) if before is None else find_faces(before.tiles, [tile.quad for tile in tiles])
        for index, tile in enumerate(tiles):
            in_set = len(row_of(entered.reading.layouts[0], index)) > 2
            if known[index] is None and in_set and tile.tile is not None and not tile.unsure:
                yield place, index
        before = entered.reading


def blinded(inputs: list[Input], place: int, index: int) -> list[Input]:
    """Let the camera miss this tile where it lies, and a person add it to its neighbour in the set at once."""
    first = inputs[place]
    assert isinstance(first, TableSettled)
    missed = first.reading.tiles[index]
    row = row_of(first.reading.layouts[0], index)
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
    tiles = tuple(tile for tile in there if tile.tile != missed.tile or not same_place(tile.quad, missed.quad))
    if len(tiles) == len(there):
        return entered
    return replace(entered, reading=replace(entered.reading, tiles=tiles, layouts=lay_out_tiles(tiles)))


def verdicts(inputs: list[Input]) -> list[Any]:
    match, told = Match(), []
    for entered in inputs:
        match, events = step(match, entered)
        told += [event for event in events if isinstance(event, Judged)]
    return told


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
            case = f"tile {index} of input {place}, game {true.game} turn {true.turn}"
            assert (judged.turn, judged.seat, type(judged.verdict)) == (true.turn, true.seat, type(true.verdict)), case
            assert sorted(map(str, judged.verdict.played)) == sorted(map(str, true.verdict.played)), case
            agreed += 1
    assert agreed > 100
