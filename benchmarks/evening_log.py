"""What became of an evening: whether the referee kept its thread, what it asked, and which racks it read."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from referee.game.events import GameScored, RackAsked, RackRead, TurnEvent
from referee.game.state import Match
from referee.game.table.differences import same_sets
from referee.reading.observation import TileReading
from referee.rules.tiles import Tile
from referee.sim.simulated_match import TrueTurn

Truth = Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class EveningLog:
    """What an evening's referee knew and asked, turn by turn."""

    agreed: list[bool] = field(default_factory=list)
    """For each turn, whether seat, game and table were the true ones when it was judged."""
    turns: list[tuple[int, int]] = field(default_factory=list)
    """Game and number of those turns."""
    questions: Counter[int] = field(default_factory=Counter)
    """Tiles asked about, by game."""
    empty: int = 0
    """Questions about places where no tile lies."""
    racks: int = 0
    racks_read: int = 0
    racks_asked: int = 0
    scored: int = 0
    """Racks shown; of them read as they were; racks asked for; games scored."""
    _shown: list[tuple[int, Counter[Tile]]] = field(default_factory=list)
    _asked: set[object] = field(default_factory=set)

    def begin(self, turn: TrueTurn, match: Match) -> None:
        """Note whether the match agrees with a turn before it is judged."""
        start = match.turn_start
        tables = [table for table in start.tables if table not in start.disputed]
        agrees = (match.seat, match.game) == (turn.seat, turn.game)
        self.agreed.append(agrees and any(same_sets(turn.before, table) for table in tables))
        self.turns.append((turn.game, turn.number))

    def show(self, turn: TrueTurn) -> None:
        """Note the racks that are shown after a turn, if any are."""
        self._shown = [(seat, Counter(tiles)) for seat, tiles in turn.shown_racks]
        self.racks += len(self._shown)

    def hear(
        self, event: TurnEvent, reading: Sequence[TileReading], truth: Callable[[TileReading], int | None]
    ) -> None:
        """Note an event; `reading` is what it rests on, `truth` gives the index of the true tile at a reading."""
        if isinstance(event, RackRead):
            rack = int(event.owner), Counter(event.tiles)
            self.racks_read += rack in self._shown
            self._shown = [shown for shown in self._shown if shown != rack]
        elif isinstance(event, RackAsked):
            self.racks_asked += 1
        elif isinstance(event, GameScored):
            self.scored += 1
        else:
            self._note_questions(event, reading, truth)

    def _note_questions(
        self, event: TurnEvent, reading: Sequence[TileReading], truth: Callable[[TileReading], int | None]
    ) -> None:
        for doubt in getattr(event, "doubts", ()):
            tile = reading[doubt.index] if doubt.index < len(reading) else None
            index = None if tile is None else truth(tile)
            place = index if tile is None or index is not None else tuple(round(at, -1) for at in tile.centre)
            asked = (event.game, event.turn, place)
            if asked not in self._asked:
                self._asked.add(asked)
                self.questions[event.game] += 1
                self.empty += tile is not None and index is None

    def summary(self, games: int) -> dict[str, Any]:
        """Return the evening in plain values, over this number of games."""
        lost = lost_from(self.agreed)
        asked = [self.questions[game] for game in range(1, games + 1)]
        return {
            "lost": None if lost is None else self.turns[lost],
            "questions": asked,
            "questions_median": median(asked),
            "empty": self.empty,
            "racks": self.racks,
            "racks_read": self.racks_read,
            "racks_asked": self.racks_asked,
            "scored": self.scored,
        }


def lost_from(agreed: Sequence[bool]) -> int | None:
    """Return the first index from which on nothing agreed; None if the last turn did."""
    if not agreed or agreed[-1]:
        return None
    return max((index + 1 for index, agrees in enumerate(agreed) if agrees), default=0)
