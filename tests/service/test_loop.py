"""The loop before a live camera, in real time: press to verdict, a lost camera, a lost disk, a stop.

The pictures are squares on grey, one more for each table, with a sensor's noise; the reader tells the table by counting
them. Everything else is the real thing: camera thread, motion gate, settling, match, journal.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

import numpy as np
import pytest

from referee.errors import CameraError, StorageError
from referee.game.event_parts import Reason
from referee.game.events import ClockRuns, ClockStopped, Judged, LookingAgain, TurnEvent
from referee.game.inputs import CameraBack, CameraLost, MatchStarted, Ticked, TurnEnded
from referee.game.limits import Limits
from referee.game.state import Match, Phase
from referee.hardware.live import LiveCamera
from referee.hardware.ports import Press
from referee.hardware.system import SystemClock
from referee.reading.consensus import ConsensusPolicy
from referee.reading.inputs import Input, LookWanted, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import Layout, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tiles
from referee.rules.verdict import Illegal, Legal
from referee.service.loop import Live, Loop
from referee.settings.config import load_config
from referee.settings.hardware import CameraSettings
from referee.storage.journal import FileJournal, NoJournal, load_journal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import replay_differences
from referee.vision.detect.detection_scale import Zoom, fit_zoom
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.homography import TablePlane
from referee.vision.image.frame import Frame, Image
from referee.vision.profile import Profile
from referee.vision.watch.watcher import Watcher
from tests.conftest import PATIENCE_SECONDS

from ..conftest import comes_true  # isort: skip
from .conftest import masked  # isort: skip

ROWS = ("R10 R11 R12", "B10 K10 O10", "K1 K2 K3", "O5 O6 O7")
LIMIT = 2.0  # so long a busy machine may be without a picture


def picture(rows: int, number: int, *, hand: bool, faint: int = 0) -> Image:
    image = np.full((240, 320, 3), 90, np.uint8)
    for row in range(rows):
        image[20 + 50 * row : 50 + 50 * row, 20:140] = 230
    for row in range(rows, rows + faint):
        image[35 + 50 * row, 80] = 230
    if hand:
        left = 150 + number * 37 % 101
        image[:, left : left + 60] = 160
    noise = np.random.default_rng(number).integers(0, 4, image.shape, np.uint8)
    return np.asarray(image + noise, np.uint8)


class Counter:
    """Reads a table by counting the squares in the picture; `delay` is what a slow machine would take."""

    delay = 0.0

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Any, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        del box, zoom, known
        time.sleep(self.delay)
        rows = sum(int(frame.image[35 + 50 * row, 80, 0]) > 200 for row in range(4))
        return masked(reading(rows, frame), profile)


def reading(rows: int, frame: Frame) -> TableReading:
    tiles = tuple(
        TileReading(quad=((x, y), (x + 27, y), (x + 27, y + 38), (x, y + 38)), tile=tile, confidence=1.0)
        for row in range(rows)
        for place, tile in enumerate(parse_tiles(ROWS[row]))
        for x, y in [(20.0 + 28 * place, 20.0 + 80 * row)]
    )
    layouts = lay_out_tiles(tiles) if tiles else (Layout((), (), 1.0),)
    return TableReading(frame_id=frame.frame_id, at=frame.at, tiles=tiles, layouts=layouts)


class Table:
    """What the camera sees; changed by the test as the players would."""

    def __init__(self) -> None:
        self.rows = 0
        self.faint = 0  # rows that the motion gate overlooks
        self.hand = False
        self.silent = False
        self.frozen = False
        self.number = 0

    def read(self) -> Image:
        time.sleep(0.02)
        if self.silent:
            raise CameraError("camera usb:0 gives no picture")
        self.number += not self.frozen
        return picture(self.rows, self.number, hand=self.hand, faint=self.faint)

    def close(self) -> None:
        return None

    def lay(self, rows: int) -> None:
        self.hand = True
        time.sleep(0.25)
        self.rows = rows
        self.hand = False
        time.sleep(0.6)


class Knob:
    """A button pressed by the test."""

    def __init__(self, clock: SystemClock) -> None:
        self._clock = clock
        self._waiting: list[Press] = []

    def press(self) -> Seconds:
        now = self._clock.now()
        self._waiting.append(Press(now))
        return now

    faults = ()

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        due = tuple(press for press in self._waiting if press.at <= until)
        self._waiting = [press for press in self._waiting if press.at > until]
        return due

    def close(self) -> None:
        return None


class Evening:
    """A referee at work in a thread of its own."""

    def __init__(self, journal: Any = None, *, settle_seconds: float = 10.0) -> None:
        self.clock = SystemClock()
        self.table, self.knob, self.stop = Table(), Knob(self.clock), threading.Event()
        self.told: list[tuple[float, TurnEvent]] = []
        self.entered: list[type[Input]] = []
        self.warnings: list[str] = []
        self.frames = 0
        self.loop = Loop(Match(), journal or NoJournal(), (self,), self.warnings.append, progress=self._frame)
        settings = CameraSettings(
            source="usb:0",
            width=320,
            height=240,
            looks_per_second=10.0,
            mains_hertz=50,
            limit_seconds=LIMIT,
            retry_seconds=0.1,
        )
        camera = LiveCamera("usb:0", lambda: self.table, settings, self.clock)
        patience = ConsensusPolicy(looks=2, quiet_seconds=0.1)
        watcher = Watcher(Counter(), rule_set("original").box, patience, idle_seconds=5.0)
        self.live = Live(camera=camera, button=self.knob, watcher=watcher, clock=self.clock)
        limits = Limits(settle_seconds=settle_seconds)
        start = MatchStarted(at=self.clock.now(), names=("Ann", "Ben"), edition="original", limits=limits)
        self.loop.enter(start)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        self.loop.run_live(self.live, self.stop)
        self.live.camera.close()

    def _frame(self) -> None:
        self.frames += 1

    def publish(self, step: MatchStep) -> None:
        self.entered += [] if isinstance(step.entered, Ticked) else [type(step.entered)]
        self.told += [(self.clock.now(), event) for event in step.events]

    def wait_for(self, kind: type, after: float = 0.0) -> tuple[float, Any]:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            for at, event in self.told:
                if isinstance(event, kind) and at >= after:
                    return at, event
            time.sleep(0.005)
        raise AssertionError(f"no {kind.__name__} came: {self.told}")


@pytest.fixture
def evening() -> Iterator[Evening]:
    evening = Evening()
    yield evening
    evening.stop.set()
    evening.thread.join(PATIENCE_SECONDS)
    assert not evening.thread.is_alive()


def test_from_press_to_verdict_at_a_settled_table(evening: Evening) -> None:
    evening.table.lay(1)
    evening.knob.press()
    _, judged = evening.wait_for(Judged)
    assert (judged.verdict.meld, judged.stands) == (33, True)
    assert evening.frames > 3


def test_hands_that_go_late_hold_the_verdict_but_not_the_press(evening: Evening) -> None:
    evening.table.lay(1)
    evening.table.hand = True
    time.sleep(0.2)
    pressed = evening.knob.press()
    time.sleep(0.5)
    assert not [event for _, event in evening.told if isinstance(event, Judged)]
    evening.table.hand = False
    evening.wait_for(Judged)
    assert evening.loop.match.pressed_at == pressed


@pytest.mark.parametrize("fails", ["silent", "frozen"])
def test_a_camera_that_fails_stops_the_clock_and_its_return_starts_it(evening: Evening, fails: str) -> None:
    time.sleep(0.5)
    setattr(evening.table, fails, True)
    _, stopped = evening.wait_for(ClockStopped)
    assert stopped.reason is Reason.CAMERA
    seen = len(evening.entered)
    setattr(evening.table, fails, False)
    evening.wait_for(ClockRuns)
    assert comes_true(lambda: len(evening.entered) >= seen + 3)
    assert evening.entered[seen:][:3] == [CameraBack, TableMoving, TableSettled]  # nobody saw what happened meanwhile
    evening.table.lay(1)
    evening.knob.press()
    evening.wait_for(Judged)


def test_a_press_is_answered_by_the_table_as_it_lies_when_the_camera_is_back(evening: Evening) -> None:
    """The plug is pulled between press and verdict, under a hand that lays one more row."""
    evening.table.lay(1)
    evening.table.hand = True
    time.sleep(0.2)
    pressed = evening.knob.press()
    evening.table.silent = True
    _, stopped = evening.wait_for(ClockStopped, after=pressed)
    assert stopped.reason is Reason.CAMERA
    evening.table.rows, evening.table.hand = 2, False
    evening.table.silent = False
    _, judged = evening.wait_for(Judged, after=pressed)
    assert (judged.verdict.meld, judged.stands) == (63, True)
    assert evening.loop.match.pressed_at == pressed


def test_a_table_mended_while_the_camera_was_lost_is_looked_at_anew(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody saw it move, and the press that follows is not answered with the old fault."""
    monkeypatch.setitem(globals(), "ROWS", ("O1 O2 O3", "R10 R11 R12"))
    evening.table.lay(1)
    pressed = evening.knob.press()
    _, judged = evening.wait_for(Judged, after=pressed)
    assert isinstance(judged.verdict, Illegal)
    evening.table.silent = True
    stopped, _ = evening.wait_for(ClockStopped, after=pressed)
    evening.table.faint = 1
    evening.table.silent = False
    evening.wait_for(ClockRuns, after=stopped)
    time.sleep(1.1)  # or it counted as one with the first press
    pressed = evening.knob.press()
    _, judged = evening.wait_for(Judged, after=pressed)
    assert (type(judged.verdict), judged.verdict.meld) == (Legal, 39)


def test_a_camera_lost_or_frozen_is_noticed_within_two_seconds() -> None:
    camera = load_config().camera
    two_looks = 2 / camera.looks_per_second  # the last one before, and the one that sees the limit passed
    assert camera.limit_seconds + two_looks <= 2.0


def test_it_stops_when_told_to(evening: Evening) -> None:
    time.sleep(0.3)
    evening.stop.set()
    evening.thread.join(PATIENCE_SECONDS)
    assert not evening.thread.is_alive()


def test_a_look_that_is_being_read_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(settle_seconds=4.0)  # within which even a busy machine begins to read
    try:
        evening.table.lay(1)
        monkeypatch.setattr(Counter, "delay", 5.0)
        evening.wait_for(Judged, after=evening.knob.press())
    finally:
        evening.stop.set()
        evening.thread.join(PATIENCE_SECONDS)
    assert not [event for _, event in evening.told if isinstance(event, LookingAgain | ClockRuns)]


def test_the_clock_is_exact_however_slow_the_reading_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "delay", 2.0)
    evening = Evening()
    late = [evening.clock.now() - evening.loop.match.now for _ in range(60) if time.sleep(0.05) is None]
    evening.stop.set()
    evening.thread.join(PATIENCE_SECONDS)
    assert median(late) < 0.5  # it would be about 1.0 if the clock waited for each reading


def test_what_was_played_live_is_repeated_from_the_journal(tmp_path: Path) -> None:
    evening = Evening(FileJournal(tmp_path / "match-00001.jsonl"))
    for rows in (1, 2):
        evening.table.lay(rows)
        pressed = evening.knob.press()
        evening.wait_for(Judged, after=pressed)
        time.sleep(1.1)
    evening.stop.set()
    evening.thread.join(PATIENCE_SECONDS)
    recorded = load_journal(tmp_path / "match-00001.jsonl")
    assert replay_differences(recorded) == ()
    assert sum(event["event"] == "judged" for entry in recorded.entries for event in entry.events) == 2


class FullDisk:
    """A journal that cannot be kept."""

    def append(self, _step: MatchStep) -> None:
        raise StorageError("journal /x is not kept: the disk is full; make room")

    def close(self) -> None:
        return None


def test_a_full_disk_is_said_once_and_play_goes_on() -> None:
    evening = Evening(FullDisk())
    evening.table.lay(1)
    evening.knob.press()
    evening.wait_for(Judged)
    evening.stop.set()
    evening.thread.join(PATIENCE_SECONDS)
    assert evening.warnings == ["journal /x is not kept: the disk is full; make room"]
    assert evening.loop.unkept == evening.warnings[0]
    assert evening.loop.match.phase is Phase.TURN


# The watcher alone ------------------------------------------------------------------------------------------------


def looks(watcher: Watcher, *shots: tuple[int, bool]) -> list[str]:
    """Show pictures 0.2 s apart; the kinds of what is told."""
    told = []
    for number, (rows, hand) in enumerate(shots):
        told += [
            type(entered).__name__
            for entered in watcher.watch(Frame(f"f{number}", number * 0.2, picture(rows, number, hand=hand)))
        ]
    return told


def new_watcher(**more: Any) -> Watcher:
    return Watcher(Counter(), rule_set("original").box, ConsensusPolicy(looks=3, quiet_seconds=0.3), **more)


def test_a_quiet_table_settles_once() -> None:
    assert looks(new_watcher(), *[(1, False)] * 6) == ["TableSettled"]


def test_hands_unsettle_it_until_they_are_gone() -> None:
    shots = [(1, False)] * 4 + [(1, True)] * 3 + [(2, False)] * 5
    told = looks(new_watcher(), *shots)
    assert told == ["TableSettled", "TableMoving", "TableSettled"]


def test_a_hand_that_moved_before_the_camera_was_lost_has_not_moved_ever_since(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as a table that never rests, the first frame would show the hand."""
    watcher = new_watcher()
    looks(watcher, *[(1, True)] * 8)
    monkeypatch.setattr(Counter, "read_table", lambda *_: pytest.fail("it was read"))
    watcher.look_after_gap()
    watcher.watch(Frame("back", 60.0, picture(1, 99, hand=True)))


def test_a_picture_of_another_size_is_of_a_camera_that_moved() -> None:
    """As from a phone that was turned."""
    watcher = new_watcher()
    assert looks(watcher, *[(1, False)] * 5) == ["TableSettled"]
    turned = picture(1, 9, hand=False).transpose(1, 0, 2).copy()
    assert [type(entered) for entered in watcher.watch(Frame("turned", 1.2, turned))] == [TableMoving]


def test_what_lies_off_the_table_is_left_out() -> None:
    watcher = new_watcher(on_table=lambda points: [y < 70 for _, y in points])
    looks(watcher, *[(2, False)] * 4)
    settled = watcher.settled and watcher.settled.reading
    assert settled is not None
    assert [str(tile.tile) for tile in settled.tiles] == ["R10", "R11", "R12"]


def test_what_lies_off_the_table_is_not_even_read() -> None:
    """Faces on racks, seen aslant, would tell wrongly how large and how clear the tiles of the table are."""

    class Seen(Counter):
        images: ClassVar[list[Image]] = []

        def read_table(self, frame: Frame, *words: Any, **more: Any) -> TableReading:
            self.images.append(frame.image)
            return super().read_table(frame, *words, **more)

    watcher = Watcher(Seen(), {}, on_table=lambda points: [y < 120 for _, y in points])
    looks(watcher, (4, False))
    (image,) = Seen.images
    assert image[:120].min() > 0, "the table"
    assert image[170:].max() == 0, "beside it, but for the half of a tile"
    assert watcher.frame is not None
    assert watcher.frame.image[170:].min() > 0, "the frame itself is left alone"


def test_the_profile_says_where_the_table_ends() -> None:
    upper = TablePlane(
        homography=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        outline=((0.0, 0.0), (320.0, 0.0), (320.0, 70.0), (0.0, 70.0)),
        error_mm=None,
        source="points",
        tile_mm=None,
    )
    watcher = new_watcher(profile=Profile(camera="usb:0", size=(320, 240), table=upper))
    looks(watcher, *[(2, False)] * 4)
    settled = watcher.settled and watcher.settled.reading
    assert settled is not None
    assert [str(tile.tile) for tile in settled.tiles] == ["R10", "R11", "R12"]


def test_a_fresh_look_is_taken_when_asked_for() -> None:
    watcher = new_watcher()
    looks(watcher, *[(1, False)] * 4)
    watcher.look_for(LookWanted(anew=True))
    assert TableSettled.__name__ in looks(watcher, *[(1, False)] * 4)
    assert TableMoving.__name__ not in looks(watcher, *[(1, False)] * 4)


class Unmoved(Counter):
    """Reads so many rows whatever the picture shows, as of a change that nothing in the picture gave away."""

    rows = 1

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Any, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        del box, zoom, profile, known
        return reading(self.rows, frame)


def seen_from(watcher: Watcher, *times: float) -> list[Input]:
    """Show pictures of one row at these times; what is told."""
    return [
        entered
        for at in times
        for entered in watcher.watch(Frame(f"at {at:g}", at, picture(1, round(10 * at), hand=False)))
    ]


@pytest.mark.parametrize("apart", [0.2, 0.5, 1.0, 2.0])
def test_a_table_that_had_settled_is_confirmed_by_the_first_frame_from_the_press_on(apart: float) -> None:
    watcher = new_watcher()
    seen_from(watcher, *[apart * number for number in range(8)])
    watcher.look_for(LookWanted(due=Seconds(8 * apart)))
    still = TableStill(Seconds(8 * apart), f"at {8 * apart:g}")
    assert seen_from(watcher, 8 * apart - 0.01, 8 * apart, 9 * apart) == [still]
    assert watcher.settled is not None
    assert (watcher.settled.frame.frame_id, watcher.settled.reading.frame_id) == (still.frame_id, still.frame_id)


def test_what_changed_unnoticed_is_not_confirmed_but_settles_anew() -> None:
    reader = Unmoved()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    seen_from(watcher, 0.0, 0.2, 0.4, 0.6)
    reader.rows = 2
    watcher.look_for(LookWanted(due=Seconds(0.8)))
    assert [type(entered) for entered in seen_from(watcher, 0.8, 1.0, 1.2)] == [TableMoving, TableSettled]
    assert watcher.settled is not None
    assert (len(watcher.settled.reading.tiles), watcher.settled.reading.at) == (6, 1.2)


def test_where_frames_are_rare_two_of_a_hand_are_no_lamp_that_flickers() -> None:
    watcher = new_watcher()
    shots = [(0.0, False), (1.0, False), (2.0, False), (3.0, True), (6.0, True), (7.0, False)]
    for at, hand in shots:
        watcher.watch(Frame(f"at {at:g}", at, picture(1, round(10 * at), hand=hand)))
    told = [type(entered) for entered in seen_from(watcher, 8.0, 9.0, 10.0)]
    assert told == [TableSettled]


def test_no_game_begins_with_a_running_clock_while_the_camera_is_lost() -> None:
    loop = Loop(Match(), NoJournal(), (), print)
    loop.enter(CameraLost(Seconds(1.0)))
    loop.enter(MatchStarted(at=Seconds(2.0), names=("Ann", "Ben"), edition="original"))
    assert (loop.match.pauses.halted, loop.match.play.clock.since) == ({Reason.CAMERA}, None)
    loop.enter(CameraBack(Seconds(9.0)))
    assert (loop.match.pauses.halted, loop.match.play.clock.left_at(Seconds(10.0))) == (set(), 59.0)


class Counted(Counter):
    """Keeps when it was asked to read, and how near; overlooks tiles, others or none by where the grid falls."""

    def __init__(self, overlooked: Mapping[int, Sequence[int]] | None = None) -> None:
        """Overlook at each shift the tiles of these numbers."""
        self.asked: list[tuple[float, Zoom | None]] = []
        self.known: list[Floats | None] = []
        self.overlooked = overlooked or {}

    def read_table(
        self,
        frame: Frame,
        box: Mapping[Any, int] | None = None,
        zoom: Zoom | None = None,
        profile: Profile | None = None,
        known: Floats | None = None,
    ) -> TableReading:
        self.asked.append((frame.at, zoom))
        self.known.append(known)
        whole = super().read_table(frame, box, zoom, profile, known)
        missed = self.overlooked.get(0 if zoom is None else zoom.shift, ())
        tiles = tuple(tile for index, tile in enumerate(whole.tiles) if index not in missed)
        return replace(whole, tiles=tiles, layouts=lay_out_tiles(tiles))


def test_a_table_long_at_rest_is_read_ever_more_seldom() -> None:
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3), idle_seconds=5.0)
    looks(watcher, *[(1, False)] * 500)
    again = [round(at, 1) for at, _ in reader.asked[3:]]
    assert again == [5.4, 10.4, 20.4, 40.4, 60.4, 80.4]


def test_looks_at_tiles_that_have_not_settled_yet_are_at_one_scale_and_three_shifts() -> None:
    """A camera that leans finds other tiles at every scale, and looks that differ never settle."""
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    assert TableSettled.__name__ in looks(watcher, *[(0, False)] * 4, *[(1, True)] * 2, *[(1, False)] * 4)
    usual = fit_zoom(reading(1, Frame("f", 1.0, picture(1, 1, hand=False))))
    assert usual is not None
    assert [zoom for _, zoom in reader.asked] == [None] * 4 + [usual._replace(shift=shift) for shift in (10, 21)]


@pytest.mark.parametrize(("apart", "at_once"), [(0.2, 1), (0.5, 3), (1.0, 3)])
def test_where_frames_are_rare_all_looks_are_taken_at_one_that_is_like_the_frame_before(
    apart: float, at_once: int
) -> None:
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    shots = [(0, False)] * 4 + [(0, True)] * 2 + [(1, False)] * 4
    told = [
        (type(entered).__name__, number)
        for number, (rows, hand) in enumerate(shots)
        for entered in watcher.watch(Frame(f"f{number}", number * apart, picture(rows, number, hand=hand)))
    ]
    first_still = 7  # frame 6 is the first without a hand, and differs from frame 5
    assert told[-1] == ("TableSettled", first_still + 3 - at_once)
    last = [at for at, _ in reader.asked if at >= first_still * apart]
    assert last == [(first_still + look // at_once) * apart for look in range(3)]
    shifts = [zoom.shift for _, zoom in reader.asked[-3:] if zoom is not None]
    assert len(set(shifts)) == len(shifts)


def test_a_fresh_look_that_was_asked_for_lapses_once_something_moves() -> None:
    """What is asked for is a second look at what lay there; another table needs all its looks."""
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    looks(watcher, *[(1, False)] * 4, (1, True))
    watcher.look_for(LookWanted(anew=True))
    before = len(reader.asked)
    told = looks(watcher, (1, True), *[(2, False)] * 5)
    assert told == [TableSettled.__name__]
    assert len(reader.asked) == before + 3


def test_a_table_at_rest_is_looked_at_as_it_was_last() -> None:
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3), idle_seconds=1.0)
    looks(watcher, *[(1, False)] * 20)
    shifts = [0 if zoom is None else zoom.shift for _, zoom in reader.asked]
    assert len(shifts) > 4
    assert shifts == [0, 10, *[21] * (len(shifts) - 2)]


def test_a_look_knows_where_the_last_one_and_the_settled_table_showed_faces() -> None:
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3), idle_seconds=1.0)
    looks(watcher, *[(1, False)] * 8, *[(1, True)] * 2, *[(2, False)] * 3)
    faces = [0 if known is None else len({tuple(quad.mean(axis=0)) for quad in known}) for known in reader.known]
    assert faces[:2] == [0, 3], "nothing at first, then what the first look showed"
    assert faces[-3:] == [3, 3, 6], "the table as it last settled, then what was laid since too"


def test_under_motion_that_never_rests_every_look_is_the_same() -> None:
    """A flickering lamp is outvoted by looks that agree in everything."""
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    told = looks(watcher, *[(1, True)] * 40)
    assert told.count(TableSettled.__name__) == 1
    zooms = {zoom for _, zoom in reader.asked if zoom is not None}
    assert [zoom.shift for zoom in zooms] == [0]


@pytest.mark.parametrize(
    ("overlooked", "read"),
    [
        ({0: [0]}, "R10 R11 R12"),
        ({10: [1]}, "R10 R11 R12"),
        ({21: [2]}, "R10 R11 R12"),
        ({21: [1, 2]}, "R10 R11 R12"),
        ({0: [0], 10: [1, 2], 21: [1, 2]}, "R11 R12"),
    ],
    ids=["first", "second", "third", "two at the last shift", "at every shift another one"],
)
def test_a_table_of_which_looks_overlook_something_settles_and_stays_so(
    overlooked: Mapping[int, Sequence[int]], read: str
) -> None:
    """Tiles that come and go on a small table pass for a change: then looks as the fullest one was settle it."""
    watcher = Watcher(Counted(overlooked), {}, ConsensusPolicy(looks=3, quiet_seconds=0.3), idle_seconds=1.0)
    told = looks(watcher, *[(1, False)] * 40)
    assert watcher.settled is not None
    assert sorted(str(tile.tile) for tile in watcher.settled.reading.tiles) == read.split()
    assert told == [TableSettled.__name__]


@pytest.mark.parametrize(("rows", "searches"), [(1, 1), (3, 0)], ids=["of three tiles", "of nine"])
def test_the_scale_of_few_things_is_found_anew_once_something_has_moved(rows: int, searches: int) -> None:
    """A box lid that lay there first may have passed for a tile; at its scale the tiles laid later are overlooked."""
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    looks(watcher, *[(rows, False)] * 4)
    before = len(reader.asked)
    assert TableSettled.__name__ in looks(watcher, *[(rows, True)] * 2, *[(4, False)] * 8)
    assert [zoom for _, zoom in reader.asked[before:]].count(None) == searches


def test_a_fresh_look_at_a_table_beyond_doubt_is_one_at_another_scale_and_then_at_a_third() -> None:
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    looks(watcher, *[(1, False)] * 4)
    scales = {zoom.scale for _, zoom in reader.asked if zoom is not None}
    for _ in range(2):
        watcher.look_for(LookWanted(anew=True))
        before = len(reader.asked)
        assert TableSettled.__name__ in looks(watcher, *[(1, False)] * 3)
        fresh = [zoom for _, zoom in reader.asked[before:]]
        assert [zoom.shift for zoom in fresh if zoom is not None] == [0]
        scales |= {zoom.scale for zoom in fresh if zoom is not None}
    assert len(scales) == 3


@pytest.mark.parametrize("after", [(2, True), (2, False)])
def test_the_frame_that_is_judged_is_looked_at_again_once_the_table_has_changed(after: tuple[int, bool]) -> None:
    """Quick hands take the tiles back before the second look: what lay there at the press is judged all the same."""
    reader = Counted()
    watcher = Watcher(reader, {}, ConsensusPolicy(looks=3, quiet_seconds=0.3))
    looks(watcher, *[(1, False)] * 4)
    settled = watcher.settled_frame
    assert settled is not None
    watcher.look_for(LookWanted(due=Seconds(settled.at)))
    watcher.look_for(LookWanted(anew=True))
    before = len(reader.asked)
    rows, hand = after
    told = watcher.watch(Frame("later", 9.0, picture(rows, 9, hand=hand)))
    assert [type(entered) for entered in told] == [TableSettled, TableMoving]
    assert isinstance(told[0], TableSettled)
    assert (told[0].at, told[0].reading.frame_id, len(told[0].reading.tiles)) == (settled.at, settled.frame_id, 3)
    (at, zoom), *_ = reader.asked[before:]
    assert at == settled.at
    assert zoom is not None
    assert zoom.scale not in {asked.scale for _, asked in reader.asked[:before] if asked is not None}


class Asked:
    """Is asked for looks."""

    def __init__(self) -> None:
        self.wanted: list[LookWanted] = []

    def look_for(self, wanted: LookWanted) -> None:
        self.wanted.append(wanted)


def test_a_doubt_is_looked_at_until_its_wait_is_over() -> None:
    asked = Asked()
    loop = Loop(Match(), NoJournal(), (), print, look_requester=asked)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original"))
    doubtful = reading(1, Frame("f", 1.0, picture(1, 1, hand=False)))
    ten, *others = doubtful.tiles
    unsure = replace(ten, confidence=0.5, alternatives=((parse_tiles("B3")[0], 0.4),), unsure=True)
    doubtful = replace(doubtful, tiles=(unsure, *others))
    loop.enter(TableSettled(Seconds(1.4), Seconds(1.0), doubtful))
    loop.enter(TurnEnded(Seconds(2.0)))
    assert asked.wanted == [LookWanted(due=Seconds(2.0))]
    for at in (2.2, 2.8, 3.4):
        loop.enter(TableSettled(Seconds(at), Seconds(at - 0.4), doubtful))
    assert loop.match.phase is Phase.DOUBT
    assert asked.wanted[1:] == 3 * [LookWanted(anew=True)]
    loop.enter(Ticked(Seconds(30.0)))
    assert loop.match.phase is Phase.TURN
