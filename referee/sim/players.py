"""How simulated players find honest plays: a casual one by eye, a strong one with the solver."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile, Tile

_MAX_SETS_TRIED = 40
_MAX_SETS_CONSIDERED = 9
_SOLVER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class PlannedPlay:
    """The table a player means to leave, and the tiles that come from the rack."""

    sets: tuple[TileSet, ...]
    played: tuple[Tile, ...]


def meld_worth(tiles: TileSet, rules: RuleSet) -> int:
    """Return what a set counts toward an initial meld; 0 if it is not a set."""
    reading = preferred_reading(tiles, rules)
    return reading.worth if reading else 0


def has_tiles(rack: Iterable[Tile], tiles: Iterable[Tile]) -> bool:
    """Return whether all tiles are on the rack."""
    return not Counter(tiles) - Counter(rack)


def rack_sets(rack: Sequence[Tile], rules: RuleSet) -> list[TileSet]:
    """Return the sets that a person sees on the rack, highest worth first, with at most one joker each."""
    numbers = {tile for tile in rack if isinstance(tile, NumberTile)}
    jokers = sorted({tile for tile in rack if isinstance(tile, Joker)}, key=str)
    seen = dict.fromkeys(
        tiles
        for tiles in (*_groups(numbers, jokers), *_runs(numbers, jokers), *_special(rack, numbers))
        if has_tiles(rack, tiles) and is_set(tiles, rules)
    )
    return sorted(seen, key=lambda tiles: (-meld_worth(tiles, rules), -len(tiles), str(tiles)))


def _groups(numbers: set[NumberTile], jokers: Sequence[Joker]) -> Iterator[TileSet]:
    for number in range(LOWEST, HIGHEST + 1):
        same_number = [tile for colour in Colour if (tile := NumberTile(colour, number)) in numbers]
        for size in (4, 3):
            yield from combinations(same_number, size)
        for pair in combinations(same_number, 2):
            yield from ((*pair, joker) for joker in jokers)


def _runs(numbers: set[NumberTile], jokers: Sequence[Joker]) -> Iterator[TileSet]:
    for colour in Colour:
        for first in range(LOWEST, HIGHEST - 1):
            for length in range(3, min(8, HIGHEST + 2 - first)):
                run = [NumberTile(colour, number) for number in range(first, first + length)]
                missing = [index for index, tile in enumerate(run) if tile not in numbers]
                if not missing:
                    yield tuple(run)
                elif len(missing) <= 2 and missing[-1] - missing[0] == len(missing) - 1:
                    for joker in jokers:
                        if (joker.kind is JokerKind.DOUBLE) == (len(missing) == 2):
                            yield (*run[: missing[0]], joker, *run[missing[-1] + 1 :])


def _special(rack: Sequence[Tile], numbers: set[NumberTile]) -> Iterator[TileSet]:
    """Yield a pair about a mirror, and two colours about a colour-change joker."""
    mirror, change = Joker(JokerKind.MIRROR), Joker(JokerKind.COLOUR_CHANGE)
    if mirror in rack:
        for tile, count in Counter(rack).items():
            if count > 1 and isinstance(tile, NumberTile):
                yield (tile, mirror, tile)
    if change in rack:
        for tile in sorted(numbers, key=str):
            for colour in Colour:
                number = tile.number + 2
                if number <= HIGHEST and colour is not tile.colour:
                    yield (tile, change, NumberTile(colour, number))


def disjoint_sets(sets: Sequence[TileSet], rack: Sequence[Tile]) -> tuple[TileSet, ...]:
    """Return sets taken in turn as long as the rack's tiles last."""
    remaining = Counter(rack)
    chosen = []
    for tiles in sets:
        if not Counter(tiles) - remaining:
            remaining -= Counter(tiles)
            chosen.append(tiles)
    return tuple(chosen)


def initial_meld_play(table: Table, rack: Sequence[Tile], rules: RuleSet) -> PlannedPlay | None:
    """Return an initial meld seen on the rack."""
    candidates = rack_sets(rack, rules)[:_MAX_SETS_TRIED]
    for start in range(len(candidates)):
        chosen = disjoint_sets([candidates[start], *candidates[:start], *candidates[start + 1 :]], rack)
        if sum(meld_worth(tiles, rules) for tiles in chosen) >= rules.initial_meld:
            return _with_sets(table, chosen)
    return None


def _with_sets(table: Table, added: Sequence[TileSet]) -> PlannedPlay:
    return PlannedPlay((*table.sets, *added), tuple(tile for tiles in added for tile in tiles))


def extended_set(tiles: TileSet, tile: Tile, rules: RuleSet) -> TileSet | None:
    """Return the set with a tile added where it belongs; sets with jokers are left alone."""
    if any(isinstance(member, Joker) for member in (*tiles, tile)):
        return None
    for extended in ((*tiles, tile), (tile, *tiles)):
        if is_set(extended, rules) and _is_in_order(extended):
            return extended
    return None


def _is_in_order(tiles: TileSet) -> bool:
    numbers = [tile.number for tile in tiles if isinstance(tile, NumberTile)]
    steps = {after - before for before, after in pairwise(numbers)}
    return steps in ({0}, {1}, {-1})


def casual_play(table: Table, rack: Sequence[Tile], rules: RuleSet, *, opened: bool) -> PlannedPlay | None:
    """Return a play found at a glance: sets from the rack, and tiles that fit the ends of sets."""
    if not opened:
        return initial_meld_play(table, rack, rules)
    play = _with_sets(table, disjoint_sets(rack_sets(rack, rules), rack))
    sets, played = list(play.sets), list(play.played)
    remaining = list((Counter(rack) - Counter(played)).elements())
    for tile in remaining:
        for index, tiles in enumerate(sets):
            extended = extended_set(tiles, tile, rules)
            if extended:
                sets[index] = extended
                played.append(tile)
                break
    return PlannedPlay(tuple(sets), tuple(played)) if played else None


def strong_play(table: Table, rack: Sequence[Tile], rules: RuleSet, *, opened: bool) -> PlannedPlay | None:
    """Return the play that lays most tiles, found by the solver among the sets closest to the rack.

    A play that is legal with these sets stays legal with all of them.
    """
    from referee.solver import best_play  # noqa: PLC0415 - the solver's library takes long to load

    order = sorted(range(len(table.sets)), key=lambda index: -_neighbour_count(table.sets[index], rack))
    used, kept = sorted(order[:_MAX_SETS_CONSIDERED]), sorted(order[_MAX_SETS_CONSIDERED:])
    considered = Table(tuple(table.sets[index] for index in used))
    best = best_play(considered, tuple(rack), rules, opened=opened, seconds=_SOLVER_SECONDS)
    if not best.tiles or not best.optimal:  # an unproven play depends on the machine's speed
        return casual_play(table, rack, rules, opened=opened)
    return PlannedPlay((*best.table.sets, *(table.sets[index] for index in kept)), best.tiles)


def _neighbour_count(tiles: TileSet, rack: Sequence[Tile]) -> int:
    """Return how many pairs of a tile of the set and one of the rack are neighbours in a run or a group."""
    numbers = [tile for tile in tiles if isinstance(tile, NumberTile)]
    others = [tile for tile in rack if isinstance(tile, NumberTile)]
    return sum(
        abs(first.number - other.number) == 1 if first.colour is other.colour else first.number == other.number
        for first in numbers
        for other in others
    )
