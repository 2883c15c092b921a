"""From requests to values: bodies, cookies, numbers in addresses; and answers as JSON."""

import json
from typing import Any, NoReturn

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from referee.declared import Kind, WrongFieldError, read_fields
from referee.web.security.request_checks import Refusal, most_bytes

JsonObject = dict[str, Any]
COOKIE = "referee"
DEVICE_COOKIE = "referee-device"
"""Says that the PIN was right on this device before; it opens nothing."""


def answer(value: object, status: int = 200) -> Response:
    """Answer JSON that no cache keeps."""
    return answer_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), status)


def answer_bytes(content: bytes, status: int = 200, kind: str = "application/json; charset=utf-8") -> Response:
    """Answer content that no cache keeps."""
    return Response(content, status, media_type=kind, headers={"cache-control": "no-store"})


def download(content: bytes, kind: str, name: str) -> Response:
    """Answer a file to be kept under this name."""
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(content, media_type=kind, headers=headers)


def address_of(request: Request) -> str:
    """Return the address a request came from; empty where nobody knows."""
    return "" if request.client is None else request.client.host


class Nothing(Struct, forbid_unknown_fields=True):
    """An empty object."""


async def read_body(request: Request, kind: type[Kind]) -> Kind:
    """Read the body of a request as a declared struct; Refusal where it is none."""
    try:
        return read_fields(kind, await body_of(request), "the request")
    except WrongFieldError as error:
        raise Refusal(400, "request", str(error)) from None


async def body_of(request: Request) -> JsonObject:
    """Read the JSON object of a request; Refusal where it is none, or too much."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most_bytes(request.url.path):
            raise Refusal(413, "request", f"the body is too large; send at most {most_bytes(request.url.path)} bytes")
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refusal(400, "request", "the body is not JSON; send a JSON object") from None
    if not isinstance(value, dict):
        raise Refusal(400, "request", "the body is JSON, but not an object; send an object")
    if not _sound(value):
        raise Refusal(400, "request", "the body has a lone surrogate, half a character; send whole characters")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _sound(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def number_in(request: Request, key: str, most: int = 10_000) -> int:
    """Return a whole number of the address; Refusal where there is no such thing."""
    text = request.path_params.get(key, "")
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= most):
        raise Refusal(404, "unknown", "nothing has this name; take names from /api/state")
    return int(text)


def asked_number(request: Request, key: str, default: int | None, most: int) -> int | None:
    """Return a whole number of the query; Refusal where it is none."""
    text = request.query_params.get(key)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and 0 < int(text) <= most):
        raise Refusal(400, "request", f"{key!r} is {text[:20]!r}; give a whole number from 1 to {most}")
    return int(text)
