"""Unkind evenings, every tile read for what it is: no track becomes another tile's."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from benchmarks.identities import Identities
from referee.game.state import Match
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.reading.observation import TableReading, TileReading, rounded
from referee.rules.editions import rule_set
from referee.service.loop import Loop
from referee.sim.hardship_kinds import USUAL_HARDSHIPS
from referee.sim.scenarios import match_with_hardships
from referee.sim.scene import SceneMoment
from referee.storage.journal import FileJournal, load_journal
from referee.storage.recovery import match_after
from tests.support.perfect_watcher import FRAMES_TO_SETTLE, true_reading

TURNS = 8
JITTER_MM = 0.8


def read(shot: SceneMoment, chance: Random) -> TableReading:
    """Read a shot truly, each tile a little beside its place."""
    reading = true_reading(shot)
    return replace(reading, tiles=tuple(_beside(tile, chance) for tile in reading.tiles))


def _beside(tile: TileReading, chance: Random) -> TileReading:
    right, down = chance.gauss(0.0, JITTER_MM), chance.gauss(0.0, JITTER_MM)
    a, b, c, d = ((x + right, y + down) for x, y in tile.quad)
    return replace(tile, quad=(a, b, c, d))


def tracks_of(match: Match) -> tuple[object, ...]:
    tracks = match.table.tracks
    return tracks.count, *([(tile.track, tile.quad) for tile in tiles] for tiles in (tracks.lying, tracks.departed))


@pytest.mark.parametrize(("edition", "seed"), [("xp", 60017), ("twist", 60019), ("3in1-twist", 60014)])
def test_no_tile_of_an_unkind_evening_is_taken_for_another(edition: str, seed: int, tmp_path: Path) -> None:
    """Evenings in which tiles are pushed into the places of others, and jokers and tiles exchanged in their places.

    When the journal is repeated every tile has its track again.
    """
    evening, _ = match_with_hardships(
        rule_set(edition),
        seed=seed,
        games=1,
        cheat_rate=0.5,
        size=(1280, 960),
        hardships=USUAL_HARDSHIPS,
        is_outlined=True,
    )
    identities, still, chance = Identities(), 0, Random(seed)
    journal = FileJournal(tmp_path / "match-00001.jsonl")
    loop = Loop(Match(), journal, (), pytest.fail)
    for _turn in islice(evening.play(), TURNS):
        for shot in evening.scene.moments:
            if shot.hands and still:
                loop.enter(TableMoving(Seconds(shot.at)))
            still = 0 if shot.hands else still + 1
            if still == FRAMES_TO_SETTLE:
                loop.enter(TableSettled(Seconds(shot.at), Seconds(shot.at), rounded(read(shot, chance))))
                assert loop.match.table.current is not None
                laid = [one for one in shot.laid if one.tile is not None]
                identities.add_reading(loop.match.table.current.read, laid, [(one.x, one.y) for one in laid])
        evening.scene.moments.clear()
        evening.scene.presses.clear()
    journal.close()
    again = match_after(entry.entered for entry in load_journal(tmp_path / "match-00001.jsonl").entries)
    assert tracks_of(again) == tracks_of(loop.match)
    assert identities.moves > TURNS
    assert identities.switches == 0
