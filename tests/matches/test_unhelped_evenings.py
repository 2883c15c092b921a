"""Whole evenings that nobody helps: doubts, unread racks, lost and doubled presses; play and referee stay together.

The table is read without error, straight from where the simulation laid its tiles; then doubts are put in. There is no
page: players only press, hold where a rack is asked about, and hold long where the thread is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

import pytest

from referee.game.endgame.racks import open_games
from referee.game.events import EmptyRackAsked, GameWon, Judged, RacksShown, ThreadLost, TurnEvent
from referee.game.inputs import MatchStarted, Seat, Ticked
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.reading.observation import TableReading, TileReading
from referee.rules.editions import EDITIONS
from referee.rules.house_rules import with_house_rules
from referee.rules.notation import parse_tile
from referee.rules.tiles import Joker, JokerKind
from referee.rules.verdict import Illegal, Legal
from referee.service.button_mapping import meaning
from referee.service.initial_meld_check import racks_to_score
from referee.sim.scenarios import NAMES, simulated_match
from referee.sim.simulated_match import TrueTurn
from tests.support.perfect_watcher import PerfectWatcher

HOUSE_RULES: dict[str, Any] = {"rack_tiles": 7}
MIRROR, REGULAR = Joker(JokerKind.MIRROR), parse_tile("J")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mishaps:
    """What goes wrong: `jokers` are read as J or JM, a rack's first tile is unsure, presses are lost or doubled."""

    jokers: bool = False
    racks: bool = False
    lost: float = 0.0
    doubled: float = 0.0


@dataclass(slots=True)
class UnhelpedEvening:
    """A simulated evening and its match."""

    edition: str
    seed: int
    mishaps: Mishaps
    games: int = 2
    turns: int | None = None
    match: Match = field(default_factory=Match)
    told: list[TurnEvent] = field(default_factory=list)
    played: list[TrueTurn] = field(default_factory=list)
    together: list[bool] = field(default_factory=list)
    """After each turn, whether the match stands where the evening does."""

    def run(self) -> "UnhelpedEvening":
        rules = with_house_rules(EDITIONS[self.edition], HOUSE_RULES)
        evening, _ = simulated_match(rules, seed=self.seed, games=self.games, cheat_rate=0.0)
        evening.players = replace(evening.players, strong_seats=frozenset())
        chance, onlooker = Random(self.seed), PerfectWatcher()
        self._enter(
            MatchStarted(
                at=Seconds(0.0),
                names=NAMES[: evening.players.count],
                edition=self.edition,
                house_rules=tuple(HOUSE_RULES.items()),
                games=self.games,
                limits=Limits(doubt_seconds=1.0),
            )
        )
        for turn in islice(evening.play(), self.turns):
            before = len(self.told)
            presses = list(self._presses(evening.scene.presses, chance))
            for moment in evening.scene.moments:
                while presses and presses[0].at <= moment.at:
                    self._enter(meaning(presses.pop(0), self.match))
                self._enter(Ticked(Seconds(moment.at)))
                for entered in onlooker.watch(moment, self.match):
                    self._enter(self._doubted(entered))
            seat = Seat((turn.seat + 1) % evening.players.count)
            self._answer(turn, seat, self.told[before:], Seconds(evening.scene.now))
            self.played.append(turn)
            goes_on = self.match.phase in {Phase.TURN, Phase.DOUBT} and self.match.seat == seat
            self.together.append(self.match.game == turn.game and (goes_on or bool(turn.shown_racks)))
            evening.scene.moments.clear()
            evening.scene.presses.clear()
        return self

    def _enter(self, entered: Input) -> None:
        self.match, told, _ = step(self.match, entered)
        self.told += told
        for event in told:
            if isinstance(event, RacksShown):
                self._enter(racks_to_score(self.match, event))

    def _presses(self, presses: list[Press], chance: Random) -> Iterator[Press]:
        for press in sorted(presses, key=lambda press: press.at):
            if chance.random() < self.mishaps.lost:
                continue
            yield press
            if chance.random() < self.mishaps.doubled:
                yield replace(press, at=Seconds(press.at + 0.4))

    def _doubted(self, entered: Input) -> Input:
        """Put the doubts into a look."""
        if not isinstance(entered, TableSettled):
            return entered
        reading, over = entered.reading, self.match.phase is Phase.GAME_OVER
        tiles = tuple(self._doubted_tile(tile) for tile in reading.tiles)
        if over and self.mishaps.racks and tiles:
            tiles = (*tiles[:-1], _unsure(tiles[-1], parse_tile("R1")))
        return replace(entered, reading=_with(reading, tiles))

    def _doubted_tile(self, tile: TileReading) -> TileReading:
        if not self.mishaps.jokers or tile.tile not in {MIRROR, REGULAR}:
            return tile
        return _unsure(tile, REGULAR if tile.tile == MIRROR else MIRROR)

    def _answer(self, turn: TrueTurn, seat: Seat, told: list[TurnEvent], at: Seconds) -> None:
        """Hold the button as people would who were asked."""
        asked = [event for event in told if isinstance(event, EmptyRackAsked)]
        if asked and asked[-1].owner == turn.seat and turn.won:
            self._enter(meaning(Press(at, PressKind.HOLD, asked[-1].owner), self.match))
        if any(isinstance(event, ThreadLost) for event in told) and not turn.shown_racks:
            self._enter(meaning(Press(at, PressKind.LONG_HOLD, seat), self.match))


def _unsure(tile: TileReading, other: Any) -> TileReading:
    return replace(tile, confidence=0.6, unsure=True, alternatives=((other, 0.4),))


def _with(reading: TableReading, tiles: tuple[TileReading, ...]) -> TableReading:
    return replace(reading, tiles=tiles)


def longest_apart(together: list[bool]) -> int:
    """Return for how many turns in a row the match stood elsewhere."""
    longest = apart = 0
    for agrees in together:
        apart = 0 if agrees else apart + 1
        longest = max(longest, apart)
    return longest


def wrong_wins(evening: UnhelpedEvening) -> list[tuple[int, int]]:
    """Return the games that the referee gave to a player who had not won them."""
    true = {turn.game: turn.seat for turn in evening.played if turn.won}
    return [
        (event.game, event.seat)
        for event in evening.told
        if isinstance(event, GameWon) and event.reason != "blocked" and true.get(event.game) != event.seat
    ]


@pytest.mark.parametrize(
    ("edition", "seed", "mishaps", "apart"),
    [
        pytest.param("original", 7, Mishaps(racks=True), 0, id="racks that cannot be read"),
        pytest.param("pressman", 23, Mishaps(lost=0.05), 3, id="presses lost"),
        pytest.param("original", 21, Mishaps(doubled=0.5), 0, id="presses doubled", marks=pytest.mark.slow),
    ],
)
def test_an_evening_that_nobody_helps_is_not_lost(edition: str, seed: int, mishaps: Mishaps, apart: int) -> None:
    evening = UnhelpedEvening(edition, seed, mishaps).run()
    assert evening.match.game == 2
    assert longest_apart(evening.together) <= apart
    assert evening.together[-1]
    assert wrong_wins(evening) == []
    assert open_games(evening.match) == ((1,) if mishaps.racks or mishaps.lost else ())
    if not mishaps.lost:
        assert all(isinstance(event.verdict, Legal) for event in evening.told if isinstance(event, Judged))


def test_jokers_that_are_not_told_apart_cost_no_turn_and_no_false_win() -> None:
    evening = UnhelpedEvening("twist", 22, Mishaps(jokers=True), games=1, turns=40).run()
    assert longest_apart(evening.together) == 0
    assert wrong_wins(evening) == []
    assert not any(isinstance(event.verdict, Illegal) for event in evening.told if isinstance(event, Judged))
