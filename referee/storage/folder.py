"""The state folder, and the lock that keeps it for one referee."""

import fcntl
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from referee.errors import StorageError
from referee.rules.wording import say
from referee.storage.files import hand_over, make_folder, refusal
from referee.storage.journal import newest_journal


def state_folder(configured: str) -> Path:
    """Return the state folder: the configured one, else systemd's StateDirectory, else the user's."""
    if configured:
        return Path(configured).expanduser()
    systemd = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
    if systemd:
        return Path(systemd)
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "referee"


ANSWER_SECONDS: Final = 10.0
_NAME_ANOTHER: Final = say("folder.name_another", "name another with --state")
_POLL_SECONDS: Final = 0.1


def await_folder(folder: Path, stop: threading.Event, tell: Callable[[str], None]) -> bool:
    """Return whether a folder answers before `stop`; `tell` is called once if it takes longer than ANSWER_SECONDS.

    A call to a dead drive or network folder cannot be interrupted, so it is made on a thread of its own.
    """
    asking = threading.Thread(target=_touch, args=(folder,), name="referee-folder", daemon=True)
    asking.start()
    asking.join(_POLL_SECONDS)
    waited = 0.0
    while asking.is_alive() and not stop.wait(_POLL_SECONDS):
        waited += _POLL_SECONDS
        if waited >= ANSWER_SECONDS > waited - _POLL_SECONDS:
            tell(
                f"folder {folder} does not answer for {ANSWER_SECONDS:g} s; the referee waits for it: "
                "look at its drive or network, or name another with --state"
            )
    return not stop.is_set()


def _touch(folder: Path) -> None:
    """Open the lock and the newest journal; whatever is wrong with them is told when they are needed."""
    with suppress(OSError):
        for path in (newest_journal(folder), folder / "lock"):
            if path is not None:
                os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))


class FolderLock:
    """A lock on the folder for one referee; `with` or the end of the process releases it."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if needed and lock it; StorageError if it is not writable or another referee holds it."""
        self._file: int | None = None
        lock = folder / "lock"
        try:
            make_folder(folder)
            self._file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            hand_over(lock)
        except OSError as error:
            why = refusal(error, lock, _NAME_ANOTHER)
            message = say(
                "folder.unusable",
                "folder {folder} cannot be used: {file} {why}",
                folder=str(folder),
                file=lock.name,
                why=why,
            )
            raise StorageError(message) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            message = say(
                "folder.in_use", "folder {folder} is in use by another referee; stop that one first", folder=str(folder)
            )
            raise StorageError(message) from None

    def close(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
