"""Sessions: signed cookies, the organiser's limited sessions, and the token that every change must carry."""

import hashlib
import hmac
import ipaddress
import json
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.errors import StorageError
from referee.storage.files import refusal, write_whole

SESSION_FILE: Final = "sessions"
SESSION_SECONDS: Final = 12 * 3600.0
DEVICE_SECONDS: Final = 400 * 24 * 3600
MAX_ORGANISERS: Final = 8
_COOKIE: Final = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Session:
    """A browser's session: name, signed cookie, CSRF token, and whether it is the organiser's."""

    name: str
    cookie: str
    token: str
    organiser: bool


class Sessions:
    """Issues and verifies sessions; those of guests are not stored.

    Stored sessions outlast a restart of the referee; a new PIN invalidates them.
    """

    def __init__(self, kept: str | None = None, pin_hash: str = "", now: float = 0.0, wall: float = 0.0) -> None:
        """Load what `to_text` returned, else create a new secret."""
        self._kept_secret, organisers = _parse_sessions(kept) or (secrets.token_bytes(32), {})
        self._secret = hmac.new(self._kept_secret, pin_hash.encode(), hashlib.sha256).digest()
        self._organisers: OrderedDict[str, float] = OrderedDict()
        for proof, until in organisers.items():
            name, _, signature = proof.partition(".")
            if hmac.compare_digest(signature, self._signed("kept", name)):  # of this PIN
                self._organisers[name] = now + min(SESSION_SECONDS, until - wall)

    def to_text(self, now: float, wall: float) -> str:
        """Return secret and organiser sessions as text, to be stored secretly; `wall` is the Unix time in seconds."""
        organisers = {
            f"{name}.{self._signed('kept', name)}": round(wall + until - now)
            for name, until in self._organisers.items()
            if until > now
        }
        return json.dumps({"secret": self._kept_secret.hex(), "organisers": organisers}) + "\n"

    def new(self) -> Session:
        """Return a new guest session."""
        return self._session(secrets.token_urlsafe(16), organiser=False)

    def find(self, cookie: str | None, now: float) -> Session | None:
        """Return the session of a cookie; None if its signature is invalid."""
        parts = _COOKIE.fullmatch(cookie or "")
        if parts is None or not hmac.compare_digest(parts[2], self._signed("cookie", parts[1])):
            return None
        until = self._organisers.get(parts[1])
        return self._session(parts[1], organiser=until is not None and now < until)

    def promote(self, now: float) -> tuple[Session, int]:
        """Return a new organiser session, and the number of oldest sessions that ended because of the limit."""
        for name in [name for name, until in self._organisers.items() if until <= now]:
            del self._organisers[name]
        session = self._session(secrets.token_urlsafe(16), organiser=True)
        self._organisers[session.name] = now + SESSION_SECONDS
        ended = max(0, len(self._organisers) - MAX_ORGANISERS)
        for _ in range(ended):
            self._organisers.popitem(last=False)
        return session, ended

    def new_device(self) -> str:
        """Return a cookie for a device on which the PIN was correct."""
        name = secrets.token_urlsafe(16)
        return f"{name}.{self._signed('device', name)}"

    def device(self, cookie: str | None) -> str | None:
        """Return the name of a device cookie; None if its signature is invalid."""
        parts = _COOKIE.fullmatch(cookie or "")
        if parts is None or not hmac.compare_digest(parts[2], self._signed("device", parts[1])):
            return None
        return parts[1]

    def end(self, session: Session) -> None:
        """End an organiser session."""
        self._organisers.pop(session.name, None)

    def is_token(self, session: Session, token: str | None) -> bool:
        """Return whether this is the session's CSRF token."""
        return hmac.compare_digest((token or "").encode(), session.token.encode())

    def device_marks(self, session: Session, address: str) -> tuple[str, ...]:
        """Return hashed marks of a device: of its session cookie and of its address.

        Devices that share a mark count as one. This machine's own address gives no mark: it may belong to a proxy or a
        shared screen.
        """
        marks = [f"session:{session.name}"]
        if not is_this_machine(address):
            marks.append(f"address:{address}")
        return tuple(self._signed("voice", mark)[:12] for mark in marks)

    def _session(self, name: str, *, organiser: bool) -> Session:
        return Session(name, f"{name}.{self._signed('cookie', name)}", self._signed("token", name), organiser)

    def _signed(self, purpose: str, name: str) -> str:
        return hmac.new(self._secret, f"{purpose}:{name}".encode(), hashlib.sha256).hexdigest()


def _parse_sessions(text: str | None) -> tuple[bytes, dict[str, float]] | None:
    """Return the stored secret and organiser sessions; None if there are none or the text is damaged."""
    try:
        kept = json.loads(text or "")
        organisers = {str(name): float(until) for name, until in kept["organisers"].items()}
        secret = bytes.fromhex(kept["secret"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return (secret, organisers) if len(secret) == 32 else None


def load_sessions(file: Path | None) -> str | None:
    """Return the stored sessions of a file; None if it is missing or unreadable: then everybody logs in again."""
    try:
        return None if file is None else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def save_sessions(file: Path, kept: str) -> None:
    """Write the sessions to a file readable by its owner only; StorageError if that fails."""
    try:
        write_whole(file, kept, mode=0o600)
    except OSError as error:
        raise StorageError(
            f"sessions file {file} cannot be written {refusal(error, file, 'check the folder')}"
        ) from None


def is_this_machine(address: str) -> bool:
    """Return whether an address is this machine's: it may belong to a proxy or a shared screen."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return not address
