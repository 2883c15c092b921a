"""`referee hall`: show all tables of a hall on one wall, through an MQTT broker."""

import argparse
import logging
import sys
import threading
from dataclasses import replace
from pathlib import Path

from referee.cli import hall_tournament, interrupts
from referee.errors import ConfigError, check_installed
from referee.settings.config import settings_in_force
from referee.settings.hall import BROKER
from referee.settings.page import with_address
from referee.storage.folder import state_folder

_NEEDED = {"paho": "paho", "starlette": "starlette", "uvicorn": "uvicorn", "segno": "segno"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: /etc/referee/referee.toml)"
    )
    parser.add_argument("--state", type=Path, metavar="DIR", help="folder where the hall keeps its state")
    parser.add_argument("--broker", metavar="URL", help="mqtt://HOST or mqtts://HOST:8883 (default: set under [hall])")
    parser.add_argument("--web", metavar="HOST:PORT", help="address of the wall (default: set under [web])")
    actions = parser.add_subparsers(dest="action", metavar="tournament", parser_class=type(parser))
    hall_tournament.configure(actions.add_parser("tournament", help="seat, score and print a tournament"))


def run(arguments: argparse.Namespace) -> int:
    """Serve the wall until a stop signal, or run a tournament action."""
    if arguments.action == "tournament":
        interrupts.raise_from_now_on()
        return hall_tournament.run(arguments)
    stop = threading.Event()
    interrupts.call_on_signal(stop.set)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    check_installed("the hall needs", "wall", **_NEEDED)
    config = settings_in_force(arguments.config, arguments.state, logging.getLogger("referee").warning)
    web = config.web if arguments.web is None else with_address(config.web, arguments.web)
    if arguments.broker is not None and not BROKER.fullmatch(arguments.broker):
        raise ConfigError(
            f"--broker {arguments.broker[:60]!r} is not a broker address; write mqtt://HOST or mqtts://HOST:8883"
        )
    hall = config.hall if arguments.broker is None else replace(config.hall, broker=arguments.broker)
    from referee.hall.server import run_hall  # noqa: PLC0415 - needs the extras

    run_hall(hall, web, (arguments.state or state_folder(config.storage.folder)) / "hall", stop)
    return 0
