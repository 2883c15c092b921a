"""The folder of the referee's memory: where it is, that only one referee uses it, and that its names outlive a cut."""

import fcntl
import os
from pathlib import Path
from typing import Self

from referee.errors import StorageError


def state_folder(said: str) -> Path:
    """Give the folder: the one said, else systemd's StateDirectory, else the user's."""
    if said:
        return Path(said).expanduser()
    systemd = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
    if systemd:
        return Path(systemd)
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "referee"


class FolderLock:
    """Keeps the folder for one referee; `with` gives it back, and so does the end of the process, however it ends."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if need be and take it; StorageError if it cannot be written or is another referee's."""
        self._file: int | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(f"folder {folder} cannot be used: {error.strerror}; name another with --state") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise StorageError(f"folder {folder} is in use by another referee; stop that one first") from None

    def close(self) -> None:
        """Give the folder back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk: without it a file new or renamed may be gone after a cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
