"""Light and sound for every turn event: one table, told apart by rhythm and not by colour alone.

Green is always steady, amber always swings slowly, red always beats: three beats accuse, two beats ask for the table
back, a long red says that time is over. A player who sees no colours reads the same from the rhythm. Sounds climb for
good news and fall for bad; a doubt is one note twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Final

from referee.game.events import (
    ClockRuns,
    ClockStopped,
    Drew,
    GameScored,
    GameStarted,
    GameWon,
    Judged,
    LookingAgain,
    MatchOver,
    MeldCounted,
    PlayerGone,
    Reason,
    Restored,
    RestoreNeeded,
    TableWatched,
    TilesChanged,
    TimeOver,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
    Warned,
    WrongSeat,
)
from referee.game.inputs import Seat
from referee.rules.verdict import VERDICT_NAMES


@unique
class Lamp(StrEnum):
    """The lamps of the device."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Blink:
    """A lamp's rhythm in seconds on, off, on, …; played once and left as it ends, or for ever."""

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
    """What players see and hear: the lamps that shine (all others go dark) and the notes; `words` for those who read.

    Without `blinks` the lamps stay as they are: such a cue is only a sound, or only words.
    """

    name: str
    blinks: tuple[Blink, ...] = ()
    tones: tuple[Tone, ...] = ()
    words: str = ""
    seat: Seat | None = None


STEADY: Final = (1.0,)
SWING: Final = (0.8, 0.8)
BEATS: Final = (0.15, 0.15, 0.15, 0.15, 0.15, 0.75)
PAIRS: Final = (0.15, 0.15, 0.15, 0.95)

GREEN: Final = (Blink(Lamp.GREEN, STEADY),)
AMBER: Final = (Blink(Lamp.AMBER, STEADY),)
AMBER_SWINGS: Final = (Blink(Lamp.AMBER, SWING, forever=True),)
RED_BEATS: Final = (Blink(Lamp.RED, BEATS, forever=True),)
RED_PAIRS: Final = (Blink(Lamp.RED, PAIRS, forever=True),)
RED: Final = (Blink(Lamp.RED, STEADY),)

CHIME: Final = (Tone(659, 0.10), Tone(880, 0.15))
FALL: Final = (Tone(440, 0.15), Tone(330, 0.15), Tone(247, 0.35))
ASK: Final = (Tone(523, 0.10), Tone(0, 0.10), Tone(523, 0.10))
TICK: Final = (Tone(784, 0.06),)
HURRY: Final = (Tone(784, 0.06), Tone(0, 0.06), Tone(784, 0.06), Tone(0, 0.06), Tone(784, 0.06))
GONG: Final = (Tone(330, 0.70),)
FANFARE: Final = (Tone(523, 0.12), Tone(659, 0.12), Tone(784, 0.12), Tone(0, 0.06), Tone(880, 0.40))

CUES: Final[Mapping[str, Cue]] = MappingProxyType({cue.name: cue for cue in (
    Cue("game_started", GREEN, CHIME),
    Cue("turn_started", GREEN),
    Cue("legal", GREEN, CHIME),
    Cue("no_play", GREEN, TICK),
    Cue("illegal", RED_BEATS, FALL),
    Cue("undecided", AMBER_SWINGS, ASK),
    Cue("undecided_stands", AMBER, TICK),
    Cue("too_late", RED, FALL),
    Cue("draw"),
    Cue("penalty", RED, FALL),
    Cue("looking_again", AMBER_SWINGS),
    Cue("warned", (), TICK),
    Cue("warned_last", (), HURRY),
    Cue("time_over", RED, GONG),
    Cue("restore_needed", RED_PAIRS, ASK),
    Cue("restored", GREEN, CHIME),
    Cue("table_not_legal", AMBER),
    Cue("table_legal", GREEN),
    Cue("meld_counted"),
    Cue("tiles_changed", RED_PAIRS, ASK),
    Cue("wrong_seat", (), ASK),
    Cue("turn_taken_back", GREEN, TICK),
    Cue("clock_stopped", AMBER_SWINGS, TICK),
    Cue("camera_lost", (Blink(Lamp.AMBER, BEATS, forever=True),), ASK),
    Cue("clock_runs", GREEN),
    Cue("player_gone", (), TICK),
    Cue("game_won", (Blink(Lamp.GREEN, BEATS, forever=True),), FANFARE),
    Cue("game_blocked", AMBER, GONG),
    Cue("game_scored"),
    Cue("match_over", (Blink(Lamp.GREEN, PAIRS, forever=True),), FANFARE),
)})
LAST_WARNING_SECONDS: Final = 5.0


def cue_name(event: TurnEvent) -> str:
    """Name the cue for an event."""
    match event:
        case Judged():
            return _judged_name(event)
        case Drew(reason=Reason.PENALTY):
            return "penalty"
        case Warned(seconds_left=left) if left <= LAST_WARNING_SECONDS:
            return "warned_last"
        case TableWatched(legal=False) | ClockStopped(reason=Reason.CAMERA) | GameWon(reason=Reason.BLOCKED):
            return _BAD_NAMES[type(event)]
        case _:
            return _NAMES[type(event)]


def _judged_name(event: Judged) -> str:
    name = VERDICT_NAMES[type(event.verdict)]
    if name == "undecided":
        return "undecided_stands" if event.stands else "undecided"
    if name == "illegal":
        return "illegal"
    if event.late and not event.stands:
        return "too_late"
    return "legal" if event.verdict.outcome == "played" else "no_play"


_BAD_NAMES: Final[Mapping[type, str]] = MappingProxyType({
    TableWatched: "table_not_legal", ClockStopped: "camera_lost", GameWon: "game_blocked",
})
_NAMES: Final[Mapping[type, str]] = MappingProxyType({
    Drew: "draw", Warned: "warned", TableWatched: "table_legal", ClockStopped: "clock_stopped", GameWon: "game_won",
    GameStarted: "game_started", TurnStarted: "turn_started", LookingAgain: "looking_again", TimeOver: "time_over",
    RestoreNeeded: "restore_needed", Restored: "restored", MeldCounted: "meld_counted", TilesChanged: "tiles_changed",
    WrongSeat: "wrong_seat", TurnTakenBack: "turn_taken_back", ClockRuns: "clock_runs", PlayerGone: "player_gone",
    GameScored: "game_scored", MatchOver: "match_over",
})


def cue_for(event: TurnEvent, words: str = "") -> Cue:
    """Give the cue for an event, with what it says in words."""
    return replace(CUES[cue_name(event)], words=words, seat=event.seat)
