"""Publishers of the match: cues to the signals, JSON lines to a file, evidence to the disk."""

import json
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from referee.errors import StorageError
from referee.game.cues import Blink, Cue, Lamp, cues_for
from referee.game.events import GameScored, Judged, MatchOver, NamesChanged
from referee.game.inputs import CameraBack, CameraLost
from referee.game.texts.messages import words
from referee.hardware.ports import Signals
from referee.history.evidence import Evidence
from referee.history.history import History
from referee.history.statistics import Statistics
from referee.storage.dataclass_codec import JsonValue, to_json_value
from referee.storage.match_step import MatchStep
from referee.vision.watch.watcher import Watcher

_TRIAL_SECONDS = 3.0  # for which a trial cue shines before the lamps return to the match's cue
_WAITING_LAMP = (Blink(Lamp.GREEN, (0.0, 0.1)),)  # all lamps dark


class CuePublisher:
    """Plays the cues of events."""

    def __init__(self, signals: Signals) -> None:
        """Play them on these signals."""
        self._signals = signals
        self._asked: SimpleQueue[Cue] = SimpleQueue()
        self._lamps: tuple[Blink, ...] = _WAITING_LAMP
        self._tried_until: float | None = None

    def ask(self, cue: Cue) -> None:
        """Request a cue from another thread; only the match's thread drives lamps and buzzer."""
        self._asked.put(cue)

    def publish(self, step: MatchStep) -> None:
        """Play the cues of one step."""
        while not self._asked.empty():
            self._signals.play(self._asked.get())
            self._tried_until = step.entered.at + _TRIAL_SECONDS
        for cue in cues_for(step.events, step.match.setup.names if step.events else ()):
            self._signals.play(cue)
            if cue.blinks:
                self._lamps, self._tried_until = cue.blinks, None
        if self._tried_until is not None and step.entered.at >= self._tried_until:
            self._signals.play(Cue("tried", blinks=self._lamps))
            self._tried_until = None


class TextLines:
    """Writes events as text, for a log beside lamps and a buzzer; the camera itself reports when it is lost and back.

    A loose contact comes and goes some hundred times an hour, and a camera says so seldom.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Write each line by `say`."""
        self._say = say

    def publish(self, step: MatchStep) -> None:
        """Write the text of one step."""
        for event in () if isinstance(step.entered, CameraLost | CameraBack) else step.events:
            if line := words(event, step.match.setup.names):
                self._say(line)


class LineSink(Protocol):
    """A line sink: a file, or standard output."""

    @property
    def name(self) -> str:
        """Its name."""

    def write(self, line: str, /) -> int:
        """Write a line; raises OSError."""

    def flush(self) -> None:
        """Flush what was written; raises OSError."""


class EventLines:
    """Writes a JSON line for each turn event."""

    def __init__(self, stream: LineSink, warn: Callable[[str], None]) -> None:
        """Write to this stream, which the caller closes; `warn` is called once when it fails."""
        self._stream = stream
        self._warn = warn
        self._lost = False

    def publish(self, step: MatchStep) -> None:
        """Write the lines of one step; raises BrokenPipeError for a closed pipe, which ends the match."""
        if not step.events:
            return
        try:
            for event in step.told:
                self._stream.write(json.dumps(event, ensure_ascii=False) + "\n")
            self._stream.flush()
            self._lost = False
        except BrokenPipeError:
            raise
        except OSError as error:
            if not self._lost:
                self._warn(
                    f"events file {self._stream.name} cannot be written ({error.strerror}); free some space, and "
                    "'referee replay JOURNAL --events FILE' writes it again"
                )
            self._lost = True


class EvidencePublisher:
    """Keeps the picture, the reading and the verdict of every judged turn."""

    def __init__(self, evidence: Evidence, watcher: Watcher, warn: Callable[[str], None]) -> None:
        """Take pictures and readings from this watcher; `warn` is called once when they cannot be saved."""
        self._evidence = evidence
        self._watcher = watcher
        self._warn = warn
        self._lost = False

    def publish(self, step: MatchStep) -> None:
        """Keep what was judged in one step."""
        for event, told in zip(step.events, step.told, strict=True) if step.events else ():
            if isinstance(event, Judged):
                self._keep(event, told)

    def _keep(self, event: Judged, told: JsonValue) -> None:
        settled = self._watcher.settled
        seen = settled if settled is not None and settled.frame.frame_id == event.frame_id else None
        record = told | {"reading": None if seen is None else to_json_value(seen.reading)}
        try:
            self._evidence.keep(event, None if seen is None else seen.frame.image, record)
            self._lost = False
        except StorageError as error:
            if not self._lost:
                self._warn(str(error))
            self._lost = True


class StatisticsPublisher:
    """Writes a match into the statistics once it is over, and again if it is scored later."""

    def __init__(self, statistics: Statistics, journal: Path, history: History, warn: Callable[[str], None]) -> None:
        """Write what `history` tells, which takes each step first; `warn` is called when saving fails."""
        self._statistics, self._journal, self._history, self._warn = statistics, journal, history, warn

    def publish(self, step: MatchStep) -> None:
        """Note one step."""
        if not any(isinstance(event, MatchOver | GameScored | NamesChanged) for event in step.events):
            return
        story = self._history.story()
        if story is None or story.ended_at is None:
            return
        try:
            self._statistics.keep(self._journal, story)
        except StorageError as error:
            self._warn(str(error))
