"""The commands of `POST /api/say`: parsed from JSON to an input of the match; every error is one line."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Union

from msgspec import Meta

from referee.errors import FieldError
from referee.game.inputs import (
    NEVER,
    ClockSet,
    GameEnded,
    LetStand,
    MatchEnded,
    Paused,
    RackShown,
    RacksTold,
    Resumed,
    RummikubCalled,
    Seat,
    TableTaken,
    TimeAdded,
    TurnEnded,
    Undone,
)
from referee.game.limits import Limits
from referee.game.player_names import MAX_PLAYERS
from referee.game.state import Match
from referee.protocol.command import (
    Command,
    CommandContext,
    InvalidCommandError,
    ParsedCommand,
    SeatKey,
    SeatNumber,
    Seats,
    Sender,
    command_name,
    parse_box_tiles,
)
from referee.protocol.correction_commands import ANSWERS, CORRECTIONS
from referee.protocol.match_commands import Begin, BeginAnew, Rename, Reseat, SeatLeft, Start
from referee.protocol.subject import Meant, Moment, Scope, turn_is_over
from referee.reading.inputs import Input
from referee.rules.declared_fields import read_fields
from referee.rules.editions import RuleSet
from referee.rules.tiles import Tile
from referee.rules.wording import Message, only_english, say, way_out
from referee.solver import has_initial_meld

MAX_SECONDS: Final = 3600.0
_RACK_WANTED: Final = say("wanted.rack", "its tiles as text, or their value")
_Racks = Annotated[
    dict[SeatKey, Annotated[str, Meta(max_length=424)] | Annotated[int, Meta(ge=0, le=10_000)]],
    Meta(
        max_length=MAX_PLAYERS,
        description="every rack by its seat: its tiles, or only their value",
        examples=[{"1": "R5 J", "2": 17}],
        extra={"wanted": "an object of seats and their racks", "entry": _RACK_WANTED},
    ),
]


class _SimpleCommand(Command, frozen=True):
    """A command without fields."""

    input_type: ClassVar[type[Undone | Paused | Resumed | LetStand | GameEnded | MatchEnded]]

    def to_input(self, context: CommandContext) -> Input:
        """Return the input of the command."""
        return self.input_type(NEVER, context.by)


class _SeatCommand(Command, frozen=True):
    """A command that may name a seat."""

    input_type: ClassVar[type[TurnEnded | RummikubCalled | RackShown | TableTaken]]
    seat: SeatNumber | None = None

    def to_input(self, context: CommandContext) -> Input:
        """Return the input of the command."""
        return self.input_type(NEVER, context.seat_or_none(self.seat), context.by)


class _TurnEnd(_SeatCommand, frozen=True):
    """A command that ends a turn; one that names the turn does nothing else that a press can mean."""

    refers_to: ClassVar = Scope.TURN

    def missed(self, match: Match) -> Message | None:
        """Say that the turn is over, or stands in a break."""
        if self.turn is None or (match.in_play and not match.pauses.halted):
            return None
        name = match.setup.names[match.seat]
        return (
            turn_is_over(name, match.turn)
            if not match.in_play
            else say("stale.break", "{name}'s turn is in a break.", name=name)
        )


class Press(_TurnEnd, frozen=True, tag="press"):
    """End the turn, like the common button or a seat's button."""

    input_type: ClassVar = TurnEnded


class Rummikub(_TurnEnd, frozen=True, tag="rummikub"):
    """Call "Rummikub!" for a player."""

    input_type: ClassVar = RummikubCalled


class Undo(_SimpleCommand, frozen=True, tag="undo"):
    """Undo the last press: the one by which turn `of` ended, if that is named."""

    refers_to: ClassVar = Scope.TURN
    input_type: ClassVar = Undone
    of: Annotated[int, Meta(ge=0, le=100_000, description="the State's `undo_turn`")] | None = None

    def missed(self, match: Match) -> Message | None:
        """Say that another press would be undone."""
        if self.of is None or (match.undo is not None and match.undo.turn == self.of):
            return None
        return say("stale.undo", "This was meant for another press, so nothing was taken back.")


class Pause(_SimpleCommand, frozen=True, tag="pause"):
    """Stop the clock for a break."""

    refers_to: ClassVar = Scope.MATCH
    input_type: ClassVar = Paused


class Resume(_SimpleCommand, frozen=True, tag="resume"):
    """End the break."""

    refers_to: ClassVar = Scope.TURN
    input_type: ClassVar = Resumed


class LetItStand(_SimpleCommand, frozen=True, tag="let_stand"):
    """Accept the table as it lies."""

    refers_to: ClassVar = Scope.TURN
    input_type: ClassVar = LetStand


class TakeTable(_SeatCommand, frozen=True, tag="take_table"):
    """Once the thread is lost: the table counts as it lies, and the player named is to move with a full clock."""

    refers_to: ClassVar = Scope.TURN
    input_type: ClassVar = TableTaken


class Blocked(_SimpleCommand, frozen=True, tag="blocked"):
    """End the game because no player can go on."""

    refers_to: ClassVar = Scope.GAME
    input_type: ClassVar = GameEnded


class EndMatch(_SimpleCommand, frozen=True, tag="end_match"):
    """End the match."""

    refers_to: ClassVar = Scope.MATCH
    input_type: ClassVar = MatchEnded


class ShowRack(_SeatCommand, frozen=True, tag="show_rack"):
    """Read the tiles outside the table as this player's rack; without a seat, as the next player's."""

    refers_to: ClassVar = Scope.GAME
    input_type: ClassVar = RackShown


class Clock(Command, frozen=True, tag="clock"):
    """Set the seconds left, or add seconds; give one of the two."""

    refers_to: ClassVar = Scope.TURN
    seconds_left: Annotated[float, Meta(ge=0, le=MAX_SECONDS, extra={"unit": "s"})] | None = None
    add: Annotated[float, Meta(ge=-MAX_SECONDS, le=MAX_SECONDS, extra={"unit": "s"})] | None = None

    def to_input(self, context: CommandContext) -> Input:
        """Return the input that sets the clock."""
        if self.add is None:
            if self.seconds_left is None:
                raise InvalidCommandError(only_english("'clock' needs 'seconds_left'; give it"))
            return ClockSet(NEVER, self.seconds_left, context.by)
        if context.match.play.clock.left is None and not context.match.lost_on_time:
            raise InvalidCommandError(say("refused.no_clock", "turns have no time limit here; leave the clock alone"))
        return TimeAdded(NEVER, self.add, context.by)


class Racks(Command, frozen=True, kw_only=True, tag="racks"):
    """All racks of the last game or of `game`, as tiles or values; racks given as tiles need no `could_open`.

    Those that were shown may be left out. No racks at all say that the missing ones are lost.
    """

    refers_to: ClassVar = Scope.MATCH
    racks: _Racks
    could_open: Seats = ()
    announced: Seats = ()
    game: Annotated[int, Meta(ge=1, le=100)] | None = None

    @property
    def meant(self) -> Meant:
        """The match: racks of earlier games may be given."""
        return Meant(self.match)

    def to_input(self, context: CommandContext) -> Input:
        """Return the input with the racks and the players who held an initial meld but never laid it."""
        rules = context.match.rules
        by_seat = {context.seat(int(seat), "racks"): rack for seat, rack in self.racks.items()}
        shown = _shown_racks(context.match, self.game) if by_seat else ()
        racks = tuple(
            (seat, rack if isinstance(rack, int) else parse_box_tiles(rack, _rack_of(seat, context.names), rules))
            for seat, rack in by_seat.items()
        )
        racks += tuple((seat, rack) for seat, rack in shown if seat not in by_seat)
        unopened = _unopened_seats(context.match, self.game)
        tiles = {seat: rack for seat, rack in racks if not isinstance(rack, int) and seat in unopened}
        found = (seat for seat, rack in tiles.items() if _could_open(rack, rules))
        claimed = (context.seat(seat, "could_open") for seat in self.could_open)
        announced = tuple(context.seat(seat, "announced") for seat in self.announced)
        could_open = tuple(dict.fromkeys((*claimed, *found)))
        return RacksTold(NEVER, racks, could_open, announced, by=context.by, game=self.game)


COMMANDS: Final[Mapping[str, type[Command]]] = MappingProxyType(
    {
        command_name(kind): kind
        for kind in (
            *(
                Press,
                Rummikub,
                Undo,
                Pause,
                Resume,
                *CORRECTIONS,
                *ANSWERS,
                LetItStand,
                TakeTable,
                Clock,
                Blocked,
                SeatLeft,
            ),
            *(Rename, Reseat, Racks, ShowRack, Begin, BeginAnew, EndMatch, Start),
        )
    }
)
"""Every command of `say`."""
SayBody: Final[Any] = Union[tuple(COMMANDS.values())]  # noqa: UP007 - made of the table above


def parse_command(body: object, now: Moment, sender: Sender, limits: Limits) -> ParsedCommand:
    """Return a command as it waits for the match; InvalidCommandError if it is invalid or impossible now.

    What it does not say that it is meant for is what is there `now`: the match may move on before it takes the command.
    """
    match = now.match
    if not isinstance(body, dict) or not isinstance(body.get("say"), str):
        raise InvalidCommandError(only_english('name a command, such as {"say": "pause"}'))
    command = body["say"]
    kind = COMMANDS.get(command)
    if kind is None:
        raise InvalidCommandError(only_english(f"{command!r:.42} is not a command; {way_out(command, COMMANDS)}"))
    if match.seated is None and kind is not Start:
        raise InvalidCommandError(say("refused.no_match", "no match has begun; begin one first"))
    try:
        read = read_fields(kind, {key: value for key, value in body.items() if key != "say"}, repr(command))
    except FieldError as error:
        raise InvalidCommandError(*error.args) from None
    meant = read.meant.or_else(now.meant.within(read.refers_to))
    entered = read.to_input(CommandContext(match, sender, limits))
    return ParsedCommand(body, entered, read, meant, sender.device_marks)


def _rack_of(seat: Seat, names: tuple[str, ...]) -> Message:
    return say("tiles.rack", "the rack of {name}", name=names[seat])


def _unopened_seats(match: Match, game: int | None) -> tuple[Seat, ...]:
    """Return the seats that never opened in a finished game (None: the last one)."""
    over = match.results if game is None else match.results[game - 1 : game]
    return over[-1].unopened if over else ()


def _shown_racks(match: Match, game: int | None) -> tuple[tuple[Seat, tuple[Tile, ...]], ...]:
    """Return the racks that were shown after a finished game (None: the last one) and are not scored."""
    over = match.results if game is None else match.results[game - 1 : game]
    return over[-1].shown if over else ()


def _could_open(rack: tuple[Tile, ...], rules: RuleSet) -> bool:
    """Return whether a rack holds an initial meld; searched only if the edition penalises it."""
    return rules.could_open_penalty is not None and has_initial_meld(rack, rules)
