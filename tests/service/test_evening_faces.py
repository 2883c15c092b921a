"""A joker that a person named is known for the evening: in the next picture, after a restart, not in another box."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.game.correction_types import TileIs
from referee.game.inputs import MatchStarted, TableCorrected
from referee.game.state import Match
from referee.hardware.ports import PlannedButton
from referee.reading.inputs import Seconds
from referee.reading.observation import TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile, parse_tiles
from referee.service.evening_faces import FACES_NAME, EveningFaces
from referee.service.loop import Loop
from referee.sim.render import Painter
from referee.sim.scenarios import simulated_match
from referee.sim.view import LaidTile
from referee.storage.journal import NoJournal
from referee.vision.image.frame import Frame
from referee.vision.networks.sidecar import find_models
from referee.vision.pipeline import TableReader
from referee.vision.watch.watcher import Watcher

pytestmark = pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")
RULES = rule_set("twist")
SETTING = replace(simulated_match(RULES, seed=33, games=1, cheat_rate=0.0, size=(1280, 960))[1], seats=())
MIRROR = parse_tile("JM")


class Table:
    """A referee over a drawn table with sets, one of which has a joker that the reader doubts."""

    def __init__(self, folder: Path, reader: TableReader, edition: str = "twist") -> None:
        self.watcher = Watcher(reader, RULES.box)
        self.faces = EveningFaces(reader, self.watcher, folder)
        self.loop = Loop(Match(), NoJournal(), (self.faces,), pytest.fail)
        self.loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition=edition, games=1))
        self._painter = Painter(SETTING)
        self._at = 0.0

    def look(self, x: float, turn: float) -> TileReading:
        """Let the table settle with the row at another place; return the joker as it was read."""
        row = [*parse_tiles("R4 R5"), MIRROR]
        laid = [
            LaidTile(tile=tile, copy=0, x=x + 28 * place * np.cos(turn), y=300 + 28 * place * np.sin(turn), angle=turn)
            for place, tile in enumerate(row)
        ]
        for number in range(8):
            self._at += 0.2
            image = self._painter.paint(laid, noise_index=number)
            self.loop.take(Frame(f"f{self._at:.1f}", self._at, image), PlannedButton(()), self.watcher)
        assert self.watcher.settled is not None
        middle = SETTING.view.quad(laid[2], SETTING.style.thickness).mean(axis=0)
        tiles = self.watcher.settled.reading.tiles
        self.index = min(range(len(tiles)), key=lambda index: float(np.hypot(*(middle - tiles[index].centre))))
        return tiles[self.index]

    def name(self) -> None:
        """Say what the joker is, as the organiser does on the page."""
        assert self.watcher.settled is not None
        said = TileIs(self.index, MIRROR)
        frame_id = self.watcher.settled.reading.frame_id
        self.loop.enter(TableCorrected(Seconds(self._at), said, by="organiser", frame_id=frame_id))


@pytest.fixture(scope="module")
def reader() -> TableReader:
    return TableReader(threads=1)


def test_a_joker_named_once_is_known_in_other_places_and_after_a_restart_but_not_in_another_box(
    reader: TableReader, tmp_path: Path
) -> None:
    table = Table(tmp_path, reader)
    assert table.look(300.0, 0.0).unsure, "the reader doubts it"
    table.name()
    for x, turn in ((420.0, 0.0), (350.0, 1.1)):
        seen = table.look(x, turn)
        assert (seen.tile, seen.unsure) == (MIRROR, False)
    again = Table(tmp_path, reader)
    assert again.look(300.0, 0.0).tile == MIRROR
    assert again.watcher.profile is not None
    other = Table(tmp_path, reader, "3in1-twist")
    other.look(300.0, 0.0)
    assert other.watcher.profile is None
    assert not (tmp_path / FACES_NAME).exists()


def test_faces_of_another_evening_are_forgotten(reader: TableReader, tmp_path: Path) -> None:
    table = Table(tmp_path, reader)
    table.look(300.0, 0.0)
    table.name()
    long_ago = (tmp_path / FACES_NAME).stat().st_mtime - 20 * 3600
    os.utime(tmp_path / FACES_NAME, (long_ago, long_ago))
    again = Table(tmp_path, reader)
    again.look(300.0, 0.0)
    assert again.watcher.profile is None
