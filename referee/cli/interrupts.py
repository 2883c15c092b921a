"""Ctrl-C and other signals: a command puts away what it has in hand and ends without a traceback.

Nothing is raised while a module is being loaded, for Python may drop an exception there or make another of it. A signal
that comes then is answered when all is loaded; a second one is not kept waiting.
"""

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Final

_SHELL: Final = 128  # what a shell adds to a signal's number for an exit code
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_SECONDS: Final = 0.02
_heard: list[int] = []


def listen() -> None:
    """Record SIGINT, SIGTERM and SIGHUP from now on, unless the parent process ignored them."""
    _answer_with(_remember)


def end_from_now_on() -> None:
    """Raise KeyboardInterrupt at those signals, and at once if one was recorded."""
    if _heard:
        raise KeyboardInterrupt
    if _remember in map(signal.getsignal, _SIGNALS):
        sys.unraisablehook = _raise_again
        signal.signal(signal.SIGALRM, _end)
        _answer_with(_end)


def call_instead(stop: Callable[[], object]) -> None:
    """Only call `stop` at those signals from now on, so that the work ends in its own time."""
    _answer_with(lambda *_: stop())
    if _heard:
        stop()


def leave() -> None:
    """Nothing is left to put away: the next signal ends the process at once."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    _answer_with(signal.SIG_DFL)


def exit_code() -> int | None:
    """Return the exit code of a signal that was heard; None before one."""
    return _SHELL + _heard[0] if _heard else None


def _answer_with(answer: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, answer)


def _remember(number: int, _frame: FrameType | None) -> None:
    """Keep it for when all is loaded; nothing is in hand yet, so the next one may end the process at once."""
    _heard.append(number)
    _answer_with(signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    """Raise, once; a little later while something is being loaded."""
    if number != signal.SIGALRM:
        _heard.append(number)
    if len(_heard) == 1 and _loads(frame):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        return
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    _answer_with(lambda *_: None)
    raise KeyboardInterrupt


def _loads(frame: FrameType | None) -> bool:
    """Return whether this is done while a module is loaded."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Raise a KeyboardInterrupt again that Python dropped in a destructor; report other dropped exceptions."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
    elif not _heard:
        sys.__unraisablehook__(lost)
