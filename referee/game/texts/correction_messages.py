"""The texts of corrections, and of players' proposals."""

from referee.game.correction_events import Claim, ProposalEnded, ProposalMade, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.event_parts import Reason
from referee.game.texts.turn_messages import Names, text_of
from referee.rules.wording import Message, Text, TileRow, Value, say, say_count


@text_of.register
def claimed(event: Claim, _names: Names) -> Text:
    """Say who corrected what."""
    return ("  ", say("event.says", "{who}: {claim}", who=_who(event.by), claim=_claim(event)))


def _claim(event: Claim) -> Message:
    match event:
        case TileNamed():
            return _named(event)
        case TileAdded():
            return say("claim.added", "{tile} lies there too, {where}.", tile=TileRow((event.tile,)), where=event.where)
        case SetAdded():
            tiles = TileRow(event.tiles)
            return say("claim.set_added", "{tiles} lies there too, of which I saw nothing.", tiles=tiles)
        case RowsNamed():
            return _rows_named(event)


def _named(event: TileNamed) -> Message:
    none = say("claim.no_tile", "no tile")
    tile: Value = none if event.tile is None else (event.tile,)
    if event.was == event.tile:
        return say("claim.is", "that is {tile}.", tile=tile)
    if event.was is None:
        return say("claim.was_nothing", "that is {tile}, not nothing.", tile=tile)
    return say("claim.was", "that is {tile}, not {was}.", tile=tile, was=(event.was,))


def _rows_named(event: RowsNamed) -> Message:
    rows: list[Value] = [TileRow(row) for row in event.rows]
    if len(rows) == 1:
        return say("claim.one_set", "{tiles} is one set.", tiles=rows[0])
    first, *rest = rows
    for row in rest:
        first = say("list.and", "{first} and {last}", first=first, last=row)
    return say_count(
        "claim.sets", "{tiles} are {count} set.", "{tiles} are {count} sets.", count=len(rows), tiles=first
    )


def _who(by: str) -> Message:
    match by:
        case "":
            return say("claim.as_said", "As said")
        case "organiser":
            return say("claim.organiser_says", "As the organiser says")
        case "players":
            return say("claim.players_say", "As the players say")
        case _:
            return say("claim.names_say", "As {names} say", names=tuple(by.split(", ")))


@text_of.register
def proposed(event: ProposalMade, names: Names) -> Text:
    """Say what a player proposes, and ask the others."""
    text = say("event.proposes", "{name} says: {claim}", name=names[event.proposer], claim=_claim(event.says))
    ask = say(
        "event.proposal_asks",
        "Does another player agree? Answer on the page within {seconds} s.",
        seconds=round(event.seconds),
    )
    return ("  ", text, " ", ask)


@text_of.register
def proposal_ended(event: ProposalEnded, names: Names) -> Text:
    """Say what came of it."""
    return ("  ", _ended(event, names[event.proposer], None if event.answerer is None else names[event.answerer]))


def _ended(event: ProposalEnded, name: str, other: str | None) -> Message:
    match event.reason:
        case Reason.AGREED if other is None:
            text = say("proposal_ended.organiser_agrees", "The organiser agrees with {name}.", name=name)
        case Reason.AGREED:
            text = say("proposal_ended.agreed", "{other} agrees with {name}.", other=str(other), name=name)
        case Reason.REFUSED if event.answerer == event.proposer:
            text = say("proposal_ended.taken_back", "{name} takes it back.", name=name)
        case Reason.REFUSED if other is None:
            text = say(
                "proposal_ended.organiser_refuses",
                "The organiser does not agree with {name}; nothing is changed.",
                name=name,
            )
        case Reason.REFUSED:
            text = say(
                "proposal_ended.refused",
                "{other} does not agree with {name}; nothing is changed.",
                other=str(other),
                name=name,
            )
        case Reason.CHANGED:
            text = say("proposal_ended.changed", "What {name} proposed is no longer what lies there.", name=name)
        case _:
            text = say("proposal_ended.nobody", "Nobody has agreed with {name}; nothing is changed.", name=name)
    return text
