"""The question put to the search: which sets, and how many of each, from a table and a rack.

A column is a set that the tiles at hand can form, a row is a kind of tile: what lay on the table must lie in some
set, what is on the rack may. The gain counts tiles; or, once the most tiles are known, the worth of as many.

A regular or coloured joker stands in for a number tile, and every set with one is a set of number tiles with one of
them stood in for. So sets with such jokers need no columns. Instead each joker has a column for every tile it may
stand for, which hands that tile out once more; `placing` finds afterwards in which set the joker lies. What this
leaves open, that a set has a number tile of its own, is asked for when a plan lacks it.

Jokers of which some lie on the table and some on the rack are two kinds of tiles, for only the joker from the rack
adds to the worth of the play.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.rules.choices import ColourChangeEnds
from referee.rules.editions import RuleSet
from referee.rules.set_reading import NUMBER
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import NUMBER_TILES, JokerKind, NumberTile, Tile
from referee.solver.catalogue import Sets, catalogue, key_of
from referee.solver.columns import (
    FEW_NUMBERS,
    SPECIAL,
    STAND_INS,
    StandIns,
    extras_of,
    leanings_of,
    likely_of,
    rows_of,
    shares_of,
    sums_of,
)
from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.laying import FREE, NOTHING, Counts
from referee.solver.relaxation import WITHOUT_BOUND, Programme, Whole
from referee.solver.release import released_by, released_by_tile
from referee.solver.shapes import Limits

_VALUES: Final = np.array(NUMBER, np.int64)
_WAYS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A programme and what its columns are: first the sets, then the free tiles, then the jokers that stand in."""

    programme: Programme
    """What lays the most tiles, those of the table too."""
    worth: Whole
    """(columns,): what each adds to the worth of the tiles from the rack and of the number tiles on the table."""
    sets: Sets
    """The set that each of the first columns lays."""
    free: tuple[NumberTile, ...]
    """The tile that each of the next columns makes of a number in whatever colour."""
    stand_ins: StandIns
    """What each of the last columns lets stand for what."""
    standing_worth: int
    """What the number tiles on the table are worth."""


def counts_of(tiles: Iterable[Tile]) -> Counts:
    """Return how many there are of each tile."""
    return np.bincount([tile.code for tile in tiles], minlength=FREE).astype(np.int16)


def ask(
    table: Table,
    rack: Iterable[Tile],
    rules: RuleSet,
    *,
    opening: bool = False,
    spare: bool = False,
    until: Deadline = NO_DEADLINE,
) -> Question:
    """Return the question what to lay; `opening`: the new sets must be worth an initial meld.

    `spare`: also look at sets that could be cut, where one of the parts might hold only jokers. Raise OutOfTimeError
    if the deadline comes before all sets are known.
    """
    on_table, on_rack = counts_of(table.tiles), counts_of(rack)
    have = on_table + on_rack
    numbers = int(have[: len(NUMBER_TILES)].sum())
    spare = spare or numbers <= FEW_NUMBERS
    sets, lies = sets_at_hand(have, table, rules, spare=spare, until=until)
    shares = shares_of(sets, lies, on_table, on_rack, released_by(sets, table, rules))
    extras = extras_of(shares, on_table, on_rack)
    tiles = (shares.sets.codes != NOTHING).sum(axis=1)
    released = released_by_tile(extras.free, extras.stand_ins, table, rules)
    sums, lower, upper = sums_of(shares, extras, released, numbers)
    if opening:
        worth = np.append(shares.sets.values.sum(axis=1, dtype=np.int16), np.zeros(len(extras.gains), np.int16))
        sums = np.column_stack((sums, worth))
        lower, upper = np.append(lower, rules.initial_meld), np.append(upper, WITHOUT_BOUND)
    takes = np.append(np.full(len(tiles), NOTHING, np.int16), extras.takes)[:, None]
    (places, takes), own_lower, own_upper = rows_of(
        (np.concatenate((shares.places, extras.places)), takes), on_table, on_rack
    )
    none = np.zeros(len(extras.gains))
    programme = Programme(
        places=places,
        takes=takes,
        sums=sums,
        gains=np.append(tiles, none).astype(np.int64),
        lower=np.append(own_lower, lower),
        upper=np.append(own_upper, upper),
        leanings=np.append(leanings_of(tiles, shares.lies, int(have.sum())), none),
        slight=0.3 / (int(have.sum()) + 4),
        labels=np.concatenate((shares.labels(), extras.labels)),
        likely=np.append(likely_of(shares), none == 0),
    )
    return Question(
        programme=programme,
        worth=np.concatenate((shares.worth, extras.gains)),
        sets=shares.sets,
        free=extras.free,
        stand_ins=extras.stand_ins,
        standing_worth=int(on_table @ _VALUES),
    )


def sets_at_hand(
    have: Counts,
    table: Table,
    rules: RuleSet,
    *,
    spare: bool = False,
    long: bool = False,
    until: Deadline = NO_DEADLINE,
) -> tuple[Sets, NDArray[np.bool_]]:
    """Return the sets that these tiles can form, those on the table among them, and which of them lie there.

    `spare`: as above. `long`: also sets that could be cut, with few special jokers.
    """
    stand_ins = int(sum(have[joker.code] for joker in STAND_INS))
    listed = catalogue(
        special_jokers(have),
        counts_middle=rules.mirror_counts_middle,
        begins=rules.colour_change_ends is ColourChangeEnds.EITHER,
        spare=stand_ins if spare else 0,
        long=long,
        until=until,
    )
    return _with_lying(listed.formable(have, stand_ins), table, rules)


def special_jokers(have: Counts) -> Limits:
    """Return how often each kind of special joker may lie in one set."""
    return tuple(
        (joker.kind, 1 if joker.kind is JokerKind.MIRROR else int(have[joker.code]))
        for joker in SPECIAL
        if have[joker.code]
    )


# ---- the sets that lie on the table ----------------------------------------------------------------------------------


def stood_in(tiles: TileSet, rules: RuleSet) -> tuple[TileSet, ...]:
    """Return what a set may be with the tiles its regular and coloured jokers stand for in their places."""
    reading = preferred_reading(tiles, rules)
    if reading is None:
        return ()
    if not any(tile in STAND_INS for tile in tiles):
        return (tiles,)
    choices = [
        [NumberTile(colour, stand_in.numbers[0]) for colour in stand_in.colours] if tile in STAND_INS else [tile]
        for tile, stand_in in zip(tiles, reading.stands_for, strict=True)
    ]
    ways = (way for way in islice(product(*choices), _WAYS) if is_set(way, rules))
    return tuple({same_tiles(way): way for way in ways}.values())


def same_tiles(tiles: TileSet) -> tuple[int, ...]:
    """Return what sets share exactly if the same tiles lie in them."""
    return tuple(sorted([tile.code for tile in tiles]))


def _with_lying(sets: Sets, table: Table, rules: RuleSet) -> tuple[Sets, NDArray[np.bool_]]:
    """Add those sets of the table that the catalogue does not hold in one piece, so that they may stay."""
    lying = [(tiles, way) for tiles in dict.fromkeys(table.sets) for way in stood_in(tiles, rules)]
    keys = [int(key_of(np.array([tile.code for tile in way]))) for _, way in lying]
    lies = (sets.keys[:, None] == np.array(keys, np.int64)).any(axis=1)
    known = set(sets.keys[lies].tolist())
    codes, values = [], []
    for (tiles, way), key in zip(lying, keys, strict=True):
        reading = preferred_reading(tiles, rules)
        if key not in known and reading is not None:
            known.add(key)
            codes.append([tile.code for tile in way])
            values.append([sum(stand_in.numbers) for stand_in in reading.stands_for])
    if not codes:
        return sets, lies
    return sets.joined(codes, values), np.append(lies, np.ones(len(codes), np.bool_))
