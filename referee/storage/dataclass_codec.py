"""Dataclasses to JSON values and back, with tiles and tables in the notation; used by journals and profiles."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from referee.errors import NotationError
from referee.rules.notation import format_table, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, NumberTile, Tile
from referee.rules.wording import Message

JsonValue = Any
_parse_tile = lru_cache(maxsize=256)(parse_tile)  # a long match holds a million tiles
Kind = TypeVar("Kind")


def to_json_value(value: object) -> JsonValue:
    """Return a value as JSON types; a dataclass becomes an object without its type's name, a tagged struct has it."""
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
    if is_dataclass(kind) or issubclass(kind, msgspec.Struct):
        return _object_writer(kind)
    return lambda value: value


def _object_writer(kind: Any) -> Callable[[Any], JsonValue]:
    is_struct = issubclass(kind, msgspec.Struct)
    names = kind.__struct_fields__ if is_struct else [field.name for field in fields(kind) if field.compare]
    tag = {kind.__struct_config__.tag_field: kind.__struct_config__.tag} if is_struct else {}
    return lambda value: tag | {name: to_json_value(getattr(value, name)) for name in names}


def from_json_value(kind: type[Kind], value: JsonValue) -> Kind:
    """Build a value from its JSON value; raise ValueError if it does not fit."""
    try:
        return msgspec.convert(value, kind, dec_hook=_decode)
    except NotationError as error:
        raise ValueError(str(error)) from None


def _decode(_tile: object, text: JsonValue) -> Tile:
    return _parse_tile(text)
