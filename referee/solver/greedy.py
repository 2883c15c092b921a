"""A play found at once: sets of the rack's own tiles, the longest first, then tiles added to sets.

It proves nothing. It is there so that a search that runs out of time never answers with no play where one is plain.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations

from referee.rules.editions import RuleSet
from referee.rules.set_reading import MIN_SET_TILES
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Colour, Joker, NumberTile, Tile

_MOST_KINDS = 18
"""So many kinds of tiles are tried three by three; a rack rarely has more."""


def greedy_tables(table: Table, rack: tuple[Tile, ...], rules: RuleSet, *, opened: bool) -> Iterator[Table]:
    """Yield tables after a plain play: all own sets with tiles added, all own sets, and each set alone."""
    own, left = _own_sets(Counter(rack), rules)
    if opened:
        yield Table(_with_additions((*table.sets, *own), left, rules))
    if own:
        yield Table((*table.sets, *own))
    for tiles in own:
        yield Table((*table.sets, tiles))


def usable_tiles(table: Table, rack: tuple[Tile, ...]) -> int | None:
    """Return how many tiles of the rack can be in a set at all; None with jokers, which may make a set of any."""
    there = {*table.tiles, *rack}
    if any(isinstance(tile, Joker) for tile in there):
        return None
    return sum(_is_usable(tile, there) for tile in rack if isinstance(tile, NumberTile))


def _is_usable(tile: NumberTile, there: set[Tile]) -> bool:
    """Return whether two other tiles make a group or a run with this one."""
    same_number = sum(NumberTile(colour, tile.number) in there for colour in Colour)
    near = range(max(LOWEST, tile.number - 2), min(HIGHEST, tile.number + 2) - MIN_SET_TILES + 2)
    return same_number >= MIN_SET_TILES or any(
        all(NumberTile(tile.colour, first + step) in there for step in range(MIN_SET_TILES)) for first in near
    )


def _own_sets(left: Counter[Tile], rules: RuleSet) -> tuple[list[TileSet], Counter[Tile]]:
    """Return disjoint sets of some tiles, and the tiles that are left over."""
    own: list[TileSet] = []
    for find in (_longest_plain_set, _set_with_joker):
        while found := find(left, rules):
            own.append(found)
            left = left - Counter(found)
    return own, left


def _longest_plain_set(left: Counter[Tile], rules: RuleSet) -> TileSet | None:
    """Return the longest run or group of number tiles; of equal ones that of the highest number."""
    found = [tiles for tiles in (*_runs(left), *_groups(left)) if is_set(tiles, rules)]
    return max(found, key=lambda tiles: (len(tiles), tiles[-1].number), default=None)


def _runs(left: Counter[Tile]) -> Iterator[tuple[NumberTile, ...]]:
    for colour in Colour:
        run: tuple[NumberTile, ...] = ()
        for number in range(LOWEST, HIGHEST + 1):
            tile = NumberTile(colour, number)
            if left[tile]:
                run = (*run, tile)
            else:
                yield run
                run = ()
        yield run


def _groups(left: Counter[Tile]) -> Iterator[tuple[NumberTile, ...]]:
    for number in range(LOWEST, HIGHEST + 1):
        tiles = (NumberTile(colour, number) for colour in Colour)
        yield tuple(tile for tile in tiles if left[tile])


def _set_with_joker(left: Counter[Tile], rules: RuleSet) -> TileSet | None:
    """Return three tiles that are a set, with as few jokers as possible."""
    jokers = [tile for tile in left.elements() if isinstance(tile, Joker)]
    numbers = sorted((tile for tile in left if isinstance(tile, NumberTile)), key=lambda tile: -tile.number)
    for count in range(1, MIN_SET_TILES):
        for some in dict.fromkeys(combinations(jokers, count)):
            for others in combinations(numbers[:_MOST_KINDS], MIN_SET_TILES - count):
                tiles = _in_some_order((*others, *some), rules)
                if tiles:
                    return tiles
    return None


def _in_some_order(tiles: TileSet, rules: RuleSet) -> TileSet | None:
    return next((order for order in permutations(tiles) if is_set(order, rules)), None)


def _with_additions(sets: tuple[TileSet, ...], left: Counter[Tile], rules: RuleSet) -> tuple[TileSet, ...]:
    """Return the sets with every tile added to an end that fits, until none fits any more."""
    rows = list(sets)
    waiting = list(left.elements())
    while addition := next(_additions(rows, waiting, rules), None):
        place, tile, longer = addition
        rows[place] = longer
        waiting.remove(tile)
    return tuple(rows)


def _additions(rows: list[TileSet], waiting: list[Tile], rules: RuleSet) -> Iterator[tuple[int, Tile, TileSet]]:
    for tile in dict.fromkeys(waiting):
        for place, row in enumerate(rows):
            for longer in ((*row, tile), (tile, *row)):
                if is_set(longer, rules):
                    yield place, tile, longer
