"""Request parsing (bodies, cookies, numbers in paths and queries) and JSON responses."""

import json
from typing import Final, NoReturn

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import FieldError
from referee.plain_json import JsonObject, json_bytes
from referee.rules.declared_fields import Kind, read_fields
from referee.rules.wording import only_english
from referee.server.request_checks import Refusal, body_too_large, max_body_bytes, refusal_of

COOKIE = "referee"
DEVICE_COOKIE = "referee-device"
"""Says that the PIN was right on this device before; it opens nothing."""
UNCACHED: Final = {"cache-control": "no-store"}


def json_response(value: object, status: int = 200) -> Response:
    """Return an uncacheable JSON response."""
    return bytes_response(json_bytes(value), status)


def bytes_response(content: bytes, status: int = 200, kind: str = "application/json; charset=utf-8") -> Response:
    """Return an uncacheable response."""
    return Response(content, status, media_type=kind, headers=UNCACHED)


def file_response(content: bytes, kind: str, name: str) -> Response:
    """Return a download under this file name."""
    headers = {"content-disposition": f'attachment; filename="{name}"', **UNCACHED}
    return Response(content, media_type=kind, headers=headers)


def client_address(request: Request) -> str:
    """Return a request's client address; empty if unknown."""
    return "" if request.client is None else request.client.host


class EmptyBody(Struct, forbid_unknown_fields=True):
    """An empty object."""


async def read_body(request: Request, kind: type[Kind]) -> Kind:
    """Return a request's body as a declared struct; Refusal if it is invalid."""
    try:
        return read_fields(kind, await read_json(request), "the request")
    except FieldError as error:
        raise refusal_of(error, 400, "request") from None


async def read_bytes(request: Request) -> bytes:
    """Return a request's body; Refusal if it is too large."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > max_body_bytes(request.url.path):
            raise body_too_large(request.url.path)
    return bytes(content)


async def read_json(request: Request) -> JsonObject:
    """Return a request's JSON object; Refusal if it is invalid or too large."""
    content = await read_bytes(request)
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refusal(400, "request", only_english("the body is not JSON; send a JSON object")) from None
    if not isinstance(value, dict):
        raise Refusal(400, "request", only_english("the body is JSON, but not an object; send an object"))
    if not _is_valid_text(value):
        message = only_english("the body has a lone surrogate, half a character; send whole characters")
        raise Refusal(400, "request", message)
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _is_valid_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def path_number(request: Request, key: str, maximum: int = 10_000) -> int:
    """Return a whole number of the path; Refusal (404) if it is none or too large."""
    text = request.path_params.get(key, "")
    if not (isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= maximum):
        raise Refusal(404, "unknown", only_english("nothing has this name; take names from /api/state"))
    return int(text)


def query_number(request: Request, key: str, default: int | None, maximum: int) -> int | None:
    """Return a whole number of the query; Refusal if it is none or too large."""
    text = request.query_params.get(key)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and 0 < int(text) <= maximum):
        message = only_english(f"{key!r} is {text[:20]!r}; give a whole number from 1 to {maximum}")
        raise Refusal(400, "request", message)
    return int(text)
