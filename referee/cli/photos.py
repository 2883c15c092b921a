"""`referee photos`: a page on which phones photograph racks and tables; it needs no camera and keeps nothing."""

import argparse
import logging
import sys
from dataclasses import replace
from pathlib import Path

from referee.cli import interrupts
from referee.service.stop import Stop
from referee.settings.config import settings_in_force
from referee.settings.page import with_address

_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - phones are what it is for


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: /etc/referee/referee.toml)"
    )
    parser.add_argument("--web", default="", metavar="HOST:PORT", help="where the page is served (0.0.0.0:8080)")


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until a stop signal."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    stop = Stop()
    interrupts.call_on_signal(stop.set)
    config = settings_in_force(arguments.config)
    host = _EVERY_ADDRESS if config.origin["web.host"] == "default" else config.web.host
    config = replace(config, web=with_address(replace(config.web, host=host), arguments.web))
    from referee.service.page import check_extra, open_photo_page  # noqa: PLC0415 - settings are checked before models are loaded

    check_extra()
    server = open_photo_page(config)
    stop.wait()
    server.close()
    return 0
