"""The count of failed starts, kept on disk in a file of fixed size.

A start that ended with the machine does not count, as pulling the plug is no failure. So the file also holds the boot
in which the start began, and the time when a process last exited to free its camera, which is no failure either.
"""

import logging
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from referee.hardware.system import boot_id
from referee.service.health import health_file

RENEW_SECONDS: Final = 600.0
UNKNOWN: Final = "it ended without a word: it was killed"
_BYTES: Final = 512
_REASON_BYTES: Final = 360
log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of consecutive failed starts, and the reason of the last one."""

    failed: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Kept:
    """The file's content: the tally, the boot of a start still in progress, and the last exit to free a camera."""

    failed: int = 0
    reason: str = UNKNOWN
    begun_in: str = ""
    renewed_in: str = ""
    renewed_at: float = 0.0

    def written(self) -> bytes:
        """Return the file's lines, padded to a fixed size."""
        reason = self.reason.encode()
        if len(reason) > _REASON_BYTES:
            reason = reason[: _REASON_BYTES - 3].decode(errors="ignore").encode() + "…".encode()
        rest = f"{self.begun_in}\n{self.renewed_in} {self.renewed_at:.1f}".encode()
        return b"\n".join((str(self.failed).encode(), reason, rest)).ljust(_BYTES - 1) + b"\n"


def _kept(path: Path) -> _Kept | None:
    """Return a file's content, also in the old two-line format; None if damaged or missing."""
    try:
        failed, reason, begun_in, renewed, *_ = [*path.read_text("utf-8").split("\n"), "", "", ""]
        renewed_in, _, renewed_at = renewed.strip().partition(" ")
        return _Kept(int(failed), reason.strip() or UNKNOWN, begun_in.strip(), renewed_in, float(renewed_at or 0))
    except (OSError, ValueError):
        return None


class StartCounter:
    """Counts failed starts; writing in place works even on a full disk.

    If the disk is read-only, a copy in memory is kept, which systemd preserves from start to start.
    """

    def __init__(self, folder: Path) -> None:
        """Keep it in this folder."""
        self._path, self._spare = folder / "starts", health_file().with_name("starts")
        self.retry = folder / "retry"

    def tally(self) -> Tally:
        """Return the tally; zero if no file can be read."""
        kept = self._read()
        if kept.begun_in == boot_id():
            return Tally(kept.failed + 1, UNKNOWN)
        return Tally(kept.failed, kept.reason)

    def begin(self) -> None:
        """Note that a start begins; if nothing follows in this boot, it was killed."""
        tally = self.tally()
        self._write(replace(self._read(), failed=tally.failed, reason=tally.reason, begun_in=boot_id()))

    def write(self, failed: int, reason: str = "") -> None:
        """Write the number of failed starts, this one included."""
        self._write(replace(self._read(), failed=failed, reason=reason or UNKNOWN, begun_in=""))

    def may_exit_for_camera(self) -> bool:
        """Return whether a process may exit to free its camera: at most once in ten minutes."""
        kept = self._read()
        return kept.renewed_in != boot_id() or time.monotonic() - kept.renewed_at >= RENEW_SECONDS

    def note_camera_exit(self) -> None:
        """Note that this process exits to free its camera, which is no failed start."""
        self._write(replace(self._read(), begun_in="", renewed_in=boot_id(), renewed_at=time.monotonic()))

    def take_retry(self) -> bool:
        """Return whether somebody asked for another start; each request counts once."""
        try:
            self.retry.unlink()
        except OSError:
            return False
        return True

    def _read(self) -> _Kept:
        return _kept(self._spare) or _kept(self._path) or _Kept()

    def _write(self, kept: _Kept) -> None:
        """Write the file; a failing disk must not end a match."""
        content = kept.written()
        try:
            _write_in_place(self._path, content)
            self._spare.unlink(missing_ok=True)
        except OSError as error:
            try:
                self._spare.parent.mkdir(parents=True, exist_ok=True)
                _write_in_place(self._spare, content)
            except OSError:
                log.warning("%s cannot be written (%s); failed starts are not counted", self._path, error.strerror)


def _write_in_place(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.pwrite(descriptor, content, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
