"""Commands of `say`: their fields as declared types, and the input each makes for the match as it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from referee.errors import NotationError
from referee.game.inputs import Input, Seat
from referee.game.limits import Limits
from referee.game.player_names import MAX_PLAYERS
from referee.game.state import Match
from referee.rules.editions import RuleSet
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile

SeatNumber = Annotated[
    int, Meta(ge=0, le=MAX_PLAYERS - 1, extra={"wanted": "a whole number, the seat, counted from 0"})
]
SeatKey = Annotated[str, Meta(pattern=rf"^[0-{MAX_PLAYERS - 1}](?!\n)$")]
Seats = Annotated[tuple[SeatNumber, ...], Meta(max_length=MAX_PLAYERS, extra={"wanted": "a list of seats"})]


class InvalidCommandError(Exception):
    """A command that the interface refuses; the message says what is wrong and what would be right."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who sent a command, the marks of their device, and whether another player must agree."""

    by: str
    voice: tuple[str, ...] = ()
    proposes: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What is needed to parse a command: the match as it stands, who speaks, the limits of new matches."""

    match: Match
    speaker: Speaker
    limits: Limits

    @property
    def by(self) -> str:
        """Who sent the command."""
        return self.speaker.by

    @property
    def names(self) -> tuple[str, ...]:
        """The players of the match; none where none has begun."""
        return () if self.match.seated is None else self.match.setup.names

    def seat(self, number: int, key: str = "seat") -> Seat:
        """Return a seat of the match; InvalidCommandError where nobody sits there."""
        return seat_of(number, key, self.names)

    def seat_or_none(self, number: int | None, key: str = "seat") -> Seat | None:
        """Return a seat of the match, or None where none is named."""
        return None if number is None else self.seat(number, key)


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="say"):
    """A command of `say`."""

    def to_input(self, context: Context) -> Input:
        """Return the command's input, its time still to be set; raises InvalidCommandError where it is impossible."""
        raise NotImplementedError


def seat_of(number: int, key: str, names: Sequence[str]) -> Seat:
    """Return the seat of one of these players; InvalidCommandError where nobody sits there."""
    if number >= len(names):
        named = f"is {number}" if key in {"seat", "first"} else f"names seat {number}"
        raise InvalidCommandError(f"{key!r} {named}; give a whole number from 0 to {len(names) - 1}")
    return Seat(number)


def command_name(kind: type[Command]) -> str:
    """Return the name of a kind of command in `say`."""
    return str(kind.__struct_config__.tag)


def tiles_in_the_box(text: str, what: str, rules: RuleSet) -> tuple[Tile, ...]:
    """Parse tiles, none of them more often than the box has it; `what` they are said to be."""
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise InvalidCommandError(f"{what}: {error}") from None
    for tile in tiles:
        if tiles.count(tile) > rules.box.get(tile, 0):
            raise InvalidCommandError(f"{what} has more {tile} than the box of {rules.edition}; count again")
    return tiles
