"""Values as plain JSON and back: inputs both ways, turn events one way, with tiles and tables in the notation."""

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from referee.errors import NotationError, StorageError
from referee.game.correction_events import ProposalMade
from referee.game.events import EVENT_NAMES, Judged, TableWatched, TurnEvent
from referee.game.inputs import Input
from referee.rules.answer import answer
from referee.rules.notation import format_table, parse_tile
from referee.rules.table import Table
from referee.rules.tiles import Joker, NumberTile, Tile
from referee.rules.wording import Message

Plain = Any
_TILES: Final = (NumberTile, Joker)
INPUTS: Final[Mapping[str, type]] = types.MappingProxyType({kind.__name__: kind for kind in get_args(Input)})


def plain(value: object) -> Plain:
    """Give a value as what JSON knows; a dataclass becomes an object without its type's name."""
    given: Plain = value
    match value:
        case NumberTile() | Joker():
            given = str(value)
        case Table():
            given = format_table(value)
        case Message():
            given = str(value)
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
        entered: Input = _builder(INPUTS[value["input"]])(value)
    except (KeyError, TypeError, ValueError, IndexError, StopIteration, NotationError) as error:
        raise StorageError(f"this is no known input ({error!s:.80}); was it written by another version?") from None
    return entered


Build = Callable[[Plain], Any]


@cache
def _builder(hint: Any) -> Build:
    """Give what builds a value of an annotated type from plain JSON; found once, for a long match has many readings."""
    if hint == Tile:
        return parse_tile
    hint = getattr(hint, "__supertype__", hint)
    origin, kinds = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _builder_of_one(kinds)
    if origin is tuple and len(kinds) == 2 and kinds[1] is Ellipsis:
        each = _builder(kinds[0])
        return lambda value: tuple(map(each, value))
    if origin is tuple:
        builders = tuple(map(_builder, kinds))
        return lambda value: tuple(build(item) for build, item in zip(builders, value, strict=True))
    if is_dataclass(hint) and isinstance(hint, type):
        return _builder_of_dataclass(hint)
    return float if hint is float else _as_it_is


def _as_it_is(value: Plain) -> Any:
    return value


def _builder_of_dataclass(kind: type) -> Build:
    builders = {name: _builder(hint) for name, hint in _hints(kind).items()}
    return lambda value: kind(**{name: build(value[name]) for name, build in builders.items() if name in value})


def _builder_of_one(kinds: tuple[Any, ...]) -> Build:
    """Build one of several types, told apart by what the value is."""
    parts = [kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind) and kind not in _TILES]
    made_of = {frozenset(_hints(kind)): _builder(kind) for kind in parts}
    listed = next((_builder(kind) for kind in kinds if get_origin(kind) is tuple), None)

    def build(value: Plain) -> Any:
        if value is None or isinstance(value, int):
            return value
        if isinstance(value, str):
            return value if str in kinds else parse_tile(value)
        if isinstance(value, Mapping):
            return made_of[frozenset(value)](value)
        if listed is None:
            raise TypeError(value)
        return listed(value)

    return build


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind) if field.compare and field.init}


# Events -----------------------------------------------------------------------------------------------------------


def event_to_plain(event: TurnEvent, *, messages: bool = False) -> Plain:
    """Give a turn event as a JSON object; for a judged turn with the answer of `judge` and the tables in notation.

    `messages`: with the ids and values of its faults' messages, which journals do without.
    """
    head = {"event": EVENT_NAMES[type(event)], "at": round(event.at, 3)}
    rest = {field.name: getattr(event, field.name) for field in fields(event) if field.name not in {"at", "verdict"}}
    shown = {**head, **plain(rest)}
    if isinstance(event, Judged):
        shown["frame_at"] = round(event.frame_at, 3)
    if isinstance(event, Judged | TableWatched):
        shown |= answer(event.verdict, messages=messages)
    if isinstance(event, ProposalMade):
        shown["says"] = event_to_plain(event.says)
    return shown
