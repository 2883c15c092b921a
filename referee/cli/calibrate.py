"""`referee calibrate`: run one step of the camera's setup."""

import argparse
import importlib
import logging
from types import MappingProxyType
from typing import Final

STEPS: Final = MappingProxyType(
    {
        "setup": "find focus, light, lens, table and inks at once from the tiles of the box",
        "camera": "find the camera's optics from pictures of the printed board",
        "table": "find the table from the printed corner markers, from points or from four tiles",
        "colours": "learn the inks of this box under this lamp",
        "tiles": "learn faces the reader has never seen, such as this box's jokers",
        "signals": "play every cue and ask for each button",
        "check": "say what is ready for play and what is not",
    }
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add a parser for each step."""
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True, parser_class=type(parser))
    for name, purpose in STEPS.items():
        step = steps.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        importlib.import_module(f"referee.cli.steps.{name}").configure(step)


def run(arguments: argparse.Namespace) -> int:
    """Run one step and return its exit code."""
    logging.getLogger("referee").addHandler(logging.NullHandler())  # the step reports the camera's errors itself
    code: int = importlib.import_module(f"referee.cli.steps.{arguments.step}").run(arguments)
    return code
