"""Strict JSON input: bounded, without NaN and duplicate keys; every error is one line."""

import difflib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, NoReturn

from referee.errors import NotationError, RefereeError
from referee.plain_json import JsonObject
from referee.rules.wording import way_out

MAX_INPUT_BYTES = 1_000_000
_SHOWN_CHARACTERS = 30
_MIN_SIMILARITY = 0.75


def parse_json(text: bytes) -> object:
    """Parse one JSON value; NotationError, with place and reason, if it is invalid."""
    try:
        return json.loads(
            text.decode("utf-8-sig"),
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            object_pairs_hook=_object_of,
        )
    except UnicodeDecodeError as error:
        raise NotationError(f"byte {error.start} is not UTF-8; write the JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        raise NotationError(f"not JSON at {position}: {error.msg}; write one JSON value") from None
    except RecursionError:
        raise NotationError("the JSON is nested too deeply; write it as docs/commands.md shows") from None
    except ValueError as error:
        raise NotationError(f"not JSON: {short_json(str(error))}; write smaller numbers") from None


def read_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines that are not blank, without line ends; None for a line over the limit."""
    while line := stream.readline(MAX_INPUT_BYTES + 1):
        if len(line) > MAX_INPUT_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_INPUT_BYTES)
            yield None
        elif line.strip():
            yield line.strip(b"\r\n")


def answer_lines(
    stream: BinaryIO, answer: Callable[[Mapping[str, object]], JsonObject], what: str
) -> Iterator[JsonObject]:
    """Yield the answer to every line that is not blank, in order, with the `id` of its request.

    An invalid line is answered with `error`; `what` names what a line must contain.
    """
    for line in read_lines(stream):
        identity: object = None
        try:
            if line is None:
                raise NotationError(f"the line has more than {MAX_INPUT_BYTES} bytes; write one {what} a line")
            request = expect_object(parse_json(line), "the line")
            identity = request.get("id")
            answered = answer(request)
        except RefereeError as error:
            answered = {"error": str(error)}
        yield {"id": identity, **answered}


def expect_object(value: object, path: str) -> Mapping[str, object]:
    """Return the value if it is a JSON object; raise NotationError naming the path if not."""
    if isinstance(value, dict):
        return value
    raise NotationError(f"{path} is {short_json(value)}; write an object {{…}}")


def expect_text(value: object, path: str) -> str:
    """Return the value if it is a string; raise NotationError naming the path if not."""
    if isinstance(value, str):
        return value
    raise NotationError(f"{path} is {short_json(value)}; write a text in quotes")


def expect_bool(value: object, path: str) -> bool:
    """Return the value if it is true or false; raise NotationError naming the path if not."""
    if isinstance(value, bool):
        return value
    raise NotationError(f"{path} is {short_json(value)}; write true or false")


def expect_list(value: object, path: str) -> list[object]:
    """Return the value if it is a JSON list; raise NotationError naming the path if not."""
    if isinstance(value, list):
        return value
    raise NotationError(f"{path} is {short_json(value)}; write a list […]")


def check_keys(found: Mapping[str, object], known: tuple[str, ...], needed: tuple[str, ...], path: str) -> None:
    """Raise NotationError for a missing or misspelt key; other unknown keys are ignored."""
    absent = [key for key in known if key not in found]
    for key in found:
        if key not in known and difflib.get_close_matches(key[:_SHOWN_CHARACTERS], absent, n=1, cutoff=_MIN_SIMILARITY):
            raise NotationError(f"{path} has an unknown key {short_json(key)}; {way_out(key, absent)}")
    for key in needed:
        if key not in found:
            raise NotationError(f"{path} lacks {key!r}; add it")


def short_json(value: object) -> str:
    """Return an input value as short JSON on one line."""
    if isinstance(value, dict | list) and value:
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise NotationError(f"the key {short_json(key)} appears twice in one object; remove one")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise NotationError(f"{name} is not JSON; write a number")


def _finite_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotationError(f"{text[:_SHOWN_CHARACTERS]} is too large; write a smaller number")
    return number
