"""The best play: the legal table that takes the most tiles from the rack.

Of plays with equally many tiles, the highest worth wins. A play's worth is the sum of its tiles' values; jokers
count what they stand for; of equal jokers on table and rack, the played one is the one that
counts more. The judge checks every plan; a plan that breaks the edition's joker rules
is refused, and the search continues.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache
from itertools import chain, islice
from typing import Final

import numpy as np

from referee.errors import ConfigError, NotationError
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import EMPTY_TABLE, Table, expect_table
from referee.rules.tiles import Tile
from referee.rules.verdict import Legal, Violation
from referee.solver.deadline import Deadline, DeadlineError
from referee.solver.greedy import greedy_tables, usable_tiles
from referee.solver.placing import SetRows, merged_rows, own_tile_bound, placements, unplaced_plan
from referee.solver.programme import Bound, ExaminedPlan, maximise
from referee.solver.question import PlayProgramme, play_programme, tiles_key
from referee.solver.refusal import alternatives_to_refused, any_other_plan
from referee.solver.relaxation import Ints, Relaxation

MAX_SECONDS: Final = 10.0
"""How long a search may take; what is best by then is given as not proven."""
_MAX_LAYOUTS: Final = 64
_NO_GAIN: Final = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A play: the tiles from the rack and the table after; no play if `tiles` is empty."""

    tiles: tuple[Tile, ...]
    """The tiles from the rack."""
    table: Table
    """The table after the play; sets that did not change come first, as they lay."""
    worth: int
    tiles_proven: bool
    """No play lays more tiles."""
    optimal: bool
    """No play lays more tiles, nor as many that are worth more."""


class _Objective(Enum):
    TILES = auto()
    WORTH = auto()
    """The most worth of plays that lay as many tiles as the best known."""


def best_play(
    table: Table,
    rack: Iterable[Tile],
    rules: RuleSet,
    *,
    opened: bool = True,
    seconds: float = MAX_SECONDS,
    any_worth: bool = False,
) -> Play:
    """Return the play with the most tiles; a player who has not opened must play an initial meld beside the table.

    `seconds` limits the search; a plain play of own sets is found in any case. `any_worth`: return the first play found
    with the most tiles, marked as not optimal. Raise NotationError for tiles that the edition's box lacks, ConfigError
    for a negative time.
    """
    expect_table(table, "table")
    held = tuple(rack)
    check_tiles_in_box((*table.tiles, *held), rules)
    if not seconds >= 0:
        raise ConfigError(f"seconds is {seconds}; give 0 or more")
    best = _BestPlay(table, rules, opened=opened)
    until = Deadline(time.monotonic() + seconds)
    tiles_proven = optimal = False

    @cache
    def asked(*, spare: bool) -> tuple[PlayProgramme, Relaxation]:
        question = play_programme(best.before, held, rules, opening=not opened, spare=spare, until=until)
        return question, Relaxation(question.programme)

    try:
        tiles_proven = _prove_best(_Objective.TILES, best, asked, until)
        optimal = tiles_proven and not any_worth and _prove_best(_Objective.WORTH, best, asked, until)
    except DeadlineError:
        pass
    if not tiles_proven:
        for after in greedy_tables(table, held, rules, opened=opened):
            best.judged(after)
        tiles_proven = optimal = opened and best.tiles == usable_tiles(table, held)
    play = Play(tiles=best.played(), table=best.table, worth=best.worth, tiles_proven=tiles_proven, optimal=optimal)
    if opened or not play.tiles or not rules.table_in_meld_turn:
        return play
    return _with_table_used(play, table, held, rules, seconds=until.at - time.monotonic())


def _with_table_used(play: Play, table: Table, held: tuple[Tile, ...], rules: RuleSet, *, seconds: float) -> Play:
    """Return an opening with what else the rack can play by the rule that the table may be used; proven only if all."""
    rest = tuple((Counter(held) - Counter(play.tiles)).elements())
    more = best_play(play.table, rest, rules, seconds=max(0.0, seconds))
    verdict = judge_turn(table, more.table, opened=False, rules=rules)
    if not more.tiles or not isinstance(verdict, Legal):
        return replace(play, tiles_proven=not rest, optimal=False)
    tiles = tuple((more.table.counts() - table.counts()).elements())
    is_all = len(tiles) == len(held)
    worth = worth_of_play(table, more.table, rules)
    return Play(tiles=tiles, table=more.table, worth=worth, tiles_proven=is_all, optimal=False)


def _prove_best(
    aim: _Objective, best: "_BestPlay", asked: Callable[..., tuple[PlayProgramme, Relaxation]], until: Deadline
) -> bool:
    """Search for the best play; return whether it is proven.

    Search again among all sets if a divisible set, which the catalogue has only in parts, might give a better play.
    """
    for spare in (False, True):
        hunt = _PlanSearch(*asked(spare=spare), aim, best)
        if not hunt.completes(until):
            return False
        if spare or hunt.is_proven_without_parts():
            break
    return hunt.is_proven_without_doubts()


def check_tiles_in_box(tiles: Iterable[Tile], rules: RuleSet) -> None:
    """Raise NotationError if the edition's box lacks some of these tiles."""
    for tile, count in Counter(tiles).items():
        held = rules.box.get(tile, 0)
        if count > held:
            raise NotationError(f"{count} × {tile} is more than the {held} in the box of {rules.edition}; look again")


def worth_of_play(before: Table, after: Table, rules: RuleSet) -> int:
    """Return the worth of the played tiles; of equal jokers those that count most."""
    laid = after.counts() - before.counts()
    counts: dict[Tile, list[int]] = {tile: [] for tile in laid}
    for tiles in after.sets:
        reading = preferred_reading(tiles, rules)
        if reading is not None:
            for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
                if tile in counts:
                    counts[tile].append(sum(stand_in.numbers))
    return sum(sum(sorted(values)[-laid[tile] :]) for tile, values in counts.items())


class _BestPlay:
    """The best play found so far, as the judge accepts it."""

    def __init__(self, table: Table, rules: RuleSet, *, opened: bool) -> None:
        """Begin with no play."""
        self._table, self.rules, self._opened = table, rules, opened
        self.before = table if opened else EMPTY_TABLE
        """The sets that the play may change."""
        self.table, self.tiles, self.worth = table, 0, 0

    def played(self) -> tuple[Tile, ...]:
        """Return the tiles of the best play."""
        return tuple((self.table.counts() - self._table.counts()).elements())

    def judged(self, after: Table) -> tuple[tuple[int, int] | None, tuple[Violation, ...]]:
        """Judge a table: return its number of tiles and worth, or its violations; keep the best play."""
        verdict = judge_turn(self._table, after, opened=self._opened, rules=self.rules)
        if isinstance(verdict, Legal):
            new = after.sets if self._opened else after.sets[len(self._table.sets) :]
            found = len(after.tiles) - len(self._table.tiles), worth_of_play(self.before, Table(new), self.rules)
        elif not verdict.played:
            found, after = (0, 0), self._table  # moving tiles without playing one is no play
        else:
            return None, verdict.violations
        if found > (self.tiles, self.worth):
            self.table, (self.tiles, self.worth) = after, found
        return found, ()

    def tables(self, rows: SetRows) -> Iterator[Table]:
        """Yield the table of these sets, unchanged sets first as they lay; then the table with all sets laid again."""
        if not self._opened:
            yield Table((*self._table.sets, *rows))
            return
        places: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(tiles_key(row), []).append(place)
        standing, gone = [], set()
        for tiles in self._table.sets:
            same = places.get(tiles_key(tiles))
            if same and is_set(tiles, self.rules):
                gone.add(same.pop())
                standing.append(tiles)
        new = [row for place, row in enumerate(rows) if place not in gone]
        yield Table((*standing, *new))
        yield Table(rows)


class _PlanSearch:
    """One search of a programme's plans, and the gains of plans that stay in doubt."""

    def __init__(self, question: PlayProgramme, relaxation: Relaxation, aim: _Objective, best: _BestPlay) -> None:
        """Begin with the best known play."""
        self._question, self._relaxation, self._aim, self._best = question, relaxation, aim, best
        self._tiles = best.tiles
        self._refused = _NO_GAIN
        self._cut = _NO_GAIN

    def completes(self, until: Deadline) -> bool:
        """Search for a better play; return whether the search was completed in time."""
        question = self._question
        within: tuple[Bound, ...] = ()
        if self._aim is _Objective.WORTH:
            if not self._tiles:
                return True
            laid = len(self._best.before.tiles) + self._tiles
            within = (Bound(question.programme.gains.astype(np.int8), laid, laid),)
            self._relaxation.set_gains(question.worth)
        return maximise(
            self._relaxation, deadline=until.at, examine=self._examine, must_exceed=self._known(), within=within
        ).proven

    def is_proven_without_parts(self) -> bool:
        """Return whether no better plan was dropped because its sets lack a number tile."""
        return self._known() >= self._cut

    def is_proven_without_doubts(self) -> bool:
        """Return whether no better plan has more tables than were judged."""
        return self._known() >= self._refused

    def _known(self) -> float:
        return self._gain(self._best.tiles, self._best.worth)

    def _gain(self, tiles: int, worth: int) -> float:
        if self._aim is _Objective.TILES:
            return len(self._best.before.tiles) + tiles
        return worth + self._question.standing_worth if tiles >= self._tiles else _NO_GAIN

    def _examine(self, amounts: Ints, claimed: int) -> ExaminedPlan:
        """Judge the possible tables of a plan."""
        plan = unplaced_plan(self._question, amounts)
        gain, refused = _NO_GAIN, None
        candidates = tuple(islice(placements(plan, self._best.before, self._best.rules), _MAX_LAYOUTS))
        for after in chain.from_iterable(map(self._best.tables, candidates)):
            gained, violations = self._judged(after)
            if violations:
                refused = refused or (after, violations)
                gained = self._mended(after, violations)
            gain = max(gain, gained)
            if gain >= claimed:
                return ExaminedPlan(gain)
        if refused:
            if len(candidates) == _MAX_LAYOUTS:
                self._refused = max(self._refused, claimed)
            return ExaminedPlan(gain, alternatives_to_refused(self._question, amounts, *refused, self._best.rules))
        self._cut = max(self._cut, claimed)
        bound = own_tile_bound(self._question, plan) if gain == _NO_GAIN else None
        if bound is not None and bound.sums @ amounts > bound.upper:
            return ExaminedPlan(gain, [[bound]])
        return ExaminedPlan(gain, any_other_plan(amounts))

    def _mended(self, after: Table, violations: tuple[Violation, ...]) -> float:
        """Return the gain if the guilty sets are merged into longer ones."""
        gain = _NO_GAIN
        for place in {violation.set_index for violation in violations if violation.set_index is not None}:
            for rows in merged_rows(after.sets, place, self._best.rules):
                longer = Table(rows)
                gained, others = self._judged(longer)
                gain = max(gain, self._mended(longer, others) if others else gained)
        return gain

    def _judged(self, after: Table) -> tuple[float, tuple[Violation, ...]]:
        found, violations = self._best.judged(after)
        return self._gain(*found) if found else _NO_GAIN, violations
