"""The best play: from a table and a rack, the legal table that takes most tiles from the rack.

Of plays that lay as many tiles, the one worth most wins. A play is worth the values of the tiles laid, jokers
counting what they stand for; where a joker of the table and one of the rack are alike, the one laid is the one that
counts more. The judge looks at every plan before it is given; one that breaks a rule of the edition about jokers
is refused, and the search goes on among the others.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

import numpy as np

from referee.errors import NotationError
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.tiles import Tile
from referee.rules.verdict import Legal, Violation
from referee.solver.deadline import Deadline, OutOfTimeError
from referee.solver.placing import Rows, own_tiles, placed, put_together, rough
from referee.solver.programme import Finding, maximise
from referee.solver.question import ask, same_tiles
from referee.solver.refusal import anything_else, instead_of
from referee.solver.relaxation import Whole

SECONDS: Final = 10.0
"""How long a search may take; what is best by then is given as not proven."""
_WAYS: Final = 64
_NOTHING: Final = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """What a player can lay; nothing if `tiles` is empty."""

    tiles: tuple[Tile, ...]
    """The tiles from the rack."""
    table: Table
    """The table after the play; sets that did not change come first, as they lay."""
    worth: int
    optimal: bool
    """No play lays more tiles, nor as many that are worth more."""


def best_play(
    table: Table, rack: Iterable[Tile], rules: RuleSet, *, opened: bool = True, seconds: float = SECONDS
) -> Play:
    """Return the play that lays most tiles; a player who has not opened leaves the table alone and opens.

    Raise NotationError for tiles that the edition's box does not hold.
    """
    held = tuple(rack)
    check_box((*table.tiles, *held), rules)
    until = Deadline(time.monotonic() + seconds)
    best = Play(tiles=(), table=table, worth=0, optimal=False)
    try:
        for spare in (False, True):
            search = _Search(table, held, rules, until, opened=opened, spare=spare)
            play = search.best(until)
            if play is not None:
                return play
            best = search.given(proven=False)
    except OutOfTimeError:
        return best
    return best


def check_box(tiles: Iterable[Tile], rules: RuleSet) -> None:
    """Raise NotationError if the edition's box does not hold all these tiles together."""
    for tile, count in Counter(tiles).items():
        held = rules.box.get(tile, 0)
        if count > held:
            raise NotationError(f"{count} × {tile} is more than the {held} in the box of {rules.edition}; look again")


class _Search:
    """One search for the best play: the question, the best table found, and the plans that were in doubt."""

    def __init__(
        self, table: Table, held: tuple[Tile, ...], rules: RuleSet, until: Deadline, *, opened: bool, spare: bool
    ) -> None:
        """Put the question."""
        self._table, self._rules, self._opened, self._spare = table, rules, opened, spare
        self._before = table if opened else EMPTY_TABLE
        self._question = ask(self._before, held, rules, opening=not opened, spare=spare, until=until)
        self._best: tuple[float, Table, int] = (_NOTHING, table, 0)
        self._refused = _NOTHING
        self._cut = _NOTHING

    def best(self, until: Deadline) -> Play | None:
        """Return the best play; None if a set that the catalogue holds only in parts might make a better one."""
        plan = maximise(self._question.programme, deadline=until.at, examine=self._examine)
        gain = self._best[0]
        if plan.proven and self._cut > gain and not self._spare:
            return None
        return self.given(proven=plan.proven and gain >= self._refused)

    def given(self, *, proven: bool) -> Play:
        """Return the best play found."""
        _, after, worth = self._best
        played = tuple((after.counts() - self._table.counts()).elements())
        if not played:
            return Play(tiles=(), table=self._table, worth=0, optimal=proven)
        return Play(tiles=played, table=after, worth=worth, optimal=proven)

    def _examine(self, amounts: Whole, claimed: int) -> Finding:
        """Find the tables that a plan may mean, and have them judged."""
        plan = rough(self._question, amounts)
        gain, refused = _NOTHING, None
        ways = tuple(islice(placed(plan, self._before, self._rules), _WAYS))
        for after in chain.from_iterable(map(self._tables, ways)):
            gained, violations = self._judged(after)
            if violations:
                refused = refused or (after, violations)
                gained = self._mended(after, violations)
            gain = max(gain, gained)
            if gain >= claimed:
                return Finding(gain)
        if refused:
            if len(ways) == _WAYS:
                self._refused = max(self._refused, claimed)
            return Finding(gain, instead_of(self._question, amounts, *refused, self._rules))
        self._cut = max(self._cut, claimed)
        bound = own_tiles(self._question, plan) if gain == _NOTHING else None
        if bound is not None and bound.sums @ amounts > bound.upper:
            return Finding(gain, [[bound]])
        return Finding(gain, anything_else(amounts))

    def _mended(self, after: Table, violations: tuple[Violation, ...]) -> float:
        """Return what is gained if guilty sets lie in longer ones."""
        gain = _NOTHING
        for place in {violation.set_index for violation in violations if violation.set_index is not None}:
            for rows in put_together(after.sets, place, self._rules):
                longer = Table(rows)
                gained, others = self._judged(longer)
                gain = max(gain, self._mended(longer, others) if others else gained)
        return gain

    def _judged(self, after: Table) -> tuple[float, tuple[Violation, ...]]:
        """Return what a table gains, and the faults of one that is not legal; keep it if it is the best."""
        verdict = judge_turn(self._table, after, opened=self._opened, rules=self._rules)
        if isinstance(verdict, Legal):
            worth = self._worth(after)
        elif not verdict.played:
            worth, after = 0, self._table  # to move tiles about and lay none is to lay nothing
        else:
            return _NOTHING, verdict.violations
        tiles = len(after.tiles) - len(self._table.tiles) + len(self._before.tiles)
        gain = self._question.gain(tiles, worth)
        if gain > self._best[0]:
            self._best = gain, after, worth
        return gain, ()

    def _worth(self, after: Table) -> int:
        """Return what the tiles laid are worth, of jokers that are alike those that count most."""
        new = after.sets if self._opened else after.sets[len(self._table.sets) :]
        laid = Counter(tile for tiles in new for tile in tiles) - self._before.counts()
        counts: dict[Tile, list[int]] = {tile: [] for tile in laid}
        for tiles in new:
            reading = preferred_reading(tiles, self._rules)
            if reading is not None:
                for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
                    if tile in counts:
                        counts[tile].append(sum(stand_in.numbers))
        return sum(sum(sorted(values)[-laid[tile] :]) for tile, values in counts.items())

    def _tables(self, rows: Rows) -> Iterator[Table]:
        """Give the table of these sets, those that did not change first and as they lay; or else all laid anew."""
        if not self._opened:
            yield Table((*self._table.sets, *rows))
            return
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(same_tiles(row), []).append(place)
        standing, gone = [], set()
        for tiles in self._table.sets:
            same = places.get(same_tiles(tiles))
            if same and is_set(tiles, self._rules):
                gone.add(same.pop())
                standing.append(tiles)
        new = [row for place, row in enumerate(rows) if place not in gone]
        yield Table((*standing, *new))
        yield Table(rows)
