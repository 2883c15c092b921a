"""The `referee` command: finds the subcommand, runs it, and turns errors into one line."""

import importlib
import sys
import traceback
from collections.abc import Sequence
from types import MappingProxyType

from referee import __version__
from referee.cli import interrupts
from referee.cli.parser import WRONG_CALL, OneLineParser
from referee.cli.streams import drop_output, ready_streams, trouble
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
        "config": "check or show the settings, or set the organiser's PIN",
        "hall": "show every table of a hall on one wall, over an MQTT broker",
        "stats": "show each player's results over evenings",
        "status": "show the health of the running service",
        "report": "write one file for a bug report, without secrets",
    }
)
UNTIL_STOPPED = frozenset({"run", "hall"})  # a signal is how they are meant to end, also while they are being loaded
BROKEN = 70  # a fault of the program's own; Python would give 1, and 1 is an illegal table
INTERRUPTED = 130  # as a shell writes an end by SIGINT
UNHEARD = 141  # as a shell writes an end by SIGPIPE: 0 would say that all was judged, and legal


def parser_of(*commands: str) -> OneLineParser:
    """Return the parser; only of these commands it knows more than the name, for each takes time to load."""
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
    command = next((word for word in words if not word.startswith("-")), None)
    try:
        ready_streams()
        arguments = parser_of(command or "").parse_args(words)
        run = importlib.import_module(f"referee.cli.{command}").run
        if command not in UNTIL_STOPPED:
            interrupts.end_from_now_on()
        code: int = run(arguments)
        sys.stdout.flush()
    except RefereeError as error:
        print(f"referee {command}: {error}", file=sys.stderr)
        return WRONG_CALL
    except BrokenPipeError:
        drop_output()
        return UNHEARD
    except KeyboardInterrupt:
        return interrupts.exit_code() or INTERRUPTED
    except Exception as error:  # noqa: BLE001 - told in full; only the exit code is made our own
        return _fault(command, error)
    return code


def _fault(command: str | None, error: Exception) -> int:
    """Return what broke: a signal while something was being loaded, the machine, or the program."""
    if (ended := interrupts.exit_code()) is not None:
        return ended
    if isinstance(error, OSError) and (told := trouble(error)):
        print(f"referee {command}: {told}", file=sys.stderr)
        return WRONG_CALL
    traceback.print_exception(error)
    return BROKEN
