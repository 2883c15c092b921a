"""The best play: from a table and a rack, the legal table that takes most tiles from the rack.

Of plays that lay as many tiles, the one worth most wins. A play is worth the values of the tiles laid, jokers
counting what they stand for; where a joker of the table and one of the rack are alike, the one laid is the one that
counts more. The judge looks at every plan before it is given; one that breaks a rule of the edition about jokers
is refused, and the search goes on among the others.
"""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from referee.errors import NotationError
from referee.rules.editions import RuleSet
from referee.rules.judge import judge_turn
from referee.rules.table import EMPTY_TABLE, Table, TileSet
from referee.rules.tiles import Joker, Tile
from referee.rules.verdict import Legal, SetKind, Verdict
from referee.solver.programme import Refusal, maximise
from referee.solver.question import Question, ask
from referee.solver.refusal import alternatives
from referee.solver.relaxation import Whole

SECONDS: Final = 10.0
"""How long a search may take; what is best by then is given as not proven."""


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
    deadline = time.monotonic() + seconds
    question = ask(table if opened else EMPTY_TABLE, held, rules, opening=not opened)

    doubts: list[int] = []
    afters: dict[bytes, Table] = {}

    def refuse(amounts: Whole) -> Refusal | None:
        after = afters[amounts.tobytes()] = _table(question, amounts, table, opened=opened)
        verdict = judge_turn(table, after, opened=opened, rules=rules)
        if isinstance(verdict, Legal) or not verdict.played:
            return None
        if any(verdict.sets[place].kind is SetKind.RUN for place in _guilty(verdict)):
            doubts.append(int(question.programme.gains @ amounts))
        return alternatives(question, amounts, verdict.violations, table, after)

    plan = maximise(question.programme, deadline=deadline, refuse=refuse)
    if plan.amounts is None:
        return Play(tiles=(), table=table, worth=0, optimal=plan.proven and question.complete and not doubts)
    after = afters[plan.amounts.tobytes()]
    played = tuple((after.counts() - table.counts()).elements())
    # A run refused for its jokers might lie in a longer one, and longer ones were not looked at.
    certain = all(doubt <= int(question.programme.gains @ plan.amounts) for doubt in doubts)
    complete = question.complete or (len(played) == len(held) and not any(isinstance(tile, Joker) for tile in held))
    worth = question.worth(plan.amounts) if played else 0
    return Play(
        tiles=played, table=after if played else table, worth=worth, optimal=plan.proven and certain and complete
    )


def _guilty(verdict: Verdict) -> tuple[int, ...]:
    return tuple(violation.set_index for violation in verdict.violations if violation.set_index is not None)


def check_box(tiles: Iterable[Tile], rules: RuleSet) -> None:
    """Raise NotationError if the edition's box does not hold all these tiles together."""
    for tile, count in Counter(tiles).items():
        held = rules.box.get(tile, 0)
        if count > held:
            raise NotationError(f"{count} × {tile} is more than the {held} in the box of {rules.edition}; look again")


def _table(question: Question, amounts: Whole, before: Table, *, opened: bool) -> Table:
    """Return the table of a plan, the sets that did not change first and as they lay."""
    new = list(question.sets_of(amounts))
    if not opened:
        return Table((*before.sets, *new))
    waiting = [_sameness(tiles) for tiles in new]
    standing = []
    for tiles in before.sets:
        same = _sameness(tiles)
        if same in waiting:
            place = waiting.index(same)
            del waiting[place], new[place]
            standing.append(tiles)
    return Table((*standing, *new))


def _sameness(tiles: TileSet) -> list[int]:
    return sorted(tile.code for tile in tiles)
