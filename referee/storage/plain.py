"""Values as plain JSON and back: inputs both ways, turn events one way, with tiles and tables in the notation."""

import types
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from referee.errors import NotationError, StorageError
from referee.game.correction_events import ProposalMade
from referee.game.events import Judged, TableWatched, TurnEvent
from referee.game.inputs import Input
from referee.rules.answer import answer
from referee.rules.notation import format_table, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, NumberTile, Tile

Plain = Any
INPUTS: Final[Mapping[str, type]] = types.MappingProxyType({kind.__name__: kind for kind in get_args(Input)})


def plain(value: object) -> Plain:
    """Give a value as what JSON knows; a dataclass becomes an object without its type's name."""
    given: Plain = value
    match value:
        case NumberTile() | Joker():
            given = str(value)
        case Table():
            given = format_table(value)
        case Enum():
            given = value.value
        case Mapping():
            given = {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            given = [plain(item) for item in value]
        case _ if is_dataclass(value):
            given = {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.compare}
    return given


def input_to_plain(entered: Input) -> Plain:
    """Give an input as a JSON object, its kind under `input`."""
    return {"input": type(entered).__name__, **plain(entered)}


def input_from_plain(value: Plain) -> Input:
    """Build the input again; raise StorageError where the object is none."""
    try:
        entered: Input = _build(INPUTS[value["input"]], value)
    except (KeyError, TypeError, ValueError, IndexError, StopIteration, NotationError) as error:
        raise StorageError(f"this is no known input ({error!s:.80}); was it written by another version?") from None
    return entered


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind) if field.compare and field.init}


def _build(hint: Any, value: Plain) -> Any:
    """Build a value of an annotated type from plain JSON."""
    if hint == Tile:
        return parse_tile(value)
    hint = getattr(hint, "__supertype__", hint)
    if get_origin(hint) in (Union, types.UnionType):
        return _build_one_of(get_args(hint), value)
    if get_origin(hint) is tuple:
        kinds = get_args(hint)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return tuple(_build(kinds[0], item) for item in value)
        return tuple(_build(kind, item) for kind, item in zip(kinds, value, strict=True))
    if is_dataclass(hint) and isinstance(hint, type):
        return hint(**{name: _build(kind, value[name]) for name, kind in _hints(hint).items() if name in value})
    return float(value) if hint is float else value


def _build_one_of(kinds: tuple[Any, ...], value: Plain) -> Any:
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return value if str in kinds else parse_tile(value)
    if isinstance(value, Mapping):
        return _build(next(kind for kind in kinds if _is_made_of(kind, value.keys())), value)
    return _build(next(kind for kind in kinds if get_origin(kind) is tuple), value)


def _is_made_of(kind: Any, names: AbstractSet[str]) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and _hints(kind).keys() == names


# Events -----------------------------------------------------------------------------------------------------------


def event_to_plain(event: TurnEvent) -> Plain:
    """Give a turn event as a JSON object; for a judged turn with the answer of `judge` and the tables in notation."""
    head = {"event": EVENT_NAMES[type(event)], "at": round(event.at, 3)}
    rest = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in {"at", "verdict"}}
    shown = {**head, **plain(rest)}
    if isinstance(event, Judged | TableWatched):
        shown |= answer(event.verdict)
    if isinstance(event, ProposalMade):
        shown["says"] = event_to_plain(event.says)
    return shown


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


EVENT_NAMES: Final[Mapping[type, str]] = types.MappingProxyType(
    {kind: _snake(kind.__name__) for kind in get_args(TurnEvent)}
)
