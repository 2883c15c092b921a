"""Standard streams that survive a full disk, a closed pipe and control characters in names."""

import io
import os
import re
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final

from referee.storage.files import way_out

_CONTROL_CHARACTER: Final = re.compile(
    r"(?!\x1b\[(?:0|3[123])m)[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


class _BestEffort(io.FileIO):
    """A file that drops output it cannot write: failing messages must not change the exit code."""

    def write(self, content: Any, /) -> int:
        """Write bytes; return their number even if they could not be written."""
        try:
            return super().write(content)
        except OSError:
            return memoryview(content).nbytes


class _TerminalText(io.TextIOWrapper):
    """Text for a terminal: control characters in names are escaped, so that they cannot move the cursor or hide lines.

    Only the colours red, green, amber and reset are passed through.
    """

    def write(self, text: str, /) -> int:
        """Write the text; return its length."""
        super().write(escape_controls(text))
        return len(text)


def escape_controls(text: str) -> str:
    """Return the text with control characters escaped, except colours."""
    return _CONTROL_CHARACTER.sub(_escaped, text) if _CONTROL_CHARACTER.search(text) else text


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def prepare_streams() -> None:
    """Replace closed streams, make output accept any character, and make standard error never fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Left open: otherwise the next opened file would get this descriptor.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
        if sys.stdout is sys.__stdout__ and sys.stdout.isatty():
            sys.stdout = _TerminalText(sys.stdout.buffer, sys.stdout.encoding, "backslashreplace", line_buffering=True)
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        stderr = io.BufferedWriter(_BestEffort(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = _TerminalText(stderr, sys.stderr.encoding, "backslashreplace", line_buffering=True)


def standard_input(what: str) -> BinaryIO:
    """Return standard input; at a terminal, print what to type."""
    if sys.stdin.isatty():
        print(f"Type {what} and end with Ctrl-D; or pass a file: < FILE", file=sys.stderr)
    return sys.stdin.buffer


def machine_fault(error: OSError) -> str | None:
    """Return the machine fault that a person can fix (full disk, closed pipe …); None for other errors."""
    if error.filename is not None:
        way = way_out(error, Path(os.fsdecode(error.filename)), "check the path, and who may read and write it")
        return f"{error.filename}: {error.strerror}; {way}"
    try:
        print(flush=True)  # if the error was standard output's, a line more has it again
    except OSError:
        drop_output()
        return f"standard output cannot be written ({error.strerror}); free some space or write elsewhere"
    return None


def drop_output() -> None:
    """Discard pending output, so that Python does not report it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
