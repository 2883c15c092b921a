"""State that pages show beyond the match itself: last verdict, restore moves, corrections."""

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
from referee.game.inputs import MatchStarted
from referee.game.state import Match
from referee.protocol.restore_guide import Move, restore_moves
from referee.reading.observation import TrackId
from referee.storage.match_step import MatchStep

_MAX_NAMED_TILES: Final = 50


@dataclass(frozen=True, slots=True)
class NamedTile:
    """A tile that a person corrected or added."""

    track: TrackId
    event: TileNamed | TileAdded | SetAdded


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewState:
    """State carried from step to step."""

    last: Judged | None = None
    """The last judgement of the current turn, or the one that ended the turn before."""
    changed: TilesChanged | None = None
    """Changes to the table while it had to stay untouched; until the next verdict."""
    rack: RackAsked | None = None
    """The question about the rack that was shown last."""
    guide_moves: tuple[Move, ...] = ()
    """The restore guide's first list of moves, to be marked as done."""
    named: tuple[NamedTile, ...] = ()
    """Tiles corrected by people, newest first."""


def next_view_state(view: ViewState, step: MatchStep) -> ViewState:
    """Return the view state after a step."""
    if isinstance(step.entered, MatchStarted) and step.events:
        view = ViewState()
    for event in step.events:
        view = _after_event(view, event, step.match)
    return view


def _after_event(view: ViewState, event: TurnEvent, match: Match) -> ViewState:
    changes: dict[str, Any] = {}
    match event:
        case GameStarted():
            changes = {"last": None, "changed": None, "rack": None, "guide_moves": ()}
        case RackAsked():
            changes = {"rack": event}
        case RackRead() | GameScored():
            changes = {"rack": None}
        case Judged():
            changes = {"last": event, "changed": None}
        case TileNamed() | TileAdded() | SetAdded():
            changes = {"named": (*_named_tiles(event, match), *view.named)[:_MAX_NAMED_TILES]}
        case TilesChanged():
            changes = {"changed": event}
        case RestoreNeeded(table=table) if not view.guide_moves and match.table.current is not None:
            start = match.turn_start.observation
            began = None if start is None else start.reading
            changes = {"guide_moves": restore_moves(table.sets, match.table.current.reading, began)}
        case TurnTakenBack():
            changes = {"last": None, "guide_moves": ()}
        case TurnStarted():
            changes = {"guide_moves": ()}
        case _:
            pass
    return replace(view, **changes)


def _named_tiles(event: TileNamed | TileAdded | SetAdded, match: Match) -> tuple[NamedTile, ...]:
    """Return the tiles that an event names."""
    count = len(event.tiles) if isinstance(event, SetAdded) else 1
    judged = None if match.dispute.judged is None else match.dispute.judged.observation
    for observation in (match.table.shown, judged):
        if observation is not None and observation.reading.frame_id == event.frame_id:
            tiles = observation.reading.tiles[event.index : event.index + count]
            return tuple(NamedTile(tile.track, event) for tile in tiles)
    return ()
