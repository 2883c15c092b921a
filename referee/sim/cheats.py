"""Mistakes and cheats: illegal plays with the faults that the judge must find."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, NumberTile, Tile
from referee.rules.verdict import Fault
from referee.sim.joker_cheats import joker_kept, joker_moved, joker_swapped
from referee.sim.players import PlannedPlay, casual_play, extended_set, has_tiles, meld_worth, rack_sets
from referee.sim.position import Cheat, Position, is_plain, shuffled_copy, with_replaced_set


def _bluff(position: Position, rng: Random) -> Cheat | None:
    """Open with sets worth less than 30."""
    if position.opened:
        return None
    low_sets = [tiles for tiles in rack_sets(position.rack, position.rules) if meld_worth(tiles, position.rules) < 30]
    if not low_sets:
        return None
    tiles = rng.choice(low_sets)
    return Cheat("bluff", PlannedPlay((*position.table.sets, tiles), tiles), frozenset({Fault.INITIAL_MELD_TOO_LOW}))


def _table_used(position: Position, rng: Random) -> Cheat | None:
    """Add a tile to a set of the table before the player has opened."""
    if position.opened:
        return None
    for tile in shuffled_copy(position.rack, rng):
        for index, tiles in enumerate(position.table.sets):
            grown = extended_set(tiles, tile, position.rules)
            if grown:
                faults = frozenset({Fault.TABLE_USED_BEFORE_OPENING, Fault.INITIAL_MELD_TOO_LOW})
                return Cheat(
                    "table_used", PlannedPlay(with_replaced_set(position.table.sets, index, grown), (tile,)), faults
                )
    return None


def _tile_taken(position: Position, rng: Random) -> Cheat | None:
    """Move a tile of the table to the rack, hidden by an honest play if there is one."""
    loss = find_hidden_loss(position, rng) if position.opened else None
    return Cheat("tile_taken", loss.play, loss.faults) if loss else None


@dataclass(frozen=True, slots=True)
class HiddenLoss:
    """A tile vanishes from a set that remains legal, followed by an honest play."""

    full_set: TileSet
    short_set: TileSet
    other_sets: tuple[TileSet, ...]
    """The other sets of the table before."""
    honest_play: PlannedPlay
    """The honest play, without the set that lost a tile."""
    faults: frozenset[Fault]

    @property
    def play(self) -> PlannedPlay:
        """The table with the tile gone and the honest play laid."""
        return PlannedPlay((*self.honest_play.sets, self.short_set), self.honest_play.played)


def find_hidden_loss(position: Position, rng: Random) -> HiddenLoss | None:
    """Return a play that hides the loss of a tile; None if no set can spare one."""
    removable = {index: _removable_tiles(tiles, position) for index, tiles in enumerate(position.table.sets)}
    candidates = [index for index, rests in removable.items() if rests]
    if not candidates:
        return None
    index = rng.choice(candidates)
    full_set = position.table.sets[index]
    short_set = rng.choice([rest for _, rest in removable[index]])
    other_sets = (*position.table.sets[:index], *position.table.sets[index + 1 :])
    honest_play = casual_play(Table(other_sets), position.rack, position.rules, opened=position.opened) or PlannedPlay(
        other_sets, ()
    )
    if (Counter(full_set) - Counter(short_set)).keys() & set(honest_play.played):
        return None  # an equal tile from the rack would replace it
    faults = {Fault.TILE_TAKEN} | (set() if position.opened else {Fault.TABLE_USED_BEFORE_OPENING})
    if not honest_play.played:
        faults.add(Fault.NOTHING_PLAYED)
    return HiddenLoss(full_set, short_set, other_sets, honest_play, frozenset(faults))


def _removable_tiles(tiles: TileSet, position: Position) -> list[tuple[Tile, TileSet]]:
    """Return the end tiles that a set can spare, each with the rest of the set; none for an unordered set."""
    if len(tiles) < 4 or not is_plain(tiles):
        return []
    ends = ((tiles[0], tiles[1:]), (tiles[-1], tiles[:-1]))
    return [(tile, rest) for tile, rest in ends if is_set(rest, position.rules)]


def _wrong_set(position: Position, rng: Random) -> Cheat | None:
    """Lay three tiles that are nearly a set: a repeated colour, a gap, a wrong colour."""
    numbers = [tile for tile in position.rack if isinstance(tile, NumberTile)]
    almost_sets = [
        tiles for tiles in _almost_sets(numbers) if has_tiles(numbers, tiles) and not is_set(tiles, position.rules)
    ]
    if not almost_sets:
        return None
    tiles = rng.choice(almost_sets)
    faults = {Fault.NOT_A_SET} | (set() if position.opened else {Fault.INITIAL_MELD_TOO_LOW})
    return Cheat("wrong_set", PlannedPlay((*position.table.sets, tiles), tiles), frozenset(faults))


def _almost_sets(numbers: Sequence[NumberTile]) -> Iterator[TileSet]:
    distinct = sorted(set(numbers), key=lambda tile: (tile.number, str(tile)))
    for first in distinct:
        same_number = [tile for tile in distinct if tile.number == first.number and tile != first]
        if same_number and numbers.count(first) > 1:
            yield (first, same_number[0], first)
        next_tiles = [tile for tile in distinct if tile.number == first.number + 1]
        last_tiles = [tile for tile in distinct if first.number + 2 <= tile.number <= first.number + 3]
        if next_tiles and last_tiles and (next_tiles[0].colour is first.colour or last_tiles[0].colour is first.colour):
            yield (first, next_tiles[0], last_tiles[0])


def _too_few(position: Position, rng: Random) -> Cheat | None:
    """Lay two tiles as if they were a set, or a single one."""
    if not position.opened or len(position.rack) < 3:
        return None
    count = rng.choice((1, 2))
    tiles = tuple(rng.sample(position.rack, count))
    if any(isinstance(tile, Joker) for tile in tiles):
        return None
    fault = Fault.LOOSE_TILE if count == 1 else Fault.NOT_A_SET
    return Cheat("too_few", PlannedPlay((*position.table.sets, tiles), tiles), frozenset({fault}))


def _rearranged(position: Position, rng: Random) -> Cheat | None:
    """Move a tile from one set to another without adding any."""
    if not position.opened:
        return None
    table = position.table.sets
    for index in shuffled_copy(range(len(table)), rng):
        for moved, rest in _removable_tiles(table[index], position):
            for other in range(len(table)):
                grown = extended_set(table[other], moved, position.rules) if other != index else None
                if grown and Counter(grown) != Counter(table[index]):  # otherwise the table would be unchanged
                    sets = with_replaced_set(with_replaced_set(table, index, rest), other, grown)
                    return Cheat("rearranged", PlannedPlay(sets, ()), frozenset({Fault.NOTHING_PLAYED}))
    return None


CheatMaker = Callable[[Position, Random], Cheat | None]
CHEATS: Mapping[str, CheatMaker] = MappingProxyType(
    {
        "bluff": _bluff,
        "table_used": _table_used,
        "tile_taken": _tile_taken,
        "joker_kept": joker_kept,
        "wrong_set": _wrong_set,
        "too_few": _too_few,
        "rearranged": _rearranged,
        "joker_swapped": joker_swapped,
        "joker_moved": joker_moved,
    }
)


def choose_cheat(position: Position, rng: Random, counts: Counter[str]) -> Cheat | None:
    """Return a cheat that can be played here, the kinds seen least first."""
    for kind in sorted(shuffled_copy(list(CHEATS), rng), key=lambda kind: counts[kind]):
        cheat = CHEATS[kind](position, rng)
        if cheat is not None:
            return cheat
    return None
