"""Unkind evenings, every tile read for what it is: no track is another tile's than the one it began with."""

from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from benchmarks.identities import Identities
from referee.reading.observation import TableReading, TileReading
from referee.reading.tracks import NO_TRACKS, follow
from referee.rules.editions import rule_set
from referee.sim.onlooker import LOOKS_TO_SETTLE, read_truly
from referee.sim.scenarios import unkind_evening_for
from referee.sim.scene import Shot
from referee.sim.unkind import Hardship

TURNS = 8
JITTER_MM = 0.8


def read(shot: Shot, chance: Random) -> TableReading:
    """Read a shot truly, each tile a little beside its place."""
    reading = read_truly(shot)
    return replace(reading, tiles=tuple(_beside(tile, chance) for tile in reading.tiles))


def _beside(tile: TileReading, chance: Random) -> TileReading:
    right, down = chance.gauss(0.0, JITTER_MM), chance.gauss(0.0, JITTER_MM)
    a, b, c, d = ((x + right, y + down) for x, y in tile.quad)
    return replace(tile, quad=(a, b, c, d))


@pytest.mark.parametrize(("edition", "seed"), [("xp", 60017), ("twist", 60019), ("3in1-twist", 60014)])
def test_no_tile_of_an_unkind_evening_is_taken_for_another(edition: str, seed: int) -> None:
    """Evenings in which tiles are pushed into the places of others; by their places alone ten would be taken so."""
    evening, _ = unkind_evening_for(
        rule_set(edition),
        seed=seed,
        games=1,
        cheats=0.5,
        size=(1280, 960),
        hardships=tuple(Hardship),
        outlined=True,
    )
    identities, tracks, still, chance = Identities(), NO_TRACKS, 0, Random(seed)
    for _turn in islice(evening.play(), TURNS):
        for shot in evening.stage.shots:
            still = 0 if shot.hands else still + 1
            if still == LOOKS_TO_SETTLE:
                tracks, reading = follow(tracks, read(shot, chance))
                laid = [one for one in shot.laid if one.tile is not None]
                identities.look(reading, laid, [(one.x, one.y) for one in laid])
        evening.stage.shots.clear()
        evening.stage.presses.clear()
    assert identities.moves > TURNS
    assert identities.switches == 0
