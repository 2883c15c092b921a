"""Light and sound for every turn event: one table, distinguished by rhythm and not by colour alone.

Colour-blind players read the rhythm and the position of the lamp: steady means go on, a slow swing means wait, three
beats accuse, two beats ask for the table back. Sounds rise for good news and fall for bad; a question is one note
twice. Steady green ends every cue after which somebody is to move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

from referee.game.event_parts import Reason
from referee.game.events import (
    ClockStopped,
    Drew,
    GameWon,
    Judged,
    TableWatched,
    TurnEvent,
    Warned,
)
from referee.game.inputs import Seat
from referee.game.texts.messages import text_of
from referee.rules.verdict import VERDICT_NAMES
from referee.rules.wording import Text


@unique
class Lamp(StrEnum):
    """The lamps of the device."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Blink:
    """A lamp's rhythm in seconds on, off, on, … (a first 0 waits); repeated, or played once up to its last state."""

    lamp: Lamp
    rhythm: tuple[float, ...]
    forever: bool = False


@dataclass(frozen=True, slots=True)
class Tone:
    """A note of the buzzer; 0 Hz is a rest."""

    hertz: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cue:
    """What players see and hear: the lamps that shine (all others go dark), the notes, and a text.

    Without `blinks` the lamps stay as they are. Of simultaneous cues, the one with the highest rank is played; the
    others only give their texts.
    """

    name: str
    rank: int = 0
    blinks: tuple[Blink, ...] = ()
    tones: tuple[Tone, ...] = ()
    text: Text = ()
    seat: Seat | None = None


STEADY: Final = (1.0,)
SWING: Final = (0.8, 0.8)
BEATS: Final = (0.15, 0.15, 0.15, 0.15, 0.15, 0.75)
PAIRS: Final = (0.15, 0.15, 0.15, 0.95)

GREEN: Final = (Blink(Lamp.GREEN, STEADY),)
AMBER: Final = (Blink(Lamp.AMBER, STEADY),)
RED: Final = (Blink(Lamp.RED, STEADY),)
AMBER_SWINGS: Final = (Blink(Lamp.AMBER, SWING, forever=True),)
AMBER_BEATS: Final = (Blink(Lamp.AMBER, BEATS, forever=True),)
RED_BEATS: Final = (Blink(Lamp.RED, BEATS, forever=True),)
RED_PAIRS: Final = (Blink(Lamp.RED, PAIRS, forever=True),)
RED_THEN_GREEN: Final = (Blink(Lamp.RED, (2.0, 0.1)), Blink(Lamp.GREEN, (0.0, 2.0, 1.0)))
AMBER_THEN_GREEN: Final = (Blink(Lamp.AMBER, (2.0, 0.1)), Blink(Lamp.GREEN, (0.0, 2.0, 1.0)))
GREEN_BEATS: Final = (Blink(Lamp.GREEN, BEATS, forever=True),)
GREEN_PAIRS: Final = (Blink(Lamp.GREEN, PAIRS, forever=True),)

CHIME: Final = (Tone(659, 0.10), Tone(880, 0.15))
FALL: Final = (Tone(440, 0.15), Tone(330, 0.15), Tone(247, 0.35))
ASK: Final = (Tone(523, 0.10), Tone(0, 0.10), Tone(523, 0.10))
LOST: Final = (Tone(523, 0.10), Tone(0, 0.10), Tone(523, 0.10), Tone(0, 0.10), Tone(523, 0.10))
TICK: Final = (Tone(784, 0.06),)
HURRY: Final = (Tone(784, 0.06), Tone(0, 0.06), Tone(784, 0.06), Tone(0, 0.06), Tone(784, 0.06))
GONG: Final = (Tone(330, 0.70),)
FANFARE: Final = (Tone(523, 0.12), Tone(659, 0.12), Tone(784, 0.12), Tone(0, 0.06), Tone(880, 0.40))

CUES: Final[Mapping[str, Cue]] = MappingProxyType(
    {
        cue.name: cue
        for cue in (
            Cue("game_started", 2, GREEN, CHIME),
            Cue("starter_assumed"),
            Cue("start_tied", 2, (), ASK),
            Cue("turn_started", 1, GREEN),
            Cue("legal", 3, GREEN, CHIME),
            Cue("no_play", 3, GREEN, TICK),
            Cue("illegal", 3, RED_BEATS, FALL),
            Cue("undecided", 3, AMBER_SWINGS, ASK),
            Cue("undecided_stands", 3, AMBER_THEN_GREEN, TICK),
            Cue("too_late", 3, RED, FALL),
            Cue("draw"),
            Cue("draw_taken_back"),
            Cue("penalty", 3, RED_THEN_GREEN, FALL),
            Cue("looking_again", 2, AMBER_SWINGS),
            Cue("warned", 2, (), TICK),
            Cue("warned_last", 2, (), HURRY),
            Cue("time_over", 3, RED, GONG),
            Cue("restore_needed", 3, RED_PAIRS, ASK),
            Cue("restored", 2, GREEN, CHIME),
            Cue("table_not_legal", 1, AMBER),
            Cue("table_legal", 1, GREEN),
            Cue("meld_counted"),
            Cue("tiles_changed", 3, RED_PAIRS, ASK),
            Cue("wrong_seat", 2, (), ASK),
            Cue("turn_unseen", 2, AMBER_THEN_GREEN, TICK),
            Cue("thread_lost", 4, AMBER_THEN_GREEN, LOST),
            Cue("table_confirmed", 2, GREEN, CHIME),
            Cue("turn_taken_back", 2, GREEN, TICK),
            Cue("clock_stopped", 2, AMBER_SWINGS, TICK),
            Cue("camera_lost", 3, AMBER_BEATS, ASK),
            Cue("camera_moved", 2, (), ASK),
            Cue("clock_runs", 1, GREEN),
            Cue("time_given", 2, GREEN, TICK),
            Cue("tile_named", 1, (), TICK),
            Cue("tile_added", 1, (), TICK),
            Cue("set_added", 1, (), TICK),
            Cue("rows_named", 1, (), TICK),
            Cue("proposal_made", 2, (), ASK),
            Cue("proposal_ended", 1, (), TICK),
            Cue("player_gone", 2, (), TICK),
            Cue("names_changed", 1, (), TICK),
            Cue("seats_changed", 1, (), TICK),
            Cue("game_won", 4, GREEN_BEATS, FANFARE),
            Cue("empty_rack_asked", 4, AMBER_THEN_GREEN, ASK),
            Cue("count_differs", 1, (), ASK),
            Cue("game_blocked", 4, AMBER, GONG),
            Cue("rack_asked", 3, AMBER_SWINGS, ASK),
            Cue("rack_read", 2, GREEN, CHIME),
            Cue("racks_missing", 1, (), TICK),
            Cue("racks_shown"),
            Cue("game_scored"),
            Cue("match_over", 5, GREEN_PAIRS, FANFARE),
        )
    }
)
LAST_WARNING_SECONDS: Final = 5.0


def cue_name(event: TurnEvent) -> str:
    """Return the name of the cue for an event: the event's own name, unless it has several cues."""
    match event:
        case Judged():
            return _judged_name(event)
        case Drew():
            return "penalty" if event.reason is Reason.PENALTY else "draw"
        case Warned(seconds_left=left) if left <= LAST_WARNING_SECONDS:
            return "warned_last"
        case TableWatched():
            return "table_legal" if event.legal else "table_not_legal"
        case ClockStopped(reason=Reason.CAMERA) | GameWon(reason=Reason.BLOCKED):
            return "camera_lost" if isinstance(event, ClockStopped) else "game_blocked"
        case _:
            return event.name


def _judged_name(event: Judged) -> str:
    name = VERDICT_NAMES[type(event.verdict)]
    if name == "undecided":
        return "undecided_stands" if event.stands else "undecided"
    if name == "illegal":
        return "illegal"
    if event.late and not event.stands:
        return "too_late"
    return "legal" if event.verdict.outcome == "played" else "no_play"


def cues_for(events: Sequence[TurnEvent], names: Sequence[str]) -> tuple[Cue, ...]:
    """Return the cues for simultaneous events, each with its text; only the highest-ranking one shines and sounds."""
    cues = [replace(CUES[cue_name(event)], text=text_of(event, names), seat=events[-1].seat) for event in events]
    loudest = max(range(len(cues)), key=lambda index: (cues[index].rank, index), default=0)
    return tuple(cue if index == loudest else replace(cue, blinks=(), tones=()) for index, cue in enumerate(cues))
