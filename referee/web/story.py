"""What came before, as far as a page shows it: the last verdict, the turn's beginning, corrections, every turn."""

from dataclasses import dataclass, replace
from typing import Any, Final

from referee.game.events import (
    GameStarted,
    Judged,
    RestoreNeeded,
    TileNamed,
    TilesChanged,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
)
from referee.game.inputs import Input, MatchStarted
from referee.game.state import Match
from referee.reading.observation import Quad, TableReading
from referee.web.guide import Move, moves

_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class Named:
    """A tile that somebody said is another than was read, and where it lay then."""

    quad: Quad
    event: TileNamed


@dataclass(frozen=True, slots=True)
class Happened:
    """One step of the match: how it stood, what came in, what was told, and how it stands now."""

    earlier: Match
    entered: Input
    told: tuple[TurnEvent, ...]
    match: Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What is remembered from step to step."""

    last: Judged | None = None
    """The last judgement of the turn that goes on, or the one that ended the turn before."""
    changed: TilesChanged | None = None
    """What changed while nobody was to touch the table; until the next verdict."""
    seen: TableReading | None = None
    """The table as it last settled, with what was corrected."""
    began: TableReading | None = None
    """The table as it lay when the turn began."""
    began_before: TableReading | None = None
    """And the turn before that, should the last press be taken back."""
    to_do: tuple[Move, ...] = ()
    """What the guide asked for first, to be ticked off."""
    named: tuple[Named, ...] = ()
    """What people said of tiles, the last one first."""


def go_on(story: Story, happened: Happened) -> Story:
    """Give the story after one more step."""
    if isinstance(happened.entered, MatchStarted) and happened.told:
        story = Story()
    if happened.match.shown is not None:
        story = replace(story, seen=happened.match.shown.reading)
    for event in happened.told:
        story = _tell(story, event, happened.match)
    return story


def _tell(story: Story, event: TurnEvent, match: Match) -> Story:
    changes: dict[str, Any] = {}
    match event:
        case GameStarted():
            changes = {"last": None, "changed": None, "began": None, "began_before": None, "to_do": ()}
        case Judged(stands=True):
            began = {"began": story.seen, "began_before": story.began}  # where this turn ends the next one begins
            changes = {"last": event, "changed": None, "to_do": (), **began}
        case Judged():
            changes = {"last": event, "changed": None}
        case TileNamed(index=index) if story.seen is not None and index < len(story.seen.tiles):
            named = Named(story.seen.tiles[index].quad, event)
            changes = {"named": (named, *story.named)[:_KEPT]}
        case TilesChanged():
            changes = {"changed": event}
        case RestoreNeeded(table=table) if not story.to_do and match.sight is not None:
            changes = {"to_do": moves(table.sets, match.sight.reading, story.began)}
        case TurnTakenBack():
            changes = {"last": None, "began": story.began_before, "to_do": ()}
        case TurnStarted():
            changes = {"to_do": ()}
        case _:
            pass
    return replace(story, **changes)
