"""What came before, as far as a page shows it: the last verdict, what the guide asked for, who corrected what."""

from dataclasses import dataclass, replace
from typing import Any, Final

from referee.game.correction_events import SetAdded, TileAdded, TileNamed
from referee.game.events import (
    GameScored,
    GameStarted,
    Judged,
    RackAsked,
    RackRead,
    RestoreNeeded,
    TilesChanged,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
)
from referee.game.inputs import Input, MatchStarted
from referee.game.state import Match
from referee.reading.observation import TrackId
from referee.web.view.restore_guide import Move, moves

_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class Named:
    """A tile that somebody said is another than was read, or was not seen."""

    track: TrackId
    event: TileNamed | TileAdded | SetAdded


@dataclass(frozen=True, slots=True)
class Happened:
    """One step of the match: how it stood, what came in, what was told, and how it stands now."""

    earlier: Match
    entered: Input
    events: tuple[TurnEvent, ...]
    match: Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """What is remembered from step to step."""

    last: Judged | None = None
    """The last judgement of the turn that goes on, or the one that ended the turn before."""
    changed: TilesChanged | None = None
    """What changed while nobody was to touch the table; until the next verdict."""
    rack: RackAsked | None = None
    """What was asked about the rack that was shown last."""
    to_do: tuple[Move, ...] = ()
    """What the guide asked for first, to be ticked off."""
    named: tuple[Named, ...] = ()
    """What people said of tiles, the last one first."""


def go_on(recent: Recent, happened: Happened) -> Recent:
    """Return the recent after one more step."""
    if isinstance(happened.entered, MatchStarted) and happened.events:
        recent = Recent()
    for event in happened.events:
        recent = _tell(recent, event, happened.match)
    return recent


def _tell(recent: Recent, event: TurnEvent, match: Match) -> Recent:
    changes: dict[str, Any] = {}
    match event:
        case GameStarted():
            changes = {"last": None, "changed": None, "rack": None, "to_do": ()}
        case RackAsked():
            changes = {"rack": event}
        case RackRead() | GameScored():
            changes = {"rack": None}
        case Judged():
            changes = {"last": event, "changed": None}
        case TileNamed() | TileAdded() | SetAdded():
            changes = {"named": (*_named(event, match), *recent.named)[:_KEPT]}
        case TilesChanged():
            changes = {"changed": event}
        case RestoreNeeded(table=table) if not recent.to_do and match.table.current is not None:
            start = match.turn_start.observation
            began = None if start is None else start.reading
            changes = {"to_do": moves(table.sets, match.table.current.reading, began)}
        case TurnTakenBack():
            changes = {"last": None, "to_do": ()}
        case TurnStarted():
            changes = {"to_do": ()}
        case _:
            pass
    return replace(recent, **changes)


def _named(event: TileNamed | TileAdded | SetAdded, match: Match) -> tuple[Named, ...]:
    """Return the tiles that were named."""
    count = len(event.tiles) if isinstance(event, SetAdded) else 1
    judged = None if match.dispute.judged is None else match.dispute.judged.observation
    for observation in (match.table.shown, judged):
        if observation is not None and observation.reading.frame_id == event.frame_id:
            tiles = observation.reading.tiles[event.index : event.index + count]
            return tuple(Named(tile.track, event) for tile in tiles)
    return ()
