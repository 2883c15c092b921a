"""Files written whole or not at all, with the owner of their folder; and why one was refused."""

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from referee.rules.wording import Message, say

_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FIRST_PERSON: Final = 1000  # Debian numbers the users of services below it
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})


@contextmanager
def whole_file(path: Path, *, mode: int = 0o666, sync: bool = True) -> Iterator[BinaryIO]:
    """Return a file to write that takes its name only once all of it is on the disk; else the old one stays.

    Raises OSError. A device or a pipe is written directly. `mode` is for a file that is new; without
    `sync` a power cut may still take the file, and nobody waits for the disk.
    """
    target = path.resolve()
    found = target.stat() if os.access(target, os.F_OK) else None
    if found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        with target.open("wb") as device:
            yield device
        return
    mode = mode if found is None else stat.S_IMODE(found.st_mode)
    beside = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            hand_over(beside)
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        beside.replace(target)
        if sync:
            sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes | str, *, mode: int = 0o666, sync: bool = True) -> None:
    """Write a file whole or not at all; raises OSError."""
    with whole_file(path, mode=mode, sync=sync) as file:
        file.write(content.encode() if isinstance(content, str) else content)


class LineFile:
    """A new file that lines are added to: each is there whole, or not at all."""

    def __init__(self, path: Path) -> None:
        """Begin the file; raises OSError."""
        self.name = str(path)
        self._file: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        self._regular = stat.S_ISREG(os.fstat(self._file).st_mode)
        hand_over(path)

    def write(self, line: str, /) -> int:
        """Add a line; raises OSError, and then the file is as it was."""
        if self._file is None:
            raise ValueError(f"{self.name} is closed")
        rest, begun = line.encode(), os.fstat(self._file).st_size
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            if self._regular:
                os.ftruncate(self._file, begun)
                os.lseek(self._file, begun, os.SEEK_SET)
            raise
        return len(line)

    def flush(self) -> None:
        """Do nothing: every line goes out at once."""

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where they are missing; raises OSError."""
    missing = [folder_path for folder_path in (folder, *folder.parents) if not folder_path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for folder_path in reversed(missing):
        hand_over(folder_path)


def hand_over(path: Path) -> None:
    """As root, give what was made to the owner of its folder: a service must be able to use it."""
    if os.geteuid() == 0:
        with suppress(OSError):  # some file systems know no owners
            owner = path.parent.stat()
            os.chown(path, owner.st_uid, owner.st_gid)


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk: without it a file new or renamed may be gone after a cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


NAME_ANOTHER: Final = say("disk.name_another", "name another")
CHECK_FOLDER: Final = say("disk.check_folder", "check the folder")
CHECK_DISK: Final = say("disk.check_disk", "check the disk")
CHECK_NAME: Final = say("disk.check_name", "check the name")
_REASONS: Final = MappingProxyType(
    {
        errno.ENOSPC: say("disk.full", "No space left on device"),
        errno.EACCES: say("disk.denied", "Permission denied"),
        errno.EPERM: say("disk.not_permitted", "Operation not permitted"),
        errno.EROFS: say("disk.read_only", "Read-only file system"),
        errno.ENOENT: say("disk.missing", "No such file or directory"),
        errno.EIO: say("disk.broken", "Input/output error"),
    }
)
"""The commonest reasons of the system, in its own English."""


def refusal(error: OSError, path: Path, otherwise: Message | str = NAME_ANOTHER) -> Message:
    """Say why a path could not be used, and the way out of that; `otherwise` where no better one is known."""
    return say("disk.refusal", "({why}); {way_out}", why=reason(error), way_out=way_out(error, path, otherwise))


def reason(error: OSError) -> Message | str:
    """Return why the system refused, or whoever raised the error in its words."""
    known = _REASONS.get(error.errno or 0)
    return known if known and error.strerror == known.english else error.strerror or str(error)


def way_out(error: OSError, path: Path, otherwise: Message | str) -> Message | str:
    """Return the way out of an error with a path; `otherwise` where no better one is known."""
    if error.errno in _DISK_FULL:
        return say("disk.free", "free some space or {otherwise}", otherwise=otherwise)
    return (_way_in(path) if error.errno in _DENIED else None) or otherwise


def _way_in(path: Path) -> Message | None:
    """Return how to get at a path that was denied; None if only its owner could say.

    What somebody else, mostly root, has left in a folder of one's own is taken back. What belongs to a service is for
    its user.
    """
    there = next(ancestor for ancestor in (path.absolute(), *path.absolute().parents) if os.access(ancestor, os.F_OK))
    try:
        owner, around, me = there.stat().st_uid, there.parent.stat().st_uid, os.geteuid()
    except OSError:
        return None
    if owner == me:
        return None
    if around != me:
        is_service = 0 < owner < _FIRST_PERSON
        begin = say("disk.of_service", "it belongs to {owner}: begin with sudo -u {owner}", owner=_name(owner))
        return begin if is_service else None
    return say(
        "disk.of_other",
        "it belongs to {owner}: sudo chown -R {me}: {folder}",
        owner=_name(owner),
        me=_name(me),
        folder=str(there if there.is_dir() else there.parent),
    )


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
