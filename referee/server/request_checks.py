"""Checks of every request (host, origin, body size) and security headers of every response."""

import asyncio
import ipaddress
import json
import logging
import socket
from collections.abc import Iterable
from math import ceil
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from referee.errors import FieldError, RefereeError
from referee.rules.verdict_json import error_to_json, message_to_json
from referee.rules.wording import Message, message_of, only_english, say

log = logging.getLogger("referee")

MAX_BODY_BYTES: Final = 16_384
MAX_SETTINGS_BYTES: Final = 65_536
MAX_PHOTO_BYTES: Final = 4_194_304
PHOTO_PATH: Final = "/api/photo"
NO_JPEG: Final = say("photo.jpeg", "this picture is no JPEG; save it as JPEG, and send that")
_MAX_BYTES: Final = {
    "/api/settings": MAX_SETTINGS_BYTES,
    "/api/tournament/create": MAX_SETTINGS_BYTES,
    PHOTO_PATH: MAX_PHOTO_BYTES,
}
REQUEST_TIMEOUT_SECONDS: Final = 30.0
UNTIMED_PATHS: Final = frozenset({"/api/events", "/api/export/match.zip"})

_HEADERS: Final = (
    (
        b"content-security-policy",
        b"; ".join(
            (
                b"default-src 'none'",
                b"script-src 'self'",
                b"style-src 'self'",
                b"img-src 'self' data: blob:",
                b"connect-src 'self'",
                b"manifest-src 'self'",
                b"base-uri 'none'",
                b"form-action 'none'",
                b"frame-ancestors 'none'",
            )
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)


def accepted_names(names: Iterable[str]) -> frozenset[str]:
    """Return the accepted host names: the machine's and the configured ones; addresses are always accepted."""
    machine = socket.gethostname().lower().removesuffix(".local")
    return frozenset({"localhost", machine, f"{machine}.local", *(name.lower() for name in names)})


def is_known_host(host: str, names: frozenset[str]) -> bool:
    """Return whether a Host header names this referee.

    A foreign page can make its own name resolve to this machine (DNS rebinding) and send requests under it, but
    not under a bare address. So addresses are accepted, and names only if they are ours.
    """
    name, _, port = (
        host.rpartition(":") if host.count(":") == 1 or host.rfind("]") < host.rfind(":") else (host, "", "")
    )
    name = name or host
    if port and not (port.isascii() and port.isdecimal() and len(port) <= 5):
        return False
    bare = name.removeprefix("[").removesuffix("]")
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return name.lower().rstrip(".") in names
    return True


class Refusal(Exception):  # noqa: N818 - it is an answer
    """An error response."""

    def __init__(self, status: int, error_id: str, message: Message, **more: Any) -> None:
        """Respond with this status, error id and message; `seconds` in `more` becomes Retry-After."""
        super().__init__(message)
        self.status = status
        self.body = error_to_json(message) | {"error_id": error_id, **more}
        self.headers = {"retry-after": str(ceil(more["seconds"]))} if "seconds" in more else {}


def refusal_of(error: RefereeError, status: int, error_id: str, **more: Any) -> Refusal:
    """Return the response to an error; that of a field says in `errors` what stands beside it."""
    message = message_of(error)
    if isinstance(error, FieldError) and error.field:
        more = {"error": str(error), "errors": {error.field: message_to_json(message)}, **more}
    return Refusal(status, error_id, message, **more)


class RequestChecks:
    """ASGI middleware that checks requests before the routes."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        """Accept requests for these host names."""
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            return
        answered = False

        async def answer(message: AsgiMessage) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        try:
            _check(scope, self._names)
            limit = None if scope["path"] in UNTIMED_PATHS else REQUEST_TIMEOUT_SECONDS
            async with asyncio.timeout(limit):
                await self._app(scope, receive, answer)
        except Refusal as refusal:
            if not answered:
                await refuse(refusal, answer)
        except TimeoutError:
            if not answered:
                message = say("refused.slow", "this takes too long just now; try again")
                await refuse(Refusal(503, "busy", message, seconds=5), answer)


def _check(scope: Scope, names: frozenset[str]) -> None:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    host = headers.get(b"host", "")
    if not is_known_host(host, names):
        message = say(
            "refused.host", "{host} is not this referee; use its address, or set web.names", host=repr(host[:60])
        )
        raise Refusal(421, "host", message)
    if scope["method"] in {"GET", "HEAD"}:
        return
    if scope["method"] != "POST":
        raise Refusal(405, "request", only_english(f"{scope['method'][:20]} is not supported; use GET or POST"))
    if headers.get(b"origin", "") != f"{scope['scheme']}://{host}":
        message = say("refused.origin", "a change must come from this page itself; open the page and try there")
        raise Refusal(403, "origin", message)
    kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
    if scope["path"] == PHOTO_PATH:
        if kind != "image/jpeg":
            raise Refusal(415, "request", NO_JPEG)
    elif kind != "application/json":
        message = only_english("the body is not marked as JSON; send Content-Type: application/json")
        raise Refusal(415, "request", message)
    length = headers.get(b"content-length", "0")
    if not length.isascii() or not length.isdecimal() or int(length[:12]) > max_body_bytes(scope["path"]):
        raise body_too_large(scope["path"])


def max_body_bytes(path: str) -> int:
    """Return the largest body of a request to this path, in bytes."""
    return _MAX_BYTES.get(path, MAX_BODY_BYTES)


def body_too_large(path: str) -> Refusal:
    """Return the response to a body that is too large for this path."""
    most = max_body_bytes(path)
    return Refusal(413, "request", say("refused.large", "the body is too large; send at most {most} bytes", most=most))


async def refuse(refusal: Refusal, send: Send) -> None:
    """Send an error response."""
    body = json.dumps(refusal.body, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    headers.append((b"cache-control", b"no-store"))
    headers += [(name.encode(), value.encode()) for name, value in refusal.headers.items()]
    if refusal.status in {405, 413, 415}:  # do not wait for the rest of the body
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
