"""The history of a match, folded once for all who show or keep it: its turns, its story and its record's events."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Final

from referee.game.correction_events import Claim, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.events import (
    ClockRuns,
    ClockStopped,
    DrawTakenBack,
    Drew,
    GameStarted,
    Judged,
    LookingAgain,
    MeldCounted,
    RestoreNeeded,
    TableWatched,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
    Warned,
)
from referee.hardware.system import wall_label
from referee.history.story import MAX_TURNS, Story, StoryFold, TurnKey, turn_key
from referee.plain_json import JsonObject
from referee.rules.notation import format_table
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict_json import findings_to_json
from referee.storage.dataclass_codec import to_json_value
from referee.storage.match_step import MatchStep

MAX_JUDGEMENTS: Final = 20
MAX_RECORDED_EVENTS: Final = 20_000
_UNRECORDED_EVENTS: Final = (
    *(TurnStarted, LookingAgain, Warned, RestoreNeeded, TableWatched, MeldCounted, ClockStopped, ClockRuns),
)
"""Events without a line in a record."""


class History:
    """The turns of the newest match, its story and its record, bounded; takes steps on one thread, answers on any."""

    def __init__(self, past: Iterable[TurnEvent] = ()) -> None:
        """Continue after the events from before the referee restarted."""
        self._lock = Lock()
        self._turns: dict[TurnKey, JsonObject] = {}
        self._begun: GameStarted | None = None
        self._events: deque[TurnEvent] = deque(maxlen=MAX_RECORDED_EVENTS)
        self._story = StoryFold()
        for event in past:
            self._note(event, None)

    def publish(self, step: MatchStep) -> None:
        """Take the events of one step; a new match clears the history."""
        if not step.events:
            return
        wall = wall_label()
        with self._lock:
            for event in step.events:
                self._note(event, wall)

    def _note(self, event: TurnEvent, wall: str | None) -> None:
        self._story.note(event)
        if isinstance(event, GameStarted) and event.game == 1:
            self._turns, self._begun = {}, event
            self._events.clear()
        elif not isinstance(event, _UNRECORDED_EVENTS):
            self._events.append(_recorded(event) if isinstance(event, Judged) else event)
        turn = self._turns.get(turn_key(event), {})
        match event:
            case Judged():
                self._judge(event, wall)
            case Drew() | DrawTakenBack() if turn:
                turn["drew"] = event.tiles if isinstance(event, Drew) else 0
            case TurnTakenBack() if turn:
                turn["taken_back"] = True
            case TileNamed() | TileAdded():
                self._turn(event)["corrections"].append(_tile_said(event))
            case SetAdded() | RowsNamed():
                self._turn(event)["rows"].append(_rows_said(event))
            case _:
                pass

    def _judge(self, event: Judged, wall: str | None) -> None:
        turn, judged = self._turn(event), _judgement(event, wall)
        turn |= judged | {"taken_back": False}
        turn["judgements"] = [*turn["judgements"], judged][-MAX_JUDGEMENTS:]

    def _turn(self, event: TurnEvent) -> JsonObject:
        key = turn_key(event)
        if key not in self._turns:
            self._turns[key] = {"game": event.game, "turn": event.turn, "seat": event.seat, "drew": 0}
            self._turns[key] |= {"corrections": [], "rows": [], "judgements": [], "judged_at": None}
            if len(self._turns) > MAX_TURNS:
                del self._turns[next(iter(self._turns))]
        return self._turns[key]

    def turns(self, game: int | None = None) -> list[JsonObject]:
        """Return the judged turns, newest first, each with its last judgement."""
        with self._lock:
            return [
                {**turn, "judgements": len(turn["judgements"])}
                for key, turn in sorted(self._turns.items(), reverse=True)
                if turn["judged_at"] is not None and game in {None, key[0]}
            ]

    def turn(self, game: int, number: int) -> JsonObject | None:
        """Return one judged turn with all its judgements; None if there is none."""
        with self._lock:
            turn = self._turns.get((game, number))
            return None if turn is None or turn["judged_at"] is None else dict(turn)

    def story(self) -> Story | None:
        """Return the story of the match so far; None before the first match."""
        with self._lock:
            return self._story.story()

    @property
    def events(self) -> Sequence[TurnEvent]:
        """The events of the match's record: its start and the newest events since."""
        with self._lock:
            return tuple(self._events) if self._begun is None else (self._begun, *self._events)


def _recorded(event: Judged) -> Judged:
    """Return a judgement with only what its line in a record needs."""
    return replace(event, verdict=replace(event.verdict, sets=()), before=EMPTY_TABLE, doubts=(), jokers=())


def _judgement(event: Judged, wall: str | None) -> JsonObject:
    return findings_to_json(event.verdict) | {
        "stands": event.stands,
        "late": event.late,
        "before": format_table(event.before),
        "table": format_table(event.table),
        "frame_id": event.frame_id,
        "judged_at": round(event.at, 3),
        "wall": wall,
    }


def _tile_said(event: TileNamed | TileAdded) -> JsonObject:
    was = event.was if isinstance(event, TileNamed) else None
    said = {"index": event.index, "was": was and str(was), "tile": event.tile and str(event.tile)}
    return _said(event) | said | ({"where": str(event.where)} if isinstance(event, TileAdded) else {})


def _rows_said(event: SetAdded | RowsNamed) -> JsonObject:
    was, rows = ((), (event.tiles,)) if isinstance(event, SetAdded) else (event.was, event.rows)
    return _said(event) | {"was": to_json_value(was), "rows": to_json_value(rows)}


def _said(event: Claim) -> JsonObject:
    return {"by": event.by or "organiser", "at": round(event.at, 3), "frame_id": event.frame_id}
