"""The organiser's PIN: kept as a salted scrypt hash, with ever longer waits after wrong tries."""

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
from referee.files import make_folder, refusal, write_whole
from referee.rules.wording import say

FILE: Final = "pin"
FEWEST_DIGITS: Final = 6
MAX_DIGITS: Final = 12
_COST: Final = 2**14  # 16 MiB and about 0.1 s on a Pi 4
_BLOCK: Final = 8
_FREE_TRIES: Final = 3
_FIRST_WAIT: Final = 2.0
_LONGEST_WAIT: Final = 900.0
_MAX_PLACES: Final = 256
_ALL_TRIES: Final = 20
_ALL_SECONDS: Final = 10.0  # one more try for everybody together each ten seconds


def check_pin(pin: str) -> None:
    """Raise ConfigError for a PIN that is malformed or easily guessed."""
    if not re.fullmatch(rf"[0-9]{{{FEWEST_DIGITS},{MAX_DIGITS}}}", pin):
        raise ConfigError(
            say(
                "pin.wrong_length",
                "a PIN is {least} to {most} digits; choose another",
                least=FEWEST_DIGITS,
                most=MAX_DIGITS,
            )
        )
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    if len(steps) == 1 and steps <= {0, 1, 9}:
        raise ConfigError(say("pin.guessed", "the PIN {pin} is among the first anybody tries; choose another", pin=pin))


def make_pin() -> str:
    """Return a random PIN."""
    while True:
        pin = f"{secrets.randbelow(10**FEWEST_DIGITS):0{FEWEST_DIGITS}d}"
        try:
            check_pin(pin)
        except ConfigError:
            continue
        return pin


def hash_pin(pin: str, cost: int = _COST) -> str:
    """Return the salted hash of a PIN; scrypt's `cost`, a power of 2, is kept in it."""
    salt = os.urandom(16)
    return f"scrypt${cost}${_BLOCK}${_written(salt)}${_written(_scrypt(pin, salt, cost, _BLOCK))}"


def is_pin(pin: str, kept: str) -> bool:
    """Return whether this is the PIN that was kept; takes as long for a wrong one."""
    try:
        name, cost, block, salt, known = kept.strip().split("$")
        if name != "scrypt" or int(cost) > 2**16 or int(block) > 16:
            return False
        return hmac.compare_digest(_scrypt(pin, _read(salt), int(cost), int(block)), _read(known))
    except (ValueError, binascii.Error):
        return False


def _scrypt(pin: str, salt: bytes, cost: int, block: int) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=cost, r=block, p=1, dklen=32, maxmem=2**26)


def _written(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _read(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def load_pin(folder: Path) -> str | None:
    """Return the hash kept in the folder of the referee's memory; None where no PIN was set."""
    try:
        return (folder / FILE).read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"PIN file {folder / FILE} cannot be read ({error!s:.60}); check who owns it") from None


def save_pin(folder: Path, pin: str) -> None:
    """Keep a PIN's hash there, for the owner's eyes only; ConfigError for a bad PIN."""
    check_pin(pin)
    path = folder / FILE
    try:
        make_folder(folder)
        write_whole(path, hash_pin(pin) + "\n", mode=0o600)
    except OSError as error:
        raise StorageError(f"PIN file {path} cannot be written {refusal(error, path, 'check the folder')}") from None


@dataclass(slots=True)
class _Tries:
    failed: int = 0
    wait_until: float = 0.0


class Turnstile:
    """Lets PINs be tried: a few at once, then ever more slowly from one place, and slowly from all strangers together.

    A place is an address, or a device on which the PIN was right before. What strangers try never slows those down.
    """

    def __init__(self) -> None:
        """Begin with no tries."""
        self._strangers: OrderedDict[str, _Tries] = OrderedDict()
        self._known: OrderedDict[str, _Tries] = OrderedDict()
        self._left = float(_ALL_TRIES)
        self._at = 0.0

    def wait(self, place: str, now: float, *, known: bool = False) -> float:
        """Return how many seconds this place has to wait before its next try; 0 lets it try, which is counted."""
        tries = self._of(known).get(place, _Tries())
        if now < tries.wait_until:
            return tries.wait_until - now
        if known:
            return 0.0
        self._left = min(float(_ALL_TRIES), self._left + max(0.0, now - self._at) / _ALL_SECONDS)
        self._at = now
        if self._left < 1:
            return (1 - self._left) * _ALL_SECONDS
        self._left -= 1
        return 0.0

    def failed(self, place: str, now: float, *, known: bool = False) -> None:
        """Remember a wrong PIN."""
        places = self._of(known)
        tries = places.pop(place, _Tries())
        failed = tries.failed + 1
        over = failed - _FREE_TRIES
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(over, 20)) if over >= 0 else 0.0
        places[place] = _Tries(failed, now + wait)
        if len(places) > _MAX_PLACES:
            places.popitem(last=False)

    def passed(self, place: str, *, known: bool = False) -> None:
        """Forget the wrong PINs of a place that gave the right one."""
        if self._of(known).pop(place, None) is not None and not known:
            self._left = min(float(_ALL_TRIES), self._left + 1)

    def _of(self, known: bool) -> OrderedDict[str, _Tries]:  # noqa: FBT001 - the choice itself
        return self._known if known else self._strangers
