"""Progress of a long task: one line on a terminal, shown after two seconds and removed at the end."""

import io
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import ClassVar, Final, Self, TextIO, TypeVar

from referee.cli.streams import escape_controls

_SHOW_AFTER_SECONDS: Final = 2.0
_REFRESH_SECONDS: Final = 0.2
_BAR_CELLS: Final = 24
_CLEAR_LINE: Final = b"\r\x1b[K"
_screen = threading.Lock()
_Item = TypeVar("_Item")


def print_line(text: str, stream: TextIO | None = None) -> None:
    """Print a line to a stream (default: standard error); a visible progress bar moves below it."""
    with _screen:
        if Progress.drawn and (screen := _terminal()) is not None:
            screen.write(_CLEAR_LINE)
            screen.flush()
        print(text, file=stream or sys.stderr, flush=True)


def _terminal() -> io.BufferedIOBase | None:
    """Return the stream for progress bars; None if standard error is no terminal."""
    return sys.stderr.buffer if isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr.isatty() else None


class Progress:
    """Shows the work, its progress and its duration on standard error, within a `with` block.

    `total` is the amount of work, None if unknown. Nothing is shown without a terminal, or inside another Progress.
    """

    _outer: ClassVar[Self | None] = None
    drawn: ClassVar[bool] = False
    """Whether one is on the screen."""

    def __init__(self, what: str, total: float | None = None) -> None:
        """Name the work; it is shown only within `with`."""
        self._what = what
        self._total = total
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.done = 0.0
        """How much of the total is done; set by the work."""
        self.note = ""
        """The current step."""

    def __enter__(self) -> Self:
        """Begin."""
        if Progress._outer is None and (screen := _terminal()) is not None:
            Progress._outer = self
            self._thread = threading.Thread(target=self._show, args=(screen,), daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End, and clear the line."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            Progress._outer = None

    def _show(self, screen: io.BufferedIOBase) -> None:
        begun = time.monotonic()
        if self._ended.wait(_SHOW_AFTER_SECONDS):
            return
        while not self._ended.wait(_REFRESH_SECONDS):
            columns = shutil.get_terminal_size().columns
            with _screen:
                line = escape_controls(self.line(time.monotonic() - begun))[: columns - 1]
                screen.write(f"\r{line}\x1b[K".encode(errors="backslashreplace"))
                screen.flush()
                Progress.drawn = True
        with _screen:
            screen.write(_CLEAR_LINE)
            screen.flush()
            Progress.drawn = False

    def line(self, seconds: float) -> str:
        """Return the progress line after this many seconds."""
        bar = ""
        if self._total:
            share = min(1.0, self.done / self._total)
            full = round(_BAR_CELLS * share)
            bar = f" [{'#' * full}{'.' * (_BAR_CELLS - full)}] {share:.0%}"
        note = f", {self.note}" if self.note else ""
        return f"{self._what}{bar}{note}, {seconds:.0f} s"


def with_progress(items: Iterable[_Item], what: str) -> Iterator[_Item]:
    """Yield the items and show a bar with the number of the current one, and the total if known."""
    with Progress(what, len(items) if isinstance(items, Sized) else None) as progress:
        for number, item in enumerate(items, 1):
            progress.note = f"number {number}"
            yield item
            progress.done = number


class Countdown(Progress):
    """The progress of a task with a time limit of `total` seconds."""

    def line(self, seconds: float) -> str:
        """Return the progress line; the elapsed time is the progress."""
        self.done = seconds
        return super().line(seconds)
