"""What people said of the tiles, and what came of what a player proposed, in words."""

from collections.abc import Sequence

from referee.game.correction_events import ProposalEnded, ProposalMade, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.event_parts import Reason
from referee.rules.notation import format_tiles

Names = Sequence[str]


def named(event: TileNamed, _names: Names) -> str:
    """Say what a tile is."""
    is_what = "no tile" if event.tile is None else str(event.tile)
    was = "" if event.was == event.tile else f", not {'nothing' if event.was is None else event.was}"
    return f"  {_who(event.by)}: that is {is_what}{was}."


def added(event: TileAdded, _names: Names) -> str:
    """Say which tile was missed."""
    return f"  {_who(event.by)}: {event.tile} lies there too, {event.where}."


def set_added(event: SetAdded, _names: Names) -> str:
    """Say which set was missed."""
    return f"  {_who(event.by)}: {format_tiles(event.tiles)} lies there too, of which I saw nothing."


def rows_named(event: RowsNamed, _names: Names) -> str:
    """Say how tiles lie in sets."""
    rows = [format_tiles(row) for row in event.rows]
    said = f"{rows[0]} is one set" if len(rows) == 1 else f"{' and '.join(rows)} are {len(rows)} sets"
    return f"  {_who(event.by)}: {said}."


def _who(by: str) -> str:
    match by:
        case "":
            return "As said"
        case "organiser":
            return "As the organiser says"
        case "players":
            return "As the players say"
        case _:
            return f"As {' and '.join(by.split(', '))} say"


def proposed(event: ProposalMade, names: Names) -> str:
    """Say what a player proposes, and ask the others."""
    name = names[event.proposer]
    said = _claim(event.says, names).partition(": ")[2]
    return f"  {name} says: {said} Does another player agree? Answer on the page within {event.seconds:.0f} s."


def _claim(says: TileNamed | TileAdded | SetAdded | RowsNamed, names: Names) -> str:
    match says:
        case TileNamed():
            return named(says, names)
        case TileAdded():
            return added(says, names)
        case SetAdded():
            return set_added(says, names)
        case RowsNamed():
            return rows_named(says, names)


def proposal_ended(event: ProposalEnded, names: Names) -> str:
    """Say what came of it."""
    name = names[event.proposer]
    who = "The organiser" if event.answerer is None else names[event.answerer]
    match event.reason:
        case Reason.AGREED:
            return f"  {who} agrees with {name}."
        case Reason.REFUSED if event.answerer == event.proposer:
            return f"  {name} takes it back."
        case Reason.REFUSED:
            return f"  {who} does not agree with {name}; nothing is changed."
        case Reason.CHANGED:
            return f"  What {name} proposed is no longer what lies there."
        case _:
            return f"  Nobody has agreed with {name}; nothing is changed."
