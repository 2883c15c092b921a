"""Dataclasses to JSON values and back, with tiles and tables in the notation; used by journals and profiles."""

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec

from referee.errors import NotationError
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, TileIs, TileMissed
from referee.rules.notation import format_table, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, NumberTile, Tile
from referee.rules.wording import Message

JsonValue = Any
Kind = TypeVar("Kind")


def to_json_value(value: object) -> JsonValue:
    """Return a value as JSON types; a dataclass becomes an object without its type's name."""
    kind: Any = type(value)  # Any: mypy does not know that types are hashable
    return _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], JsonValue]:
    """Return the function that encodes values of a type; cached, because a long match has many readings."""
    if issubclass(kind, NumberTile | Joker | Message | Table):
        return format_table if kind is Table else str
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, Mapping):
        return lambda value: {str(key): to_json_value(item) for key, item in value.items()}
    if issubclass(kind, tuple | list):
        return lambda value: [to_json_value(item) for item in value]
    if is_dataclass(kind):
        names = _field_names(kind)
        return lambda value: {name: to_json_value(getattr(value, name)) for name in names}
    return lambda value: value


def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


_CORRECTIONS_BY_FIELDS: Final[Mapping[frozenset[str], type]] = types.MappingProxyType(
    {frozenset(_field_names(kind)): kind for kind in (TileIs, TileMissed, SetMissed, RowsJoined, RowParted)}
)


def from_json_value(kind: type[Kind], value: JsonValue) -> Kind:
    """Build a dataclass from its JSON value; raise ValueError if the value does not fit it."""
    try:
        return msgspec.convert(value, kind, dec_hook=_decode)
    except (NotationError, KeyError) as error:
        raise ValueError(str(error)) from None


def _decode(kind: object, value: JsonValue) -> Any:
    return parse_tile(value) if kind is Tile else from_json_value(_CORRECTIONS_BY_FIELDS[frozenset(value)], value)
