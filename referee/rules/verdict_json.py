"""Verdicts and messages as JSON values, under the promised keys."""

from referee.plain_json import JsonObject
from referee.rules.tiles import Tile
from referee.rules.verdict import VERDICT_NAMES, JudgedSet, Verdict, Violation
from referee.rules.wording import Message, TileRow


def verdict_to_json(verdict: Verdict) -> JsonObject:
    """Return a verdict as JSON values; each fault has its English message, the message's id and values."""
    return {**findings_to_json(verdict), "sets": [_set(judged) for judged in verdict.sets]}


def findings_to_json(verdict: Verdict) -> JsonObject:
    """Return a verdict without the table's sets."""
    return {
        "verdict": VERDICT_NAMES[type(verdict)],
        "outcome": verdict.outcome.value,
        "faults": [_fault(violation) for violation in verdict.violations],
        "played": _notation(verdict.played),
        "meld": verdict.meld,
    }


def _fault(violation: Violation) -> JsonObject:
    return {
        "fault": violation.fault.value,
        "set": violation.set_index,
        "tiles": _notation(violation.tiles),
        **message_to_json(violation.wording),
    }


def message_to_json(message: Message) -> JsonObject:
    """Return a message's English text, with its id and values for translation.

    A value is a number, a name, a list of tiles or names, or another message.
    """
    values = {gap: _value(value) for gap, value in message.values}
    return {"message": str(message), "message_id": message.id, "values": values}


def error_to_json(message: Message) -> JsonObject:
    """Return what an error says as `error`, with the message's id and values."""
    plain = message_to_json(message)
    return {"error": plain.pop("message"), **plain}


def _value(value: object) -> object:
    match value:
        case Message():
            return message_to_json(value)
        case TileRow(tiles):
            return [None if tile is None else str(tile) for tile in tiles]
        case tuple():
            return [_value(item) for item in value]
        case int():
            return value
        case _:
            return str(value)


def _set(judged: JudgedSet) -> JsonObject:
    return {
        "tiles": _notation(judged.tiles),
        "kind": None if judged.kind is None else judged.kind.value,
        "worth": judged.worth,
        "untidy": judged.untidy,
    }


def _notation(tiles: tuple[Tile, ...]) -> list[str]:
    return list(map(str, tiles))
