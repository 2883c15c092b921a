"""`referee report`: write one file for a bug report and list its contents."""

import argparse
import sys
from pathlib import Path
from typing import Final

from referee.cli.progress import Progress
from referee.errors import ConfigError
from referee.hardware.system import wall_label
from referee.service.support import ReportRequest, SupportReport
from referee.settings.config import SYSTEM_FILE

MAX_JOURNALS: Final = 20
MAX_PICTURES: Final = 200


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="file to write (default: referee-report-TIME.zip here)"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"settings file (default: {SYSTEM_FILE})")
    parser.add_argument("--state", type=Path, metavar="DIR", help="state folder of the referee")
    parser.add_argument("--journals", type=int, default=1, metavar="N", help="number of newest matches to include (1)")
    parser.add_argument(
        "--pictures",
        type=int,
        default=0,
        metavar="N",
        help="number of newest pictures to include; they may show racks and hands (0)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the report and print its contents."""
    for name, most in (("journals", MAX_JOURNALS), ("pictures", MAX_PICTURES)):
        asked = getattr(arguments, name)
        if not 0 <= asked <= most:
            raise ConfigError(f"--{name} {asked} is out of range; use 0 to {most}")
    stamp = "".join(digit for digit in wall_label()[:16] if digit.isdecimal())
    out = arguments.out or Path(f"referee-report-{stamp}.zip")
    asked = ReportRequest(
        settings_file=arguments.config,
        state=arguments.state,
        journals=arguments.journals,
        pictures=arguments.pictures,
    )
    with Progress("collecting"):
        report = SupportReport(asked)
    print(f"The report holds:\n{report.contents}", file=sys.stderr, flush=True)
    with Progress("writing"):
        report.write(out)
    print(out)
    return 0
