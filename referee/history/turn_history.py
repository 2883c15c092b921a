"""The history of judged turns, built from turn events as JSON; bounded."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from referee.history.story import MAX_TURNS, Story, StoryFold
from referee.plain_json import JsonObject

MAX_JUDGEMENTS: Final = 20
MAX_RECORDED_EVENTS: Final = 20_000
_JUDGEMENT_KEYS: Final = (
    "verdict",
    "outcome",
    "stands",
    "late",
    "faults",
    "played",
    "meld",
    "before",
    "table",
    "frame_id",
)
# Events without a line in a record, and keys that only the page uses.
_UNRECORDED_EVENTS: Final = frozenset(
    {
        "turn_started",
        "looking_again",
        "warned",
        "restore_needed",
        "table_watched",
        "meld_counted",
        "clock_stopped",
        "clock_runs",
    }
)
_OMITTED_KEYS: Final = frozenset({"before", "doubts", "jokers", "sets", "guide"})
_CORRECTION_EVENTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "tile_named": ("corrections", ("index", "frame_id", "was", "tile")),
        "tile_added": ("corrections", ("index", "frame_id", "was", "tile", "where")),
        "set_added": ("rows", ("frame_id", "was", "rows")),
        "rows_named": ("rows", ("frame_id", "was", "rows")),
    }
)


class TurnHistory:
    """The turns of one match and the events of its record; the oldest are dropped beyond the limits."""

    def __init__(self) -> None:
        """Begin with an empty history."""
        self._turns: dict[tuple[int, int], JsonObject] = {}
        self._begun: JsonObject | None = None
        self._events: deque[JsonObject] = deque(maxlen=MAX_RECORDED_EVENTS)
        self._story = StoryFold()

    def record(self, event: JsonObject, wall: str | None) -> None:
        """Add one turn event in the form of `referee run --events`; a new match clears the history."""
        self._story.note(event)
        kind = event["event"]
        if kind == "game_started" and event["game"] == 1:
            self._turns, self._begun = {}, event
            self._events.clear()
        elif kind not in _UNRECORDED_EVENTS:
            self._events.append({key: value for key, value in event.items() if key not in _OMITTED_KEYS})
        if kind == "judged":
            self._judge(event, wall)
        turn = self._turns.get((event["game"], event["turn"]))
        if kind in {"drew", "draw_taken_back"} and turn is not None:
            turn["drew"] = event["tiles"] if kind == "drew" else 0
        elif kind == "turn_taken_back" and turn is not None:
            turn["taken_back"] = True
        elif kind in _CORRECTION_EVENTS:
            into, keys = _CORRECTION_EVENTS[kind]
            event = {"was": [], "rows": [event["tiles"]], **event} if kind == "set_added" else event
            entry = {"by": event["by"] or "organiser", "at": event["at"]} | {key: event.get(key) for key in keys}
            self._turn(event)[into].append(entry)

    def _judge(self, event: JsonObject, wall: str | None) -> None:
        turn = self._turn(event)
        judged = {key: event[key] for key in _JUDGEMENT_KEYS} | {"judged_at": event["at"], "wall": wall}
        turn |= judged | {"taken_back": False}
        turn["judgements"] = [*turn["judgements"], judged][-MAX_JUDGEMENTS:]

    def _turn(self, event: JsonObject) -> JsonObject:
        key = (event["game"], event["turn"])
        if key not in self._turns:
            self._turns[key] = {"game": key[0], "turn": key[1], "seat": event["seat"], "drew": 0}
            self._turns[key] |= {"corrections": [], "rows": [], "judgements": [], "judged_at": None}
            if len(self._turns) > MAX_TURNS:
                del self._turns[next(iter(self._turns))]
        return self._turns[key]

    def turns(self, game: int | None = None) -> list[JsonObject]:
        """Return the judged turns, newest first, each with its last judgement."""
        return [
            {**turn, "judgements": len(turn["judgements"])}
            for key, turn in sorted(self._turns.items(), reverse=True)
            if turn["judged_at"] is not None and game in {None, key[0]}
        ]

    def turn(self, game: int, number: int) -> JsonObject | None:
        """Return one judged turn with all its judgements; None if there is none."""
        turn = self._turns.get((game, number))
        return None if turn is None or turn["judged_at"] is None else turn

    def story(self) -> Story | None:
        """Return the story of the match so far; None before the first match."""
        return self._story.story()

    @property
    def events(self) -> Sequence[JsonObject]:
        """The events of the match's record: its start and the newest events since."""
        return tuple(self._events) if self._begun is None else (self._begun, *self._events)

    def restore(self, events: Iterable[JsonObject]) -> None:
        """Load the events from before the referee restarted."""
        for event in events:
            self.record(event, None)
