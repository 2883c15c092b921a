"""The CSV list of a tournament's players: column `name`, optionally `rating` and `club`."""

import csv
import io
from typing import Final

from referee.errors import FieldError
from referee.game.player_names import tidy_name, wrong_with_name
from referee.hall.tournament import Entrant, name_key
from referee.rules.wording import Message, say, way_out

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
            raise _wrong_list(
                say(
                    "entrants.column",
                    "line 1 has a column {column}; {way_out}",
                    column=repr(column[:40]),
                    way_out=way_out(column, _KNOWN_COLUMNS),
                )
            )
    if "name" not in columns:
        raise _wrong_list(say("entrants.head", "line 1 has no column 'name'; begin the list with: name,rating,club"))
    found: dict[str, Entrant] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        entrant = _entrant(dict(zip(columns, (cell.strip() for cell in row), strict=False)), number)
        if name_key(entrant.name) in found:
            raise _wrong_list(
                say(
                    "entrants.repeated",
                    "line {line} repeats the name {name}; give each player a different name",
                    line=number,
                    name=repr(entrant.name),
                )
            )
        found[name_key(entrant.name)] = entrant
    if not 2 <= len(found) <= MAX_ENTRANTS:
        raise _wrong_list(
            say(
                "entrants.count",
                "the list names {players} players; give 2 to {most}",
                players=len(found),
                most=MAX_ENTRANTS,
            )
        )
    return tuple(found.values())


def _wrong_list(why: Message) -> FieldError:
    return FieldError(why, "entrants", str(why))


def _entrant(cells: dict[str, str], number: int) -> Entrant:
    name, rating = tidy_name(cells.get("name", "")), cells.get("rating", "")
    if wrong := wrong_with_name(name) if name else say("entrants.no_name", "is missing; give one"):
        message = say(
            "entrants.name", "line {line}: the name {name} {wrong}", line=number, name=repr(name[:50]), wrong=wrong
        )
        raise _wrong_list(message)
    if rating and not (rating.isascii() and rating.isdecimal() and int(rating) <= MAX_RATING):
        raise _wrong_list(
            say(
                "entrants.rating",
                "line {line}: the rating of {name} is {rating}; give 0 to {most} or nothing",
                line=number,
                name=name,
                rating=repr(rating[:20]),
                most=MAX_RATING,
            )
        )
    return Entrant(name, int(rating or 0), cells.get("club", "")[:60])
