"""What made a set of the table before no set: the tiles that came into it, or those that left it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, combinations_with_replacement

from referee.rules.blame import Culprit, SuspectTiles
from referee.rules.editions import RuleSet
from referee.rules.reasons import why_no_set
from referee.rules.set_reading import IS_COLOUR_CHANGE, IS_MIRROR, SetReading
from referee.rules.sets import readings
from referee.rules.single_tile_reasons import why_alone, why_several
from referee.rules.table import TileSet
from referee.rules.tiles import Tile
from referee.rules.verdict import SetKind
from referee.rules.wording import Message, Reason, TileRow, named, say, say_count

_MOST_MISSING = 3
_MOST_INTRUDERS = 4


@dataclass(frozen=True, slots=True)
class _Mend:
    """A way to make a row a set again: take the tiles at the places `out` away, put the tiles `back` in."""

    out: tuple[int, ...]
    back: tuple[int, ...]
    """The places, in `row`, of the tiles that were put back."""
    row: TileSet
    readings: tuple[SetReading, ...]


def predecessor(tiles: TileSet, removed: tuple[TileSet, ...]) -> TileSet | None:
    """Return the set of the table before that lies here still, at least half of it and two tiles; None if none does."""
    lying = Counter(tiles)
    was = max(removed, key=lambda one: (lying & Counter(one)).total(), default=())
    kept = (lying & Counter(was)).total()
    return was if kept > 1 and 2 * kept >= len(was) else None


def _mends(tiles: TileSet, was: TileSet, suspects: SuspectTiles, rules: RuleSet) -> Iterator[_Mend]:
    """Yield the ways back to a set by what came and left since it was the set `was`, the smallest first.

    Fewer tiles out come before fewer tiles back, and likelier suspects before others.
    """
    came, left = Counter(tiles) - Counter(was), Counter(was) - Counter(tiles)
    places = sorted(
        (place for place, tile in enumerate(tiles) if came[tile]), key=lambda place: tiles[place] not in suspects[0]
    )
    for count in range(min(came.total(), _MOST_INTRUDERS) + 1):
        for out in combinations(places, count):
            if Counter(tiles[place] for place in out) <= came:
                yield from _mends_without(tiles, out, left, was, rules)


def _mends_without(
    tiles: TileSet, out: tuple[int, ...], left: Counter[Tile], was: TileSet, rules: RuleSet
) -> Iterator[_Mend]:
    rest = tuple(tile for place, tile in enumerate(tiles) if place not in out)
    for count in range(min(left.total(), _MOST_MISSING) + 1):
        for missing in combinations(list(left.elements()), count):
            for row, back in _rows_with(rest, missing, was):
                found = readings(row, rules)
                if found:
                    yield _Mend(out, back, row, found)


def _is_part(row: TileSet, was: TileSet) -> bool:
    """Return whether tiles lie in the order in which they lay in a set, or reversed."""
    return any(all(tile in order for tile in row) for order in map(iter, (was, was[::-1])))


def _rows_with(rest: TileSet, missing: TileSet, was: TileSet) -> list[tuple[TileSet, tuple[int, ...]]]:
    """Return the row with the missing tiles in it, and their places: as they lay, or anywhere if the order counts."""
    ways = []
    for gaps in combinations_with_replacement(range(len(rest) + 1), len(missing)):
        row = list(rest)
        for shift, (gap, tile) in enumerate(zip(gaps, missing, strict=True)):
            row.insert(gap + shift, tile)
        ways.append((tuple(row), tuple(gap + shift for shift, gap in enumerate(gaps))))
    ways.sort(key=lambda way: not _is_part(way[0], was))
    ordered = any(IS_COLOUR_CHANGE[tile.code] or IS_MIRROR[tile.code] for tile in (*rest, *missing))
    return ways if ordered else ways[:1]


def why_changed(
    tiles: TileSet, was: TileSet, suspects: SuspectTiles, elsewhere: tuple[TileSet, ...], rules: RuleSet
) -> Reason | None:
    """Return why a row, which was the set `was`, is none: what came into it or what left it; None if neither mends it.

    Where a single tile that came explains it, `suspects` decide which. `elsewhere` has the other new rows.
    """
    mend = next(_mends(tiles, was, suspects, rules), None)
    if mend is None:
        return None
    if not mend.out:
        return _why_gaps(mend, elsewhere)
    return _why_intruder(tiles, mend, suspects, rules) if len(mend.out) == 1 else _why_intruders(tiles, mend, rules)


# ---- what came -----------------------------------------------------------------------------------------------------


def _why_intruder(tiles: TileSet, mend: _Mend, suspects: SuspectTiles, rules: RuleSet) -> Reason:
    """Return why one tile does not belong to the others, which are a set without it or with tiles back."""
    (place,) = mend.out
    usual = why_no_set(tiles, rules, ({tiles[place]},) if mend.back else suspects)
    if usual is not None and not usual.guilty[1:] and usual.guilty[0] in suspects[-1]:
        return usual
    own = tuple(_without(reading, mend.back) for reading in mend.readings)
    return Reason(why_alone(tiles, Culprit(place, own), rules), (tiles[place],))


def _why_intruders(tiles: TileSet, mend: _Mend, rules: RuleSet) -> Reason:
    """Return why several tiles do not belong to the others."""
    own = tuple(_without(reading, mend.back) for reading in mend.readings)
    out = tuple(tiles[place] for place in sorted(mend.out))
    others = tuple(tile for place, tile in enumerate(tiles) if place not in mend.out)
    return Reason(why_several(out, others, own, rules), out)


def _without(reading: SetReading, places: tuple[int, ...]) -> SetReading:
    """Return a reading of a row without the tiles at these places."""
    return replace(
        reading, stands_for=tuple(one for place, one in enumerate(reading.stands_for) if place not in places)
    )


# ---- what left -----------------------------------------------------------------------------------------------------


def _why_gaps(mend: _Mend, elsewhere: tuple[TileSet, ...]) -> Reason:
    """Return what is missing in a row, beside which tiles, and in which of the other sets it lies now."""
    order = _in_order(mend)
    gaps = [_gap(gap, order, mend) for gap in _gaps(order, mend)]
    missing = tuple(mend.row[place] for place in mend.back)
    told = [message for message, _ in gaps] + _whereabouts(missing, elsewhere)
    wording = reduce(lambda first, last: say("list.semicolon", "{first}; {last}", first=first, last=last), told)
    beside = sorted({place for _, places in gaps for place in places})
    return Reason(wording, tuple(mend.row[place] for place in beside))


def _in_order(mend: _Mend) -> list[int]:
    """Return the places of a mended row by number; of one in which order counts, as laid."""
    reading = next((one for one in mend.readings if not one.untidy), mend.readings[0])
    if reading.kind is SetKind.MIRROR or any(IS_COLOUR_CHANGE[tile.code] for tile in mend.row):
        return list(range(len(mend.row)))
    return sorted(range(len(mend.row)), key=lambda place: (reading.stands_for[place].numbers[0], place))


def _gaps(order: list[int], mend: _Mend) -> list[list[int]]:
    """Return the missing places, those side by side together; in a group all are together."""
    if mend.readings[0].kind is SetKind.GROUP:
        return [[place for place in order if place in mend.back]]
    gaps: list[list[int]] = []
    for before, place in zip([None, *order], order, strict=False):
        if place in mend.back:
            if before is None or before not in mend.back:
                gaps.append([])
            gaps[-1].append(place)
    return gaps


def _gap(gap: list[int], order: list[int], mend: _Mend) -> tuple[Message, tuple[int, ...]]:
    """Return the message about one gap, and the places of the tiles beside it."""
    missing = tuple(mend.row[place] for place in gap)
    if mend.readings[0].kind is SetKind.GROUP:
        others = tuple(place for place in order if place not in gap)
        return _missing_beside(missing, tuple(mend.row[place] for place in others)), others
    first, last = order.index(gap[0]), order.index(gap[-1])
    before, after = order[:first][-1:], order[last + 1 :][:1]
    if not before:
        return _missing_before(missing, mend.row[after[0]]), tuple(after)
    if not after:
        return _missing_after(missing, mend.row[before[0]]), tuple(before)
    return _missing_between(missing, mend.row[before[0]], mend.row[after[0]]), (*before, *after)


def _missing_beside(missing: TileSet, others: TileSet) -> Message:
    return say_count(
        "left.beside",
        "{tiles} is missing beside {others}",
        "{tiles} are missing beside {others}",
        count=len(missing),
        tiles=named(missing),
        others=named(others),
    )


def _missing_before(missing: TileSet, after: Tile) -> Message:
    return say_count(
        "left.before",
        "{tiles} is missing before {after}",
        "{tiles} are missing before {after}",
        count=len(missing),
        tiles=named(missing),
        after=(after,),
    )


def _missing_after(missing: TileSet, before: Tile) -> Message:
    return say_count(
        "left.after",
        "{tiles} is missing after {before}",
        "{tiles} are missing after {before}",
        count=len(missing),
        tiles=named(missing),
        before=(before,),
    )


def _missing_between(missing: TileSet, before: Tile, after: Tile) -> Message:
    return say_count(
        "left.between",
        "{tiles} is missing between {before} and {after}",
        "{tiles} are missing between {before} and {after}",
        count=len(missing),
        tiles=named(missing),
        before=(before,),
        after=(after,),
    )


def _whereabouts(missing: TileSet, elsewhere: tuple[TileSet, ...]) -> list[Message]:
    """Return where the missing tiles lie now, set by set, and nothing of a tile that was taken."""
    found: dict[TileSet, list[Tile]] = {}
    for tile in missing:
        home = next((laid for laid in elsewhere if tile in laid), None)
        if home is not None:
            found.setdefault(home, []).append(tile)
    return [_lies_in(tuple(tiles), laid, all_=len(tiles) == len(missing)) for laid, tiles in found.items()]


def _lies_in(tiles: TileSet, laid: TileSet, *, all_: bool) -> Message:
    if not laid[1:]:
        return say("left.alone", "{tile} now lies alone", tile=tiles)
    if all_:
        return say_count(
            "left.all_lie_in", "it now lies in {row}", "they now lie in {row}", count=len(tiles), row=TileRow(laid)
        )
    return say_count(
        "left.lies_in",
        "{tiles} now lies in {row}",
        "{tiles} now lie in {row}",
        count=len(tiles),
        tiles=named(tiles),
        row=TileRow(laid),
    )
