"""Login and logout by PIN: the role and session of each request, with a limited rate of tries."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from referee.errors import StorageError
from referee.rules.wording import say
from referee.server.connection_limits import Traffic, network_prefix
from referee.server.executors import Executors
from referee.server.pin import MAX_DIGITS, PinRateLimiter, is_correct_pin
from referee.server.request_checks import Refusal, refusal_of
from referee.server.requests import COOKIE, DEVICE_COOKIE, EmptyBody, client_address, json_response, read_body
from referee.server.sessions import (
    DEVICE_SECONDS,
    MAX_ORGANISERS,
    SESSION_SECONDS,
    Session,
    Sessions,
    is_this_machine,
    load_sessions,
    save_sessions,
)

ORGANISER: Final = "organiser"

log = logging.getLogger("referee")

Digits = Annotated[str, Meta(max_length=4 * MAX_DIGITS, extra={"wanted": say("wanted.digits", "a text of digits")})]


class Login(Struct, frozen=True, forbid_unknown_fields=True):
    """The PIN of the organiser."""

    pin: Digits


@dataclass(frozen=True, slots=True)
class RolePin:
    """A role's PIN hash and the file that stores its sessions."""

    pin_hash: Callable[[], str | None]
    """Returns the PIN's hash; called at each login, so that a new PIN counts at once."""
    session_file: Path | None = None


class Logins:
    """Logs browsers in and out; each role's sessions are signed with its own secret."""

    def __init__(
        self,
        locks: Mapping[str, RolePin],
        executors: Executors,
        traffic: Traffic,
        *,
        about: Callable[[str | None], Mapping[str, Any]],
        ended: Callable[[], None],
    ) -> None:
        """Begin with these roles; `about` adds to a session's answer; a login that ends a session calls `ended`."""
        self._locks, self._executors, self._traffic = locks, executors, traffic
        self._about, self._ended = about, ended
        self._sessions = {role: _load_role_sessions(lock) for role, lock in locks.items()}
        self._limiter = PinRateLimiter()
        self._pin_set = True

    async def session(self, request: Request) -> Response:
        """Return the browser's session; set its cookie if it has none."""
        role, known = self._find(request)
        try:
            self._pin_set = any(await self._executors.command(self._hashes))
        except StorageError as error:
            log.warning("%s", error)
            self._pin_set = False
        return self._session_response(known or self._viewer(), role, fresh=known is None)

    async def login(self, request: Request) -> Response:
        """Log in: start a session of the role with this PIN."""
        self.authorise_change(request)
        pin = (await read_body(request, Login)).pin
        address, device = client_address(request), self._device(request)
        role = await self.try_pin(request, pin)
        self._traffic.reserve(address)
        session, ended = self._sessions[role].promote(time.monotonic())
        await self._store_sessions(role)
        log.info("the %s logged in from %s", role, address)
        if ended:
            log.info("the oldest session has ended: at most %d devices may be logged in", MAX_ORGANISERS)
            self._ended()
        response = self._session_response(session, role, fresh=True, ended=ended)
        if device is None:
            new = self._sessions[role].new_device()
            response.set_cookie(DEVICE_COOKIE, new, DEVICE_SECONDS, httponly=True, samesite="strict")
        return response

    async def try_pin(self, request: Request, pin: str) -> str:
        """Return the role of a PIN; Refusal for a wrong PIN or after too many tries."""
        address, device = client_address(request), self._device(request)
        place, known = device or network_prefix(address), device is not None or is_this_machine(address)
        wait = self._limiter.seconds_to_wait(place, time.monotonic(), known=known)
        if wait > 0:
            message = say("refused.tries", "too many wrong PINs; wait {seconds} s", seconds=ceil(wait))
            raise Refusal(429, "tries", message, seconds=ceil(10 * wait) / 10)
        # Counted before it is checked, so that simultaneous tries count separately.
        self._limiter.record_failure(place, time.monotonic(), known=known)
        role = await self._executors.command(lambda: self._role_of(pin))
        if role is None:
            log.warning("a wrong PIN came from %s", address)
            message = say("refused.wrong_pin", "wrong PIN; use the one you set, or the one shown at the start")
            raise Refusal(403, "pin", message)
        self._limiter.record_success(place, known=known)
        return role

    async def logout(self, request: Request) -> Response:
        """Log out: make the browser a guest's."""
        role, session = self._find(request)
        self.authorise_change(request)
        await read_body(request, EmptyBody)
        if role is not None and session is not None:
            self._sessions[role].end(session)
            await self._store_sessions(role)
        return self._session_response(self._viewer(), None, fresh=True)

    def role(self, request: Request) -> str | None:
        """Return the role of a request; None for a guest."""
        return self._find(request)[0]

    def authorise_change(self, request: Request) -> tuple[str | None, Session]:
        """Return role and session of a request for a change; Refusal without the page's token."""
        role, session = self._find(request)
        if session is None or not self._sessions[role or self._first].is_token(
            session, request.headers.get("x-csrf-token")
        ):
            message = say("refused.old_page", "this page is older than the referee; load it again")
            raise Refusal(403, "session", message)
        return role, session

    def device_marks(self, session: Session, address: str) -> tuple[str, ...]:
        """Return the marks that identify a device, as `Sessions.device_marks`."""
        return self._sessions[self._first].device_marks(session, address)

    @property
    def _first(self) -> str:
        return next(iter(self._sessions))

    def _viewer(self) -> Session:
        return self._sessions[self._first].new()

    def _find(self, request: Request) -> tuple[str | None, Session | None]:
        cookie, viewer = request.cookies.get(COOKIE), None
        for role, sessions in self._sessions.items():
            session = sessions.find(cookie, time.monotonic())
            if session is not None and session.organiser:
                self._traffic.reserve(client_address(request))
                return role, session
            viewer = session if role == self._first else viewer
        return None, viewer

    def _device(self, request: Request) -> str | None:
        cookie = request.cookies.get(DEVICE_COOKIE)
        found = (sessions.device(cookie) for sessions in self._sessions.values())
        return next((name for name in found if name is not None), None)

    def _hashes(self) -> list[str | None]:
        return [lock.pin_hash() for lock in self._locks.values()]

    def _role_of(self, pin: str) -> str | None:
        try:
            kept = {role: lock.pin_hash() for role, lock in self._locks.items()}
        except StorageError as error:
            raise refusal_of(error, 503, "busy", seconds=60) from None
        if not any(kept.values()):
            message = say("refused.no_pin", "no PIN is set; set one where the referee runs: referee config pin")
            raise Refusal(403, "pin", message)
        return next((role for role, pin_hash in kept.items() if pin_hash and is_correct_pin(pin, pin_hash)), None)

    async def _store_sessions(self, role: str) -> None:
        """Store a role's sessions for the next start."""
        file, kept = self._locks[role].session_file, self._sessions[role].to_text(time.monotonic(), time.time())
        if file is None:
            return
        try:
            await self._executors.command(lambda: save_sessions(file, kept))
        except StorageError as error:
            log.warning("%s", error)

    def _session_response(self, session: Session, role: str | None, *, fresh: bool, ended: int = 0) -> Response:
        body = {"organiser": role == ORGANISER, "csrf": session.token, "pin_set": self._pin_set, "ended": ended}
        response = json_response({**body, **self._about(role)})
        if fresh:
            response.set_cookie(COOKIE, session.cookie, int(SESSION_SECONDS), httponly=True, samesite="strict")
        return response


def _load_role_sessions(lock: RolePin) -> Sessions:
    try:
        pin = lock.pin_hash() or ""
    except StorageError:
        pin = ""  # nobody can log in either; the answer about the session says why
    return Sessions(load_sessions(lock.session_file), pin, time.monotonic(), time.time())
