"""Commands of `POST /api/say`: declared fields, and the conversion to an input of the match."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from referee.errors import FieldError, NotationError
from referee.game.inputs import Seat
from referee.game.limits import Limits
from referee.game.player_names import MAX_PLAYERS
from referee.game.state import Match
from referee.plain_json import JsonObject
from referee.protocol.subject import Meant, Scope
from referee.reading.inputs import Input, Seconds
from referee.rules.declared_fields import VALUE_KINDS
from referee.rules.editions import RuleSet
from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile
from referee.rules.wording import Message, message_of, say

SeatNumber = Annotated[
    int, Meta(ge=0, le=MAX_PLAYERS - 1, extra={"wanted": "a whole number, the seat, counted from 0"})
]
SeatKey = Annotated[str, Meta(pattern=rf"^[0-{MAX_PLAYERS - 1}](?!\n)$")]
Seats = Annotated[tuple[SeatNumber, ...], Meta(max_length=MAX_PLAYERS, extra={"wanted": "a list of seats"})]


CommandId = Annotated[
    str, Meta(min_length=1, max_length=100, description="new for each command; a repeated one is done once")
]
MatchId = Annotated[str, Meta(max_length=200, description="the `id` of the match that is meant")]


class InvalidCommandError(FieldError):
    """An invalid command; the message names the mistake and the way out."""


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a command: name, device marks, and whether another player must agree."""

    by: str
    device_marks: tuple[str, ...] = ()
    must_propose: bool = False


@dataclass(frozen=True, slots=True)
class CommandContext:
    """The context of a command: the current match, the sender, and the limits of new matches."""

    match: Match
    sender: Sender
    limits: Limits

    @property
    def by(self) -> str:
        """The sender's name."""
        return self.sender.by

    @property
    def names(self) -> tuple[str, ...]:
        """The players of the match; empty before the first match."""
        return () if self.match.seated is None else self.match.setup.names

    def seat(self, number: int, key: str = "seat") -> Seat:
        """Return a seat of the match; InvalidCommandError if the seat does not exist."""
        return seat_of(number, key, self.names)

    def seat_or_none(self, number: int | None, key: str = "seat") -> Seat | None:
        """Return a seat of the match, or None if `number` is None."""
        return None if number is None else self.seat(number, key)


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="say", kw_only=True):
    """A command of `POST /api/say`, with what it is meant for and its own id."""

    refers_to: ClassVar[Scope]
    match: MatchId | None = None
    game: Annotated[int, Meta(ge=0, le=100, description="the game that is meant")] | None = None
    turn: Annotated[int, Meta(ge=0, le=100_000, description="the turn that is meant, as the State counts")] | None = (
        None
    )
    id: CommandId | None = None

    @property
    def meant(self) -> Meant:
        """What the sender says that the command is meant for."""
        return Meant(self.match, self.game, self.turn)

    def to_input(self, context: CommandContext) -> Input:
        """Return the command's input without its time; InvalidCommandError if it is impossible now."""
        raise NotImplementedError

    def missed(self, match: Match) -> Message | None:
        """Say why what the command refers to is gone, though its match, game and turn are not; None if it is there."""
        del match
        return None


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command that waits for the match: as it was said, its input without time, what it is meant for, and by whom."""

    said: JsonObject
    entered: Input
    command: Command
    meant: Meant
    voice: tuple[str, ...] = ()

    def dated(self, at: Seconds) -> Input:
        """Return the input at this time."""
        return replace(self.entered, at=at, voice=self.voice)


def seat_of(number: int, key: str, names: Sequence[str]) -> Seat:
    """Return the seat of one of these players; InvalidCommandError if the seat does not exist."""
    if number >= len(names):
        named = f"is {number}" if key in {"seat", "first"} else f"names seat {number}"
        least, most = "0", f"{len(names) - 1}"
        wanted = say("value.range", "{what} from {least} to {most}", what=VALUE_KINDS[int], least=least, most=most)
        raise InvalidCommandError(say("field.give", "give {wanted}", wanted=wanted), key, f"{key!r} {named}")
    return Seat(number)


def command_name(kind: type[Command]) -> str:
    """Return the name under `say` of a command type."""
    return str(kind.__struct_config__.tag)


def parse_box_tiles(text: str, what: Message, rules: RuleSet) -> tuple[Tile, ...]:
    """Parse tiles; InvalidCommandError if the box has fewer of one. `what` names them in the message."""
    try:
        tiles = parse_tiles(text)
    except NotationError as error:
        raise InvalidCommandError(say("tiles.wrong", "{what}: {why}", what=what, why=message_of(error))) from None
    for tile in tiles:
        if tiles.count(tile) > rules.box.get(tile, 0):
            wrong = say(
                "tiles.more",
                "{what} has more {tile} than the box of {edition}; count again",
                what=what,
                tile=(tile,),
                edition=rules.edition,
            )
            raise InvalidCommandError(wrong)
    return tiles
