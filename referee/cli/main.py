"""The `referee` command: finds the subcommand, runs it, and reports errors in one line."""

import importlib
import sys
import traceback
from collections.abc import Sequence
from types import MappingProxyType

from referee import __version__
from referee.cli import interrupts
from referee.cli.parser import USAGE_ERROR, OneLineParser
from referee.cli.streams import drop_output, machine_fault, prepare_streams
from referee.errors import RefereeError

COMMANDS = MappingProxyType(
    {
        "run": "referee a table until stopped",
        "read": "read the tiles in pictures",
        "photos": "serve a page on which phones photograph racks and tables, without a camera",
        "judge": "judge a turn written in notation",
        "score": "score games and rank the players",
        "solve": "find the play that lays most tiles",
        "simulate": "play matches on a rendered table and write what a camera would see",
        "replay": "repeat a recorded match from its journal",
        "calibrate": "set up a camera over a table, one step at a time",
        "config": "check or show the settings, or set the organiser's PIN",
        "hall": "show every table of a hall on one wall, over an MQTT broker",
        "stats": "show each player's results over evenings",
        "status": "show the health of the running service",
        "report": "write one file for a bug report, without secrets",
    }
)
UNTIL_STOPPED = frozenset({"run", "photos", "hall"})  # they end by a signal, also during their imports
INTERNAL_ERROR = 70  # Python would exit with 1, which means an illegal table
INTERRUPTED = 130  # a shell's code for SIGINT
BROKEN_PIPE = 141  # a shell's code for SIGPIPE; 0 would mean that all was legal


def build_parser(*commands: str) -> OneLineParser:
    """Return the parser, with the options of these commands only, for each takes time to import."""
    parser = OneLineParser(prog="referee", description="Referees a Rummikub table seen by a camera.")
    parser.add_argument("-V", "--version", action="version", version=f"referee {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=OneLineParser)
    for name, purpose in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if name in commands:
            importlib.import_module(f"referee.cli.{name}").configure(subparser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done, 1 illegal, 2 wrong call or input, 3 undecided, 70 a fault of the program, 130 interrupted, 141 nobody reads.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    named = [word for word in words if not word.startswith("-")]
    command = next((word for word in named if word in COMMANDS), next(iter(named), None))
    try:
        prepare_streams()
        arguments = build_parser(command or "").parse_args(words)
        run = importlib.import_module(f"referee.cli.{command}").run
        if command not in UNTIL_STOPPED:
            interrupts.raise_from_now_on()
        code: int = run(arguments)
        sys.stdout.flush()
    except RefereeError as error:
        print(f"referee {command}: {error}", file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        drop_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return interrupts.exit_code() or INTERRUPTED
    except Exception as error:  # noqa: BLE001 - reported in full; only the exit code is ours
        return _report_error(command, error)
    return code


def _report_error(command: str | None, error: Exception) -> int:
    """Report an unexpected error; return the exit code: of a signal, a machine fault, or an internal error."""
    if (ended := interrupts.exit_code()) is not None:
        return ended
    if isinstance(error, OSError) and (message := machine_fault(error)):
        print(f"referee {command}: {message}", file=sys.stderr)
        return USAGE_ERROR
    traceback.print_exception(error)
    return INTERNAL_ERROR
