"""The best play: from a table and a rack, the legal table that takes most tiles from the rack.

Of plays that lay as many tiles, the one worth most wins. A play is worth the values of the tiles laid, jokers
counting what they stand for; where a joker of the table and one of the rack are alike, the one laid is the one that
counts more. The judge looks at every plan before it is given; one that breaks a rule of the edition about jokers
is refused, and the search goes on among the others.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
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
from referee.solver.programme import Bound, ExaminedPlan, maximise
from referee.solver.question import Question, ask, same_tiles
from referee.solver.refusal import anything_else, instead_of
from referee.solver.relaxation import Relaxation, Whole

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
    tiles_proven: bool
    """No play lays more tiles."""
    optimal: bool
    """No play lays more tiles, nor as many that are worth more."""


class _Aim(Enum):
    TILES = auto()
    WORTH = auto()
    """The most worth of plays that lay as many tiles as the best known."""


def best_play(
    table: Table,
    rack: Iterable[Tile],
    rules: RuleSet,
    *,
    opened: bool = True,
    seconds: float = SECONDS,
    any_worth: bool = False,
) -> Play:
    """Return the play that lays most tiles; a player who has not opened leaves the table alone and opens.

    `seconds`: the most that the search takes. `any_worth`: the first play found of so many tiles will do, and is given
    as not optimal. Raise NotationError for tiles that the edition's box does not hold.
    """
    held = tuple(rack)
    check_box((*table.tiles, *held), rules)
    best = _Best(table, rules, opened=opened)
    until = Deadline(time.monotonic() + seconds)
    tiles_proven = optimal = False

    @cache
    def asked(*, spare: bool) -> tuple[Question, Relaxation]:
        question = ask(best.before, held, rules, opening=not opened, spare=spare, until=until)
        return question, Relaxation(question.programme)

    try:
        tiles_proven = _settle(_Aim.TILES, best, asked, until)
        optimal = tiles_proven and not any_worth and _settle(_Aim.WORTH, best, asked, until)
    except OutOfTimeError:
        pass
    return Play(tiles=best.played(), table=best.table, worth=best.worth, tiles_proven=tiles_proven, optimal=optimal)


def _settle(aim: _Aim, best: "_Best", asked: Callable[..., tuple[Question, Relaxation]], until: Deadline) -> bool:
    """Look for the best play, and tell whether it is proven.

    Look once more, among all sets, where one that the catalogue holds only in parts might make a better play.
    """
    for spare in (False, True):
        hunt = _Hunt(*asked(spare=spare), aim, best)
        if not hunt.ends(until):
            return False
        if spare or hunt.settles_parts():
            break
    return hunt.settles_doubts()


def check_box(tiles: Iterable[Tile], rules: RuleSet) -> None:
    """Raise NotationError if the edition's box does not hold all these tiles together."""
    for tile, count in Counter(tiles).items():
        held = rules.box.get(tile, 0)
        if count > held:
            raise NotationError(f"{count} × {tile} is more than the {held} in the box of {rules.edition}; look again")


class _Best:
    """The best play found so far, and the judge who lets it pass."""

    def __init__(self, table: Table, rules: RuleSet, *, opened: bool) -> None:
        """Begin with the play that lays nothing."""
        self._table, self.rules, self._opened = table, rules, opened
        self.before = table if opened else EMPTY_TABLE
        """The sets that the play may change."""
        self.table, self.tiles, self.worth = table, 0, 0

    def played(self) -> tuple[Tile, ...]:
        """Return the tiles that the best play lays."""
        return tuple((self.table.counts() - self._table.counts()).elements())

    def judged(self, after: Table) -> tuple[tuple[int, int] | None, tuple[Violation, ...]]:
        """Return how many tiles a table lays and their worth, or the faults of one that is not legal; keep the best."""
        verdict = judge_turn(self._table, after, opened=self._opened, rules=self.rules)
        if isinstance(verdict, Legal):
            found = len(after.tiles) - len(self._table.tiles), self._worth(after)
        elif not verdict.played:
            found, after = (0, 0), self._table  # to move tiles about and lay none is to lay nothing
        else:
            return None, verdict.violations
        if found > (self.tiles, self.worth):
            self.table, (self.tiles, self.worth) = after, found
        return found, ()

    def _worth(self, after: Table) -> int:
        """Return what the tiles laid are worth, of jokers that are alike those that count most."""
        new = after.sets if self._opened else after.sets[len(self._table.sets) :]
        laid = Counter(tile for tiles in new for tile in tiles) - self.before.counts()
        counts: dict[Tile, list[int]] = {tile: [] for tile in laid}
        for tiles in new:
            reading = preferred_reading(tiles, self.rules)
            if reading is not None:
                for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
                    if tile in counts:
                        counts[tile].append(sum(stand_in.numbers))
        return sum(sum(sorted(values)[-laid[tile] :]) for tile, values in counts.items())

    def tables(self, rows: Rows) -> Iterator[Table]:
        """Yield the table of these sets, those that did not change first and as they lay; or else all laid anew."""
        if not self._opened:
            yield Table((*self._table.sets, *rows))
            return
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(same_tiles(row), []).append(place)
        standing, gone = [], set()
        for tiles in self._table.sets:
            same = places.get(same_tiles(tiles))
            if same and is_set(tiles, self.rules):
                gone.add(same.pop())
                standing.append(tiles)
        new = [row for place, row in enumerate(rows) if place not in gone]
        yield Table((*standing, *new))
        yield Table(rows)


class _Hunt:
    """One search among the sets of a question, and the plans that were in doubt."""

    def __init__(self, question: Question, relaxation: Relaxation, aim: _Aim, best: _Best) -> None:
        """Begin with the best play known."""
        self._question, self._relaxation, self._aim, self._best = question, relaxation, aim, best
        self._tiles = best.tiles
        self._refused = _NOTHING
        self._cut = _NOTHING

    def ends(self, until: Deadline) -> bool:
        """Look for a better play than the best; tell whether the search came to its end in time."""
        question = self._question
        within: tuple[Bound, ...] = ()
        if self._aim is _Aim.WORTH:
            if not self._tiles:
                return True
            laid = len(self._best.before.tiles) + self._tiles
            within = (Bound(question.programme.gains.astype(np.int8), laid, laid),)
            self._relaxation.seek(question.worth)
        return maximise(
            self._relaxation, deadline=until.at, examine=self._examine, more_than=self._known(), within=within
        ).proven

    def settles_parts(self) -> bool:
        """Return whether no plan promised more whose sets lack a number tile as they are."""
        return self._known() >= self._cut

    def settles_doubts(self) -> bool:
        """Return whether no plan promised more that means more tables than were judged."""
        return self._known() >= self._refused

    def _known(self) -> float:
        return self._gain(self._best.tiles, self._best.worth)

    def _gain(self, tiles: int, worth: int) -> float:
        if self._aim is _Aim.TILES:
            return len(self._best.before.tiles) + tiles
        return worth + self._question.standing_worth if tiles >= self._tiles else _NOTHING

    def _examine(self, amounts: Whole, claimed: int) -> ExaminedPlan:
        """Find the tables that a plan may mean, and have them judged."""
        plan = rough(self._question, amounts)
        gain, refused = _NOTHING, None
        ways = tuple(islice(placed(plan, self._best.before, self._best.rules), _WAYS))
        for after in chain.from_iterable(map(self._best.tables, ways)):
            gained, violations = self._judged(after)
            if violations:
                refused = refused or (after, violations)
                gained = self._mended(after, violations)
            gain = max(gain, gained)
            if gain >= claimed:
                return ExaminedPlan(gain)
        if refused:
            if len(ways) == _WAYS:
                self._refused = max(self._refused, claimed)
            return ExaminedPlan(gain, instead_of(self._question, amounts, *refused, self._best.rules))
        self._cut = max(self._cut, claimed)
        bound = own_tiles(self._question, plan) if gain == _NOTHING else None
        if bound is not None and bound.sums @ amounts > bound.upper:
            return ExaminedPlan(gain, [[bound]])
        return ExaminedPlan(gain, anything_else(amounts))

    def _mended(self, after: Table, violations: tuple[Violation, ...]) -> float:
        """Return what is gained if guilty sets lie in longer ones."""
        gain = _NOTHING
        for place in {violation.set_index for violation in violations if violation.set_index is not None}:
            for rows in put_together(after.sets, place, self._best.rules):
                longer = Table(rows)
                gained, others = self._judged(longer)
                gain = max(gain, self._mended(longer, others) if others else gained)
        return gain

    def _judged(self, after: Table) -> tuple[float, tuple[Violation, ...]]:
        found, violations = self._best.judged(after)
        return self._gain(*found) if found else _NOTHING, violations
