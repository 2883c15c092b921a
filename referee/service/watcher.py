"""The watcher: from frames to what the match needs to know: the table moves, has settled, or lies still."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from referee.game.events import LookWanted
from referee.game.inputs import SINCE_START, CameraBumped, Input, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.consensus import ConsensusPolicy, ConsensusState, add_look, agrees
from referee.reading.observation import TableReading, TileReading, rounded
from referee.reading.tracks import keep_rows, match_by_place
from referee.rules.tiles import Tile
from referee.service.watching import Watching
from referee.vision.detect.detection_scale import Zoom, fit_zoom
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Frame
from referee.vision.profile import Profile
from referee.vision.watch.background_model import BareTable, look_under
from referee.vision.watch.camera_shift import moved_along, push_of, recalibrated
from referee.vision.watch.change import ChangeDetector
from referee.vision.watch.motion import MotionGate
from referee.vision.watch.occlusion import add_occluded, without_marks
from referee.vision.watch.picture_edge import EdgeWatch
from referee.vision.watch.reach import ReachWatch
from referee.vision.watch.table_region import OnTable, TableView

RESTLESS_SECONDS = 2.0  # motion that lasts longer may be no motion at all but a flickering lamp: then look anyway
_RESTLESS_FRAMES = 5  # of it: where frames are rare, two of them with a hand in them are a hand
_RARE_SECONDS = 0.35  # frames so far apart: all looks that a table needs are taken at one of them
_MAX_AT_ONCE = 3  # looks

_CLOSER_SCALE, _FARTHER_SCALE = 1.3, 0.8  # times the usual scale
_MIN_TILES_FOR_SCALE = 8  # the scale of fewer is not kept: a box lid may have passed for one of them
_ARM_SECONDS = 3.0  # for which an arm at rest over the table is waited for
_FIRST_WAIT = 0.5  # seconds for which a place that seemed changed is left alone at first


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


class Watcher:
    """Looks at frames one by one; reads only those in which something may have changed."""

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
        """Read with this reader the tiles of this box; read a table at rest anew every `idle_seconds`.

        `profile` is what calibration found out about this camera and table: what lies elsewhere, on racks say, is left
        out. `on_table` tells of pixels whether they show the table, where no calibration does.
        """
        self._reader = reader
        self._box = box
        self._patience = patience or ConsensusPolicy()
        self._idle_seconds = idle_seconds
        self._on_table = on_table
        self._known = profile
        self._gate = MotionGate()
        self._changes = ChangeDetector()
        self._bare: BareTable | None = None
        self._table: TableView | None = None
        self._edge = EdgeWatch(TableView())
        self._reach = ReachWatch(TableView())
        self._now = Watching()
        self._untouched = True
        self._anew = False
        self._gap = False
        self._due: float | None = None
        self._closer = False
        self.frames = 0
        self.seen_at: float | None = None
        """How many frames were looked at, and when the last one was taken."""
        self.frame: Frame | None = None
        """The newest frame."""
        self.settled_frame: Frame | None = None
        self.last_reading: TableReading | None = None
        """The frame in which the table last settled, and what was read in it."""
        self.astray = False
        """Whether camera or table was pushed, and nothing has told since where the table lies."""

    @property
    def profile(self) -> Profile | None:
        """What is known of camera and table now; without a table where a push left it unknown."""
        return replace(self._known, table=None) if self._known and self.astray else self._known

    @property
    def moving(self) -> bool:
        """Whether something moves over the table."""
        return self._now.moving_since is not None

    def use_box(self, box: Mapping[Tile, int]) -> None:
        """Read the tiles of this box from now on: another edition is played."""
        self._box = box

    def look_for(self, wanted: LookWanted) -> None:
        """Read the next frame that is wanted, though nothing may have moved: a verdict is to rest on it.

        `anew`: the looks so far are forgotten, and the table settles again from fresh ones, at another scale. The next
        `watch` does so: the caller may be in another thread.
        """
        self._due = self._due if wanted.due is None else wanted.due
        self._anew |= wanted.anew

    def look_after_gap(self) -> None:
        """Take the next frame for motion: nobody saw what happened to the table since the last one."""
        self._gap = True

    def watch(self, frame: Frame) -> tuple[Input, ...]:
        """Look at the next frame and give what the match should be told of it."""
        self.frames += 1
        rare = self.seen_at is not None and frame.at - self.seen_at >= _RARE_SECONDS
        self.seen_at = frame.at
        self.frame = frame
        table = self._table_in(frame)
        gap, self._gap = self._gap, False
        moved = self._gate.moved(frame.small) or gap
        now = self._now
        changed = (
            not moved and (now.at_rest or now.again) and self._changes.differs(frame.image, table.mask(frame.image))
        )
        back = self._look_back() if moved or changed else ()
        return (*back, *self._look(frame, moved=moved, changed=changed, at_once=_MAX_AT_ONCE if rare else 1))

    def _look(self, frame: Frame, *, moved: bool, changed: bool, at_once: int) -> tuple[Input, ...]:
        now = self._now
        at_rest = now.at_rest
        if changed and now.again:  # what lies there is no longer what was to be looked at anew
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
            and waited < (now.patience_seconds if changed else now.rest(self._idle_seconds))
        ):
            return ()
        for _ in range(at_once):
            seen = self._read(frame, moving=False, changed=changed)
            if seen or self._now.settling.reported:
                break
        return seen

    def _look_back(self) -> tuple[Input, ...]:
        """Look anew at the frame that is to be judged, where the table has changed before it was looked at twice."""
        frame, begun = self.settled_frame, self._anew or self._now.again
        if frame is None or self.moving or not begun or not self._is_due(frame):
            return ()
        self._begin_anew()
        looks = (self._read(frame, moving=False) for _ in range(_MAX_AT_ONCE))
        return next((seen for seen in looks if seen), ())

    def _begin_anew(self) -> bool:
        """Begin looks at another scale, unless what moved meanwhile is about to be looked at anyway."""
        self._anew, now = False, self._now
        if anew := now.settling.reported or now.again:
            fresh = ConsensusState((), now.settling.settled, since=now.settling.since)
            self._now = Watching(fresh, now.calm, now.moving_since, zoom=self._other(now), again=True)
        return anew

    def _is_due(self, frame: Frame) -> bool:
        due = self._due
        return due is not None and frame.at >= due

    def _table_in(self, frame: Frame) -> TableView:
        """Return where such frames show the table; found anew when the camera was pushed."""
        if self._table is None:
            known = self.profile and self.profile.scaled((frame.image.shape[1], frame.image.shape[0]))
            self._table = TableView(self._on_table or (known.is_near_table if known and known.table else None))
            self._edge, self._reach = EdgeWatch(self._table), ReachWatch(self._table)
        return self._table

    def _remember(self, frame: Frame, settled: TableReading) -> None:
        """Keep how the settled table looks, to see what changes."""
        self._bare = look_under(self._bare, settled, frame.image)
        self.settled_frame, self.last_reading = frame, settled
        tile_px = _tile_px(settled)
        small = self._changes.remember(frame.image, tile_px)
        self._reach.remember(small)
        if tile_px and not any(tile.hidden for tile in settled.tiles):
            self._edge.remember(small, settled, self._changes.tile_px)

    def _other(self, now: Watching) -> Zoom | None:
        """Return a scale other than the last look's: a second look at the same one would err alike."""
        self._closer = not self._closer
        usual = None if now.settling.settled is None else fit_zoom(now.settling.settled)
        return usual and usual._replace(scale=usual.scale * (_CLOSER_SCALE if self._closer else _FARTHER_SCALE))

    def _watch_moving(self, frame: Frame) -> tuple[Input, ...]:
        self._untouched = False
        now = self._now
        since, moved = (frame.at, 0) if now.moving_since is None else (now.moving_since, now.moved)
        if frame.at - since >= RESTLESS_SECONDS and moved >= _RESTLESS_FRAMES:
            self._now = replace(now, moving_since=since)
            return self._read(frame, moving=True)
        settled = now.settling.settled
        zoom = now.zoom if settled is not None and len(settled.tiles) >= _MIN_TILES_FOR_SCALE else None
        fresh = ConsensusState((), settled, since=frame.at)
        self._now = Watching(fresh, calm=False, moving_since=since, moved=moved + 1, zoom=zoom)
        return (TableMoving(Seconds(frame.at)),) if now.calm or now.moving_since is None else ()

    def _read(self, frame: Frame, *, moving: bool, changed: bool = True) -> tuple[Input, ...]:
        """Take one look at the table in this frame, and give what it tells."""
        now = self._now
        reading = self._read_table(frame)
        faces = sum(tile.tile is not None for tile in reading.tiles)
        mended = self._mended(reading, frame) if now.settling.reported or now.again else reading
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
            return self._settle(frame, settled, looked)
        disturbed = now.calm and now.settling.reported and not settling.reported
        self._now = self._unsettled(frame, reading, looked, disturbed=disturbed)
        if disturbed:
            return (TableMoving(Seconds(frame.at)),)
        if not (settling.reported and self._now.calm and self._is_due(frame)):
            return ()
        return self._wait(frame) if self._waits_for_arm(frame, mended) else self._still(frame)

    def _read_table(self, frame: Frame) -> TableReading:
        """Read what lies on the table, also where only something new or an earlier look says that a face may lie."""
        table = self._table_in(frame)
        new = self._changes.places(frame.image, table.mask(frame.image))
        known = np.concatenate([_faces_in(self._now.settling), new])
        zoom = self._now.looks_at
        return table.keep(self._reader.read_table(table.alone(frame), self._box, zoom, self.profile, known))

    def _settle(self, frame: Frame, settled: TableReading, looked: Watching) -> tuple[Input, ...]:
        """Tell the table that the looks have settled to, unless the camera was pushed or an arm lies over it."""
        if not looked.again and (bumped := self._bumped(frame, settled)) is not None:
            return (bumped,)
        if self.last_reading is not None:
            settled = keep_rows(self.last_reading, self._mended(settled, frame))
        settled = rounded(settled)
        if self._waits_for_arm(frame, settled):
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

    def _unsettled(self, frame: Frame, reading: TableReading, looked: Watching, *, disturbed: bool) -> Watching:
        """Return the state after a look to which nothing new has settled."""
        at_rest, patience_seconds = looked.settling.reported, looked.patience_seconds
        if at_rest:  # what seemed changed is not, and is left alone the longer
            seemed = frame.at - self._now.read_at < self._now.rest(self._idle_seconds) and not self._is_due(frame)
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

    def _waits_for_arm(self, frame: Frame, reading: TableReading) -> bool:
        """Return whether an arm rests over the table, and has not done so for long."""
        gone = _lacking(self.last_reading, reading)
        seen = (tile for tile in reading.tiles if not tile.hidden)
        small = self._changes.shrunk(frame.image)
        since = self._reach.reaches_since(frame.image, small, frame.at, (*seen, *gone))
        return since is not None and frame.at - since < _ARM_SECONDS

    def _wait(self, frame: Frame) -> tuple[Input, ...]:
        """Begin the looks anew: what an arm lies over has not settled."""
        now = self._now
        fresh = ConsensusState((), now.settling.settled, since=frame.at)
        self._now = Watching(fresh, moving_since=now.moving_since, moved=now.moved, zoom=now.zoom)
        return (TableMoving(Seconds(frame.at)),) if now.calm else ()

    def _still(self, frame: Frame) -> tuple[Input, ...]:
        """Return the input for a frame that shows the settled table, which takes that frame's name from now on."""
        self._due, self.settled_frame = None, frame
        if self.last_reading is not None:
            self.last_reading = replace(self.last_reading, frame_id=frame.frame_id, at=frame.at)
        return (TableStill(Seconds(frame.at), frame.frame_id),)

    def _mended(self, reading: TableReading, frame: Frame) -> TableReading:
        """Return a reading without the table's own marks, and with what it overlooks of the table that settled last."""
        if self.last_reading is None or self.settled_frame is None:
            return reading
        reading = without_marks(reading, frame.image, self._bare)
        return add_occluded(self.last_reading, self.settled_frame.image, reading, frame.image, self._bare, self._edge)

    def _bumped(self, frame: Frame, settled: TableReading) -> CameraBumped | None:
        """Notice that the camera was pushed; places are then found anew, or else nothing is left out any more."""
        anew = None if self._known is None else recalibrated(self._known, frame.image, lost=self.astray)
        if anew is None:
            push = None if self.last_reading is None else push_of(self.last_reading, settled)
            if push is None:
                return None
            self._on_table = None
            if self._known and self.settled_frame and not self.astray:
                anew = moved_along(self._known, push, self.settled_frame.image, frame.image)
        self._known, self.astray = anew or self._known, anew is None
        self._now, self.last_reading, self.settled_frame, self._bare = Watching(), None, None, None
        self._table = None
        self._changes.forget()
        return CameraBumped(Seconds(frame.at), seen=anew is not None)


def _lacking(before: TableReading | None, now: TableReading) -> list[TileReading]:
    """Return the tiles of a reading of which nothing lies in their places now."""
    return [tile for tile, there in match_by_place(before.tiles, now.tiles) if there is None] if before else []


def _shows_all(settled: TableReading | None, seen: TableReading) -> bool:
    """Return whether a look shows what had settled beyond doubt."""
    return settled is not None and not settled.unsure and agrees(settled, seen)


def _tile_px(reading: TableReading) -> float | None:
    """Return how wide most tiles are in the picture."""
    widths = [np.hypot(*np.subtract(tile.quad[1], tile.quad[0])) for tile in reading.tiles]
    return float(np.median(widths)) if widths else None


def _faces_in(settling: ConsensusState) -> Floats:
    """Return where faces were seen for sure [n, 4, 2], by the last look and by those that settled before it."""
    readings = [*settling.looks[-1:], *([settling.settled] if settling.settled else [])]
    sure = [tile.quad for reading in readings for tile in reading.tiles if tile.tile is not None and not tile.unsure]
    return np.array(sure, np.float32).reshape(-1, 4, 2)
