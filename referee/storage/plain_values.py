"""Values as plain JSON and back, with tiles and tables in the notation: what journals and profiles are made of."""

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

Plain = Any
Kind = TypeVar("Kind")


def plain(value: object) -> Plain:
    """Return a value as what JSON knows; a dataclass becomes an object without its type's name."""
    kind: Any = type(value)  # which mypy knows to be hashable
    return _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], Plain]:
    """Return what writes values of a type; found once, for a long match has many readings."""
    if issubclass(kind, NumberTile | Joker | Message | Table):
        return format_table if kind is Table else str
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, Mapping):
        return lambda value: {str(key): plain(item) for key, item in value.items()}
    if issubclass(kind, tuple | list):
        return lambda value: [plain(item) for item in value]
    if is_dataclass(kind):
        names = _names(kind)
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    return lambda value: value


def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


_SAID: Final[Mapping[frozenset[str], type]] = types.MappingProxyType(
    {frozenset(_names(kind)): kind for kind in (TileIs, TileMissed, SetMissed, RowsJoined, RowParted)}
)


def from_plain(kind: type[Kind], value: Plain) -> Kind:
    """Build a dataclass from what `plain` made of it; raise ValueError where the value is none."""
    try:
        return msgspec.convert(value, kind, dec_hook=_read)
    except (NotationError, KeyError) as error:
        raise ValueError(str(error)) from None


def _read(kind: object, value: Plain) -> Any:
    return parse_tile(value) if kind is Tile else from_plain(_SAID[frozenset(value)], value)
