"""The 100 and 200 points: racks shown to the camera are searched for an opening and scored without anybody's help."""

from pathlib import Path

import pytest

from referee.game.events import GameScored, TurnEvent
from referee.game.inputs import MatchStarted, RummikubCalled, TurnEnded
from referee.game.state import Match
from referee.reading.inputs import Seconds, TableSettled
from referee.reading.observation import Layout, TableReading, TileReading
from referee.rules.notation import parse_table
from referee.service.loop import Loop
from referee.storage.journal import FileJournal, load_journal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import match_after, replay_differences

WON = "R10 R11 R12 / B10 K10 O10"


def reading(text: str) -> TableReading:
    tiles, rows = [], []
    for number, row in enumerate(parse_table(text).sets):
        rows.append(tuple(range(len(tiles), len(tiles) + len(row))))
        for place, tile in enumerate(row):
            x, y = 30.0 * place, 50.0 * number
            quad = ((x, y), (x + 27.0, y), (x + 27.0, y + 38.0), (x, y + 38.0))
            tiles.append(TileReading(quad=quad, tile=tile, confidence=0.999))
    return TableReading(frame_id=text, at=0.0, tiles=tuple(tiles), layouts=(Layout(tuple(rows), (), 1.0),))


class Ears:
    """Hears what is told."""

    def __init__(self) -> None:
        self.told: list[TurnEvent] = []

    def publish(self, step: MatchStep) -> None:
        self.told += step.events


@pytest.mark.parametrize(
    ("rack", "lost"),
    [
        pytest.param("K10 K11 K12 O1", 200, id="held 33 points"),
        pytest.param("K1 K2 K3 O1", 100, id="held a set, but no opening"),
    ],
)
def test_shown_racks_are_searched_and_scored(tmp_path: Path, rack: str, lost: int) -> None:
    ears = Ears()
    path = tmp_path / "match-00001.jsonl"
    with FileJournal(path) as journal:
        loop = Loop(Match(), journal, (ears,), pytest.fail)
        rules = (("rack_tiles", 4),)
        loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="3in1-standard", house_rules=rules))
        loop.enter(TableSettled(Seconds(5.0), Seconds(4.0), reading(WON)))
        loop.enter(RummikubCalled(Seconds(6.0)))
        loop.enter(TableSettled(Seconds(7.0), Seconds(4.0), reading(WON)))
        loop.enter(TableSettled(Seconds(20.0), Seconds(19.0), reading(f"{WON} / {rack}")))
        loop.enter(TurnEnded(Seconds(21.0)))
        loop.enter(TableSettled(Seconds(22.0), Seconds(19.0), reading(f"{WON} / {rack}")))
    (scored,) = (event for event in ears.told if isinstance(event, GameScored))
    assert scored.scores == {"Ann": lost, "Ben": -lost}
    recorded = load_journal(path)
    assert replay_differences(recorded) == ()
    assert match_after(entry.entered for entry in recorded.entries) == loop.match
