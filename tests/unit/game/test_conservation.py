"""Where all the tiles are: what the referee counts on racks, table and pool is what is really there.

Players with real tiles from a shuffled box play what they can find, draw what they are told, forget to press, break
the table and run out of time, take presses back, and leave.
"""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from referee.game.events import Drew, GameWon, Judged, TurnTakenBack
from referee.game.inputs import MatchStarted, PlayerLeft, Seat, Undone
from referee.game.state import Phase
from referee.reading.inputs import TableStill
from referee.rules.editions import rule_set
from referee.rules.notation import format_table
from referee.rules.sets import preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import NumberTile, Tile
from referee.rules.verdict import Legal


class Players:
    """Who holds what; the truth that the referee is compared with."""

    def __init__(self, evening: Any, edition: str, players: int, seed: int, *, waits: bool) -> None:
        self.evening, self.chance = evening, random.Random(seed)
        self.rules = rule_set(edition)
        self.pool = list(Counter(dict(self.rules.box)).elements())
        self.chance.shuffle(self.pool)
        self.racks = [[self.pool.pop() for _ in range(self.rules.rack_tiles)] for _ in range(players)]
        self.opened = [False] * players
        self.table: list[TileSet] = []
        self.gone: set[int] = set()
        names = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")[:players]
        house = () if waits else (("drawn_tile_waits", False),)
        evening.enter(MatchStarted(at=evening.at, names=names, edition=edition, games=1, house_rules=house))
        evening.lay("")

    @property
    def seat(self) -> int:
        return int(self.evening.match.seat)

    def hold_to_the_truth(self) -> None:
        match = self.evening.match
        assert match.racks == tuple(map(len, self.racks))
        assert match.pool == len(self.pool)
        assert match.turn_start.best.counts() == Counter(tile for tiles in self.table for tile in tiles)
        assert sum(match.racks) + len(match.turn_start.best.tiles) + match.pool == self.rules.tile_count
        assert [player.opened for player in match.players] == self.opened

    # A turn -------------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        event = self.evening
        kind = self.chance.random()
        plays = self._found()
        if kind < 0.08:
            self._broken()
        elif kind < 0.12 and len(self.gone) + 2 < len(self.racks):
            leaving = self.seat
            event.enter(PlayerLeft(event.at, Seat(leaving)))
            self.gone.add(leaving)
            event.lay(self._shown(self.table))
        elif plays:
            self._play(plays, pressed=kind > 0.2, undone=kind > 0.9)
        else:
            drew = event.match.play.has_drawn
            told = event.press()
            if drew:
                assert not any(isinstance(said, Drew) for said in told)  # who has drawn passes without drawing again
            else:
                self._obey(told)

    def _play(self, plays: list[TileSet], *, pressed: bool, undone: bool) -> None:
        event, seat = self.evening, self.seat
        told = event.lay(self._shown([*self.table, *plays]))
        if pressed:
            told += event.press()
        else:
            event.wait(70.0)
            told += event.enter(TableStill(event.at))
        if undone and pressed:
            assert isinstance(event.enter(Undone(event.at))[0], TurnTakenBack)
            event.now += 1.1
            told = event.press()
        (judged,) = (said for said in told if isinstance(said, Judged))
        assert isinstance(judged.verdict, Legal)
        self.table += plays
        self.opened[seat] = True
        for tile in (tile for tiles in plays for tile in tiles):
            self.racks[seat].remove(tile)

    def _broken(self) -> None:
        """Lay a loose tile, run out of time, put the table back and draw the penalty."""
        event = self.evening
        event.lay(self._shown([*self.table, (self.racks[self.seat][0],)]))
        event.wait(70.0)
        event.enter(TableStill(event.at))
        assert event.match.phase is Phase.RESTORE
        self._obey(event.lay(self._shown(self.table)))

    def _obey(self, told: tuple[Any, ...]) -> None:
        (drew,) = (said for said in told if isinstance(said, Drew))
        self.racks[drew.seat] += [self.pool.pop() for _ in range(drew.tiles)]

    def _shown(self, table: list[TileSet]) -> str:
        return format_table(Table(tuple(table)))

    # What a player finds --------------------------------------------------------------------------------------------

    def _found(self) -> list[TileSet]:
        """Some sets of the rack that may be laid at once, worth an opening where one is needed."""
        left = list(self.racks[self.seat])
        plays = []
        while (tiles := next(self._sets(left), None)) is not None:
            plays.append(tiles)
            for tile in tiles:
                left.remove(tile)
        worth = sum(reading.worth for tiles in plays if (reading := preferred_reading(tiles, self.rules)))
        return plays if self.opened[self.seat] or worth >= self.rules.initial_meld else []

    def _sets(self, rack: list[Tile]) -> Iterator[TileSet]:
        numbers = sorted({tile for tile in rack if isinstance(tile, NumberTile)}, key=lambda tile: tile.code)
        for tiles in combinations(numbers, 3):
            if preferred_reading(tiles, self.rules) is not None:
                yield tiles


@pytest.mark.parametrize("waits", [True, False], ids=["a drawn tile waits", "a drawn tile may be played"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
@pytest.mark.parametrize(
    ("edition", "players"), [("original", 2), ("pressman", 4), ("xp", 6), ("twist", 3), ("3in1-expert", 4)]
)
def test_no_tile_is_lost_or_made(evening: Any, edition: str, players: int, seed: int, *, waits: bool) -> None:
    people = Players(evening, edition, players, seed, waits=waits)
    turns = 0
    while evening.match.phase is Phase.TURN and turns < 120:
        people.turn()
        evening.now += 6.0
        people.hold_to_the_truth()
        turns += 1
    assert turns > 5
    if evening.match.phase is Phase.GAME_OVER:
        (won,) = (event for event in evening.told if isinstance(event, GameWon))
        emptied = [seat for seat, rack in enumerate(people.racks) if not rack]
        assert emptied == ([int(won.seat)] if won.reason != "blocked" else [])
