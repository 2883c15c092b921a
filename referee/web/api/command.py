"""What was said to the page and by whom, and its keys checked one by one: every mistake in one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.errors import NotationError
from referee.game.inputs import Seat
from referee.game.limits import Limits
from referee.game.state import Match
from referee.rules.editions import RuleSet
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile


class WrongWordError(Exception):
    """What was said is no word of the interface; the message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks: the organiser, or the players, the marks of the device, and whether another player must agree."""

    by: str
    voice: tuple[str, ...] = ()
    proposes: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """One `say` with what it needs to be understood: the match as it stands, who speaks, the limits of new matches."""

    said: Mapping[str, Any]
    match: Match
    speaker: Speaker
    limits: Limits

    @property
    def by(self) -> str:
        """Who speaks."""
        return self.speaker.by

    def check_keys(self, *known: str, needed: tuple[str, ...] = ()) -> None:
        """Refuse keys that are not known or are missing."""
        for key in self.said:
            if key not in {"say", *known}:
                raise WrongWordError(f"{key[:40]!r} does not belong to {self.said['say']!r}; leave it out")
        for key in needed:
            if key not in self.said:
                raise WrongWordError(f"{self.said['say']!r} needs {key!r}; give it")

    def whole(self, key: str, least: int, most: int) -> int:
        """Give a whole number."""
        value = self.said.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise WrongWordError(f"{key!r} is {shown(value)}; give a whole number from {least} to {most}")
        return value

    def seat(self, key: str) -> Seat:
        """Give a seat of the match."""
        return Seat(self.whole(key, 0, max(0, len(self._names) - 1)))

    def seat_or_none(self, key: str) -> Seat | None:
        """Give a seat of the match, or None where none is named."""
        return None if self.said.get(key) is None else self.seat(key)

    def seats(self, key: str) -> tuple[Seat, ...]:
        """Give a list of seats, which may be left out."""
        listed = self.said.get(key, [])
        if not isinstance(listed, list) or len(listed) > len(self._names):
            raise WrongWordError(f"{key!r} is {shown(listed)}; give a list of seats")
        return tuple(
            Words({**self.said, "seat": seat}, self.match, self.speaker, self.limits).seat("seat") for seat in listed
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return () if self.match.seated is None else self.match.sitting.names


def tiles_in_the_box(text: str, what: str, rules: RuleSet) -> tuple[Tile, ...]:
    """Parse tiles, none of them more often than the box has it; `what` they are said to be."""
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise WrongWordError(f"{what}: {error}") from None
    for tile in tiles:
        if tiles.count(tile) > rules.box.get(tile, 0):
            raise WrongWordError(f"{what} has more {tile} than the box of {rules.edition}; look at it again")
    return tiles


def shown(value: object) -> str:
    """Show a value in a message, shortened."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
