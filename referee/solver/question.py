"""The integer programme of a play: which sets to lay, from a table and a rack.

A column is a set that the tiles can form, a row is a kind of tile: tiles of the table must lie in some
set, tiles of the rack may. The gain counts tiles, or, once the most tiles are known, their worth.

A regular or coloured joker stands in for a number tile, so every set with one is a set of number tiles with one
replaced. Sets with such jokers therefore need no columns. Instead each joker has a column for every tile it may
replace, which makes that tile available once more; `placing` later finds the joker's set. What this
omits, that each set has its own number tile, is required when a plan violates it.

Equal jokers on table and rack are two kinds of tiles, for only the joker from the rack
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
from referee.rules.set_reading import NUMBER_BY_CODE
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import NUMBER_TILES, JokerKind, NumberTile, Tile
from referee.solver.catalogue import SetTable, codes_key, set_catalogue
from referee.solver.columns import (
    MAX_NUMBERS_FOR_SET_ROW,
    SPECIAL_JOKERS,
    STAND_IN_JOKERS,
    StandIns,
    joker_shares,
    likely_columns,
    reuse_columns,
    shared_rows,
    tie_breaks,
    used_rows,
)
from referee.solver.deadline import NO_DEADLINE, Deadline
from referee.solver.laying import FIRST_FREE_CODE, NO_TILE, Counts
from referee.solver.relaxation import INFINITY, IntegerProgramme, Ints
from referee.solver.release import released_by_set, released_by_tile
from referee.solver.shapes import JokerLimits

_NUMBER_VALUES: Final = np.array(NUMBER_BY_CODE, np.int64)
_MAX_READINGS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayProgramme:
    """An integer programme and its columns: first sets, then free tiles, then stand-in jokers."""

    programme: IntegerProgramme
    """What lays the most tiles, those of the table too."""
    worth: Ints
    """(columns,): what each adds to the worth of the tiles from the rack and of the number tiles on the table."""
    sets: SetTable
    """The set that each of the first columns lays."""
    free: tuple[NumberTile, ...]
    """The tile that each of the next columns makes of a number in whatever colour."""
    stand_ins: StandIns
    """What each of the last columns lets stand for what."""
    standing_worth: int
    """What the number tiles on the table are worth."""


def count_tiles(tiles: Iterable[Tile]) -> Counts:
    """Return how many there are of each tile."""
    return np.bincount([tile.code for tile in tiles], minlength=FIRST_FREE_CODE).astype(np.int16)


def play_programme(
    table: Table,
    rack: Iterable[Tile],
    rules: RuleSet,
    *,
    opening: bool = False,
    spare: bool = False,
    until: Deadline = NO_DEADLINE,
) -> PlayProgramme:
    """Return the programme of a play; `opening`: the new sets must be worth an initial meld.

    `spare`: also include divisible sets of which one part might have only jokers. Raise DeadlineError
    if the deadline passes before all sets are known.
    """
    on_table, on_rack = count_tiles(table.tiles), count_tiles(rack)
    have = on_table + on_rack
    numbers = int(have[: len(NUMBER_TILES)].sum())
    spare = spare or numbers <= MAX_NUMBERS_FOR_SET_ROW
    sets, is_laid = formable_sets(have, table, rules, spare=spare, until=until)
    shares = joker_shares(sets, is_laid, on_table, on_rack, released_by_set(sets, table, rules))
    extras = reuse_columns(shares, on_table, on_rack)
    tiles = (shares.sets.codes != NO_TILE).sum(axis=1)
    released = released_by_tile(extras.free, extras.stand_ins, table, rules)
    sums, lower, upper = shared_rows(shares, extras, released, numbers)
    if opening:
        worth = np.append(shares.sets.values.sum(axis=1, dtype=np.int16), np.zeros(len(extras.gains), np.int16))
        sums = np.column_stack((sums, worth))
        lower, upper = np.append(lower, rules.initial_meld), np.append(upper, INFINITY)
    takes = np.append(np.full(len(tiles), NO_TILE, np.int16), extras.takes)[:, None]
    (places, takes), own_lower, own_upper = used_rows(
        (np.concatenate((shares.places, extras.places)), takes), on_table, on_rack
    )
    none = np.zeros(len(extras.gains))
    programme = IntegerProgramme(
        places=places,
        takes=takes,
        sums=sums,
        gains=np.append(tiles, none).astype(np.int64),
        lower=np.append(own_lower, lower),
        upper=np.append(own_upper, upper),
        tie_breaks=np.append(tie_breaks(tiles, shares.is_laid, int(have.sum())), none),
        tie_break_scale=0.3 / (int(have.sum()) + 4),
        labels=np.concatenate((shares.labels(), extras.labels)),
        likely=np.append(likely_columns(shares), none == 0),
    )
    return PlayProgramme(
        programme=programme,
        worth=np.concatenate((shares.worth, extras.gains)),
        sets=shares.sets,
        free=extras.free,
        stand_ins=extras.stand_ins,
        standing_worth=int(on_table @ _NUMBER_VALUES),
    )


def formable_sets(
    have: Counts,
    table: Table,
    rules: RuleSet,
    *,
    spare: bool = False,
    long: bool = False,
    until: Deadline = NO_DEADLINE,
) -> tuple[SetTable, NDArray[np.bool_]]:
    """Return the sets that these tiles can form, including those on the table, and a mask of the latter.

    `spare`: as above. `long`: also divisible sets with few special jokers.
    """
    stand_ins = int(sum(have[joker.code] for joker in STAND_IN_JOKERS))
    listed = set_catalogue(
        special_jokers(have),
        counts_middle=rules.mirror_counts_middle,
        begins=rules.colour_change_ends is ColourChangeEnds.EITHER,
        spare=stand_ins if spare else 0,
        long=long,
        until=until,
    )
    return _with_table_sets(listed.formable(have, stand_ins), table, rules)


def special_jokers(have: Counts) -> JokerLimits:
    """Return the limit of each kind of special joker in one set."""
    return tuple(
        (joker.kind, 1 if joker.kind is JokerKind.MIRROR else int(have[joker.code]))
        for joker in SPECIAL_JOKERS
        if have[joker.code]
    )


# ---- the sets that lie on the table ----------------------------------------------------------------------------------


def stand_in_variants(tiles: TileSet, rules: RuleSet) -> tuple[TileSet, ...]:
    """Return the set's variants with regular and coloured jokers replaced by the tiles they may stand for."""
    reading = preferred_reading(tiles, rules)
    if reading is None:
        return ()
    if not any(tile in STAND_IN_JOKERS for tile in tiles):
        return (tiles,)
    choices = [
        [NumberTile(colour, stand_in.numbers[0]) for colour in stand_in.colours] if tile in STAND_IN_JOKERS else [tile]
        for tile, stand_in in zip(tiles, reading.stands_for, strict=True)
    ]
    readings = (way for way in islice(product(*choices), _MAX_READINGS) if is_set(way, rules))
    return tuple({tiles_key(way): way for way in readings}.values())


def tiles_key(tiles: TileSet) -> tuple[int, ...]:
    """Return a key that is equal for sets of equal tiles."""
    return tuple(sorted([tile.code for tile in tiles]))


def _with_table_sets(sets: SetTable, table: Table, rules: RuleSet) -> tuple[SetTable, NDArray[np.bool_]]:
    """Add the table's divisible sets, which the catalogue lacks as a whole, so that they may stay."""
    lying = [(tiles, way) for tiles in dict.fromkeys(table.sets) for way in stand_in_variants(tiles, rules)]
    keys = [int(codes_key(np.array([tile.code for tile in way]))) for _, way in lying]
    is_laid = (sets.keys[:, None] == np.array(keys, np.int64)).any(axis=1)
    known = set(sets.keys[is_laid].tolist())
    codes, values = [], []
    for (tiles, way), key in zip(lying, keys, strict=True):
        reading = preferred_reading(tiles, rules)
        if key not in known and reading is not None:
            known.add(key)
            codes.append([tile.code for tile in way])
            values.append([sum(stand_in.numbers) for stand_in in reading.stands_for])
    if not codes:
        return sets, is_laid
    return sets.joined(codes, values), np.append(is_laid, np.ones(len(codes), np.bool_))
