"""Rules about moving jokers that only some editions have: replacement, fixed jokers, joker for joker."""

from collections import Counter
from collections.abc import Iterator

from referee.rules.choices import FreedJoker, GroupJoker, JokerFrom, JokerSwaps
from referee.rules.editions import RuleSet
from referee.rules.joker_places import replacement
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, SetReading
from referee.rules.sets import is_set, preferred_reading, readings
from referee.rules.table import Table, TileSet
from referee.rules.tiles import Joker, JokerKind, NumberTile, Tile
from referee.rules.verdict import Fault, SetKind, Violation
from referee.rules.wording import TileRow, any_of, say


def joker_violations(
    after: Table,
    removed: tuple[TileSet, ...],
    added: tuple[tuple[int, TileSet], ...],
    played: tuple[Tile, ...],
    rules: RuleSet,
) -> Iterator[Violation]:
    """Yield every joker fault; `removed` are broken sets, `added` the new sets with their indices."""
    laid = tuple(tiles for _, tiles in added)
    if rules.strict_joker_release:
        yield from _not_replaced(removed, laid, after, played, rules)
    if rules.joker_from is JokerFrom.RACK:
        yield from _replaced_from_table(removed, added, played, rules)
    if rules.freed_joker is FreedJoker.NEW_SET:
        yield from _freed_to_old_sets(removed, added, played)
    if rules.fixed_jokers or not rules.joker_may_replace_joker:
        yield from _swapped(removed, added, rules)


# ---- a joker stays until the tile it stands for takes its place (pressman) ------------------------------------------


def _not_replaced(
    removed: tuple[TileSet, ...], added: tuple[TileSet, ...], after: Table, played: tuple[Tile, ...], rules: RuleSet
) -> Iterator[Violation]:
    with_jokers = [own for own in removed if any(isinstance(tile, Joker) for tile in own)]
    if not with_jokers:
        return
    broken = tuple(tiles for tiles in added if not is_set(tiles, rules))
    held = {tile for tile in played if isinstance(tile, NumberTile)}
    for lying in after.sets:
        for _, tiles in represented_tiles(lying, rules):
            held.update(tiles)

    def is_there(own: TileSet, tile: NumberTile) -> bool:
        return tile in held or _moved_from_other_set(tile, own, removed, added)

    enough = all if rules.group_joker is GroupJoker.BOTH_COLOURS else any
    for own in with_jokers:
        ways = [
            [
                (joker, tiles)
                for joker, tiles in represented
                if not enough(is_there(own, tile) for tile in tiles) and not _stayed(own, joker, tiles, broken)
            ]
            for represented in represented_ways(own, rules)
        ]
        for joker, tiles in min(ways, key=len, default=[]):
            yield _not_replaced_by(joker, tiles)


def _not_replaced_by(joker: Joker, tiles: tuple[NumberTile, ...]) -> Violation:
    wording = say(
        "joker.not_replaced",
        "{joker} stood for {tiles}; it may leave only for that tile",
        joker=(joker,),
        tiles=any_of(tiles),
    )
    return Violation(fault=Fault.JOKER_NOT_REPLACED, set_index=None, tiles=(joker,), wording=wording)


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
    if reading is not None:
        yield from _represented_in(reading, tiles)


def represented_ways(tiles: TileSet, rules: RuleSet) -> list[list[tuple[Joker, tuple[NumberTile, ...]]]]:
    """Return the same for each reading that may be the one in which jokers are released.

    Of one number tile and several jokers that is any reading; of other sets only the one that counts.
    """
    found = readings(tiles, rules)
    numbers = sum(isinstance(tile, NumberTile) for tile in tiles)
    several = numbers == 1 and len(tiles) - numbers > 1
    return [list(_represented_in(reading, tiles)) for reading in (found if several else found[:1])]


def _represented_in(reading: SetReading, tiles: TileSet) -> Iterator[tuple[Joker, tuple[NumberTile, ...]]]:
    for tile, stand_in in zip(tiles, reading.stands_for, strict=True):
        if isinstance(tile, Joker) and stand_in.colours:
            for number in sorted(set(stand_in.numbers)):
                yield tile, tuple(NumberTile(colour, number) for colour in stand_in.colours)


# ---- house rules on freed jokers ------------------------------------------------------------------------------------


def _replaced_from_table(
    removed: tuple[TileSet, ...], added: tuple[tuple[int, TileSet], ...], played: tuple[Tile, ...], rules: RuleSet
) -> Iterator[Violation]:
    """Yield a fault for each tile of the table that took a joker's place."""
    for was in removed:
        for place, laid in added:
            found = replacement(was, laid, rules)
            if found is not None and isinstance(found[1], NumberTile) and found[1] not in played:
                joker, tile = found
                wording = say(
                    "joker.not_from_rack",
                    "{tile} took the place of {joker}; by the house rule only a tile from the rack may",
                    tile=(tile,),
                    joker=(joker,),
                )
                yield Violation(fault=Fault.JOKER_NOT_REPLACED, set_index=place, tiles=(joker, tile), wording=wording)


def _freed_to_old_sets(
    removed: tuple[TileSet, ...], added: tuple[tuple[int, TileSet], ...], played: tuple[Tile, ...]
) -> Iterator[Violation]:
    """Yield a fault for each freed joker in a row that contains a whole set of the table before."""
    for place, laid in added:
        for whole in removed:
            if Counter(whole) <= Counter(laid):
                came = Counter(laid) - Counter(whole)
                for joker in came:
                    if isinstance(joker, Joker) and joker not in played and _is_freed(joker, came, whole, removed):
                        yield _freed_to(joker, whole, place)


def _is_freed(joker: Joker, came: Counter[Tile], whole: TileSet, removed: tuple[TileSet, ...]) -> bool:
    """Return whether a joker came without a number tile of its set."""
    homes = [was for was in removed if joker in was and was is not whole]
    return bool(homes) and all(
        came.keys().isdisjoint(tile for tile in was if isinstance(tile, NumberTile)) for was in homes
    )


def _freed_to(joker: Joker, whole: TileSet, place: int) -> Violation:
    wording = say(
        "joker.in_old_set",
        "{joker} was freed and lies with {row}, which lay there before; by the house rule it makes a new set",
        joker=(joker,),
        row=TileRow(whole),
    )
    return Violation(fault=Fault.FREED_JOKER_IN_OLD_SET, set_index=place, tiles=(joker,), wording=wording)


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
            swap = _swap(rows, laid)
            if swap is None and rules.joker_swaps is JokerSwaps.STRICT:
                swap = replacement(tiles, laid[0], rules)
            faults = () if swap is None else tuple(_swap_faults(*swap, place, rules))
            if faults:
                yield from faults
                del left[place]
                break


def _swap_faults(joker: Joker, other: Tile, place: int, rules: RuleSet) -> Iterator[Violation]:
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
