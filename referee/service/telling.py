"""Telling what happened: as cues to the signals, as JSON lines to a file."""

import json
from typing import TextIO

from referee.game.cues import cues_for
from referee.game.events import TurnEvent
from referee.game.state import Match
from referee.game.words import words
from referee.ports import Signals
from referee.storage.plain import event_to_plain


class CueTeller:
    """Plays the cues of what is told."""

    def __init__(self, signals: Signals) -> None:
        """Play them on these signals."""
        self._signals = signals

    def __call__(self, match: Match, told: tuple[TurnEvent, ...]) -> None:
        """Play the cues of one step."""
        names = match.sitting.names
        for cue in cues_for([(event, words(event, names)) for event in told]):
            self._signals.play(cue)


class EventLines:
    """Writes a JSON line for each turn event."""

    def __init__(self, stream: TextIO) -> None:
        """Write to this stream; whoever opened it closes it."""
        self._stream = stream

    def __call__(self, _match: Match, told: tuple[TurnEvent, ...]) -> None:
        """Write the lines of one step."""
        for event in told:
            self._stream.write(json.dumps(event_to_plain(event), ensure_ascii=False) + "\n")
        self._stream.flush()
