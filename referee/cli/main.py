"""The `referee` command: finds the subcommand, runs it, and turns errors into one line."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import NoReturn

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
INTERRUPTED = 130


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
    """Run one command and return its exit code: 0 done, 1 illegal, 2 wrong call or input, 3 undecided."""
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    return code
