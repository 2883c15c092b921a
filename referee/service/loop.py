"""The loop that owns the match: it takes inputs one by one, journals them, and publishes what follows.

Everything that happens becomes an input and reaches the match through `enter`, from one thread. With a live camera, a
worker thread captures and reads, and only puts inputs on a queue; the loop polls the queue and the buttons every few
milliseconds and lets time pass. With a recorded or simulated camera there is no worker and no waiting: frames carry
their own time, and earlier presses and ticks are entered before each, so the same recording gives the same match on any
machine.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Protocol

from referee.errors import CameraError, CameraHeldError, StorageError
from referee.game.events import GameStarted, RacksShown, TurnTakenBack
from referee.game.inputs import CameraBack, CameraLost, MatchEnded, Ticked
from referee.game.state import Match, Phase
from referee.hardware.ports import Button, Camera, Clock, EndOfFrames, Journal, NoOrganiser, Organiser, Publisher
from referee.log_limit import LogLimit
from referee.reading.inputs import Input, LookWanted, Seconds
from referee.service.button_mapping import meaning
from referee.service.idle_detection import IdleDetection
from referee.service.initial_meld_check import racks_to_score
from referee.storage.match_step import MatchStep
from referee.vision.image.frame import Frame
from referee.vision.watch.watcher import Watcher

POLL_SECONDS = 0.02
CHECKPOINT_SECONDS = 5.0  # between journal entries of an idle turn, so that its clock is nearly right after a power cut
JOIN_SECONDS = 3.0
RETRY_SECONDS = 0.1


class LookRequester(Protocol):
    """Receives the looks that the match asks for; must not block."""

    def look_for(self, wanted: LookWanted) -> None:
        """Read the table as asked, though nothing may have moved."""


class Loop:
    """The owner of a match."""

    def __init__(
        self,
        match: Match,
        journal: Journal,
        publishers: tuple[Publisher, ...],
        warn: Callable[[str], None],
        organiser: Organiser | None = None,
        *,
        look_requester: LookRequester | None = None,
        idle_detection: IdleDetection | None = None,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        """Continue this match; `publishers` receive its events, `warn` the problems that affect the referee.

        `look_requester` receives look requests if frames are taken one by one (`take`); otherwise the watcher does.
        `idle_detection` pauses an unattended match; None for a recording. `progress` feeds a watchdog: it is called
        after each frame, and while the loop waits for a recorded one.
        """
        self.match = match
        self._journal = journal
        self._publishers = publishers
        self._warn = warn
        self._organiser = organiser or NoOrganiser()
        self._written_at = Seconds(0.0)
        self._unwritten: MatchStep | None = None
        self._frame_at: Seconds | None = None  # of the frame that a worker reads
        self._unkept_limit = LogLimit()
        self.unkept: str | None = None
        """Why the journal cannot be written; None if it can."""
        self._blind = False
        self._looker = look_requester
        self._idle_detection = idle_detection
        self._progress = progress

    def enter(self, entered: Input) -> None:
        """Take one input: step, write the journal, then publish; whatever is published is already on the disk."""
        step = MatchStep.of(self.match, entered)
        self.match = step.match
        if step.wanted is not None and self._looker is not None:
            self._looker.look_for(step.wanted)
        if isinstance(entered, Ticked) and not step.events and self._may_stay_unwritten(step):
            self._unwritten = step
        else:
            self._write_with_time(step)
        for publisher in self._publishers:
            publisher.publish(step)
        self._follow(step)

    def _may_stay_unwritten(self, step: MatchStep) -> bool:
        """Return whether a tick moved nothing but the time, and no clock runs, or its entry is recent."""
        if replace(step.earlier, now=step.match.now) != step.match:
            return False
        stands = step.earlier.play.clock.time_of(0.0) is None  # a stopped clock needs no entries
        return stands or step.entered.at - self._written_at < CHECKPOINT_SECONDS

    def _write_with_time(self, step: MatchStep) -> None:
        """Write a step after the last unwritten tick: what was due at the step happened no earlier than then."""
        if self._unwritten is not None:
            self._write(self._unwritten)
        self._unwritten = None
        self._write(step)

    def _follow(self, step: MatchStep) -> None:
        """Enter the inputs that follow from a step automatically."""
        entered, events = step.entered, step.events
        for event in events:
            if isinstance(event, RacksShown):
                self.enter(racks_to_score(self.match, event))
        if isinstance(entered, CameraLost | CameraBack):
            self._blind = isinstance(entered, CameraLost)
        elif self._blind and any(isinstance(event, GameStarted | TurnTakenBack) for event in events):
            self.enter(CameraLost(entered.at))  # no clock runs while the camera is lost
        if (
            self._idle_detection is not None
            and (gone := self._idle_detection.pause_if_idle(entered, events, self.match)) is not None
        ):
            self._warn("nobody pressed or laid a tile for a whole round: a break; a press of the button goes on")
            self.enter(gone)

    def _write(self, step: MatchStep) -> None:
        self._written_at = step.entered.at
        try:
            self._journal.append(step)
        except StorageError as error:  # a match continues without its journal, but not silently
            self.unkept = str(error)
            if self._unkept_limit.may_log(self.unkept, step.entered.at):
                self._warn(self.unkept)
        else:
            self.unkept = None
            self._unkept_limit.end()

    def enter_presses(self, button: Button, until: Seconds) -> None:
        """Take the presses up to a time, and then the organiser's commands."""
        for press in button.presses(until):
            anew = None if self._idle_detection is None else self._idle_detection.meaning(press, self.match)
            for entered in anew or (meaning(press, self.match),):
                self.enter(entered)
        for command in self._organiser.poll(until):
            self.enter(command)

    def wait(self, button: Button, clock: Clock, until: Seconds, stop: threading.Event) -> None:
        """Let time pass without a frame, still taking presses and commands."""
        while not stop.is_set() and (now := clock.now()) < until:
            self.enter_presses(button, now)
            self.enter(Ticked(now))
            self._progress()
            stop.wait(min(POLL_SECONDS, until - now))

    # Recorded and simulated cameras -------------------------------------------------------------------------------

    def run_recorded(
        self,
        camera: Camera,
        button: Button,
        watcher: Watcher,
        stop: threading.Event,
        after: Seconds | None = None,
        *,
        pace: Clock | None = None,
    ) -> None:
        """Play a recording to its end, skipping frames up to `after`; no faster than `pace`, if given."""
        self._looker = watcher
        while not stop.is_set() and self.match.phase is not Phase.MATCH_OVER:
            try:
                frame = camera.capture()
            except EndOfFrames:
                self.enter(MatchEnded(self.match.now, cut=True))
                return
            if after is not None and frame.at <= after:
                button.presses(Seconds(frame.at))
                self._progress()
            else:
                if pace is not None:
                    self.wait(button, pace, Seconds(frame.at), stop)
                self.take(frame, button, watcher)

    def take(self, frame: Frame, button: Button, watcher: Watcher) -> None:
        """Take one frame of a recording, and the presses that came before it."""
        at = Seconds(frame.at)
        self.enter_presses(button, at)
        self.enter(Ticked(at))
        for entered in watcher.watch(frame):
            self.enter(entered)
        self._progress()

    # Live cameras -------------------------------------------------------------------------------------------------

    def run_live(self, live: "Live", stop: threading.Event) -> None:
        """Referee until stopped.

        A lost camera counts as progress too: it is retried and shown by the lamps. The watchdog is for a worker that
        hangs; a restart would not plug a cable in.
        """
        seen: SimpleQueue[tuple[Input, ...] | Exception] = SimpleQueue()
        worker = threading.Thread(
            target=_look, args=(live, self._begin, seen.put, stop), name="referee-looks", daemon=True
        )
        self._looker = live.watcher
        worker.start()
        while not stop.is_set():
            looked: tuple[Input, ...] | Exception | None
            try:
                looked = seen.get(timeout=POLL_SECONDS)
            except Empty:
                looked = None
            if isinstance(looked, Exception):
                raise looked
            now = live.clock.now()
            self.enter_presses(live.button, now)
            if looked is not None:
                for entered in looked:
                    self.enter(entered)
                self._progress()
            self.enter(Ticked(now, self._frame_at))
        worker.join(JOIN_SECONDS)

    def _begin(self, frame_at: Seconds) -> None:
        self._frame_at = frame_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The parts that watch a live table."""

    camera: Camera
    button: Button
    watcher: Watcher
    clock: Clock
    may_end: Callable[[], bool] = lambda: False
    """Whether the process may exit now because only a new process can open the camera."""


def _look(
    live: Live,
    begin: Callable[[Seconds], None],
    put: Callable[[tuple[Input, ...] | Exception], None],
    stop: threading.Event,
) -> None:
    """Capture and read in the worker thread; a failing camera is retried indefinitely."""
    lost = False
    while not stop.is_set():
        try:
            frame = live.camera.capture()
            if lost:
                live.watcher.look_after_gap()
            begin(Seconds(frame.at))
            seen = live.watcher.watch(frame)
        except CameraError as error:
            put(() if lost else (CameraLost(live.clock.now()),))
            lost = True
            if isinstance(error, CameraHeldError) and live.may_end():
                put(error)
                return
            stop.wait(RETRY_SECONDS)
        except EndOfFrames:
            put((MatchEnded(live.clock.now(), cut=True),))
            return
        except Exception as error:  # noqa: BLE001 - raised again by the loop, which owns the match
            put(error)
            return
        else:
            put((CameraBack(live.clock.now()), *seen) if lost else seen)
            lost = False
