"""The CSV list of a tournament's players: column `name`, optionally `rating` and `club`."""

import csv
import io
from typing import Final

from referee.errors import ConfigError
from referee.game.player_names import tidy_name, wrong_with_name
from referee.hall.tournament import Entrant, name_key
from referee.rules.wording import way_out

MAX_ENTRANTS: Final = 1000
MAX_RATING: Final = 9999
_KNOWN_COLUMNS: Final = ("name", "rating", "club")


def parse_entrants(text: str) -> tuple[Entrant, ...]:
    """Parse the list; ConfigError names the first invalid line."""
    lines = text.removeprefix("\ufeff").splitlines()
    first = lines[0] if lines else ""
    rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=max(",;\t", key=first.count)))
    columns = [cell.strip().casefold() for cell in rows[0]] if rows else []
    for column in columns:
        if column not in _KNOWN_COLUMNS:
            raise ConfigError(f"line 1 has a column {column[:40]!r}; {way_out(column, _KNOWN_COLUMNS)}")
    if "name" not in columns:
        raise ConfigError("line 1 has no column 'name'; begin the list with: name,rating,club")
    found: dict[str, Entrant] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        entrant = _entrant(dict(zip(columns, (cell.strip() for cell in row), strict=False)), number)
        if name_key(entrant.name) in found:
            raise ConfigError(f"line {number} repeats the name {entrant.name!r}; give each player a different name")
        found[name_key(entrant.name)] = entrant
    if not 2 <= len(found) <= MAX_ENTRANTS:
        raise ConfigError(f"the list names {len(found)} players; give 2 to {MAX_ENTRANTS}")
    return tuple(found.values())


def _entrant(cells: dict[str, str], number: int) -> Entrant:
    name, rating = tidy_name(cells.get("name", "")), cells.get("rating", "")
    if wrong := wrong_with_name(name) if name else "is missing; give one":
        raise ConfigError(f"line {number}: the name {name[:50]!r} {wrong}")
    if rating and not (rating.isascii() and rating.isdecimal() and int(rating) <= MAX_RATING):
        raise ConfigError(f"line {number}: the rating of {name} is {rating[:20]!r}; give 0 to {MAX_RATING} or nothing")
    return Entrant(name, int(rating or 0), cells.get("club", "")[:60])
