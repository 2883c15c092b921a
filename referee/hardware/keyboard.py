"""The keyboard of a terminal as a button: Enter ends a turn, other keys are the organiser's commands.

Keys are read unbuffered and without echo only while this process is in the foreground; the terminal is restored
at every exit and while the process is stopped.
"""

import atexit
import os
import re
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FrameType, MappingProxyType
from typing import Final

from referee.game.inputs import BUTTON, NextGame, RummikubCalled, Undone
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Input, Seconds

KEYS: Final = (
    "Keys: Enter ends the turn or goes on, r calls Rummikub, u takes the last press back, "
    "p is a break, n the next game, q quits"
)
_PRESS_KEYS: Final[Mapping[str, PressKind]] = MappingProxyType({"\n": PressKind.PRESS, "p": PressKind.LONG_HOLD})
_INPUT_KEYS: Final[Mapping[str, Callable[[Seconds], Input]]] = MappingProxyType(
    {"r": RummikubCalled, "u": Undone, "n": NextGame}
)
_QUIT_KEY: Final = "q"
_ESCAPE_SEQUENCE: Final = re.compile(r"\x1b(?:\[[\d;]*[A-Za-z~]|O[A-Z]|.)?")  # arrows and function keys are ignored
_MAX_BYTES_READ: Final = 256


class KeyboardButton:
    """The keyboard as button and organiser."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is read."""

    def __init__(self, descriptor: int, tell: Callable[[str], None]) -> None:
        """Read the terminal of this descriptor; `tell` gets the list of keys, now and after an unknown key."""
        self._terminal = descriptor
        self._tell = tell
        self._usual: list[int | list[bytes | int]] | None = None
        self._inputs: list[Input] = []
        self._open = True
        atexit.register(self.close)
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._stop)
        tell(KEYS)

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses since the last call, dated `until`."""
        presses = []
        for key in self._keys():
            if key in _PRESS_KEYS:
                presses.append(Press(until, _PRESS_KEYS[key]))
            elif key in _INPUT_KEYS:
                self._inputs.append(replace(_INPUT_KEYS[key](until), voice=BUTTON))
            elif key == _QUIT_KEY:
                signal.raise_signal(signal.SIGINT)
            else:
                self._tell(KEYS)
        return tuple(presses)

    def poll(self, until: Seconds) -> tuple[Input, ...]:
        """Return the commands of other keys since the last call, dated `until`."""
        del until
        words, self._inputs = tuple(self._inputs), []
        return words

    def close(self) -> None:
        """Restore the terminal; a second call does nothing."""
        self._open = False
        self._restore()
        atexit.unregister(self.close)

    def _keys(self) -> str:
        """Return the unread keys; empty in the background, where reading would stop the process."""
        if not self._open:
            return ""
        try:
            if not self._in_foreground():
                self._usual = None  # the shell owns the terminal now and sets its modes
                return ""
            self._listen()
            if not select.select([self._terminal], [], [], 0)[0]:
                return ""
            typed = os.read(self._terminal, _MAX_BYTES_READ).decode(errors="ignore")
        except (OSError, termios.error):  # the terminal was closed; a signal or failing output reports it
            typed = ""
        if not typed:
            self._open = False
        return _ESCAPE_SEQUENCE.sub("", typed).lower().replace("\r", "\n")

    def _in_foreground(self) -> bool:
        return os.tcgetpgrp(self._terminal) == os.getpgrp()

    def _listen(self) -> None:
        """Switch to unbuffered input without echo; signals and output processing stay as they are."""
        if self._usual is not None:
            return
        usual = termios.tcgetattr(self._terminal)
        heard = [*usual]
        heard[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(self._terminal, termios.TCSANOW, heard)
        self._usual = usual

    def _restore(self) -> None:
        """Restore the terminal and drop unread keys, so that the shell does not run them."""
        usual, self._usual = self._usual, None
        if usual is None:
            return
        try:
            if self._in_foreground():
                termios.tcflush(self._terminal, termios.TCIFLUSH)
                termios.tcsetattr(self._terminal, termios.TCSANOW, usual)
        except (OSError, termios.error):  # the terminal was closed
            self._open = False

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Restore the terminal, then stop the process; reading keys takes the terminal again."""
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stop)


def has_terminal() -> bool:
    """Return whether standard input is a terminal that this process may read."""
    try:
        return sys.stdin.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False
