"""Corrections of tiles, kept by place: no later reading reverts one while the tile stays there.

A correction holds while the reader repeats its earlier answer or is unsure. The tile is in doubt between both names
once the reader is sure of a third, or once the tile was touched and its likeliest name has changed: it may have been
exchanged. After the tile has left, the reader may misread it elsewhere too, so tiles that appear later under the
misread name are in doubt. No player answers for the reader's mistake. A hidden tile stated to be gone still counts in
looks that see it.

`missed_tiles` and `missed_sets` add what was not seen; `links` divides and joins rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, assert_never

from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.corrections.links import Link, add_links, apply_links, link_rows, split_row
from referee.game.corrections.missed_sets import MissedSet, name_in_sets, place_missed_set, with_missed_sets
from referee.game.corrections.missed_tiles import (
    UnseenTile,
    in_doubt,
    name_missed,
    nearest_face,
    place_missed_tile,
    with_missed,
)
from referee.reading.inputs import Seconds
from referee.reading.observation import UNTRACKED, Quad, TableReading, TileReading, TrackId
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import is_untouched
from referee.rules.tiles import Tile

_MIN_ALTERNATIVE: Final = 0.2  # probability from which the reader might have given this name in another look


@dataclass(frozen=True, slots=True)
class Correction:
    """A tile named by a person: its place, every name the reader has given it, and the likeliest one then."""

    place: TrackId
    quad: Quad
    tile: Tile | None
    read: tuple[Tile | None, ...]
    likeliest: Tile | None
    hidden: bool = False
    unsure: bool = False
    """Whether the tile was hidden then, and whether the reader was unsure of it."""

    @property
    def gone(self) -> bool:
        """Whether a hidden tile was stated to be gone; it may come back."""
        return self.hidden and self.tile is None


@dataclass(frozen=True, slots=True)
class Corrections:
    """All corrections of a game: names, missed tiles and sets, links.

    `last` is the latest track given to a tile that only people have seen.
    """

    tiles: tuple[Correction, ...] = ()
    missed: tuple[UnseenTile, ...] = ()
    links: tuple[Link, ...] = ()
    sets: tuple[MissedSet, ...] = ()
    last: TrackId = UNTRACKED

    def at(self, at: Seconds) -> "Corrections":
        """Return the corrections that apply to a look at this time, without tiles missed later."""
        missed = tuple(tile for tile in self.missed if tile.since <= at)
        sets = tuple(missed_set.at(at) for missed_set in self.sets if missed_set.since <= at)
        return self if (missed, sets) == (self.missed, self.sets) else replace(self, missed=missed, sets=sets)


NO_CORRECTIONS: Final = Corrections()


def add_stated_correction(
    corrections: Corrections, read: TableReading, reading: TableReading, since: Seconds, statement: StatedCorrection
) -> Corrections | None:
    """Return the corrections with one more statement; None if it does not fit the table.

    The statement is about the table at rest `since` then: as `read`, and as corrected so far (`reading`).
    """
    match statement:
        case TileIs(index=index):
            known = 0 <= index < len(reading.tiles)
            return _name(corrections, read, reading, since, statement) if known else None
        case TileMissed():
            missed = place_missed_tile(reading, statement, since, corrections.last)
            return None if missed is None else _miss(corrections, reading, missed)
        case SetMissed(tiles=tiles):
            added = place_missed_set(reading, tiles, since, len(corrections.sets), corrections.last)
            last = TrackId(corrections.last - len(tiles))
            return None if added is None else replace(corrections, sets=(*corrections.sets, added), last=last)
        case RowsJoined(one=one, other=other):
            links = link_rows(reading, one, other)
        case RowParted(after=after):
            links = split_row(reading, after)
        case _:
            assert_never(statement)
    return replace(corrections, links=add_links(corrections.links, links)) if links else None


def _name(
    corrections: Corrections, read: TableReading, reading: TableReading, since: Seconds, statement: TileIs
) -> Corrections:
    index, tile = statement.index, statement.tile
    track, near = reading.tiles[index].track, nearest_face(reading.tiles, index)
    if index >= len(read.tiles):  # it was never seen
        missed = name_missed(corrections.missed, track, tile, near)
        return replace(corrections, missed=missed, sets=name_in_sets(corrections.sets, reading, index, tile, since))
    tiles = add_correction(corrections.tiles, read, index, tile)
    return replace(corrections, tiles=tiles, missed=name_missed(corrections.missed, track, None, near))


def _miss(corrections: Corrections, reading: TableReading, missed: UnseenTile) -> Corrections:
    """Add a missed tile; a doubtful one of the same name has thereby been found."""
    doubted = {tile.track for tile in reading.tiles if tile.unsure}
    others = (old for old in corrections.missed if old.tile != missed.tile or old.track not in doubted)
    return replace(corrections, missed=(*others, missed), last=missed.track)


def add_correction(
    corrections: Sequence[Correction], read: TableReading, index: int, tile: Tile | None
) -> tuple[Correction, ...]:
    """Return the corrections with one more of a tile that was read; it replaces earlier ones of this tile.

    One that does not fit the tile read now may be of another tile in that place, and is kept for when that returns and
    for earlier looks.
    """
    seen = read.tiles[index]
    names = (seen.tile, *(name for name, chance in seen.alternatives if seen.unsure and chance >= _MIN_ALTERNATIVE))
    here = [old for old in corrections if old.place == seen.place]
    done = [old for old in here if _fits(seen, old) or (old.tile == tile and _may_be(seen, old))]
    done += [
        old for old in corrections if old.tile == tile and not seen.names.isdisjoint(old.read) and _lost(old, read)
    ]
    others = tuple(old for old in corrections if old not in done)
    ever = dict.fromkeys((*(name for old in done for name in old.read), *names))
    return (*others, Correction(seen.place, seen.quad, tile, tuple(ever), seen.tile, seen.hidden, seen.unsure))


def _lost(correction: Correction, read: TableReading) -> bool:
    return not any(correction.place == tile.place and _may_be(tile, correction) for tile in read.tiles)


def correct(
    reading: TableReading, corrections: Corrections, known: TableReading | None = None, *, earlier: bool = False
) -> TableReading:
    """Return a reading with the corrections applied; tiles as on the `known` table do not become doubtful again.

    `earlier` says that it is a past reading, to be corrected by what was stated since and by what lies there now.
    """
    held = [_held(tile, corrections.tiles, earlier=earlier) for tile in reading.tiles]
    found = [
        correction
        for tile, correction in zip(reading.tiles, held, strict=True)
        if correction is not None and _may_be(tile, correction)
    ]
    astray = [correction for correction in corrections.tiles if correction not in found]
    tiles = tuple(
        _doubted(tile, astray, known)
        if correction is None
        else _applied(tile, correction, holds=_was_so(tile, correction) if earlier else _fits(tile, correction))
        for tile, correction in zip(reading.tiles, held, strict=True)
    )
    turned = any((old.tile is None) != (new.tile is None) for old, new in zip(reading.tiles, tiles, strict=True))
    layouts = lay_out_tiles(tiles) if turned else reading.layouts
    tiles, layouts = with_missed_sets(tiles, layouts, corrections.sets)
    tiles, layouts = with_missed(tiles, layouts, corrections.missed)
    beside = chain.from_iterable(tile.links for tile in corrections.missed)
    layouts = apply_links(layouts, tiles, (*beside, *corrections.links))
    if tiles == reading.tiles and layouts == reading.layouts:
        return reading
    return replace(reading, tiles=tiles, layouts=layouts)


def _held(tile: TileReading, corrections: Sequence[Correction], *, earlier: bool) -> Correction | None:
    """Return the newest correction that suits a tile best; for a past reading, only one that it may be."""
    here = [correction for correction in reversed(corrections) if correction.place == tile.place]
    if earlier:
        here = [correction for correction in here if _may_be(tile, correction)]
    suits = _fits if earlier else _may_be
    return next((correction for correction in here if suits(tile, correction)), here[0] if here else None)


def _may_be(tile: TileReading, correction: Correction) -> bool:
    """Return whether the tile may be the corrected one, under any name the reader gives it."""
    return (tile.hidden or not correction.gone) and not tile.names.isdisjoint({correction.tile, *correction.read})


def _fits(tile: TileReading, correction: Correction) -> bool:
    """Return whether it is the corrected tile, and not one it was exchanged for."""
    same = correction.tile is None or tile.tile in (correction.tile, correction.likeliest)
    return _may_be(tile, correction) and (same or is_untouched(tile, correction.quad))


def _was_so(tile: TileReading, correction: Correction) -> bool:
    """Return whether an earlier look misread this tile; where only that look was sure, it may be another one."""
    return tile.unsure or not correction.unsure or correction.hidden or tile.tile == correction.tile


def _applied(tile: TileReading, correction: Correction, *, holds: bool) -> TileReading:
    if holds:
        if tile.hidden and correction.tile is not None and not correction.hidden:  # its name was stated, not its place
            return replace(tile, tile=correction.tile)
        return replace(tile, tile=correction.tile, confidence=1.0, alternatives=(), unsure=False)
    return tile if correction.tile is None else in_doubt(tile, correction.tile)


def _doubted(tile: TileReading, astray: Sequence[Correction], known: TableReading | None) -> TileReading:
    other = next((c.tile for c in astray if tile.tile in c.read and c.tile != tile.tile), None)
    if tile.tile is None or other is None or (known is not None and _knew(known, tile)):
        return tile
    return in_doubt(tile, other)


def _knew(known: TableReading, tile: TileReading) -> bool:
    return any(old.tile == tile.tile and not old.unsure and old.placement == tile.placement for old in known.tiles)
