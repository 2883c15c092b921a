"""A short recorded match as inputs, and journals of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.game.inputs import MatchStarted, Ticked, TurnEnded
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.notation import parse_table
from referee.storage.journal import FileJournal
from referee.storage.match_step import MatchStep
from referee.vision.profile import Profile

TABLES = (
    "R10 R11 R12",
    "R10 R11 R12 / B9 K9 O9",  # only 27 points
    "R10 R11 R12 / B10 K10 O10",
    "R10 R11 R12 / B10 K10 O10",
    "R10 R11 R12 / B10 K10 O10 / J K2 K3",
)


def reading(text: str, at: float) -> TableReading:
    tiles, rows = [], []
    for number, row in enumerate(parse_table(text).sets):
        rows.append(tuple(range(len(tiles), len(tiles) + len(row))))
        for place, tile in enumerate(row):
            x, y = 30.0 * place, 50.0 * number
            quad = ((x, y), (x + 27.0, y), (x + 27.0, y + 38.0), (x, y + 38.0))
            tiles.append(TileReading(quad=quad, tile=tile, confidence=0.999))
    layout = Layout(tuple(rows), (), 1.0)
    return TableReading(frame_id=f"frame-{at:.1f}", at=at, tiles=tuple(tiles), layouts=(layout,))


def masked(whole: TableReading, profile: Profile | None) -> TableReading:
    """What a reader with this profile gives of it: what lies on the table."""
    if profile is None:
        return whole
    here = profile.on_table(np.array([tile.centre for tile in whole.tiles]).reshape(-1, 2)).tolist()
    tiles = tuple(tile for tile, on_table in zip(whole.tiles, here, strict=True) if on_table)
    return replace(whole, tiles=tiles, layouts=lay_out_tiles(tiles))


def short_match() -> list[Input]:
    inputs: list[Input] = [MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original")]
    at = 0.0
    for table in TABLES:
        at += 3.0
        inputs.append(TableMoving(Seconds(at)))
        inputs.append(TableSettled(Seconds(at + 1.0), Seconds(at + 0.4), reading(table, at)))
        inputs.append(Ticked(Seconds(at + 1.5)))
        inputs += [TurnEnded(Seconds(at + 2.0)), TableStill(Seconds(at + 2.2))]
        inputs.append(TableSettled(Seconds(at + 2.8), Seconds(at + 0.4), reading(table, at)))  # the second look
    return inputs


@pytest.fixture
def inputs() -> list[Input]:
    return short_match()


@pytest.fixture
def journal(tmp_path: Path, inputs: list[Input]) -> Path:
    return write_journal(tmp_path / "match-00001.jsonl", inputs)


def write_journal(path: Path, inputs: list[Input]) -> Path:
    match = Match()
    with FileJournal(path) as file:
        for entered in inputs:
            taken = MatchStep.of(match, entered)
            match = taken.match
            file.append(taken)
    return path
