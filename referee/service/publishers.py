"""Publishers of the match: cues to the signals, JSON lines to a file, evidence to the disk."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from referee.errors import StorageError
from referee.game.cues import Blink, Cue, Lamp, cues_for
from referee.game.events import GameScored, Judged, MatchOver, NamesChanged, TurnEvent
from referee.game.inputs import CameraBack, CameraLost, MatchStarted
from referee.game.state import Match
from referee.game.texts.messages import words
from referee.hardware.ports import Signals
from referee.history.evidence import Evidence
from referee.history.statistics import Statistics
from referee.history.story import StoryFold
from referee.reading.inputs import Input
from referee.storage.dataclass_codec import JsonValue, to_json_value
from referee.storage.json_codec import event_to_json
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

    def publish(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> None:
        """Play the cues of one step."""
        while not self._asked.empty():
            self._signals.play(self._asked.get())
            self._tried_until = entered.at + _TRIAL_SECONDS
        for cue in cues_for(events, match.setup.names if events else ()):
            self._signals.play(cue)
            if cue.blinks:
                self._lamps, self._tried_until = cue.blinks, None
        if self._tried_until is not None and entered.at >= self._tried_until:
            self._signals.play(Cue("tried", blinks=self._lamps))
            self._tried_until = None


class TextLines:
    """Writes events as text, for a log beside lamps and a buzzer; the camera itself reports when it is lost and back.

    A loose contact comes and goes some hundred times an hour, and a camera says so seldom.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Write each line by `say`."""
        self._say = say

    def publish(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> None:
        """Write the text of one step."""
        for event in () if isinstance(entered, CameraLost | CameraBack) else events:
            if line := words(event, match.setup.names):
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

    def publish(self, _entered: Input, events: tuple[TurnEvent, ...], _match: Match) -> None:
        """Write the lines of one step; raises BrokenPipeError for a closed pipe, which ends the match."""
        if not events:
            return
        try:
            for event in events:
                self._stream.write(json.dumps(event_to_json(event), ensure_ascii=False) + "\n")
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

    def publish(self, _entered: Input, events: tuple[TurnEvent, ...], _match: Match) -> None:
        """Keep what was judged in one step."""
        for event in events:
            if isinstance(event, Judged):
                self._keep(event)

    def _keep(self, event: Judged) -> None:
        settled = self._watcher.settled
        seen = settled if settled is not None and settled.frame.frame_id == event.frame_id else None
        line = event_to_json(event) | {"reading": None if seen is None else to_json_value(seen.reading)}
        try:
            self._evidence.keep(None if seen is None else seen.frame.image, line)
            self._lost = False
        except StorageError as error:
            if not self._lost:
                self._warn(str(error))
            self._lost = True


class StatisticsPublisher:
    """Writes a match into the statistics once it is over, and again if it is scored later."""

    def __init__(
        self, statistics: Statistics, journal: Path, past: Iterable[JsonValue], warn: Callable[[str], None]
    ) -> None:
        """Follow the match of this journal; `past` are its events so far, `warn` is called when saving fails."""
        self._statistics, self._journal, self._warn = statistics, journal, warn
        self._fold = StoryFold(past)

    def publish(self, _entered: Input, events: tuple[TurnEvent, ...], _match: Match) -> None:
        """Note one step."""
        for event in events:
            self._fold.note(event_to_json(event))
        story = self._fold.story()
        if story is None or story.ended_at is None:
            return
        if any(isinstance(event, MatchOver | GameScored | NamesChanged) for event in events):
            try:
                self._statistics.keep(self._journal, story)
            except StorageError as error:
                self._warn(str(error))


class BoxPublisher:
    """Tells the watcher which tiles are in the box of the edition played."""

    def __init__(self, watcher: Watcher) -> None:
        """Tell this watcher."""
        self._watcher = watcher

    def publish(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> None:
        """Pass on the box of a match that begins."""
        if events and isinstance(entered, MatchStarted):
            self._watcher.use_box(match.rules.box)
