"""Rules about moving jokers that only some editions have: replacement, fixed jokers, joker for joker."""

from collections import Counter
from collections.abc import Iterator

from referee.rules.editions import RuleSet
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, SetReading
from referee.rules.sets import is_set, preferred_reading
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Fault, SetKind, Violation
from referee.rules.wording import any_of, say


def joker_violations(
    after: Table,
    removed: tuple[TileSet, ...],
    added: tuple[tuple[int, TileSet], ...],
    played: tuple[Tile, ...],
    rules: RuleSet,
) -> Iterator[Violation]:
    """Yield every joker fault; `removed` are broken sets, `added` the new sets with their indices."""
    if rules.strict_joker_release:
        yield from _not_replaced(removed, tuple(tiles for _, tiles in added), after, played, rules)
    if rules.fixed_jokers or not rules.joker_may_replace_joker:
        yield from _swapped(removed, added, rules)


# ---- a joker stays until the tile it stands for takes its place (pressman) ------------------------------------------


def _not_replaced(
    removed: tuple[TileSet, ...], added: tuple[TileSet, ...], after: Table, played: tuple[Tile, ...], rules: RuleSet
) -> Iterator[Violation]:
    broken = tuple(tiles for tiles in added if not is_set(tiles, rules))
    missed = [
        (own, *pair) for own in removed for pair in represented_tiles(own, rules) if not _stayed(own, *pair, broken)
    ]
    if not missed:
        return
    held = {tile for tile in played if isinstance(tile, NumberTile)}
    for lying in after.sets:
        for _, tiles in represented_tiles(lying, rules):
            held.update(tiles)
    for own, joker, tiles in missed:
        if held.isdisjoint(tiles) and not any(_moved_from_other_set(tile, own, removed, added) for tile in tiles):
            wording = say(
                "joker.not_replaced",
                "{joker} stood for {tiles}; it may leave only for that tile",
                joker=(joker,),
                tiles=any_of(tiles),
            )
            yield Violation(fault=Fault.JOKER_NOT_REPLACED, set_index=None, tiles=(joker,), wording=wording)


def _stayed(own: TileSet, joker: Joker, tiles: tuple[NumberTile, ...], broken: tuple[TileSet, ...]) -> bool:
    """Return whether a joker that stood for `tiles` still lies with a neighbour of its set, in a row that is no set."""
    near = range(tiles[0].number - 1, tiles[0].number + 2)
    neighbours = {tile for tile in own if isinstance(tile, NumberTile) and tile.number in near}
    return any(joker in row and not neighbours.isdisjoint(row) for row in broken)


def _moved_from_other_set(
    tile: NumberTile, own: TileSet, removed: tuple[TileSet, ...], added: tuple[TileSet, ...]
) -> bool:
    """Return whether a tile moved here from another set, and so may have replaced a joker of its `own` set.

    It did not move if it still lies with most of its former neighbours, unless tiles of the joker's set are there.
    """
    mates = {other for other in own if isinstance(other, NumberTile)}
    for laid in added:
        if tile not in laid:
            continue
        lying = Counter(laid)
        if not mates.isdisjoint(laid) or not any(
            tile in was and 2 * (lying & Counter(was)).total() > len(was) for was in removed
        ):
            return True
    return False


def represented_tiles(tiles: TileSet, rules: RuleSet) -> Iterator[tuple[Joker, tuple[NumberTile, ...]]]:
    """Yield each joker of a set with the tiles that it may stand for, once per number."""
    if not any(isinstance(tile, Joker) for tile in tiles):
        return
    reading = preferred_reading(tiles, rules)
    if reading is None:
        return
    for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
        if isinstance(tile, Joker) and stand_in.colours:
            for number in sorted(set(stand_in.numbers)):
                yield tile, tuple(NumberTile(colour, number) for colour in stand_in.colours)


# ---- a set that stands as before but for one joker ------------------------------------------------------------------


def _swapped(
    removed: tuple[TileSet, ...], added: tuple[tuple[int, TileSet], ...], rules: RuleSet
) -> Iterator[Violation]:
    """Yield the faults between each removed set with a joker and the new set that it became; each set counts once."""
    left = {place: (tiles, tiles[::-1], _in_numeric_order(tiles, rules)) for place, tiles in added}
    for tiles in removed:
        if not any(isinstance(tile, Joker) for tile in tiles):
            continue
        rows = (tiles,) if _has_no_order(tiles) else (tiles, _in_numeric_order(tiles, rules))
        for place, laid in left.items():
            faults = tuple(_swap_faults(rows, laid, place, rules))
            if faults:
                yield from faults
                del left[place]
                break


def _swap_faults(
    rows: tuple[TileSet, ...], laid: tuple[TileSet, ...], place: int, rules: RuleSet
) -> Iterator[Violation]:
    swap = _swap(rows, laid)
    if swap is None:
        return
    joker, other = swap
    if joker.kind in rules.fixed_jokers and _may_stand_there(other):
        wording = say(
            "joker.not_replaceable",
            "{tile} took the place of {joker}, which no tile may replace; only breaking up the set frees it",
            tile=(other,),
            joker=(joker,),
        )
        yield Violation(fault=Fault.JOKER_NOT_REPLACEABLE, set_index=place, tiles=(joker, other), wording=wording)
    if not rules.joker_may_replace_joker and isinstance(other, Joker) and other.kind is not joker.kind:
        wording = say(
            "joker.for_joker",
            "{tile} took the place of {joker}; no joker may replace another kind of joker",
            tile=(other,),
            joker=(joker,),
        )
        yield Violation(fault=Fault.JOKER_FOR_JOKER, set_index=place, tiles=(joker, other), wording=wording)


def _may_stand_there(tile: Tile) -> bool:
    return isinstance(tile, NumberTile) or tile.kind in {JokerKind.REGULAR, JokerKind.DOUBLE, JokerKind.COLOURED}


def _swap(rows: tuple[TileSet, ...], laid: tuple[TileSet, ...]) -> tuple[Joker, Tile] | None:
    """Return the joker and its replacement, if two sets differ in nothing else.

    `rows` has one order if the places of the set's tiles do not matter.
    """
    if len(rows[0]) != len(laid[0]):
        return None
    if not rows[1:]:
        was, now = Counter(rows[0]), Counter(laid[0])
        rows, laid = (tuple((was - now).elements()),), (tuple((now - was).elements()),)
    for row in rows:
        for other in laid:
            differing = [pair for pair in zip(row, other, strict=True) if pair[0] is not pair[1] and pair[0] != pair[1]]
            if len(differing) == 1 and isinstance(differing[0][0], Joker):
                return differing[0][0], differing[0][1]
    return None


def _has_no_order(tiles: TileSet) -> bool:
    """Return whether tiles have one number and may lie in any order."""
    ordered = any(IS_COLOUR_CHANGE[tile.code] or IS_MIRROR[tile.code] for tile in tiles)
    return not ordered and len({tile.number for tile in tiles if isinstance(tile, NumberTile)}) == 1


def _in_numeric_order(tiles: TileSet, rules: RuleSet) -> TileSet:
    """Return a set, in which order does not matter, sorted by number or colour."""
    reading = preferred_reading(tiles, rules)
    if reading is None or reading.kind is SetKind.MIRROR or any(IS_COLOUR_CHANGE[tile.code] for tile in tiles):
        return tiles
    return tuple(
        tiles[place] for place in sorted(range(len(tiles)), key=lambda place: _sort_key(tiles, reading, place))
    )


def _sort_key(tiles: TileSet, reading: SetReading, place: int) -> tuple[int, int]:
    return reading.stands_for[place].numbers[0], tiles[place].code
