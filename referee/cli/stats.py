"""`referee stats`: show each player's results over all stored evenings."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.cli.progress import Progress
from referee.errors import ConfigError, StorageError
from referee.history.statistics import Statistics, format_csv
from referee.settings.config import SYSTEM_FILE, folder_in_use
from referee.storage.files import refusal, write_whole

_COLUMN_TITLES: Final = {
    "player": "player",
    "matches": "matches",
    "matches_won": "won",
    "games_won": "games won",
    "score": "points",
    "mean_turn": "mean turn",
    "tiles_a_turn": "tiles a turn",
    "longest_run": "longest run",
    "mean_opening": "opening",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    what.add_argument("--csv", metavar="FILE", help="write a table for a spreadsheet; - for standard output")
    what.add_argument("--delete", metavar="NAME", help="remove a player from the statistics")
    what.add_argument("--rebuild", action="store_true", help="rebuild the statistics from the journals")
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"settings file (default: {SYSTEM_FILE})")
    parser.add_argument("--state", type=Path, metavar="DIR", help="state folder of the referee")


def run(arguments: argparse.Namespace) -> int:
    """Show the statistics, or run the chosen action."""
    statistics = Statistics(_folder(arguments))
    if arguments.delete is not None:
        return _delete(statistics, arguments.delete)
    if arguments.rebuild:
        with Progress("reading the journals"):
            kept = statistics.rebuild()
        print(f"{_matches(kept)} read from the journals")
        return 0
    players = statistics.players()
    if arguments.json:
        print(json.dumps({"players": list(players)}, ensure_ascii=False))
    elif arguments.csv:
        _write_csv(arguments.csv, format_csv(players))
    elif players:
        print("\n".join(_table_lines(players)))
    else:
        print("No match has been finished yet. To read earlier journals: referee stats --rebuild")
    return 0


def _folder(arguments: argparse.Namespace) -> Path:
    if arguments.state is not None and not arguments.state.is_dir():
        raise ConfigError(f"--state {arguments.state} is not a folder; name the state folder of the referee")
    return folder_in_use(arguments.config, arguments.state)


def _delete(statistics: Statistics, name: str) -> int:
    matches = statistics.delete(name)
    if not matches:
        raise ConfigError(f"--delete {name!r} is not in the statistics; `referee stats` lists the players")
    print(f"{name} is removed from {_matches(matches)}; journals and exports keep the name until you delete them")
    return 0


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"


def _write_csv(file: str, text: str) -> None:
    if file == "-":
        sys.stdout.write(text)
        return
    try:
        write_whole(Path(file), text)
    except OSError as error:
        raise StorageError(f"--csv {file} cannot be written {refusal(error, Path(file))}") from None
    print(file)


def _table_lines(players: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the players as a text table, names left-aligned and figures right-aligned."""
    rows = [list(_COLUMN_TITLES.values()), *([_cell(key, row[key]) for key in _COLUMN_TITLES] for row in players)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMN_TITLES))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(key: str, value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.0f} s" if key == "mean_turn" else f"{value:g}" if isinstance(value, float) else str(value)
