"""One step of a match, as it is journalled, published and shown."""

from dataclasses import dataclass
from functools import cached_property

from referee.game.events import TurnEvent
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, LookWanted
from referee.storage.dataclass_codec import JsonValue
from referee.storage.json_codec import event_to_json


@dataclass(frozen=True)
class MatchStep:
    """One step: the match before, the input, its events, the match after, and the look that it wants."""

    earlier: Match
    entered: Input
    events: tuple[TurnEvent, ...]
    match: Match
    wanted: LookWanted | None = None

    @classmethod
    def of(cls, earlier: Match, entered: Input) -> "MatchStep":
        """Let a match take an input."""
        match, events, wanted = step(earlier, entered)
        return cls(earlier, entered, events, match, wanted)

    @cached_property
    def told(self) -> tuple[JsonValue, ...]:
        """The events as JSON objects, encoded once for all who keep or show them."""
        return tuple(map(event_to_json, self.events))
