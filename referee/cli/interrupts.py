"""Ctrl-C and other signals: a command cleans up and ends without a traceback.

Nothing is raised during an import, for Python may drop or replace an exception there. A signal
at that time is handled after the import; a second one is handled at once.
"""

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

_SHELL_SIGNAL_BASE: Final = 128  # a shell's exit code is this plus the signal's number
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_RETRY_SECONDS: Final = 0.02
_recorded: list[int] = []


def start_recording() -> None:
    """Record SIGINT, SIGTERM and SIGHUP from now on, unless the parent process ignored them."""
    _install_handler(_record)


def raise_from_now_on() -> None:
    """Raise KeyboardInterrupt at those signals; at once if one was recorded."""
    if _recorded:
        raise KeyboardInterrupt
    if _record in map(signal.getsignal, _SIGNALS):
        sys.unraisablehook = _reraise_dropped
        signal.signal(signal.SIGALRM, _raise_interrupt)
        _install_handler(_raise_interrupt)


def call_on_signal(stop: Callable[[], object]) -> None:
    """Call `stop` at those signals instead, so that the work can finish.

    It runs in a thread of its own: the main thread may hold the very lock that `stop` takes.
    """
    _install_handler(lambda *_: threading.Thread(target=stop, daemon=True).start())
    if _recorded:
        stop()


def restore_defaults() -> None:
    """Restore the default handlers: after cleaning up, the next signal ends the process at once."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    _install_handler(signal.SIG_DFL)


def exit_code() -> int | None:
    """Return the exit code of the recorded signal; None without one."""
    return _SHELL_SIGNAL_BASE + _recorded[0] if _recorded else None


def _install_handler(answer: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, answer)


def _record(number: int, _frame: FrameType | None) -> None:
    """Record the signal until the imports are done; the next one may end the process at once."""
    _recorded.append(number)
    _install_handler(signal.SIG_DFL)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt once; during an import, try again later."""
    if number != signal.SIGALRM:
        _recorded.append(number)
    if len(_recorded) == 1 and _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
        return
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    _install_handler(lambda *_: None)
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether this frame is inside an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _reraise_dropped(lost: "sys.UnraisableHookArgs") -> None:
    """Raise again a KeyboardInterrupt that Python dropped in a destructor; report other dropped exceptions."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
    elif not _recorded:
        sys.__unraisablehook__(lost)
