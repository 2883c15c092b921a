"""A match beside its journal now and then, so that a long one goes on in seconds: only what came later is folded.

It counts only for the same program and the same journal, byte by byte up to where it was taken; else all is folded.
It is a pickle that may hold nothing but this program's own values: no other class is loaded, and no function called.
"""

import io
import pickle
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import referee
from referee.game.state import Match
from referee.reading.inputs import Seconds
from referee.storage.files import write_whole
from referee.storage.journal_bytes import Mark, checksum_of

SUFFIX: Final = ".snapshot"
_PACKAGES: Final = ("game", "reading", "rules", "solver")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A match at a mark, and the last input's time."""

    mark: Mark
    match: Match
    at: Seconds


def save_snapshot(journal: Path, snapshot: Snapshot) -> None:
    """Write the snapshot beside its journal; a disk that refuses it costs only time later."""
    content = io.BytesIO()
    _Pickler(content, protocol=5).dump((snapshot.mark, snapshot.match, snapshot.at))
    data = content.getvalue()
    with suppress(OSError):
        write_whole(journal.with_suffix(SUFFIX), _seal(data) + data, sync=False)


def load_snapshot(journal: Path) -> Snapshot | None:
    """Return the journal's snapshot; None if there is none, or it is of another program or of other content."""
    try:
        content = journal.with_suffix(SUFFIX).read_bytes()
        data = content[32:]
        if content[:32] != _seal(data):
            return None
        mark, match, at = _Unpickler(io.BytesIO(data)).load()
        is_same = checksum_of(journal, mark.length) == mark.checksum
    except (OSError, EOFError, pickle.UnpicklingError, TypeError, ValueError, AttributeError):
        return None
    return Snapshot(mark=mark, match=match, at=at) if is_same else None


def forget_snapshot(journal: Path) -> None:
    """Delete the journal's snapshot, if there is one."""
    with suppress(OSError):
        journal.with_suffix(SUFFIX).unlink(missing_ok=True)


def _seal(data: bytes) -> bytes:
    return sha256(_program() + data).digest()


@cache
def _program() -> bytes:
    """Return the digest of all that decides what a journal folds to."""
    root = Path(referee.__file__).parent
    files = sorted(file for package in _PACKAGES for file in (root / package).rglob("*.py"))
    return sha256(b"".join(str(file.relative_to(root)).encode() + file.read_bytes() for file in files)).digest()


class _Frozen:
    """A frozen mapping, which pickle knows no name for."""

    def __new__(cls, content: dict[Any, Any]) -> Any:
        return MappingProxyType(content)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        return (_Frozen, (dict(value),)) if isinstance(value, MappingProxyType) else NotImplemented


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "Counter"):
            return Counter
        found = super().find_class(module, name) if module.startswith("referee.") else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} is no value of a match")
        return found
