"""The standard error of C libraries: captured in memory, and each kind of line logged once.

libjpeg reports each bad frame and libcamera each attempt, bypassing Python's logging: a camera with a loose plug would
write tens of thousands of lines a day to the SD card. So the descriptor is redirected to a file in memory. The file
survives a crash, and the next process logs its last lines.
"""

import logging
import os
import re
import sys
import threading
from pathlib import Path
from typing import Final

from referee.service.health import health_file

EVERY_SECONDS: Final = 5.0
_STDERR: Final = 2
_LEAVE_SECONDS: Final = 2.0
_MAX_KINDS: Final = 50
_MAX_BYTES: Final = 1 << 16
_LAST_LINES: Final = 20
_VARIES: Final = re.compile(r"0x[0-9a-fA-F]+|\d+")
log = logging.getLogger("referee")


class StderrCapture:
    """Captures the standard error of C libraries; Python's own output still goes where it went."""

    def __init__(self, file: Path | None = None) -> None:
        """Capture into this file, by default beside the health file; if it cannot be opened, nothing is captured."""
        self._path = file or health_file().with_name("libraries")
        self._seen: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="referee-stderr", daemon=True)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            last = self._path.read_text("utf-8", "replace").splitlines() if self._path.exists() else []
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o640)
        except OSError:
            return
        for line in last[-_LAST_LINES:]:
            log.warning("the previous process wrote: %s", line)
        sys.stderr.flush()
        self._python, self._before = os.dup(_STDERR), sys.stderr
        sys.stderr = os.fdopen(self._python, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
        os.dup2(self._file, _STDERR)
        self._thread.start()

    def _run(self) -> None:
        at = 0
        while not self._stop.wait(EVERY_SECONDS):
            at = self._pass_on(at)
        self._pass_on(at)

    def _pass_on(self, at: int) -> int:
        """Log the complete lines after `at` bytes and return where they end; truncate a long file."""
        while lines := os.pread(self._file, _MAX_BYTES, at).rpartition(b"\n")[0]:
            at += len(lines) + 1
            for line in lines.decode("utf-8", "replace").splitlines():
                self._pass_on_line(line)
        if at < _MAX_BYTES:
            return at
        os.ftruncate(self._file, 0)
        return 0

    def _pass_on_line(self, line: str) -> None:
        kind = _VARIES.sub("#", line)
        if kind.strip() and kind not in self._seen and len(self._seen) < _MAX_KINDS:
            self._seen.add(kind)
            log.info("a library wrote (logged once): %s", line)

    def close(self) -> None:
        """Log the rest, restore standard error and delete the file."""
        if not self._thread.is_alive():
            return
        self._stop.set()
        self._thread.join(_LEAVE_SECONDS)
        os.dup2(self._python, _STDERR)
        sys.stderr = self._before
        os.close(self._file)
        self._path.unlink(missing_ok=True)
