"""How far a long work has come: one line on a terminal, from its third second on, gone when it ends."""

import io
import shutil
import sys
import threading
import time
from types import TracebackType
from typing import Final, Self

_QUIET_SECONDS: Final = 2.0
_EVERY_SECONDS: Final = 0.2
_CELLS: Final = 24


class Progress:
    """Shows on standard error what is done, how much of it, and for how long, while the block is worked on.

    `total` is how much there is to do, None where nobody knows; nothing is shown where no terminal is.
    """

    def __init__(self, what: str, total: float | None = None) -> None:
        """Name the work; it is shown only within `with`."""
        self._what = what
        self._total = total
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.done = 0.0
        """How much of the total is done; whoever works sets it."""
        self.note = ""
        """What is worked on just now."""

    def __enter__(self) -> Self:
        """Begin."""
        if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, args=(sys.stderr.buffer,), daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, and take the line away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self, screen: io.BufferedIOBase) -> None:
        begun = time.monotonic()
        if self._ended.wait(_QUIET_SECONDS):
            return
        while not self._ended.wait(_EVERY_SECONDS):
            columns = shutil.get_terminal_size().columns
            screen.write(f"\r{self.line(time.monotonic() - begun)[: columns - 1]}\x1b[K".encode())
            screen.flush()
        screen.write(b"\r\x1b[K")
        screen.flush()

    def line(self, seconds: float) -> str:
        """What is shown after so many seconds."""
        bar = ""
        if self._total:
            share = min(1.0, self.done / self._total)
            full = round(_CELLS * share)
            bar = f" [{'#' * full}{'.' * (_CELLS - full)}] {share:.0%}"
        note = f", {self.note}" if self.note else ""
        return f"{self._what}{bar}{note}, {seconds:.0f} s"


class Countdown(Progress):
    """A work that ends after `limit` seconds at the latest."""

    def line(self, seconds: float) -> str:
        """As of any work; what is done is the time."""
        self.done = seconds
        return super().line(seconds)
