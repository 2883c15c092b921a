"""Ctrl-C and its kin: whatever a command is doing, it puts away what it has in hand and ends without a traceback."""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Final

_SHELL: Final = 128  # what a shell adds to a signal's number for an exit code
_heard: list[int] = []


def listen() -> None:
    """From now on end by an exception at SIGINT, SIGTERM and SIGHUP, unless whoever started it had them ignored."""
    _answer_with(_end)


def leave() -> None:
    """Nothing is left to put away: the next signal ends the process at once."""
    _answer_with(signal.SIG_DFL)


def call_instead(stop: Callable[[], object]) -> None:
    """From now on only call this at those signals: whoever works learns of it so, and ends in its own time."""
    _answer_with(lambda *_: stop())


def _answer_with(answer: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, answer)


def exit_code() -> int | None:
    """Give the exit code of a signal that was heard; None before one."""
    return _SHELL + _heard[0] if _heard else None


def _end(number: int, _frame: FrameType | None) -> None:
    """Raise, once; libraries that are just being loaded make an ImportError of it, or print it themselves."""
    sys.excepthook = lambda *_: None
    sys.unraisablehook = lambda _: None
    _heard.append(number)
    if len(_heard) == 1:
        raise KeyboardInterrupt
