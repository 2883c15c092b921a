"""The score sheet as comma-separated values for a spreadsheet: a row a game, and the totals below."""

import csv
import io
from collections.abc import Iterable, Sequence

Points = Sequence[int | None]
"""What each player scored, by seat; None if a player has no score."""

_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


def format_sheet(
    names: Sequence[str], games: Iterable[tuple[int, Points]], footer: Iterable[tuple[str, Sequence[int]]] = ()
) -> str:
    """Return the score sheet as CSV: a row a game with its sum, then totals; `footer` holds extra rows."""
    games = list(games)
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\r\n").writerow
    write(["game", *map(safe_cell, names), "sum"])
    for number, points in games:
        scored = [point for point in points if point is not None]
        write([number, *("" if point is None else point for point in points), sum(scored) if scored else ""])
    known = [[points[seat] for _, points in games if points[seat] is not None] for seat in range(len(names))]
    totals = [sum(filter(None, scored)) if scored else "" for scored in known]
    write(["total", *totals, sum(total for total in totals if total != "") if any(known) else ""])
    for label, row in footer:
        write([label, *row, ""])
    return text.getvalue()


def safe_cell(name: str) -> str:
    """Return the name so that no spreadsheet takes it for a formula."""
    return f"'{name}" if name.startswith(_FORMULA_PREFIXES) else name
