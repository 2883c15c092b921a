"""Occlusion: whether tiles that are no longer seen are gone, still there, or hidden.

A resting hand, or a tile the locate model misses once, must not look like a theft. So each tile missing from the last
settled table is checked in its place. If the place looks unchanged, the tile is still there. If it matches the
background or, where that is undecidable, the table around it, the tile is gone, unless it differs strongly from the
background. Otherwise the tile is hidden, and in doubt. If another tile now covers part of the place, only the free
part counts. A tile that has left its place may lie where a row continues off the table, or where the picture's edge
cuts off something new.

Conversely, a doubtful detection whose place matches the background is no tile but a mark of the table, and one that
more likely was no face, as on the screen of a phone, is gone once it is not found again.
"""

import math
from collections import Counter
from dataclasses import replace

import numpy as np

from referee.reading.observation import TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.reading.tracks import TileIndex
from referee.vision.geometry.crops import CROP_SIZE
from referee.vision.geometry.detections import Doubles
from referee.vision.image.frame import Image
from referee.vision.watch.background_model import (
    BackgroundModel,
    differs_from_background,
    distances,
    grid,
    known_colours,
    matches_background,
    pixels,
)
from referee.vision.watch.likeness import (
    Likeness,
    Mask,
    compare,
    crop_grid,
    face_mask,
    is_only_light,
    lit,
    shift_between,
)
from referee.vision.watch.picture_edge import EdgeWatch
from referee.vision.watch.tuning import TUNING


def add_occluded(  # noqa: PLR0917 - two looks, and what is known beside
    before: TableReading,
    before_image: Image,
    now: TableReading,
    image: Image,
    bare: BackgroundModel | None = None,
    edge: EdgeWatch | None = None,
) -> TableReading:
    """Return the reading now, with the tiles of the one before that are still there, or hidden, added to it.

    `bare` is the table as it looked where nothing lay on it, `edge` knows how the edge of the picture looked.
    """
    if before_image.shape != image.shape:
        return now
    lost = Counter(tile.tile for tile in before.tiles) - Counter(tile.tile for tile in now.tiles)
    there, backs = TileIndex(now.tiles), TileIndex([tile for tile in now.tiles if tile.tile is None])
    absent = [
        tile
        for tile in before.tiles
        if there.find(tile.quad, turn=math.pi) is None
        and backs.find(tile.quad, TUNING.turned_over_widths, math.pi) is None
        and (tile.tile is not None or edge is None or edge.shows(tile.centre, image))  # beyond it none was seen
        and not (tile.unsure and tile.tile is not None and tile.bare > TUNING.likely_no_face)
    ]
    if not absent:
        return now
    look = _Look(before_image, now, image, None if bare is None else bare.in_view(image, now.tiles))
    covers = [look.covers(tile) for tile in absent]
    missing = [
        (tile, covered)
        for tile, covered in zip(absent, covers, strict=True)
        if lost[tile.tile] or (covered and tile.tile is not None)
    ]
    kept = [look.resolve(tile, covered=covered) for tile, covered in missing]
    if None in kept and edge is not None:
        seen, now = now, edge.add_backs_beyond(now, image)
        if now is not seen or edge.has_new_at_edge(image):
            kept = [tile or _hidden(gone) for tile, (gone, _) in zip(kept, missing, strict=True)]
    added = tuple(tile for tile in kept if tile is not None)
    if not added:
        return now
    tiles = (*now.tiles, *added)
    return replace(now, tiles=tiles, layouts=lay_out_tiles(tiles))


def drop_background_marks(now: TableReading, image: Image, bare: BackgroundModel | None) -> TableReading:
    """Return the reading without doubtful detections whose places match the background."""
    hardly = [
        index
        for index, tile in enumerate(now.tiles)
        if tile.tile is not None and tile.unsure and tile.bare >= TUNING.min_no_face_chance
    ]
    if not hardly or bare is None:
        return now
    bare = bare.in_view(image, now.tiles)
    others = [tile for index, tile in enumerate(now.tiles) if index not in hardly]
    marks = {index for index in hardly if matches_background(bare, now.tiles[index], others, image)}
    tiles = tuple(tile for index, tile in enumerate(now.tiles) if index not in marks)
    return replace(now, tiles=tiles, layouts=lay_out_tiles(tiles)) if marks else now


class _Look:
    """A look at a table, compared with the one before and with the bare table where this look has it."""

    def __init__(self, before: Image, now: TableReading, image: Image, bare: BackgroundModel | None) -> None:
        self._before, self._now, self._image, self._bare = before, now, image, bare
        self._shift, _ = shift_between(before, image)
        self._faces = [tile for tile in now.tiles if tile.tile is not None]
        self._shadows = now.reached is False

    def covers(self, tile: TileReading) -> bool:
        """Return whether something covers the place of a tile."""
        return differs_from_background(self._bare, tile, self._now.tiles, self._image, shadows=self._shadows)

    def resolve(self, tile: TileReading, *, covered: bool) -> TileReading | None:
        """Return a missing tile as it lies there, hidden or not; None if it has gone."""
        if not tile.hidden and self._is_as_before(tile):  # of one last hidden, its place says nothing
            return tile
        is_bare = matches_background(self._bare, tile, self._faces, self._image, shadows=self._shadows)
        if is_bare is None:
            is_bare = not covered and (self._has_table_colour(tile) or self._is_like_around(tile))
        return None if is_bare else _hidden(tile)

    def _is_like_around(self, tile: TileReading) -> bool:
        return _is_bare(tile, self._now, self._image, self._bare) and not self._has_rim(tile)

    def _has_table_colour(self, tile: TileReading) -> bool:
        """Return whether a place has the colour of the bare table there, and the tiles next to it have another."""
        place = None if self._bare is None else known_colours(self._bare, tile, self._faces, self._image)
        if self._bare is None or place is None or not self._faces:
            return False
        table, seen = lit(place[0], self._bare.gain), place[1]
        same = np.abs(seen - table).max(axis=1) < TUNING.max_light_change
        nearest = sorted(self._faces, key=lambda face: math.dist(face.centre, tile.centre))[: TUNING.compared_tiles]
        bodies = np.array([np.median(_colours(_spots(face), self._image), axis=0) for face in nearest])
        others = np.abs(bodies - np.median(table, axis=0)).max(axis=1)
        return bool(same.mean() > TUNING.min_background_share and others.min() > 2 * TUNING.max_light_change)

    def _is_as_before(self, tile: TileReading) -> bool:
        alike = self._compare(tile, None if tile.tile is None else face_mask())
        return alike.whole >= TUNING.min_correlation or (alike.shows_structure and alike.fine >= TUNING.min_correlation)

    def _has_rim(self, tile: TileReading) -> bool:
        """Return whether the rim of the tile is still there where a shadow may explain the rest."""
        if not self._shadows or tile.hidden:
            return False
        free = distances(crop_grid(np.array(tile.quad)), self._now.tiles) >= TUNING.shadow_widths
        rim = free.reshape(CROP_SIZE[::-1]) & ~face_mask()
        return bool(rim.mean() >= TUNING.min_share_seen) and (
            self._compare(tile, rim).fine >= TUNING.min_rim_correlation
        )

    def _compare(self, tile: TileReading, seen: Mask | None) -> Likeness:
        there = np.array(tile.quad, np.float32)
        return compare(self._before, there, self._image, there + np.array(self._shift, np.float32), seen)


def _hidden(tile: TileReading) -> TileReading:
    return replace(tile, confidence=0.0, alternatives=(), unsure=True, bare=0.0)


def _is_bare(tile: TileReading, now: TableReading, image: Image, bare: BackgroundModel | None) -> bool:
    """Return whether a tile's place looks like the table around it, apart from tiles and shadows.

    Surroundings that differ from the background are not table: a hand resting there also covers the place. Beside an
    edge, such as a coaster's, a place never seen bare is undecidable: a back is as pale as the coaster.
    """
    quad = np.array(tile.quad)
    middle = quad.mean(axis=0)
    spots = grid(middle, (quad - middle) * 0.8)
    near = distances(spots, [other for other in now.tiles if other.tile is not None])
    overlaid = (near < 0).mean() >= TUNING.min_share_overlaid
    lit_spots, free = spots[near >= TUNING.shadow_widths], spots[near >= TUNING.side_widths]
    if overlaid and len(free) < TUNING.min_share_seen * len(spots):
        return True
    around = _ring(middle + (quad - middle) * TUNING.ring_scale)
    around = around[distances(around, now.tiles) >= TUNING.shadow_widths]
    seen_bare = False
    if bare is not None and bare.image.shape == image.shape:
        around, changed = _showing_table(bare, around, image, shadows=now.reached is False)
        same, other = _showing_table(bare, lit_spots, image, shadows=True)
        strange = now.reached is False and other > (1 - TUNING.min_background_share) * (len(same) + other)
        if changed > len(around) or strange:  # a shadow may explain the surroundings, but not the place
            return False
        columns, rows = pixels(spots, image)
        seen_bare = bare.known[rows, columns].mean() >= TUNING.min_share_seen
    if len(around) < TUNING.min_points_around:
        return False
    darkest, brightest = np.percentile(_colours(around, image), (5, 95), axis=0)
    if not seen_bare and (brightest - darkest).max() > TUNING.max_table_contrast:
        return False
    if len(lit_spots) >= TUNING.min_share_seen * len(spots):
        return _lies_between(_colours(lit_spots, image), darkest, brightest)
    return bool(overlaid) and _lies_between(_colours(free, image), TUNING.min_shadow_light * darkest, brightest)


def _showing_table(bare: BackgroundModel, points: Doubles, image: Image, *, shadows: bool) -> tuple[Doubles, int]:
    """Return the points [n, 2] that match the background, and how many do not; unknown ones are in neither.

    With `shadows`, points in a shadow match, or out of it.
    """
    columns, rows = pixels(points, image)
    known = bare.known[rows, columns]
    was, seen = lit(bare.image[rows, columns].astype(np.float64), bare.gain), image[rows, columns].astype(np.float64)
    same = np.abs(seen - was).max(axis=1) < TUNING.max_light_change
    if shadows:
        same |= is_only_light(was, seen)
    return points[known & same], int((known & ~same).sum())


def _lies_between(colours: Doubles, darkest: Doubles, brightest: Doubles) -> bool:
    """Return whether most of these colours lie between two, with a margin."""
    bare = (colours > darkest - TUNING.max_light_change) & (colours < brightest + TUNING.max_light_change)
    return bool(bare.all(axis=1).mean() > TUNING.min_background_share)


def _spots(tile: TileReading) -> Doubles:
    """Return a grid of points [n, 2] over a tile."""
    middle = np.array(tile.centre)
    return grid(middle, np.array(tile.quad) - middle)


def _ring(corners: Doubles) -> Doubles:
    """Return points [40, 2] along the sides between four corners."""
    share = np.linspace(0.0, 0.9, 10)[:, None, None]
    return np.asarray(corners + share * (np.roll(corners, -1, axis=0) - corners)).reshape(-1, 2)


def _colours(points: Doubles, image: Image) -> Doubles:
    columns, rows = pixels(points, image)
    return np.asarray(image[rows, columns], np.float64)
