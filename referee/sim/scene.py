"""A simulated table over time: moments with tiles and hands, and presses."""

from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from functools import lru_cache
from random import Random

import numpy as np

from referee.game.inputs import Seat
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Seconds
from referee.sim.furniture import seat_angle
from referee.sim.hands import Hand
from referee.sim.layout import Arrangement, PlacedRow, PlayArea
from referee.sim.table_objects import LYING_OBJECTS, TableObject
from referee.sim.view import LaidTile, View

MOVING_SECONDS = 0.3
FRAME_SECONDS = 0.2
IDLE_FRAME_SECONDS = 1.0
_FRAMES_AFTER_PRESS = 7  # looks after a press, while players wait for the verdict
_RACK_MARGIN_MM = 88.0
_POOL_WIDTH_MM = 84.0
_TILES_PER_STACK = 7  # booklets: "stack the tiles in piles of 7"

_SKINS = ((120, 150, 206), (96, 128, 186), (62, 92, 150), (148, 176, 224))
_SLEEVES = ((92, 62, 44), (52, 52, 56), (60, 44, 120), (150, 140, 128), (58, 84, 48))


@unique
class PictureShape(StrEnum):
    """How a camera hands its picture on: as known, or in the known size after it was turned, mirrored or squeezed."""

    KNOWN = ""
    QUARTER = "turned by a quarter"
    UPSIDE_DOWN = "upside down"
    MIRRORED = "mirrored"
    PORTRAIT = "upright"
    SQUEEZED = "squeezed"


@dataclass(frozen=True, slots=True)
class SceneMoment:
    """One moment as the camera sees it: tiles, hands and things on the table."""

    at: float
    laid: tuple[LaidTile, ...]
    hands: tuple[Hand, ...]
    objects: tuple[TableObject, ...] = ()
    shape: PictureShape = PictureShape.KNOWN


def play_area(view: View) -> PlayArea:
    """Return the area where sets may lie: between the racks, and left of the pool."""
    margin = _RACK_MARGIN_MM
    return PlayArea(margin, margin, view.width_mm - margin - _POOL_WIDTH_MM, view.height_mm - margin)


def outlined_area(view: View) -> PlayArea:
    """Return the play area with a margin of half a tile, as calibration would outline it."""
    area, margin = play_area(view), 20.0
    return PlayArea(area.left - margin, area.top - margin, area.right + margin, area.bottom + margin)


def area_in_picture(view: View) -> tuple[tuple[float, float], ...]:
    """Return the corners of the outlined area in pixels, clockwise from the top left."""
    area = outlined_area(view)
    across, down = (area.left, area.right, area.right, area.left), (area.top, area.top, area.bottom, area.bottom)
    corners = np.array([(x, y, 0.0) for x, y in zip(across, down, strict=True)])
    return tuple((float(x), float(y)) for x, y in view.project(corners))


@lru_cache(maxsize=256)
def pool_stacks(count: int, view: View, thickness: float) -> tuple[LaidTile, ...]:
    """Return the pool face down in piles of seven at the right edge of the play area."""
    laid = []
    left = view.width_mm - _RACK_MARGIN_MM - _POOL_WIDTH_MM + 38
    for index in range(count):
        stack, level = divmod(index, _TILES_PER_STACK)
        row, column = divmod(stack, 2)
        jitter = Random(index).gauss
        laid.append(
            LaidTile(
                tile=None,
                copy=index,
                x=left + column * 31 + jitter(0, 0.5),
                y=_RACK_MARGIN_MM + 40 + row * 43 + jitter(0, 0.5),
                angle=jitter(0, 0.015),
                base=level * thickness,
            )
        )
    return tuple(laid)


def _with_row(arrangement: Arrangement, row: PlacedRow) -> Arrangement:
    """Return the arrangement with this row laid, its tiles removed from where they lay."""
    moved = {(laid.tile, laid.copy) for laid in row.tiles}
    rest = [
        replace(other, tiles=tuple(laid for laid in other.tiles if (laid.tile, laid.copy) not in moved))
        for other in arrangement.rows
    ]
    return Arrangement((*(other for other in rest if other.tiles), row))


@dataclass(slots=True)
class Scene:
    """A table during play; every action appends its moments and presses."""

    view: View
    thickness: float
    rng: Random
    pool: int = 0
    now: float = 0.0
    arrangement: Arrangement = field(default_factory=Arrangement)
    moments: list[SceneMoment] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)
    hand_intervals: list[tuple[float, float]] = field(default_factory=list)
    hides_hands: bool = False
    """Whether hands are too quick to appear in any moment."""
    objects: tuple[TableObject, ...] = ()
    displaced_tiles: dict[LaidTile, LaidTile] = field(default_factory=dict)
    """Maps tiles as laid to how a hardship left them."""
    dropped_tiles: tuple[LaidTile, ...] = ()
    """Tiles on the table that are not part of it."""
    shape: PictureShape = PictureShape.KNOWN
    """The shape of the camera's picture."""

    @property
    def play_area(self) -> PlayArea:
        """Where sets may lie: not on what lies there for the whole evening."""
        lying = (one for one in self.objects if one.kind in LYING_OBJECTS)
        return replace(play_area(self.view), blocked=tuple(tuple(map(tuple, one.corners().tolist())) for one in lying))

    def add_moments(self, count: int = 4) -> None:
        """Add `count` moments of the quiet table."""
        for _ in range(count):
            self._add_moment(FRAME_SECONDS)

    def wait(self, seconds: float) -> None:
        """Let time pass over a quiet table, with occasional moments."""
        end = self.now + seconds
        while end - self.now > IDLE_FRAME_SECONDS:
            self._add_moment(IDLE_FRAME_SECONDS)
        if end > self.now:
            self._add_moment(end - self.now)

    def press(self, seat: int, kind: PressKind = PressKind.PRESS) -> None:
        """Press the button, shortly after the last moment."""
        self.presses.append(Press(Seconds(self.now + 0.05), kind, Seat(seat)))
        self.add_moments(_FRAMES_AFTER_PRESS)

    def press_under_hand(self, seat: int, side: int) -> None:
        """Push the button while the hand of a side is still over the table; it leaves a moment later."""
        spot = self.arrangement.rows[-1].x, self.arrangement.rows[-1].y
        start = self.now
        self._reach(side, spot, out=0.05)
        self.presses.append(Press(Seconds(self.now + 0.05), PressKind.PRESS, Seat(seat)))
        for out in (0.0, 0.1, 0.05, 0.6):
            self._reach(side, spot, out=out)
        self.hand_intervals.append((start, self.now))
        self.add_moments(_FRAMES_AFTER_PRESS)

    def touch(self, side: int, spot: tuple[float, float], *, stop_short: bool = False) -> None:
        """Reach to a spot, or with `stop_short` only next to it."""
        self._reach(side, spot, out=0.25 if stop_short else 0.5)
        self._reach(side, spot, out=0.12 if stop_short else 0.0)

    def rearrange(self, seat: int, after: Arrangement) -> None:
        """Let a hand rearrange the table, one row after another; tiles dropped there are taken away first."""
        fresh = [row for row in after.rows if row not in self.arrangement.rows]
        removed = [row for row in self.arrangement.rows if row not in after.rows]
        spots = [(row.x, row.y) for row in fresh or removed] or [self._centre()]
        start = self.now
        self._reach(seat, spots[0], out=0.55)
        self.dropped_tiles = tuple(tile for tile in self.dropped_tiles if not after.overlaps(tile.corners()))
        for row in fresh:
            self.arrangement = _with_row(self.arrangement, row)
            self._reach(seat, (row.x, row.y), out=0.0)
        self.arrangement = after
        if not fresh:
            self._reach(seat, spots[0], out=0.0)
        self._reach(seat, spots[-1], out=0.6)
        self.hand_intervals.append((start, self.now))

    def draw(self, seat: int, tiles: int = 1) -> None:
        """Let a hand take tiles from the pool."""
        start = self.now
        top = pool_stacks(self.pool, self.view, self.thickness)[-1:]
        spot = (top[0].x, top[0].y) if top else self._centre()
        self._reach(seat, spot, out=0.3)
        self.pool = max(0, self.pool - tiles)
        self._reach(seat, spot, out=0.5)
        self.hand_intervals.append((start, self.now))

    def _centre(self) -> tuple[float, float]:
        return self.view.width_mm / 2, self.view.height_mm / 2

    def _add_moment(self, seconds: float, hands: tuple[Hand, ...] = ()) -> None:
        self.now += seconds
        stacks = pool_stacks(self.pool, self.view, self.thickness)
        laid = self.arrangement.tiles
        if self.displaced_tiles:
            laid = tuple(self.displaced_tiles.get(tile, tile) for tile in laid)
        hands = () if self.hides_hands else hands
        shown = (*laid, *self.dropped_tiles, *stacks)
        self.moments.append(SceneMoment(round(self.now, 3), shown, hands, self.objects, self.shape))

    def _reach(self, seat: int, spot: tuple[float, float], *, out: float) -> None:
        """Add a moment with a hand, its fingers at the spot (`out` 0) up to the table's edge (1)."""
        toward_centre = seat_angle(seat)
        edge = np.array(self._centre()) + np.array([-np.sin(toward_centre), np.cos(toward_centre)]) * (
            self.view.height_mm / 2 if seat % 2 == 0 else self.view.width_mm / 2
        )
        shoulder = edge + np.array([-np.sin(toward_centre), np.cos(toward_centre)]) * 250
        tip = np.array(spot) * (1 - out) + edge * out
        reach = tip - shoulder
        hand = Hand(
            x=float(tip[0]),
            y=float(tip[1]),
            angle=float(np.arctan2(reach[0], -reach[1])),
            skin=_SKINS[seat % len(_SKINS)],
            sleeve=_SLEEVES[seat % len(_SLEEVES)],
        )
        self._add_moment(MOVING_SECONDS, (hand,))
