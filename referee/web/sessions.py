"""Who is who: signed cookies, the organiser's few sessions, and the token that every change must carry."""

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

SECONDS: Final = 12 * 3600.0
MOST_ORGANISERS: Final = 8
_COOKIE: Final = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser: its name, the cookie that proves it, the token it must send along, whether it is the organiser's."""

    name: str
    cookie: str
    token: str
    organiser: bool


class Sessions:
    """Tells browsers apart without remembering those who only look; a new referee knows none of them any more."""

    def __init__(self) -> None:
        """Begin with a secret of its own."""
        self._secret = secrets.token_bytes(32)
        self._organisers: OrderedDict[str, float] = OrderedDict()

    def new(self) -> Session:
        """Give a session to somebody who only looks."""
        return self._session(secrets.token_urlsafe(16), organiser=False)

    def find(self, cookie: str | None, now: float) -> Session | None:
        """Give the session of a cookie; None where it is not one of ours."""
        parts = _COOKIE.fullmatch(cookie or "")
        if parts is None or not hmac.compare_digest(parts[2], self._signed("cookie", parts[1])):
            return None
        until = self._organisers.get(parts[1])
        return self._session(parts[1], organiser=until is not None and now < until)

    def promote(self, now: float) -> Session:
        """Give a fresh organiser's session; where there are too many, the oldest one ends."""
        session = self._session(secrets.token_urlsafe(16), organiser=True)
        self._organisers[session.name] = now + SECONDS
        while len(self._organisers) > MOST_ORGANISERS:
            self._organisers.popitem(last=False)
        return session

    def end(self, session: Session) -> None:
        """Make an organiser's session one that only looks."""
        self._organisers.pop(session.name, None)

    def is_token(self, session: Session, token: str | None) -> bool:
        """Tell whether a change carries the session's token."""
        return hmac.compare_digest((token or "").encode(), session.token.encode())

    def voice(self, session: Session, address: str) -> tuple[str, ...]:
        """Give the marks by which a device is known again, without naming it: its cookie's, and its address's.

        Whoever shares one with another is taken for the same. The address of this very machine tells nothing: a proxy
        may stand there, or all look at one screen.
        """
        marks = [f"session:{session.name}"]
        if not is_this_machine(address):
            marks.append(f"address:{address}")
        return tuple(self._signed("voice", mark)[:12] for mark in marks)

    def _session(self, name: str, *, organiser: bool) -> Session:
        return Session(name, f"{name}.{self._signed('cookie', name)}", self._signed("token", name), organiser)

    def _signed(self, purpose: str, name: str) -> str:
        return hmac.new(self._secret, f"{purpose}:{name}".encode(), hashlib.sha256).hexdigest()


def is_this_machine(address: str) -> bool:
    """Tell whether an address is this very machine's: a proxy may stand there, or a screen that many look at."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return not address
