"""What came before, as far as a page shows it: the last verdict, the turn's beginning, corrections, every turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.game.events import (
    GameStarted,
    Judged,
    RestoreNeeded,
    TilesChanged,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
)
from referee.game.inputs import Input, MatchStarted, TileCorrected
from referee.game.state import Match
from referee.reading.observation import TableReading
from referee.rules.tiles import Tile
from referee.web.guide import Move, moves


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A tile of one frame that somebody said is another than was read."""

    frame_id: str
    index: int
    was: Tile | None
    tile: Tile | None
    by: str
    at: float


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
    corrections: Mapping[tuple[str, int], Correction] = field(default_factory=dict)
    """Those of the table that lies there."""


def go_on(story: Story, happened: Happened) -> Story:
    """Give the story after one more step."""
    if isinstance(happened.entered, MatchStarted) and happened.told:
        story = Story()
    corrected = correction_in(happened)
    if corrected is not None:
        kept = {key: old for key, old in story.corrections.items() if key[0] == corrected.frame_id}
        story = replace(story, corrections={**kept, (corrected.frame_id, corrected.index): corrected})
    sight = happened.match.sight
    if sight is not None:
        story = replace(story, seen=sight.reading)
    for event in happened.told:
        story = _tell(story, event, happened.match)
    return story


def correction_in(happened: Happened) -> Correction | None:
    """Give the correction made in this step, if it was one and was taken."""
    entered, earlier, match = happened.entered, happened.earlier.sight, happened.match.sight
    if not isinstance(entered, TileCorrected) or match is None or earlier is None or match.reading == earlier.reading:
        return None
    if entered.index >= len(earlier.reading.tiles):
        return None
    return Correction(
        frame_id=match.reading.frame_id,
        index=entered.index,
        was=earlier.reading.tiles[entered.index].tile,
        tile=entered.tile,
        by=entered.by or "organiser",
        at=entered.at,
    )


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
