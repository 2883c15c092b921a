"""From a plan to its possible tables: choose the sets in which stand-in jokers lie.

A plan says which tiles the jokers stand for; where several sets hold such a tile, the joker may lie in any of them,
as long as every set keeps a number tile of its own. Where none of these ways leaves each set one, sets may be put
together again that the catalogue holds only in parts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import ALL_TILES, LOWEST, NUMBER_TILES, Joker, JokerKind, NumberTile, Tile
from referee.solver.catalogue import SetTable
from referee.solver.columns import STAND_IN_JOKERS, StandIns
from referee.solver.laying import DOUBLE, FIRST_FREE_CODE, MIRROR, NO_TILE
from referee.solver.programme import Bound
from referee.solver.question import PlayProgramme, stand_in_variants, tiles_key
from referee.solver.relaxation import INFINITY, Ints

SetRows = tuple[TileSet, ...]
_Thing = TypeVar("_Thing")
_CHANGE: Final = Joker(JokerKind.COLOUR_CHANGE)


@dataclass(frozen=True, slots=True)
class UnplacedPlan:
    """A plan before its stand-in jokers are placed."""

    sets: SetRows
    groups: tuple[bool, ...]
    """Which of the sets hold tiles of one number."""
    stand_ins: StandIns

    def in_order(self, rows: SetRows) -> SetRows:
        """Return the sets with their jokers in laid order."""
        return tuple(_numbers_first(row) if group else row for row, group in zip(rows, self.groups, strict=True))


def unplaced_plan(question: PlayProgramme, amounts: Ints) -> UnplacedPlan:
    """Return the sets of a plan, and the tile of each stand-in joker."""
    count = len(question.sets.codes)
    jokers = count + len(question.free)
    return unplaced_sets(
        question.sets,
        np.repeat(np.arange(count), amounts[:count]),
        repeated_items(question.free, amounts[count:jokers]),
        repeated_items(question.stand_ins, amounts[jokers:]),
    )


def repeated_items(things: Sequence[_Thing], amounts: Ints) -> list[_Thing]:
    """Return each item repeated by its amount."""
    return [thing for thing, amount in zip(things, amounts.tolist(), strict=True) for _ in range(amount)]


def unplaced_sets(
    sets: SetTable, rows: NDArray[np.intp], facing: list[NumberTile], stand_ins: StandIns
) -> UnplacedPlan:
    """Return these rows of sets as tiles; `facing`: tiles that must face a colour-change joker."""
    laid, groups = [], []
    for codes, values in zip(sets.codes[rows].tolist(), sets.values[rows].tolist(), strict=True):
        tiles = tuple(_tile(code, facing) for code in codes if code != NO_TILE)
        laid.append(tiles)
        groups.append(_is_group(tiles, values))
    return UnplacedPlan(tuple(laid), tuple(groups), tuple(stand_ins))


def _tile(code: int, facing: list[NumberTile]) -> Tile:
    """Return the tile of a code; for a number of any colour, one of the tiles that must face a joker."""
    if code < FIRST_FREE_CODE:
        return ALL_TILES[code]
    return facing.pop(
        next(place for place, tile in enumerate(facing) if tile.number == code - FIRST_FREE_CODE + LOWEST)
    )


def _is_group(tiles: TileSet, values: Sequence[int]) -> bool:
    numbers = {tile.number for tile in tiles if isinstance(tile, NumberTile)}
    doubles = {value for tile, value in zip(tiles, values, strict=False) if tile == DOUBLE}
    return len(numbers) == 1 and _CHANGE not in tiles and doubles <= {2 * number for number in numbers}


def placements(plan: UnplacedPlan, before: Table, rules: RuleSet) -> Iterator[SetRows]:
    """Yield every placement of a plan's jokers, first those with the table's jokers in their places."""
    if not plan.stand_ins:
        yield from _with_number_tiles(plan.sets, rules)
        return
    seen = set()
    for sets, stand_ins in (_with_staying_jokers(plan, before, rules), (plan.sets, plan.stand_ins)):
        for rows in map(plan.in_order, filled_rows(sets, stand_ins)):
            key = tuple(sorted(map(tiles_key, rows)))
            if key not in seen:
                seen.add(key)
                yield from _with_number_tiles(rows, rules)


def _with_staying_jokers(plan: UnplacedPlan, before: Table, rules: RuleSet) -> tuple[SetRows, StandIns]:
    """Return the plan's sets with jokers in their old places where the table's sets stay, and the jokers left."""
    rows, left = list(plan.sets), Counter(plan.stand_ins)
    waiting: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(rows):
        waiting.setdefault(tiles_key(row), []).append(place)
    for tiles in before.sets:
        for way in stand_in_variants(tiles, rules) if any(tile in STAND_IN_JOKERS for tile in tiles) else ():
            places = waiting.get(tiles_key(way))
            lie = Counter(
                (joker, tile)
                for joker, tile in zip(tiles, way, strict=True)
                if isinstance(joker, Joker) and isinstance(tile, NumberTile)
            )
            if places and lie <= left:
                rows[places.pop()] = tiles
                left -= lie
                break
    return tuple(rows), tuple(left.elements())


def filled_rows(rows: SetRows, stand_ins: StandIns) -> Iterator[SetRows]:
    """Yield every placement of the jokers in the sets."""
    if not stand_ins:
        yield rows
        return
    joker, tile = stand_ins[0]
    tried = set()
    for place, row in enumerate(rows):
        if tile in row and row not in tried:
            tried.add(row)
            position = row.index(tile)
            changed = (*row[:position], joker, *row[position + 1 :])
            yield from filled_rows((*rows[:place], changed, *rows[place + 1 :]), stand_ins[1:])


def _numbers_first(row: TileSet) -> TileSet:
    """Return a group with its number tiles first, so that it is not read as a run in which a joker counts less."""
    if MIRROR in row:
        return row  # a mirror set counts as its most valuable reading
    return tuple(sorted(row, key=lambda tile: (isinstance(tile, Joker), tile == DOUBLE)))


# ---- a number tile for every set -----------------------------------------------------------------------------------


def _with_number_tiles(rows: SetRows, rules: RuleSet) -> Iterator[SetRows]:
    """Yield the sets if each has a number tile, else the sets with those without one merged into others."""
    for place, row in enumerate(rows):
        if not any(isinstance(tile, NumberTile) for tile in row):
            for together in merged_rows(rows, place, rules):
                yield from _with_number_tiles(together, rules)
            return
    yield rows


def merged_rows(rows: SetRows, place: int, rules: RuleSet) -> Iterator[SetRows]:
    """Yield every legal variant in which this set is part of a longer one or laid in another order."""
    row = rows[place]
    for laid in rotated_rows(row, rules):
        yield (*rows[:place], laid, *rows[place + 1 :])
    for other, beside in enumerate(rows):
        if other == place:
            continue
        for longer in ((*row, *beside), (*beside, *row)):
            if is_set(longer, rules):
                yield _merged(rows, place, other, longer)
    for middle, outer, facing in permutations(range(len(rows)), 3):
        if place in {middle, outer, facing} and MIRROR in rows[middle]:
            left, right = _mirror_sides(rows[middle])
            one, two = rows[outer], rows[facing][::-1]
            for longer in ((*one, *left, MIRROR, *right, *two), (*left, *one, MIRROR, *two, *right)):
                if is_set(longer, rules):
                    yield _merged(rows, middle, outer, longer, facing)


def rotated_rows(row: TileSet, rules: RuleSet) -> Iterator[TileSet]:
    """Yield the set with its last joker first, if that is legal too: the plan has the joker where it counts most."""
    if isinstance(row[-1], Joker) and is_set((row[-1], *row[:-1]), rules):
        yield (row[-1], *row[:-1])


def _mirror_sides(row: TileSet) -> tuple[TileSet, TileSet]:
    middle = row.index(MIRROR)
    return row[:middle], row[middle + 1 :]


def _merged(rows: SetRows, one: int, other: int, longer: TileSet, third: int = -1) -> SetRows:
    return (*(row for place, row in enumerate(rows) if place not in {one, other, third}), longer)


def own_tile_bound(question: PlayProgramme, plan: UnplacedPlan) -> Bound | None:
    """Return the bound that a plan violates if its sets cannot each have their own number tile, else None.

    Some sets then have fewer number tiles among them that are not stood in for than they are (Hall's theorem). Of all
    the sets of just those tiles there must be no more than number tiles.
    """
    real = Counter(tile for row in plan.sets for tile in row) - Counter(tile for _, tile in plan.stand_ins)
    owners: dict[Tile, list[int]] = {}
    for place in range(len(plan.sets)):
        reached: set[Tile] = set()
        if _has_own_tile(place, plan.sets, real, owners, reached):
            continue
        lying = {tile.code for tile in reached}
        return _set_count_bound(question, lying)
    return None


def _has_own_tile(
    place: int, sets: SetRows, real: Counter[Tile], owners: dict[Tile, list[int]], reached: set[Tile]
) -> bool:
    """Return whether a set can get its own number tile, if necessary by an augmenting path."""
    for tile in sets[place]:
        if tile in reached or not isinstance(tile, NumberTile):
            continue
        reached.add(tile)
        owning = owners.setdefault(tile, [])
        if len(owning) < real[tile]:
            owning.append(place)
            return True
        for at, other in enumerate(owning):
            if _has_own_tile(other, sets, real, owners, reached):
                owning[at] = place
                return True
    return False


def _set_count_bound(question: PlayProgramme, codes: set[int]) -> Bound:
    """Return the bound: sets of only these number tiles, minus these tiles, plus their stand-ins, are at most 0."""
    own = question.sets.codes
    among = np.isin(own, list(codes))
    number = own < len(NUMBER_TILES)
    free = (own >= FIRST_FREE_CODE) & (own < NO_TILE)
    alone = ~((number & ~among).any(axis=1) | free.any(axis=1))
    sums = np.concatenate(
        (
            alone.astype(np.int64) - among.sum(axis=1),
            [-(tile.code in codes) for tile in question.free],
            [tile.code in codes for _, tile in question.stand_ins],
        )
    ).astype(np.int8)
    return Bound(sums, -INFINITY, 0)
