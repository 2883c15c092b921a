"""The watcher: from frames to inputs of the match: the table moves, has settled, or lies still."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from referee.reading.consensus import ConsensusPolicy, ConsensusState, add_look, shows_settled
from referee.reading.inputs import (
    SINCE_START,
    CameraBumped,
    Input,
    LookWanted,
    Seconds,
    TableMoving,
    TableSettled,
    TableStill,
)
from referee.reading.observation import TableReading, rounded
from referee.reading.tracks import keep_rows
from referee.rules.tiles import Tile
from referee.vision.detect.detection_scale import Zoom, fit_zoom
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Frame
from referee.vision.profile import Enrolment, Profile
from referee.vision.watch.background_model import BackgroundModel, update_background
from referee.vision.watch.camera_shift import find_shift, relocate_by_markers, relocate_by_tiles
from referee.vision.watch.change import ChangeDetector
from referee.vision.watch.motion import MotionGate
from referee.vision.watch.occlusion import add_occluded, drop_background_marks
from referee.vision.watch.picture_edge import EdgeWatch
from referee.vision.watch.reach import ReachWatch
from referee.vision.watch.table_region import OnTable, TableView
from referee.vision.watch.watch_state import WatchState

RESTLESS_SECONDS = 2.0  # longer motion may be a flickering lamp, so the table is read anyway
_RESTLESS_FRAMES = 5  # moving frames needed for that: with few frames, two with a hand in them show a hand
_RARE_SECONDS = 0.35  # between frames: if more, all looks that a table needs are taken at one frame
_MAX_AT_ONCE = 3  # looks

_CLOSER_SCALE, _FARTHER_SCALE = 1.3, 0.8  # times the usual scale
_MIN_TILES_FOR_SCALE = 8  # with fewer, the scale is not kept: one may be a box lid
_ARM_SECONDS = 3.0  # of waiting for an arm at rest over the table
_FIRST_WAIT = 0.5  # seconds for which a place that only seemed changed is first ignored


class Reader(Protocol):
    """Reads the table in a frame."""

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Tile, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        """Return the reading of one frame; faces may lie at `known` quads [n, 4, 2]."""


@dataclass(frozen=True, slots=True)
class SettledLook:
    """The frame in which the table last settled or was still so, and what was read in it."""

    frame: Frame
    reading: TableReading


class Watcher:
    """Watches frames one by one, and reads only those in which something may have changed."""

    def __init__(
        self,
        reader: Reader,
        box: Mapping[Tile, int],
        patience: ConsensusPolicy | None = None,
        idle_seconds: float = 5.0,
        *,
        on_table: OnTable | None = None,
        profile: Profile | None = None,
    ) -> None:
        """Read the tiles of this box; read a table at rest again every `idle_seconds`.

        `profile` is the calibration of camera and table; tiles elsewhere, on racks for example, are left out. Without a
        calibrated table, `on_table` decides which pixels show it.
        """
        self._reader = reader
        self._box = box
        self._patience = patience or ConsensusPolicy()
        self._idle_seconds = idle_seconds
        self._on_table = on_table
        self._known = profile
        self._gate = MotionGate()
        self._changes = ChangeDetector()
        self._bare: BackgroundModel | None = None
        self._table: TableView | None = None
        self._edge = EdgeWatch(TableView())
        self._reach = ReachWatch(TableView())
        self._now = WatchState()
        self._untouched = True
        self._anew = False
        self._gap = False
        self._faces: tuple[Enrolment | None, ...] = ()
        self._due: float | None = None
        self._closer = False
        self.frames = 0
        """The number of frames watched."""
        self.frame: Frame | None = None
        """The newest frame."""
        self.settled: SettledLook | None = None
        """The last look at a settled table; one value, since other threads read it."""
        self.astray = False
        """Whether the camera or the table was pushed and the table has not been located since."""

    @property
    def profile(self) -> Profile | None:
        """The calibration in force, without the table if a push left it unknown."""
        return replace(self._known, table=None) if self._known and self.astray else self._known

    @property
    def seen_at(self) -> float | None:
        """When the newest frame arrived."""
        return None if self.frame is None else self.frame.arrived

    @property
    def settled_frame(self) -> Frame | None:
        """The frame of the last look at a settled table."""
        return None if self.settled is None else self.settled.frame

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._now.moving_since is not None

    def use_box(self, box: Mapping[Tile, int]) -> None:
        """Read the tiles of this box from now on, for another edition."""
        self._box = box

    def use_faces(self, enrolment: Enrolment | None) -> None:
        """Know these faces of the box from the next `watch` on, as the caller may be in another thread."""
        self._faces = (enrolment,)

    def look_for(self, wanted: LookWanted) -> None:
        """Read the next requested frame even if nothing has moved: a verdict will rest on it.

        With `anew`, the table settles again from new looks, at another scale. The next `watch` does this, as the caller
        may be in another thread.
        """
        self._due = self._due if wanted.due is None else wanted.due
        self._anew |= wanted.anew

    def look_after_gap(self) -> None:
        """Treat the next frame as motion: the table may have changed unseen since the last one."""
        self._gap = True

    def watch(self, frame: Frame) -> tuple[Input, ...]:
        """Watch the next frame and return the inputs for the match."""
        self._take_faces(frame)
        rare = self.frame is not None and frame.at - self.frame.at >= _RARE_SECONDS
        self.frame = frame
        self.frames += 1
        table = self._table_in(frame)
        moved = self._gate.moved(frame.small) or self._gap
        now = self._now
        changed = (
            not moved and (now.at_rest or now.again) and self._changes.differs(frame.image, table.mask(frame.image))
        )
        back = self._look_back() if moved or changed else ()
        return (*back, *self._look(frame, moved=moved, changed=changed, at_once=_MAX_AT_ONCE if rare else 1))

    def _take_faces(self, frame: Frame) -> None:
        faces, self._faces = self._faces, ()
        if faces:
            known = self._known or Profile(camera="", size=(frame.image.shape[1], frame.image.shape[0]))
            self._known = replace(known, enrolment=faces[0])

    def _look(self, frame: Frame, *, moved: bool, changed: bool, at_once: int) -> tuple[Input, ...]:
        now = self._now
        at_rest = now.at_rest
        if changed and now.again:  # the table has changed since the new looks began
            self._now = now = replace(
                now, settling=ConsensusState((), now.settling.settled, reported=True), again=False
            )
            self._anew = True
        elif self._anew and not changed:
            at_rest = not self._begin_anew() and at_rest
        if moved:
            return self._watch_moving(frame)
        waited = frame.at - now.read_at
        if (
            at_rest
            and not self._is_due(frame)
            and waited < (now.patience_seconds if changed else now.idle_interval(self._idle_seconds))
        ):
            return ()
        for _ in range(at_once):
            seen = self._read(frame, moving=False, changed=changed)
            if seen or self._now.settling.reported:
                break
        return seen

    def _look_back(self) -> tuple[Input, ...]:
        """Take a second look at the frame to be judged, if the table has changed before that."""
        settled, begun = self.settled, self._anew or self._now.again
        if settled is None or self.moving or not begun or not self._is_due(settled.frame):
            return ()
        self._begin_anew()
        looks = (self._read(settled.frame, moving=False) for _ in range(_MAX_AT_ONCE))
        return next((seen for seen in looks if seen), ())

    def _begin_anew(self) -> bool:
        """Begin looks at another scale, unless motion requires new looks anyway; return whether they begin."""
        self._anew, now = False, self._now
        if anew := now.settling.reported or now.again:
            fresh = now.settling.restarted(now.settling.since)
            self._now = WatchState(fresh, now.calm, now.moving_since, zoom=self._another_zoom(now), again=True)
        return anew

    def _is_due(self, frame: Frame) -> bool:
        due = self._due
        return due is not None and frame.at >= due

    def _table_in(self, frame: Frame) -> TableView:
        """Return the table's region in such frames; a push resets it."""
        if self._table is None:
            known = self.profile and self.profile.scaled((frame.image.shape[1], frame.image.shape[0]))
            self._table = TableView(self._on_table or (known.is_near_table if known and known.table else None))
            self._edge, self._reach = EdgeWatch(self._table), ReachWatch(self._table)
        return self._table

    def _remember(self, frame: Frame, settled: TableReading) -> None:
        """Remember the settled table's appearance, to detect changes."""
        self._bare = update_background(self._bare, settled, frame.image)
        self.settled = SettledLook(frame, settled)
        tile_px = _tile_px(settled)
        small = self._changes.remember(frame.image, tile_px)
        self._reach.remember(small)
        if tile_px and not any(tile.hidden for tile in settled.tiles):
            self._edge.remember(small, settled, self._changes.tile_px)

    def _another_zoom(self, now: WatchState) -> Zoom | None:
        """Return another zoom than the last look's, as a second look at the same scale would repeat its errors."""
        self._closer = not self._closer
        usual = None if now.settling.settled is None else fit_zoom(now.settling.settled)
        return usual and usual._replace(scale=usual.scale * (_CLOSER_SCALE if self._closer else _FARTHER_SCALE))

    def _watch_moving(self, frame: Frame) -> tuple[Input, ...]:
        self._untouched = False
        gap, self._gap = self._gap, False  # through which nobody saw it move
        now = self._now
        since, moved = (frame.at, 0) if gap or now.moving_since is None else (now.moving_since, now.moved)
        if frame.at - since >= RESTLESS_SECONDS and moved >= _RESTLESS_FRAMES:
            self._now = replace(now, moving_since=since)
            return self._read(frame, moving=True)
        settled = now.settling.settled
        zoom = now.zoom if settled is not None and len(settled.tiles) >= _MIN_TILES_FOR_SCALE else None
        fresh = now.settling.restarted(frame.at)
        begins = now.calm or now.moving_since is None
        reached = self._reaches(frame) if begins or not now.reached else True
        self._now = WatchState(fresh, calm=False, moving_since=since, moved=moved + 1, zoom=zoom, reached=bool(reached))
        return (TableMoving(Seconds(frame.at), reached),) if begins or (reached and not now.reached) else ()

    def _read(self, frame: Frame, *, moving: bool, changed: bool = True) -> tuple[Input, ...]:
        """Read the table in this frame and return the resulting inputs."""
        now = self._now
        reading, waits = self._look_for_arm(frame, self._read_table(frame))
        faces = sum(tile.tile is not None for tile in reading.tiles)
        mended = self._complete(reading, frame) if now.settling.reported or now.again else reading
        patience = self._patience
        if now.again:
            patience = patience.shorter(agrees=_shows_all(now.settling.settled, mended))
        settling, settled = add_look(
            now.settling, reading, moving=moving, policy=patience, mended=mended, changed=changed
        )
        looked = replace(
            now,
            settling=settling,
            moving_since=now.moving_since if moving else None,
            read_at=frame.at,
            fullest=now.fullest_with(faces),
        )
        if settled is not None:
            return self._settle(frame, settled, looked, waits=waits)
        disturbed = now.calm and now.settling.reported and not settling.reported
        self._now = self._unsettled(frame, reading, looked, disturbed=disturbed)
        if disturbed:
            return (TableMoving(Seconds(frame.at), self._reaches(frame)),)
        if not (settling.reported and self._now.calm and self._is_due(frame)):
            return ()
        return self._wait(frame) if waits else self._still(frame)

    def _read_table(self, frame: Frame) -> TableReading:
        """Read the table, including places where a change or an earlier look suggests a face."""
        table = self._table_in(frame)
        new = self._changes.changed_quads(frame.image, table.mask(frame.image))
        known = np.concatenate([_faces_in(self._now.settling), new])
        zoom = self._now.next_zoom
        return table.keep_on_table(
            self._reader.read_table(table.mask_surroundings(frame), self._box, zoom, self.profile, known)
        )

    def _settle(self, frame: Frame, settled: TableReading, looked: WatchState, *, waits: bool) -> tuple[Input, ...]:
        """Tell the table that the looks have settled to, unless the camera was pushed or an arm lies over it."""
        if not looked.again and (bumped := self._bumped(frame, settled)) is not None:
            return (bumped,)
        if self.settled is not None:
            settled = keep_rows(self.settled.reading, self._complete(settled, frame))
        settled = rounded(settled)
        if waits:
            return self._wait(frame)
        self._remember(frame, settled)
        self._due = None if self._is_due(frame) else self._due
        self._now = replace(
            looked,
            settling=replace(looked.settling, settled=settled),
            calm=True,
            zoom=fit_zoom(settled),
            settled_at=frame.at,
            patience_seconds=0.0,
            again=False,
        )
        lain_since = SINCE_START if self._untouched else Seconds(looked.settling.looks[0].at)
        self._untouched = False
        return (TableSettled(Seconds(frame.at), lain_since, settled),)

    def _unsettled(self, frame: Frame, reading: TableReading, looked: WatchState, *, disturbed: bool) -> WatchState:
        """Return the state after a look to which nothing new has settled."""
        at_rest, patience_seconds = looked.settling.reported, looked.patience_seconds
        if at_rest:  # what seemed changed is not, and is left alone the longer
            seemed = frame.at - self._now.read_at < self._now.idle_interval(self._idle_seconds) and not self._is_due(
                frame
            )
            patience_seconds = min(max(_FIRST_WAIT, 2 * patience_seconds), self._idle_seconds) if seemed else 0.0
            self._changes.remember(frame.image)
        first = disturbed or looked.moving_since is not None
        return replace(
            looked,
            calm=looked.calm and not disturbed,
            zoom=looked.zoom or fit_zoom(reading),  # looks at one scale agree
            looked=looked.looked if at_rest else 0 if first else looked.looked + 1,
            patience_seconds=patience_seconds,
        )

    def _look_for_arm(self, frame: Frame, reading: TableReading) -> tuple[TableReading, bool]:
        """Return the reading with whether an arm lies over the table, and whether it has rested there, but not long."""
        tiles = (*reading.tiles, *(self.settled.reading.tiles if self.settled else ()))
        since = self._reach.arm_since(frame.image, self._changes.shrunk(frame.image), frame.at, tiles)
        waits = since is not None and frame.at - since < _ARM_SECONDS
        return replace(reading, reached=self._reach.reached), waits

    def _wait(self, frame: Frame) -> tuple[Input, ...]:
        """Begin the looks again: a table under an arm has not settled."""
        now = self._now
        fresh = now.settling.restarted(frame.at)
        self._now = WatchState(fresh, moving_since=now.moving_since, moved=now.moved, zoom=now.zoom)
        return (TableMoving(Seconds(frame.at), self._reach.reached),) if now.calm else ()

    def _reaches(self, frame: Frame) -> bool | None:
        """Return whether something as large as a hand reaches in over the table's edge in this frame."""
        tiles = self.settled.reading.tiles if self.settled else ()
        return self._reach.reaches(frame.image, self._changes.shrunk(frame.image), tiles)

    def _still(self, frame: Frame) -> tuple[Input, ...]:
        """Return the input for a frame that still shows the settled table, which takes over that frame's id."""
        self._due = None
        if self.settled is not None:
            self.settled = SettledLook(frame, replace(self.settled.reading, frame_id=frame.frame_id, at=frame.at))
        return (TableStill(Seconds(frame.at), frame.frame_id),)

    def _complete(self, reading: TableReading, frame: Frame) -> TableReading:
        """Return a reading without the table's own marks, and with the overlooked tiles of the last settled table."""
        settled = self.settled
        if settled is None:
            return reading
        reading = drop_background_marks(reading, frame.image, self._bare)
        return add_occluded(settled.reading, settled.frame.image, reading, frame.image, self._bare, self._edge)

    def _bumped(self, frame: Frame, settled: TableReading) -> CameraBumped | None:
        """Detect a push of camera or table; locate the table again, or else stop ignoring its surroundings."""
        anew = None if self._known is None else relocate_by_markers(self._known, frame.image, lost=self.astray)
        if anew is None:
            before = self.settled
            push = None if before is None else find_shift(before.reading, settled)
            if before is None or push is None:
                return None
            self._on_table = None
            if self._known and not self.astray:
                anew = relocate_by_tiles(self._known, push, before.frame.image, frame.image)
        self._known, self.astray = anew or self._known, anew is None
        self._now, self.settled, self._bare, self._table = WatchState(), None, None, None
        self._changes.forget()
        return CameraBumped(Seconds(frame.at), seen=anew is not None)


def _shows_all(settled: TableReading | None, seen: TableReading) -> bool:
    """Return whether a look shows exactly the settled table, and that without doubts."""
    return settled is not None and not settled.unsure and shows_settled(settled, seen)


def _tile_px(reading: TableReading) -> float | None:
    """Return the median tile width in pixels; None without tiles."""
    widths = [np.hypot(*np.subtract(tile.quad[1], tile.quad[0])) for tile in reading.tiles]
    return float(np.median(widths)) if widths else None


def _faces_in(settling: ConsensusState) -> Floats:
    """Return the quads [n, 4, 2] of sure faces in the last look and in the settled table."""
    readings = [*settling.looks[-1:], *([settling.settled] if settling.settled else [])]
    sure = [tile.quad for reading in readings for tile in reading.tiles if tile.tile is not None and not tile.unsure]
    return np.array(sure, np.float32).reshape(-1, 4, 2)
