"""Standard streams that survive a full disk, a closed pipe and control characters in names."""

import io
import os
import re
import sys
from typing import Any, BinaryIO, Final

_CONTROL: Final = re.compile(
    r"(?!\x1b\[(?:0|3[123])m)[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


class _BestEffort(io.FileIO):
    """A file that loses what it cannot take: what cannot be told to people is no reason for another exit code."""

    def write(self, content: Any, /) -> int:
        """Write bytes, and say so even where they could not be written."""
        try:
            return super().write(content)
        except OSError:
            return memoryview(content).nbytes


class _Plain(io.TextIOWrapper):
    """Text for a terminal: a control character in a name is written out, and so moves no cursor and hides no line.

    Colours alone are let through, red, green, amber and none.
    """

    def write(self, text: str, /) -> int:
        """Write the text; gives its length."""
        super().write(plain(text))
        return len(text)


def plain(text: str) -> str:
    """Return the text with its control characters written out, colours left as they are."""
    return _CONTROL.sub(_written_out, text) if _CONTROL.search(text) else text


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def ready_streams() -> None:
    """Put nothing where a stream is closed, let output hold any letter, and let standard error never fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Not closed again: it keeps the descriptor, which the next file to be opened would else be given.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
        if sys.stdout is sys.__stdout__ and sys.stdout.isatty():
            sys.stdout = _Plain(sys.stdout.buffer, sys.stdout.encoding, "backslashreplace", line_buffering=True)
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        told = io.BufferedWriter(_BestEffort(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = _Plain(told, sys.stderr.encoding, "backslashreplace", line_buffering=True)


def standard_input(what: str) -> BinaryIO:
    """Return standard input; at a terminal, say what to type."""
    if sys.stdin.isatty():
        print(f"Type {what} and end with Ctrl-D; or pass a file: < FILE", file=sys.stderr)
    return sys.stdin.buffer


def trouble(error: OSError) -> str | None:
    """Return what of the machine was in the way; None where it was nothing that a person can mend."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path, and who may read and write it"
    try:
        print(flush=True)  # if the error was standard output's, a line more has it again
    except OSError:
        drop_output()
        return f"standard output cannot be written ({error.strerror}); free some space or write elsewhere"
    return None


def drop_output() -> None:
    """Send what is still to be written nowhere, or Python would complain of it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
