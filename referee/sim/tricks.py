"""Honest mistakes and cheats: each a play that breaks known rules, its faults known from how it was made."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import TypeVar

from referee.rules.editions import RuleSet
from referee.rules.sets import is_set
from referee.rules.table import Table, TileSet
from referee.rules.tiles import HIGHEST, LOWEST, Colour, Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Fault
from referee.sim.players import Play, casual_play, extensions, holds, rack_sets, worth

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What the player to move has before them."""

    table: Table
    rack: tuple[Tile, ...]
    opened: bool
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Trick:
    """An illegal play: what lies there afterwards and which faults it has; `kind` says what the player was up to."""

    kind: str
    play: Play
    faults: frozenset[Fault]


def _plain(tiles: TileSet) -> bool:
    return not any(isinstance(tile, Joker) for tile in tiles)


def _shuffled(things: Sequence[_Thing], rng: Random) -> list[_Thing]:
    return rng.sample(list(things), len(things))


def _replaced(sets: Sequence[TileSet], index: int, tiles: TileSet) -> tuple[TileSet, ...]:
    return (*sets[:index], tiles, *sets[index + 1 :])


def _bluff(position: Position, rng: Random) -> Trick | None:
    """The first sets are worth less than 30."""
    if position.opened:
        return None
    low = [tiles for tiles in rack_sets(position.rack, position.rules) if worth(tiles, position.rules) < 30]
    if not low:
        return None
    tiles = rng.choice(low)
    return Trick("bluff", Play((*position.table.sets, tiles), tiles), frozenset({Fault.INITIAL_MELD_TOO_LOW}))


def _table_used(position: Position, rng: Random) -> Trick | None:
    """A tile is added to a set of the table before the player has opened."""
    if position.opened:
        return None
    for tile in _shuffled(position.rack, rng):
        for index, tiles in enumerate(position.table.sets):
            grown = extensions(tiles, tile, position.rules)
            if grown:
                faults = {Fault.TABLE_USED_BEFORE_OPENING}
                if worth(grown, position.rules) < position.rules.initial_meld:
                    faults.add(Fault.INITIAL_MELD_TOO_LOW)
                play = Play(_replaced(position.table.sets, index, grown), (tile,))
                return Trick("table_used", play, frozenset(faults))
    return None


def _tile_taken(position: Position, rng: Random) -> Trick | None:
    """A tile of the table goes to the rack, hidden behind an honest play where there is one."""
    slipped = slip(position, rng) if position.opened else None
    return Trick("tile_taken", slipped.play, slipped.faults) if slipped else None


@dataclass(frozen=True, slots=True)
class Slip:
    """A tile vanishes from a set that stays one; what the player to move then lays beside it is honest."""

    whole: TileSet
    short: TileSet
    others: tuple[TileSet, ...]
    """The other sets of the table before."""
    honest: Play
    """What is laid, the set that lost a tile left out."""
    faults: frozenset[Fault]

    @property
    def play(self) -> Play:
        """The table with the tile gone and the honest play laid."""
        return Play((*self.honest.sets, self.short), self.honest.played)


def slip(position: Position, rng: Random) -> Slip | None:
    """A tile that can vanish unseen."""
    long = [index for index, tiles in enumerate(position.table.sets) if len(tiles) > 3 and _plain(tiles)]
    if not long:
        return None
    index = rng.choice(long)
    whole = position.table.sets[index]
    short = rng.choice((whole[1:], whole[:-1]))
    others = (*position.table.sets[:index], *position.table.sets[index + 1 :])
    honest = casual_play(Table(others), position.rack, position.rules, opened=position.opened) or Play(others, ())
    if (Counter(whole) - Counter(short)).keys() & set(honest.played):
        return None  # a twin from the rack would hide the loss
    faults = {Fault.TILE_TAKEN} | (set() if position.opened else {Fault.TABLE_USED_BEFORE_OPENING})
    if not honest.played:
        faults.add(Fault.NOTHING_PLAYED)
    return Slip(whole, short, others, honest, frozenset(faults))


def _joker_kept(position: Position, rng: Random) -> Trick | None:
    """The tile that a joker stands for takes its place, and the joker goes to the rack."""
    regular = Joker(JokerKind.REGULAR)
    if not position.opened:
        return None
    for tile in _shuffled(position.rack, rng):
        if not isinstance(tile, NumberTile):
            continue
        for index, tiles in enumerate(position.table.sets):
            if tiles.count(regular) == 1 and sum(isinstance(one, Joker) for one in tiles) == 1:
                swapped = tuple(tile if one == regular else one for one in tiles)
                if is_set(swapped, position.rules):
                    play = Play(_replaced(position.table.sets, index, swapped), (tile,))
                    return Trick("joker_kept", play, frozenset({Fault.TILE_TAKEN}))
    return None


def _wrong_set(position: Position, rng: Random) -> Trick | None:
    """Three tiles of the rack that are nearly a set: a colour twice, a gap, a wrong colour."""
    numbers = [tile for tile in position.rack if isinstance(tile, NumberTile)]
    nearly = [tiles for tiles in _nearly(numbers) if holds(numbers, tiles) and not is_set(tiles, position.rules)]
    if not nearly:
        return None
    tiles = rng.choice(nearly)
    faults = {Fault.NOT_A_SET} | (set() if position.opened else {Fault.INITIAL_MELD_TOO_LOW})
    return Trick("wrong_set", Play((*position.table.sets, tiles), tiles), frozenset(faults))


def _nearly(numbers: Sequence[NumberTile]) -> Iterator[TileSet]:
    kept = sorted(set(numbers), key=lambda tile: (tile.number, str(tile)))
    for first in kept:
        same = [tile for tile in kept if tile.number == first.number and tile != first]
        if same and numbers.count(first) > 1:
            yield (first, same[0], first)
        after = [tile for tile in kept if tile.number == first.number + 1]
        last = [tile for tile in kept if first.number + 2 <= tile.number <= first.number + 3]
        if after and last and (after[0].colour is first.colour or last[0].colour is first.colour):
            yield (first, after[0], last[0])


def _too_few(position: Position, rng: Random) -> Trick | None:
    """Two tiles laid as if they were a set, or one left lying."""
    if not position.opened or len(position.rack) < 3:
        return None
    count = rng.choice((1, 2))
    tiles = tuple(rng.sample(position.rack, count))
    if any(isinstance(tile, Joker) for tile in tiles):
        return None
    fault = Fault.LOOSE_TILE if count == 1 else Fault.NOT_A_SET
    return Trick("too_few", Play((*position.table.sets, tiles), tiles), frozenset({fault}))


def _rearranged(position: Position, rng: Random) -> Trick | None:
    """A tile of the table moves from one set to another and nothing is added."""
    if not position.opened:
        return None
    table = position.table.sets
    for index in _shuffled(range(len(table)), rng):
        tiles = table[index]
        if len(tiles) < 4 or not _plain(tiles):
            continue
        for moved, rest in ((tiles[0], tiles[1:]), (tiles[-1], tiles[:-1])):
            for other in range(len(table)):
                grown = extensions(table[other], moved, position.rules) if other != index else None
                if grown and Counter(grown) != Counter(tiles):  # else it would look as before
                    sets = _replaced(_replaced(table, index, rest), other, grown)
                    return Trick("rearranged", Play(sets, ()), frozenset({Fault.NOTHING_PLAYED}))
    return _split(position)


def _split(position: Position) -> Trick | None:
    for index, tiles in enumerate(position.table.sets):
        if len(tiles) >= 6 and _plain(tiles):
            sets = (*_replaced(position.table.sets, index, tiles[:3]), tiles[3:])
            return Trick("rearranged", Play(sets, ()), frozenset({Fault.NOTHING_PLAYED}))
    return None


def _joker_swapped(position: Position, rng: Random) -> Trick | None:
    """Another kind of joker, or a tile where none may, takes a joker's place; the joker goes to the rack."""
    if not position.opened or position.rules.joker_may_replace_joker:
        return None
    for index, tiles in enumerate(position.table.sets):
        jokers = [tile for tile in tiles if isinstance(tile, Joker)]
        if len(jokers) != 1:
            continue
        for tile in _shuffled(position.rack, rng):
            swapped = tuple(tile if one == jokers[0] else one for one in tiles)
            trick = _swap_faults(position.rules, jokers[0], tile, swapped)
            if trick:
                return Trick("joker_swapped", Play(_replaced(position.table.sets, index, swapped), (tile,)), trick)
    return None


def _swap_faults(rules: RuleSet, joker: Joker, tile: Tile, swapped: TileSet) -> frozenset[Fault]:
    """The faults of putting `tile` where `joker` was; none where that is not a trick worth playing."""
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


def _joker_moved(position: Position, rng: Random) -> Trick | None:
    """A joker leaves a set although the tile it stood for is not laid (a fault where the edition is strict)."""
    regular = Joker(JokerKind.REGULAR)
    if not position.opened or not position.rules.strict_joker_release:
        return None
    numbers = [tile for tile in position.rack if isinstance(tile, NumberTile)]
    for index, tiles in enumerate(position.table.sets):
        ends = {tiles[0]: tiles[1:], tiles[-1]: tiles[:-1]}
        rest = ends.get(regular)
        if rest is None or len(rest) < 3 or not _plain(rest) or rest[0] == rest[-1]:
            continue
        stood_for = _may_stand_for(rest)
        if stood_for & set(position.table.tiles):
            continue
        for pair in _pairs(numbers, rng):
            home = (*pair, regular)
            if not stood_for & {*pair, *_meant(pair[0].number)}:
                sets = (*_replaced(position.table.sets, index, rest), home)
                return Trick("joker_moved", Play(sets, pair), frozenset({Fault.JOKER_NOT_REPLACED}))
    return None


def _may_stand_for(tiles: TileSet) -> set[NumberTile]:
    """Every tile that a joker at an end of these can have stood for: same colour or same number."""
    numbers = [tile for tile in tiles if isinstance(tile, NumberTile)]
    colours = {tile.colour for tile in numbers}
    if len(colours) == 1:
        around = range(max(LOWEST, numbers[0].number - 1), min(HIGHEST, numbers[-1].number + 1) + 1)
        meant = {NumberTile(numbers[0].colour, number) for number in around}
    else:
        meant = _meant(numbers[0].number)
    return set(meant).difference(tiles)


def _pairs(numbers: Sequence[NumberTile], rng: Random) -> Iterator[tuple[NumberTile, NumberTile]]:
    """Two tiles of one number in two colours: with a joker a group."""
    for first in _shuffled(numbers, rng):
        for second in numbers:
            if second.number == first.number and second.colour is not first.colour:
                yield first, second


def _meant(number: int) -> set[NumberTile]:
    """What a joker in a group may stand for."""
    return {NumberTile(colour, number) for colour in Colour}


Maker = Callable[[Position, Random], Trick | None]
TRICKS: Mapping[str, Maker] = MappingProxyType(
    {
        "bluff": _bluff,
        "table_used": _table_used,
        "tile_taken": _tile_taken,
        "joker_kept": _joker_kept,
        "wrong_set": _wrong_set,
        "too_few": _too_few,
        "rearranged": _rearranged,
        "joker_swapped": _joker_swapped,
        "joker_moved": _joker_moved,
    }
)


def any_trick(position: Position, rng: Random, done: Counter[str]) -> Trick | None:
    """A trick that can be played here, the kinds seen least first."""
    for kind in sorted(_shuffled(list(TRICKS), rng), key=lambda kind: done[kind]):
        trick = TRICKS[kind](position, rng)
        if trick is not None:
            return trick
    return None
