"""The organiser's PIN: stored as a salted scrypt hash, with growing waits after wrong tries."""

import base64
import binascii
import hashlib
import hmac
import os
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from referee.errors import ConfigError, StorageError
from referee.rules.wording import say
from referee.storage.files import CHECK_FOLDER, make_folder, refusal, write_whole

PIN_FILE: Final = "pin"
MIN_DIGITS: Final = 6
MAX_DIGITS: Final = 12
_SCRYPT_COST: Final = 2**14  # 16 MiB and about 0.1 s on a Pi 4
_SCRYPT_BLOCK: Final = 8
_FREE_TRIES: Final = 3
_FIRST_WAIT_SECONDS: Final = 2.0
_MAX_WAIT_SECONDS: Final = 900.0
_MAX_PLACES: Final = 256
_SHARED_TRIES: Final = 20
_SHARED_TRY_SECONDS: Final = 10.0  # unknown places share one more try every ten seconds
_TRIES_FOR_WAITING: Final = 10  # of the shared ones: only for places that were told to wait, and did
_NEWCOMER_SECONDS: Final = 5.0
_MAX_NEWCOMERS: Final = 4096  # more than send a request within that wait


def check_pin(pin: str) -> None:
    """Raise ConfigError if a PIN is malformed or easily guessed."""
    if not re.fullmatch(rf"[0-9]{{{MIN_DIGITS},{MAX_DIGITS}}}", pin):
        raise ConfigError(
            say(
                "pin.wrong_length",
                "a PIN is {least} to {most} digits; choose another",
                least=MIN_DIGITS,
                most=MAX_DIGITS,
            )
        )
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    if len(steps) == 1 and steps <= {0, 1, 9}:
        raise ConfigError(say("pin.guessed", "the PIN {pin} is among the first anybody tries; choose another", pin=pin))


def make_pin() -> str:
    """Return a random PIN."""
    while True:
        pin = f"{secrets.randbelow(10**MIN_DIGITS):0{MIN_DIGITS}d}"
        try:
            check_pin(pin)
        except ConfigError:
            continue
        return pin


def hash_pin(pin: str, cost: int = _SCRYPT_COST) -> str:
    """Return the salted hash of a PIN; it contains scrypt's `cost`, a power of 2."""
    salt = os.urandom(16)
    return f"scrypt${cost}${_SCRYPT_BLOCK}${_encode(salt)}${_encode(_scrypt(pin, salt, cost, _SCRYPT_BLOCK))}"


def is_correct_pin(pin: str, kept: str) -> bool:
    """Return whether the PIN matches the stored hash, in constant time."""
    try:
        name, cost, block, salt, known = kept.strip().split("$")
        if name != "scrypt" or int(cost) > 2**16 or int(block) > 16:
            return False
        return hmac.compare_digest(_scrypt(pin, _decode(salt), int(cost), int(block)), _decode(known))
    except (ValueError, binascii.Error):
        return False


def _scrypt(pin: str, salt: bytes, cost: int, block: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=cost, r=block, p=1, dklen=32, maxmem=2**26)


def _encode(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def load_pin(folder: Path) -> str | None:
    """Return the PIN's hash from the state folder; None if no PIN is set."""
    try:
        return (folder / PIN_FILE).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        unread = say(
            "pin.unread",
            "PIN file {path} cannot be read ({why}); check who owns it",
            path=str(folder / PIN_FILE),
            why=f"{error!s:.60}",
        )
        raise StorageError(unread) from None


def save_pin(folder: Path, pin: str) -> None:
    """Store a PIN's hash in the state folder, readable by its owner only; ConfigError for a bad PIN."""
    check_pin(pin)
    path = folder / PIN_FILE
    try:
        make_folder(folder)
        write_whole(path, hash_pin(pin) + "\n", mode=0o600)
    except OSError as error:
        why = refusal(error, path, CHECK_FOLDER)
        unwritten = say("pin.unwritten", "PIN file {path} cannot be written {why}", path=str(path), why=why)
        raise StorageError(unwritten) from None


@dataclass(slots=True)
class _Tries:
    failed: int = 0
    wait_until: float = 0.0


class PinRateLimiter:
    """Limits PIN tries: a few at once, then longer and longer waits per address, and a shared rate for strangers.

    A place is an address, or a known device: one on which the PIN was correct before. Strangers never slow it down.
    When strangers try often, a new place must come again a little later. Whoever guesses from ever new addresses
    never does, so that a new phone is not kept out.
    """

    def __init__(self) -> None:
        """Begin with no tries."""
        self._strangers: OrderedDict[str, _Tries] = OrderedDict()
        self._known: OrderedDict[str, _Tries] = OrderedDict()
        self._newcomers: OrderedDict[str, float] = OrderedDict()
        self._left = float(_SHARED_TRIES)
        self._at = 0.0

    def seconds_to_wait(self, place: str, now: float, *, known: bool = False) -> float:
        """Return how many seconds this place must wait before its next try; 0 allows and counts a try."""
        tries = self._of(known).get(place, _Tries())
        if now < tries.wait_until:
            return tries.wait_until - now
        if known:
            return 0.0
        self._left = min(float(_SHARED_TRIES), self._left + max(0.0, now - self._at) / _SHARED_TRY_SECONDS)
        self._at = now
        if self._left < 1 + _TRIES_FOR_WAITING and (wait := self._newcomers_wait(place, now)) > 0:
            return wait
        if self._left < 1:
            return (1 - self._left) * _SHARED_TRY_SECONDS
        self._newcomers.pop(place, None)
        self._left -= 1
        return 0.0

    def _newcomers_wait(self, place: str, now: float) -> float:
        """Return how many seconds a place must wait since it first came."""
        since = self._newcomers.setdefault(place, now)
        if len(self._newcomers) > _MAX_NEWCOMERS:
            self._newcomers.popitem(last=False)
        return max(0.0, since + _NEWCOMER_SECONDS - now)

    def record_failure(self, place: str, now: float, *, known: bool = False) -> None:
        """Record a wrong PIN."""
        places = self._of(known)
        tries = places.pop(place, _Tries())
        failed = tries.failed + 1
        over = failed - _FREE_TRIES
        wait = min(_MAX_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2 ** min(over, 20)) if over >= 0 else 0.0
        places[place] = _Tries(failed, now + wait)
        if len(places) > _MAX_PLACES:
            places.popitem(last=False)

    def record_success(self, place: str, *, known: bool = False) -> None:
        """Forget the wrong tries of a place after a correct PIN."""
        if self._of(known).pop(place, None) is not None and not known:
            self._left = min(float(_SHARED_TRIES), self._left + 1)

    def _of(self, known: bool) -> OrderedDict[str, _Tries]:  # noqa: FBT001 - the choice itself
        return self._known if known else self._strangers
