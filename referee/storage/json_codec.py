"""Codec of the journal: inputs and turn events to JSON objects and back."""

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any, Final, get_type_hints

import msgspec
from msgspec.structs import asdict

from referee.errors import RefereeError, StorageError
from referee.game import correction_events, events, inputs
from referee.game.correction_events import Claim, ProposalMade
from referee.game.event_parts import Doubt
from referee.game.events import Judged, TableWatched, TurnEvent
from referee.game.jokers import JokerInPlay
from referee.reading import inputs as reading_inputs
from referee.reading.inputs import Input
from referee.rules.notation import parse_tiles
from referee.rules.table import EMPTY_TABLE, Table, TileSet
from referee.rules.tiles import Colour, Tile
from referee.rules.verdict import Fault, Illegal, JudgedSet, Legal, Outcome, Undecided, Verdict, VerdictName, Violation
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
        form, readers = _form_of(kind)
        given = {**value, "verdict": value, "frame_at": value.get("frame_at", value["at"])}  # old ones lack a frame_at
        plain = asdict(from_json_value(form, given))
        parts = {name: part for name, part in plain.items() if part is not msgspec.UNSET}
        read = {name: reader(parts[name]) for name, reader in readers.items() if name in parts}
        event: TurnEvent = kind(**parts | read)
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
def _form_of(kind: Any) -> tuple[type[msgspec.Struct], Mapping[str, Callable[[JsonValue], object]]]:
    """Return the JSON form of an event, which is read at once, and the readers of what needs more than its type."""
    hints = get_type_hints(kind)
    names = [part.name for part in fields(kind)]
    readers = {name: _READERS[hints[name]] for name in names if hints[name] in _READERS}
    form = [(name, Any if name in readers else hints[name], msgspec.UNSET) for name in names]
    return msgspec.defstruct(kind.__name__, form), readers


class _Fault(msgspec.Struct):
    fault: Fault
    set: int | None
    tiles: tuple[Tile, ...]
    message: str
    message_id: str | None = None
    values: dict[str, Any] = {}

    def violation(self) -> Violation:
        """Return the violation; its English is final, and in old journals it has no id."""
        wording = only_english(self.message) if self.message_id is None else _message(asdict(self))
        return Violation(fault=self.fault, set_index=self.set, tiles=self.tiles, wording=wording)


class _Verdict(msgspec.Struct):
    verdict: VerdictName
    outcome: Outcome
    faults: tuple[_Fault, ...]
    played: tuple[Tile, ...]
    meld: int | None
    sets: tuple[JudgedSet, ...] = ()  # old journals have none


class _Doubt(msgspec.Struct):
    index: int
    may_be: tuple[Tile, ...]
    where: str | None = None


class _Joker(msgspec.Struct):
    joker: Tile
    set_index: int
    place: int
    numbers: tuple[int, ...]
    colours: tuple[Colour, ...]


def _verdict(value: JsonValue) -> Verdict:
    told = from_json_value(_Verdict, value)
    violations = tuple(fault.violation() for fault in told.faults)
    parts: dict[str, Any] = {"outcome": told.outcome, "played": told.played, "meld": told.meld, "sets": told.sets}
    match told.verdict:
        case "legal":
            return Legal(**parts)
        case "illegal":
            return Illegal(violations=violations, **parts)
        case "undecided":
            return Undecided(violations=violations, doubtful_tiles=(), **parts)


def _message(value: JsonValue) -> Message:
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


def _doubts(value: JsonValue) -> tuple[Doubt, ...]:
    told = from_json_value(tuple[_Doubt, ...], value)
    return tuple(Doubt(one.index, one.may_be, None if one.where is None else only_english(one.where)) for one in told)


def _jokers(value: JsonValue) -> tuple[JokerInPlay, ...]:
    told = from_json_value(tuple[_Joker, ...], value)
    return tuple(JokerInPlay(**asdict(one)) for one in told)


@lru_cache(maxsize=2048)
def _row(text: str) -> TileSet:
    """Return a row of a table, which mostly lies there for many turns."""
    return parse_tiles(text)


def _table(text: str) -> Table:
    return Table(tuple(map(_row, text.split(" / ")))) if text else EMPTY_TABLE


_READERS: Final[Mapping[object, Callable[[JsonValue], object]]] = types.MappingProxyType(
    {
        Table: _table,
        Verdict: _verdict,
        Message: only_english,
        Claim: event_from_json,
        tuple[Doubt, ...]: _doubts,
        tuple[JokerInPlay, ...]: _jokers,
    }
)
