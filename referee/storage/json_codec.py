"""Codec of the journal: inputs and turn events to JSON objects and back."""

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final, get_type_hints

from referee.errors import RefereeError, StorageError
from referee.game import correction_events, events, inputs
from referee.game.correction_events import Claim, ProposalMade
from referee.game.event_parts import Doubt
from referee.game.events import Judged, TableWatched, TurnEvent
from referee.game.jokers import JokerInPlay
from referee.reading import inputs as reading_inputs
from referee.reading.inputs import Input
from referee.rules.notation import parse_table
from referee.rules.table import Table
from referee.rules.tiles import Colour, Joker, Tile
from referee.rules.verdict import Fault, Illegal, JudgedSet, Legal, Outcome, Undecided, Verdict, Violation
from referee.rules.verdict_json import verdict_to_json
from referee.rules.wording import Message, TileRow, Value, only_english
from referee.storage.dataclass_codec import JsonValue, Kind, from_json_value, to_json_value


def _kinds_of(base: type[Kind], *modules: types.ModuleType) -> dict[str, type[Kind]]:
    found = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    return {kind.__name__: kind for kind in found if issubclass(kind, base) and kind is not base}


INPUT_TYPES: Final[Mapping[str, type[Input]]] = types.MappingProxyType(_kinds_of(Input, inputs, reading_inputs))
EVENT_TYPES: Final[Mapping[str, type[TurnEvent]]] = types.MappingProxyType(
    {kind.name: kind for kind in _kinds_of(TurnEvent, events, correction_events).values()}
)
_CORRECTIONS_BY_FIELDS: Final[Mapping[frozenset[str], str]] = types.MappingProxyType(
    {
        frozenset({"index", "tile"}): "TileIs",
        frozenset({"beside", "tile", "after"}): "TileMissed",
        frozenset({"tiles"}): "SetMissed",
        frozenset({"one", "other"}): "RowsJoined",
        frozenset({"after"}): "RowParted",
    }
)
"""How older versions' corrections are told apart: they were written without their names."""


def input_to_json(entered: Input) -> JsonValue:
    """Return an input as a JSON object with its type's name under `input`."""
    value = {"input": type(entered).__name__, **to_json_value(entered)}
    return value if entered.voice else {key: item for key, item in value.items() if key != "voice"}


def input_from_json(value: JsonValue) -> Input:
    """Build an input from its JSON object; raise StorageError if it is unknown or invalid."""
    try:
        if value["input"] == "TileCorrected":  # older versions wrote the correction of one tile so
            correction = {"index": value["index"], "tile": value["tile"]}
            value = {**value, "input": "TableCorrected", "said": correction}
        if "correction" not in (said := value.get("said", {"correction": None})):
            value = {**value, "said": {"correction": _CORRECTIONS_BY_FIELDS[frozenset(said)], **said}}
        entered = from_json_value(INPUT_TYPES[value["input"]], value)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"this input is unknown ({error!s:.80}); was it written by another version?") from None
    return entered


# Events -----------------------------------------------------------------------------------------------------------


def event_to_json(event: TurnEvent) -> JsonValue:
    """Return a turn event as a JSON object; that of a judged turn includes the answer of `referee judge`."""
    head = {"event": event.name, "at": round(event.at, 3)}
    rest = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in {"at", "verdict"}}
    shown = {**head, **to_json_value(rest)}
    if isinstance(event, Judged):
        shown["frame_at"] = round(event.frame_at, 3)
    if isinstance(event, Judged | TableWatched):
        shown |= verdict_to_json(event.verdict)
    if isinstance(event, ProposalMade):
        shown["says"] = event_to_json(event.says)
    return shown


def event_name(value: JsonValue) -> str:
    """Return the name of the event that a JSON object tells."""
    return str(value["event"])


def event_from_json(value: JsonValue) -> TurnEvent:
    """Build a turn event from its JSON object; raise StorageError if it is unknown or invalid."""
    try:
        kind: Any = EVENT_TYPES[event_name(value)]
        given = {**value, "verdict": value, "frame_at": value.get("frame_at", value["at"])}  # old ones lack a frame_at
        readers = _field_readers(kind)
        event: TurnEvent = kind(**{name: read(given[name]) for name, read in readers.items() if name in given})
    except (RefereeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"this event is unknown ({error!s:.80}); was it written by another version?") from None
    return event


def events_from_json(values: Iterable[JsonValue]) -> Iterator[TurnEvent]:
    """Yield events; those that this version does not know are left out."""
    for value in values:
        try:
            yield event_from_json(value)
        except StorageError:
            continue


@cache
def _field_readers(kind: Any) -> Mapping[str, Callable[[JsonValue], object]]:
    hints = get_type_hints(kind)
    return {part.name: _READERS.get(hints[part.name], _reader(hints[part.name])) for part in fields(kind)}


def _reader(hint: Any) -> Callable[[JsonValue], object]:
    return lambda value: from_json_value(hint, value)


def _tiles(value: JsonValue) -> tuple[Tile, ...]:
    return from_json_value(tuple[Tile, ...], value)


def _verdict(value: JsonValue) -> Verdict:
    violations = tuple(map(_violation, value["faults"]))
    parts: dict[str, Any] = {
        "outcome": Outcome(value["outcome"]),
        "played": _tiles(value["played"]),
        "meld": value["meld"],
        "sets": from_json_value(tuple[JudgedSet, ...], value.get("sets", ())),  # old ones lack them
    }
    match value["verdict"]:
        case "legal":
            return Legal(**parts)
        case "illegal":
            return Illegal(violations=violations, **parts)
        case "undecided":
            return Undecided(violations=violations, doubtful_tiles=(), **parts)
        case other:
            raise ValueError(f"verdict {other!r}")


def _violation(value: JsonValue) -> Violation:
    tiles = _tiles(value["tiles"])
    return Violation(fault=Fault(value["fault"]), set_index=value["set"], tiles=tiles, wording=_message(value))


def _message(value: JsonValue) -> Message:
    """Return a message whose English is final; old ones were written without id and values."""
    if "message_id" not in value:
        return only_english(value["message"])
    english = value["message"].replace("{", "{{").replace("}", "}}")
    return Message(value["message_id"], english, tuple((gap, _value(part)) for gap, part in value["values"].items()))


def _value(value: JsonValue) -> Value:
    match value:
        case dict():
            return _message(value)
        case list() if None in value:
            return TileRow(from_json_value(tuple[Tile | None, ...], value))
        case list():
            return tuple(_message(part) if isinstance(part, dict) else str(part) for part in value)
        case int() | str():
            return value
        case _:
            raise ValueError(f"value {value!r}")


def _doubt(value: JsonValue) -> Doubt:
    where = value.get("where")
    return Doubt(value["index"], _tiles(value["may_be"]), None if where is None else only_english(where))


def _joker(value: JsonValue) -> JokerInPlay:
    (joker,) = _tiles([value["joker"]])
    if not isinstance(joker, Joker):
        raise TypeError(f"joker {joker}")
    colours = tuple(map(Colour, value["colours"]))
    return JokerInPlay(joker, value["set_index"], value["place"], tuple(value["numbers"]), colours)


_READERS: Final[Mapping[object, Callable[[JsonValue], object]]] = types.MappingProxyType(
    {
        Table: parse_table,
        Verdict: _verdict,
        Message: only_english,
        Claim: event_from_json,
        tuple[Doubt, ...]: lambda value: tuple(map(_doubt, value)),
        tuple[JokerInPlay, ...]: lambda value: tuple(map(_joker, value)),
    }
)
