"""Messages of tables: through the hall's door, and made from the declared types to be valid, nearly valid or broken."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import inspect

from referee.hall import messages
from referee.hall.messages import Received, read_message
from referee.plain_json import json_bytes

DECLARED = {
    "status": (messages.Status,),
    "state": (messages.State,),
    "event": (messages.Event, messages.HistoryEnd),
    "alert": (messages.Alerts,),
    "result": (messages.Result,),
    "health": (messages.Health,),
}
WORDS = ("", "m-1", "online", "judged", "legal", "turn", "Ann", "Łucja 🂡", "R7", "http://10.0.0.7/", "x" * 200)
POISON = (
    *(
        None,
        True,
        -1,
        2**53,
        2**63,
        10**400,
        1.5,
        -1e308,
        "x",
        "x" * 2001,
        "\x00",
        "<b>",
        [],
        [[]],
        [None],
        {},
        {"": {}},
    ),
    *("\N{BOM}", {"kind": "doubt", "since": "x"}, [1, "x", None], {"a": [{}] * 300}),
)
RAW = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b'"\\ud800"', b'"\\udfff\\ud800"', b'"\xed\xa0\x80"', b"[" * 5000)
_MARK = "put the raw bytes here"


def sent(table: str, kind: str, value: Any, *, retained: bool = False) -> Received:
    """What the hall makes of a table's message."""
    received = read_message("h", f"referee/v1/h/{table}/{kind}", json_bytes(value), retained=retained)
    assert received is not None
    return received


def payloads(chance: random.Random, kind: str) -> Iterator[bytes]:
    """Messages of a kind without end: a third as declared, a third with one mistake, and a third of other kinds."""
    while True:
        declared = chance.choice(DECLARED[kind])
        value = _valid(chance, inspect.type_info(declared))
        if declared is messages.HistoryEnd:
            value["end"] = True
        payload = json_bytes(value)
        yield payload
        yield _spoilt(chance, value)
        yield _broken(chance, payload)


def _valid(chance: random.Random, kind: Any) -> Any:
    """A value as a type declares it."""
    match kind:
        case inspect.StructType(fields=fields):
            asked = (field for field in fields if field.required or chance.random() < 0.8)
            return {field.encode_name: _valid(chance, field.type) for field in asked}
        case inspect.UnionType(types=types):
            return _valid(chance, chance.choice(types))
        case inspect.VarTupleType(item_type=item):
            return [_valid(chance, item) for _ in range(chance.randrange(4))]
        case inspect.DictType(key_type=key, value_type=value):
            return {str(_valid(chance, key)): _valid(chance, value) for _ in range(chance.randrange(3))}
    return chance.choice(_plain_values(kind))


def _plain_values(kind: Any) -> Sequence[Any]:
    match kind:
        case inspect.LiteralType(values=values):
            return values
        case inspect.StrType(pattern=pattern):
            return WORDS if pattern is None else ("m-1", "m-2", "match-00001-" + "a" * 60)
        case inspect.IntType(ge=least):
            return (-100, 0, 7) if least is None else [least + more for more in (0, 1, 2, 3, 40, 2**30)]
        case inspect.FloatType():
            return (0, 0.5, 12.25, 3600, 1e9)
    return (True, False) if isinstance(kind, inspect.BoolType) else (None,)


def _spoilt(chance: random.Random, value: Any) -> bytes:
    """The same with one part wrong, left out or more."""
    *_, (holder, key) = [(value, next(iter(value), "")), *_parts(chance, value)]
    change = chance.randrange(4)
    if change == 0 and isinstance(holder, dict):
        holder.pop(key, None)
    elif change == 1 and isinstance(holder, dict):
        holder[chance.choice(WORDS)] = chance.choice(POISON)
    elif change == 2:
        holder[key] = _MARK
        return json_bytes(value).replace(json_bytes(_MARK), chance.choice(RAW))
    else:
        holder[key] = chance.choice(POISON)
    return json_bytes(value)


def _parts(chance: random.Random, value: Any) -> Iterator[tuple[Any, Any]]:
    """A way down to a part: each holder and the key in it."""
    while isinstance(value, dict | list) and value and chance.random() < 0.8:
        key = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        yield value, key
        value = value[key]


def _broken(chance: random.Random, payload: bytes) -> bytes:
    """No message at all."""
    choices = (
        *(b"", payload[: chance.randrange(1, 40)], payload + b"{}", payload.replace(b'"', b"'")),
        *(chance.choice(RAW), chance.randbytes(chance.randrange(1, 60)), json_bytes(chance.choice(POISON))),
        *(b'{"a":' * 900 + b"1" + b"}" * 900, b'{"a":' + b"[" * 30 + b"]" * 30 + b"}"),
        payload[:-1] + b',"more":"' + b"x" * 70_000 + b'"}',
    )
    return chance.choice(choices)
