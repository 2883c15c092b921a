"""Placing: from a plan to the tables it may mean, by choosing in which sets the jokers lie that stand in for tiles.

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
from referee.solver.catalogue import Sets
from referee.solver.columns import STAND_INS, StandIns
from referee.solver.laying import FREE, NOTHING
from referee.solver.programme import Bound
from referee.solver.question import Question, same_tiles, stood_in
from referee.solver.relaxation import WITHOUT_BOUND, Whole

Rows = tuple[TileSet, ...]
_Thing = TypeVar("_Thing")
_MIRROR: Final = Joker(JokerKind.MIRROR)
_CHANGE: Final = Joker(JokerKind.COLOUR_CHANGE)
_DOUBLE: Final = Joker(JokerKind.DOUBLE)


@dataclass(frozen=True, slots=True)
class Rough:
    """A plan before the jokers that stand in are put into its sets."""

    sets: Rows
    groups: tuple[bool, ...]
    """Which of the sets hold tiles of one number."""
    stand_ins: StandIns

    def in_order(self, rows: Rows) -> Rows:
        """Return the sets with the jokers in them in the order to lay them."""
        return tuple(_numbers_first(row) if group else row for row, group in zip(rows, self.groups, strict=True))


def rough(question: Question, amounts: Whole) -> Rough:
    """Return the sets of a plan, and what stands in for what."""
    count = len(question.sets.codes)
    jokers = count + len(question.free)
    return rough_sets(
        question.sets,
        np.repeat(np.arange(count), amounts[:count]),
        repeated(question.free, amounts[count:jokers]),
        repeated(question.stand_ins, amounts[jokers:]),
    )


def repeated(things: Sequence[_Thing], amounts: Whole) -> list[_Thing]:
    """Return each of the things as often as its amount says."""
    return [thing for thing, amount in zip(things, amounts.tolist(), strict=True) for _ in range(amount)]


def rough_sets(sets: Sets, rows: NDArray[np.intp], facing: list[NumberTile], stand_ins: StandIns) -> Rough:
    """Return these rows of the sets as tiles; `facing`: the tiles that are to face a colour-change joker."""
    laid, groups = [], []
    for codes, values in zip(sets.codes[rows].tolist(), sets.values[rows].tolist(), strict=True):
        tiles = tuple(_tile(code, facing) for code in codes if code != NOTHING)
        laid.append(tiles)
        groups.append(_is_group(tiles, values))
    return Rough(tuple(laid), tuple(groups), tuple(stand_ins))


def _tile(code: int, facing: list[NumberTile]) -> Tile:
    """Return the tile of a code; for a number in whatever colour, one of the tiles that are to face a joker."""
    if code < FREE:
        return ALL_TILES[code]
    return facing.pop(next(place for place, tile in enumerate(facing) if tile.number == code - FREE + LOWEST))


def _is_group(tiles: TileSet, values: Sequence[int]) -> bool:
    numbers = {tile.number for tile in tiles if isinstance(tile, NumberTile)}
    doubles = {value for tile, value in zip(tiles, values, strict=False) if tile == _DOUBLE}
    return len(numbers) == 1 and _CHANGE not in tiles and doubles <= {2 * number for number in numbers}


def placed(plan: Rough, before: Table, rules: RuleSet) -> Iterator[Rows]:
    """Yield the sets of a plan in every way its jokers may lie, first with those of the table in their places."""
    if not plan.stand_ins:
        yield from _whole(plan.sets, rules)
        return
    seen = set()
    for sets, stand_ins in (_kept(plan, before, rules), (plan.sets, plan.stand_ins)):
        for rows in map(plan.in_order, filled(sets, stand_ins)):
            key = tuple(sorted(map(same_tiles, rows)))
            if key not in seen:
                seen.add(key)
                yield from _whole(rows, rules)


def _kept(plan: Rough, before: Table, rules: RuleSet) -> tuple[Rows, StandIns]:
    """Put the jokers where they lay in those sets of the table that are in the plan."""
    rows, left = list(plan.sets), Counter(plan.stand_ins)
    waiting: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(rows):
        waiting.setdefault(same_tiles(row), []).append(place)
    for tiles in before.sets:
        for way in stood_in(tiles, rules) if any(tile in STAND_INS for tile in tiles) else ():
            places = waiting.get(same_tiles(way))
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


def filled(rows: Rows, stand_ins: StandIns) -> Iterator[Rows]:
    """Yield every way to put the jokers into the sets."""
    if not stand_ins:
        yield rows
        return
    joker, tile = stand_ins[0]
    tried = set()
    for place, row in enumerate(rows):
        if tile in row and row not in tried:
            tried.add(row)
            where = row.index(tile)
            changed = (*row[:where], joker, *row[where + 1 :])
            yield from filled((*rows[:place], changed, *rows[place + 1 :]), stand_ins[1:])


def _numbers_first(row: TileSet) -> TileSet:
    """Lay a group's number tiles first, so that it is not read as a run in which a joker counts less."""
    if _MIRROR in row:
        return row  # of a mirror set the reading worth most counts
    return tuple(sorted(row, key=lambda tile: (isinstance(tile, Joker), tile == _DOUBLE)))


# ---- a number tile for every set -----------------------------------------------------------------------------------


def _whole(rows: Rows, rules: RuleSet) -> Iterator[Rows]:
    """Yield the sets if each has a number tile; else put those together that are sets only then."""
    for place, row in enumerate(rows):
        if not any(isinstance(tile, NumberTile) for tile in row):
            for together in put_together(rows, place, rules):
                yield from _whole(together, rules)
            return
    yield rows


def put_together(rows: Rows, place: int, rules: RuleSet) -> Iterator[Rows]:
    """Yield the sets with this one made a part of a longer one, or laid otherwise, in every way that makes a set."""
    row = rows[place]
    for laid in laid_otherwise(row, rules):
        yield (*rows[:place], laid, *rows[place + 1 :])
    for other, beside in enumerate(rows):
        if other == place:
            continue
        for longer in ((*row, *beside), (*beside, *row)):
            if is_set(longer, rules):
                yield _without(rows, place, other, longer)
    for middle, outer, facing in permutations(range(len(rows)), 3):
        if place in {middle, outer, facing} and _MIRROR in rows[middle]:
            left, right = _sides(rows[middle])
            one, two = rows[outer], rows[facing][::-1]
            for longer in ((*one, *left, _MIRROR, *right, *two), (*left, *one, _MIRROR, *two, *right)):
                if is_set(longer, rules):
                    yield _without(rows, middle, outer, longer, facing)


def laid_otherwise(row: TileSet, rules: RuleSet) -> Iterator[TileSet]:
    """Yield the set with its last joker first, where that is a set too: the plan has it where it counts most."""
    if isinstance(row[-1], Joker) and is_set((row[-1], *row[:-1]), rules):
        yield (row[-1], *row[:-1])


def _sides(row: TileSet) -> tuple[TileSet, TileSet]:
    middle = row.index(_MIRROR)
    return row[:middle], row[middle + 1 :]


def _without(rows: Rows, one: int, other: int, longer: TileSet, third: int = -1) -> Rows:
    return (*(row for place, row in enumerate(rows) if place not in {one, other, third}), longer)


def own_tiles(question: Question, plan: Rough) -> Bound | None:
    """Return the bound that the plan breaks if its sets cannot each have a number tile of their own, else None.

    Some sets then have fewer number tiles among them that are not stood in for than they are (Hall's theorem). Of all
    the sets of just those tiles there must be no more than number tiles.
    """
    real = Counter(tile for row in plan.sets for tile in row) - Counter(tile for _, tile in plan.stand_ins)
    owners: dict[Tile, list[int]] = {}
    for place in range(len(plan.sets)):
        reached: set[Tile] = set()
        if _owns(place, plan.sets, real, owners, reached):
            continue
        lying = {tile.code for tile in reached}
        return _no_more_sets_than_tiles(question, lying)
    return None


def _owns(place: int, sets: Rows, real: Counter[Tile], owners: dict[Tile, list[int]], reached: set[Tile]) -> bool:
    """Return the set a number tile of its own, if need be from another set that takes another one."""
    for tile in sets[place]:
        if tile in reached or not isinstance(tile, NumberTile):
            continue
        reached.add(tile)
        owning = owners.setdefault(tile, [])
        if len(owning) < real[tile]:
            owning.append(place)
            return True
        for at, other in enumerate(owning):
            if _owns(other, sets, real, owners, reached):
                owning[at] = place
                return True
    return False


def _no_more_sets_than_tiles(question: Question, codes: set[int]) -> Bound:
    """Bound the sets of these number tiles alone, less these tiles, plus what stands in for them, to none or less."""
    own = question.sets.codes
    among = np.isin(own, list(codes))
    number = own < len(NUMBER_TILES)
    free = (own >= FREE) & (own < NOTHING)
    alone = ~((number & ~among).any(axis=1) | free.any(axis=1))
    sums = np.concatenate(
        (
            alone.astype(np.int64) - among.sum(axis=1),
            [-(tile.code in codes) for tile in question.free],
            [tile.code in codes for _, tile in question.stand_ins],
        )
    ).astype(np.int8)
    return Bound(sums, -WITHOUT_BOUND, 0)
