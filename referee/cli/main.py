"""The `referee` command: finds the subcommand, runs it, and turns errors into one line."""

import argparse
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from referee import __version__
from referee.errors import RefereeError

COMMANDS = MappingProxyType(
    {
        "run": "referee a table until stopped",
        "read": "read the tiles in pictures",
        "judge": "judge a turn written in notation",
        "score": "score games and rank the players",
        "solve": "find the play that lays most tiles",
        "simulate": "play matches on a rendered table and write what a camera would see",
        "replay": "repeat a recorded match from its journal",
        "calibrate": "set up a camera over a table, one step at a time",
        "config": "check or show the settings",
        "status": "tell how the running service is",
    }
)
WRONG_CALL = 2
BROKEN = 70  # a fault of the program's own; Python would give 1, and 1 is an illegal table
INTERRUPTED = 130  # as a shell writes an end by SIGINT
UNHEARD = 141  # as a shell writes an end by SIGPIPE: 0 would say that all was judged, and legal


class _BestEffort(io.FileIO):
    """A file that loses what it cannot take: what cannot be told to people is no reason for another exit code."""

    def write(self, content: Any, /) -> int:
        """Write bytes, and say so even where they could not be written."""
        try:
            return super().write(content)
        except OSError:
            return memoryview(content).nbytes


class _OneLineParser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line that names the way out."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_CALL, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def _parser(command: str | None) -> argparse.ArgumentParser:
    parser = _OneLineParser(prog="referee", description="Referees a Rummikub table seen by a camera.")
    parser.add_argument("--version", action="version", version=f"referee {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_OneLineParser)
    for name, purpose in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if name == command:
            importlib.import_module(f"referee.cli.{name}").configure(subparser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done, 1 illegal, 2 wrong call or input, 3 undecided, 70 a fault of the program, 130 interrupted, 141 nobody reads.
    """
    _ready_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    command = next((word for word in words if not word.startswith("-")), None)
    arguments = _parser(command).parse_args(words)
    try:
        code: int = importlib.import_module(f"referee.cli.{arguments.command}").run(arguments)
        sys.stdout.flush()
    except RefereeError as error:
        print(f"referee {arguments.command}: {error}", file=sys.stderr)
        return WRONG_CALL
    except BrokenPipeError:
        _drop_output()
        return UNHEARD
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - told in full; only the exit code is made our own
        if isinstance(error, OSError) and (trouble := _trouble(error)):
            print(f"referee {arguments.command}: {trouble}", file=sys.stderr)
            return WRONG_CALL
        traceback.print_exc()
        return BROKEN
    return code


def _ready_streams() -> None:
    """Put nothing where a stream is closed, let output hold any letter, and let standard error never fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Not closed again: it keeps the descriptor, which the next file to be opened would else be given.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        told = io.BufferedWriter(_BestEffort(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = io.TextIOWrapper(told, sys.stderr.encoding, "backslashreplace", line_buffering=True)


def _trouble(error: OSError) -> str | None:
    """Say what of the machine was in the way; None where it was nothing that a person can mend."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}; check the path, and who may read and write it"
    try:
        print(flush=True)  # if the error was standard output's, a line more has it again
    except OSError:
        _drop_output()
        return f"standard output cannot be written ({error.strerror}); free some space or write elsewhere"
    return None


def _drop_output() -> None:
    """Send what is still to be written nowhere, or Python would complain of it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
