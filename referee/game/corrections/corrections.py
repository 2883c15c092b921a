"""What people said of tiles: kept by place, so that no later look takes it back while a tile lies there.

A correction holds for a tile as long as the reader says of it what it said before, or is unsure. A reader that is sure
of something else has seen another tile or erred anew; nobody can tell, so the tile is in doubt between the two. So is
one that lies not quite where it did and now most likely is another of the names it was in doubt between: it may have
been exchanged for that other. Once the tile has left its place the reader may well misread it again where it lies now:
what has come to the table since under the name it was misread as is in doubt too. So a correction never makes a player
answer for the reader's mistake. That a hidden tile has gone says nothing of the table before, where it was seen, nor of
looks that see it again.

Tiles and sets that were not seen at all are put in by `missed_tiles` and `missed_sets`, rows that people parted or
joined laid by `joints`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, assert_never

from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.corrections.adjacency import Joint, add_joints, join_rows, lay_as_said, part_row
from referee.game.corrections.missed_sets import MissedSet, miss_set, name_in_sets, with_missed_sets
from referee.game.corrections.missed_tiles import (
    UnseenTile,
    in_doubt,
    miss_tile,
    name_missed,
    nearest_face,
    with_missed,
)
from referee.game.inputs import Seconds
from referee.reading.observation import UNTRACKED, Quad, TableReading, TileReading, TrackId
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import is_untouched
from referee.rules.tiles import Tile

_PLAUSIBLE: Final = 0.2  # chance from which the reader may as well have called the tile so in another look


@dataclass(frozen=True, slots=True)
class Correction:
    """A tile as a person named it: its place, every name the reader has given it, and the likeliest one then."""

    place: TrackId
    quad: Quad
    tile: Tile | None
    read: tuple[Tile | None, ...]
    likeliest: Tile | None
    hidden: bool = False
    """Whether nothing of it was seen when that was said."""

    @property
    def gone(self) -> bool:
        """Whether a hidden tile was said to be gone: it lay there before and may come back."""
        return self.hidden and self.tile is None


@dataclass(frozen=True, slots=True)
class Corrections:
    """All that was said of the tiles of a game: what they are, which were missed, which lie in one set.

    `last` is the track that was given last to a tile people alone have seen.
    """

    tiles: tuple[Correction, ...] = ()
    missed: tuple[UnseenTile, ...] = ()
    joints: tuple[Joint, ...] = ()
    sets: tuple[MissedSet, ...] = ()
    last: TrackId = UNTRACKED

    def at(self, at: Seconds) -> "Corrections":
        """Return the corrections for a look at a time; later missed tiles may not have been laid yet."""
        missed = tuple(one for one in self.missed if one.said <= at)
        sets = tuple(one.at(at) for one in self.sets if one.since <= at)
        return self if (missed, sets) == (self.missed, self.sets) else replace(self, missed=missed, sets=sets)


NO_CORRECTIONS: Final = Corrections()


def add_stated_correction(
    corrections: Corrections, read: TableReading, reading: TableReading, since: Seconds, said: StatedCorrection
) -> Corrections | None:
    """Return the corrections after one more word; None where it says nothing of this table.

    The word speaks of the table at rest `since` then, as it was `read`, and as it is after all that was said before.
    """
    match said:
        case TileIs(index=index):
            known = 0 <= index < len(reading.tiles)
            return _name(corrections, read, reading, since, said) if known else None
        case TileMissed():
            missed = miss_tile(reading, said, since, corrections.last)
            return None if missed is None else _miss(corrections, reading, missed)
        case SetMissed(tiles=tiles):
            added = miss_set(reading, tiles, since, len(corrections.sets), corrections.last)
            last = TrackId(corrections.last - len(tiles))
            return None if added is None else replace(corrections, sets=(*corrections.sets, added), last=last)
        case RowsJoined(one=one, other=other):
            joints = join_rows(reading, one, other)
        case RowParted(after=after):
            joints = part_row(reading, after)
        case _:
            assert_never(said)
    return replace(corrections, joints=add_joints(corrections.joints, joints)) if joints else None


def _name(
    corrections: Corrections, read: TableReading, reading: TableReading, since: Seconds, said: TileIs
) -> Corrections:
    index, tile = said.index, said.tile
    track, near = reading.tiles[index].track, nearest_face(reading.tiles, index)
    if index >= len(read.tiles):  # it was never seen
        missed = name_missed(corrections.missed, track, tile, near)
        return replace(corrections, missed=missed, sets=name_in_sets(corrections.sets, reading, index, tile, since))
    tiles = add_correction(corrections.tiles, read, index, tile)
    return replace(corrections, tiles=tiles, missed=name_missed(corrections.missed, track, None, near))


def _miss(corrections: Corrections, reading: TableReading, missed: UnseenTile) -> Corrections:
    """Add a missed tile; one of that name that was in doubt has been found."""
    doubted = {tile.track for tile in reading.tiles if tile.unsure}
    others = (old for old in corrections.missed if old.tile != missed.tile or old.track not in doubted)
    return replace(corrections, missed=(*others, missed), last=missed.track)


def add_correction(
    corrections: Sequence[Correction], read: TableReading, index: int, tile: Tile | None
) -> tuple[Correction, ...]:
    """Return the corrections with one more of what was read; an earlier one of this tile is done with.

    One that does not fit what is read now may have been of another tile in that place, and stays for when that is back
    and for looks from before.
    """
    said = read.tiles[index]
    names = (said.tile, *(name for name, chance in said.alternatives if said.unsure and chance >= _PLAUSIBLE))
    here = [old for old in corrections if old.place == said.place]
    done = [old for old in here if _fits(said, old) or (old.tile == tile and _may_be(said, old))]
    done += [
        old for old in corrections if old.tile == tile and not said.names.isdisjoint(old.read) and _lost(old, read)
    ]
    others = tuple(old for old in corrections if old not in done)
    ever = dict.fromkeys((*(name for old in done for name in old.read), *names))
    return (*others, Correction(said.place, said.quad, tile, tuple(ever), said.tile, said.hidden))


def _lost(correction: Correction, read: TableReading) -> bool:
    return not any(correction.place == tile.place and _may_be(tile, correction) for tile in read.tiles)


def correct(
    reading: TableReading, corrections: Corrections, known: TableReading | None = None, *, earlier: bool = False
) -> TableReading:
    """Return what was read as people have said it is; what lay on the table `known` so is not doubted anew.

    An `earlier` reading is given as it must have been, by what was said since and by what lies there now.
    """
    held = [_held(tile, corrections.tiles, earlier=earlier) for tile in reading.tiles]
    found = [one for tile, one in zip(reading.tiles, held, strict=True) if one is not None and _may_be(tile, one)]
    astray = [one for one in corrections.tiles if one not in found]
    tiles = tuple(
        _doubted(tile, astray, known) if one is None else _said(tile, one, holds=earlier or _fits(tile, one))
        for tile, one in zip(reading.tiles, held, strict=True)
    )
    turned = any((old.tile is None) != (new.tile is None) for old, new in zip(reading.tiles, tiles, strict=True))
    layouts = lay_out_tiles(tiles) if turned else reading.layouts
    tiles, layouts = with_missed_sets(tiles, layouts, corrections.sets)
    tiles, layouts = with_missed(tiles, layouts, corrections.missed)
    beside = chain.from_iterable(one.joints for one in corrections.missed)
    layouts = lay_as_said(layouts, tiles, (*beside, *corrections.joints))
    if tiles == reading.tiles and layouts == reading.layouts:
        return reading
    return replace(reading, tiles=tiles, layouts=layouts)


def _held(tile: TileReading, corrections: Sequence[Correction], *, earlier: bool) -> Correction | None:
    """Return the correction of a tile: the newest that suits it best; of an earlier one only such as it may be."""
    here = [one for one in reversed(corrections) if one.place == tile.place]
    if earlier:
        here = [one for one in here if _may_be(tile, one)]
    suits = _fits if earlier else _may_be
    return next((one for one in here if suits(tile, one)), here[0] if here else None)


def _may_be(tile: TileReading, correction: Correction) -> bool:
    """Return whether the reader may have meant the tile that was corrected."""
    return (tile.hidden or not correction.gone) and not tile.names.isdisjoint({correction.tile, *correction.read})


def _fits(tile: TileReading, correction: Correction) -> bool:
    """Return whether it is the tile that was corrected, and none for which it was exchanged."""
    same = correction.tile is None or tile.tile in (correction.tile, correction.likeliest)
    return _may_be(tile, correction) and (same or is_untouched(tile, correction.quad))


def _said(tile: TileReading, correction: Correction, *, holds: bool) -> TileReading:
    if holds:
        if tile.hidden and correction.tile is not None and not correction.hidden:  # it was said what it is, not where
            return replace(tile, tile=correction.tile)
        return replace(tile, tile=correction.tile, confidence=1.0, alternatives=(), unsure=False)
    return tile if correction.tile is None else in_doubt(tile, correction.tile)


def _doubted(tile: TileReading, astray: Sequence[Correction], known: TableReading | None) -> TileReading:
    other = next((c.tile for c in astray if tile.tile in c.read and c.tile != tile.tile), None)
    if tile.tile is None or other is None or (known is not None and _knew(known, tile)):
        return tile
    return in_doubt(tile, other)


def _knew(known: TableReading, tile: TileReading) -> bool:
    return any(old.tile == tile.tile and not old.unsure and old.track == tile.track for old in known.tiles)
