"""Cheats with jokers: kept, swapped illegally, or moved too early."""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import TileSet
from referee.rules.tiles import Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Fault
from referee.sim.players import PlannedPlay, extended_set
from referee.sim.position import Cheat, Position, shuffled_copy, with_replaced_set

REGULAR = Joker(JokerKind.REGULAR)


def joker_kept(position: Position, rng: Random) -> Cheat | None:
    """Replace a joker by the tile it stands for and keep it on the rack."""
    if not position.opened:
        return None
    for tile in shuffled_copy(position.rack, rng):
        if not isinstance(tile, NumberTile):
            continue
        for index, tiles in enumerate(position.table.sets):
            if tiles.count(REGULAR) == 1 and sum(isinstance(member, Joker) for member in tiles) == 1:
                swapped = tuple(tile if member == REGULAR else member for member in tiles)
                # In a strict edition, a tile for the other end of a run would be another fault.
                strict = position.rules.strict_joker_release
                fits = not strict or tile in _stands_for(tiles, position.rules)
                if fits and is_set(swapped, position.rules):
                    play = PlannedPlay(with_replaced_set(position.table.sets, index, swapped), (tile,))
                    return Cheat("joker_kept", play, frozenset({Fault.TILE_TAKEN}))
    return None


def joker_swapped(position: Position, rng: Random) -> Cheat | None:
    """Replace a joker by another kind, or by a tile where that is forbidden, and keep it on the rack."""
    if not position.opened or position.rules.joker_may_replace_joker:
        return None
    for index, tiles in enumerate(position.table.sets):
        jokers = [tile for tile in tiles if isinstance(tile, Joker)]
        if len(jokers) != 1:
            continue
        for tile in shuffled_copy(position.rack, rng):
            swapped = tuple(tile if member == jokers[0] else member for member in tiles)
            faults = _swap_faults(position.rules, jokers[0], tile, swapped)
            if faults:
                return Cheat(
                    "joker_swapped",
                    PlannedPlay(with_replaced_set(position.table.sets, index, swapped), (tile,)),
                    faults,
                )
    return None


def _swap_faults(rules: RuleSet, joker: Joker, tile: Tile, swapped: TileSet) -> frozenset[Fault]:
    """Return the faults of putting `tile` where `joker` was; none if it would not be a cheat."""
    faults: set[Fault] = set()
    fixed = joker.kind in rules.fixed_jokers
    if isinstance(tile, Joker) and tile.kind is not joker.kind and is_set(swapped, rules):
        faults.add(Fault.JOKER_FOR_JOKER)
        if fixed and tile.kind in {JokerKind.REGULAR, JokerKind.DOUBLE}:
            faults.add(Fault.JOKER_NOT_REPLACEABLE)
    elif isinstance(tile, NumberTile) and fixed:
        faults.add(Fault.JOKER_NOT_REPLACEABLE)
        if not is_set(swapped, rules):
            faults.add(Fault.NOT_A_SET)
    return frozenset(faults | {Fault.TILE_TAKEN}) if faults else frozenset()


def joker_moved(position: Position, rng: Random) -> Cheat | None:
    """Take a joker from a set without laying the tile it stood for (a fault where the edition is strict)."""
    if not position.opened or not position.rules.strict_joker_release:
        return None
    table = position.table.sets
    on_table = set(position.table.tiles)
    for index in shuffled_copy(range(len(table)), rng):
        stood_for = _stands_for(table[index], position.rules)
        elsewhere = {
            tile for other, tiles in enumerate(table) if other != index for tile in _stands_for(tiles, position.rules)
        }
        if not stood_for or stood_for & (on_table | elsewhere):
            continue
        for sets, added in _without_joker(position, index, stood_for):
            for pair in _pairs((Counter(position.rack) - Counter(added)).elements(), rng):
                if all(pair[0].number != tile.number for tile in stood_for):
                    play = PlannedPlay((*sets, (*pair, REGULAR)), (*added, *pair))
                    return Cheat("joker_moved", play, frozenset({Fault.JOKER_NOT_REPLACED}))
    return None


def _stands_for(tiles: TileSet, rules: RuleSet) -> set[NumberTile]:
    """Return what the one regular joker of a set may stand for."""
    reading = preferred_reading(tiles, rules) if tiles.count(REGULAR) == 1 else None
    if reading is None:
        return set()
    stand_in = reading.stands_for[tiles.index(REGULAR)]
    return {NumberTile(colour, number) for colour in stand_in.colours for number in stand_in.numbers}


def _without_joker(
    position: Position, index: int, stood_for: set[NumberTile]
) -> Iterator[tuple[tuple[TileSet, ...], tuple[Tile, ...]]]:
    """Return the table once a set has lost its joker; its rest is a set, becomes one, or joins other sets."""
    table, rules = position.table.sets, position.rules
    rest = tuple(tile for tile in table[index] if isinstance(tile, NumberTile))
    if is_set(rest, rules):
        yield with_replaced_set(table, index, rest), ()
    for tile in position.rack:
        grown = None if tile in stood_for else extended_set(rest, tile, rules)
        if grown:
            yield with_replaced_set(table, index, grown), (tile,)
    others = [*table[:index], *table[index + 1 :]]
    for tile in rest:
        index_of_target = next((at for at, tiles in enumerate(others) if extended_set(tiles, tile, rules)), None)
        if index_of_target is None:
            return
        others[index_of_target] = extended_set(others[index_of_target], tile, rules) or others[index_of_target]
    yield tuple(others), ()


def _pairs(rack: Iterable[Tile], rng: Random) -> Iterator[tuple[NumberTile, NumberTile]]:
    """Yield pairs of one number in two colours, which form a group with a joker."""
    numbers = [tile for tile in rack if isinstance(tile, NumberTile)]
    for first in shuffled_copy(numbers, rng):
        for second in numbers:
            if second.number == first.number and second.colour is not first.colour:
                yield first, second
