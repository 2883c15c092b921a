"""The organiser's words: from the JSON of `say` to an input of the match, every mistake in one line."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Union

from msgspec import Meta

from referee.declared import WrongFieldError, read_fields
from referee.errors import did_you_mean
from referee.game.inputs import (
    NEVER,
    ClockSet,
    GameEnded,
    Input,
    LetStand,
    MatchEnded,
    Paused,
    RackShown,
    RacksTold,
    Resumed,
    RummikubCalled,
    Seat,
    TurnEnded,
    Undone,
)
from referee.game.limits import Limits
from referee.game.player_names import MAX_PLAYERS
from referee.game.state import Match
from referee.rules.editions import RuleSet
from referee.rules.tiles import Tile
from referee.solver import has_initial_meld
from referee.web.api.command import (
    Context,
    InvalidCommandError,
    SeatKey,
    SeatNumber,
    Seats,
    Speaker,
    Word,
    tiles_in_the_box,
    word_of,
)
from referee.web.api.correction_commands import ANSWERS, CORRECTIONS
from referee.web.api.match_commands import Begin, BeginAnew, Rename, Reseat, SeatLeft, Start

MAX_SECONDS: Final = 3600.0
_Racks = Annotated[
    dict[SeatKey, Annotated[str, Meta(max_length=424)] | Annotated[int, Meta(ge=0, le=10_000)]],
    Meta(
        min_length=1,
        max_length=MAX_PLAYERS,
        description="every rack by its seat: its tiles, or only their value",
        examples=[{"1": "R5 J", "2": 17}],
        extra={"wanted": "an object of seats and their racks", "entry": "its tiles as text, or their value"},
    ),
]


class _Alone(Word, frozen=True):
    """A word that needs nothing else."""

    makes: ClassVar[type[Undone | Paused | Resumed | LetStand | GameEnded | MatchEnded]]

    def means(self, context: Context) -> Input:
        """Give what the word makes."""
        return self.makes(NEVER, context.by)


class _ForSeat(Word, frozen=True):
    """A word that may name a seat."""

    makes: ClassVar[type[TurnEnded | RummikubCalled | RackShown]]
    seat: SeatNumber | None = None

    def means(self, context: Context) -> Input:
        """Give what the word makes."""
        return self.makes(NEVER, context.seat_or_none(self.seat), context.by)


class Press(_ForSeat, frozen=True, tag="press"):
    """End the turn, as the common button does, or a seat's."""

    makes: ClassVar = TurnEnded


class Rummikub(_ForSeat, frozen=True, tag="rummikub"):
    """A player calls "Rummikub!"."""

    makes: ClassVar = RummikubCalled


class Undo(_Alone, frozen=True, tag="undo"):
    """Take the last press back."""

    makes: ClassVar = Undone


class Pause(_Alone, frozen=True, tag="pause"):
    """Stop the clock for a break."""

    makes: ClassVar = Paused


class Resume(_Alone, frozen=True, tag="resume"):
    """Go on after a break."""

    makes: ClassVar = Resumed


class LetItStand(_Alone, frozen=True, tag="let_stand"):
    """Let the table stand as it lies."""

    makes: ClassVar = LetStand


class Blocked(_Alone, frozen=True, tag="blocked"):
    """End the game, for nobody can go on."""

    makes: ClassVar = GameEnded


class EndMatch(_Alone, frozen=True, tag="end_match"):
    """End the match."""

    makes: ClassVar = MatchEnded


class ShowRack(_ForSeat, frozen=True, tag="show_rack"):
    """What lies beyond the table is this player's rack; with no seat, the next one's."""

    makes: ClassVar = RackShown


class Clock(Word, frozen=True, tag="clock"):
    """Set the seconds that are left, or add some; give one of both."""

    seconds_left: Annotated[float, Meta(ge=0, le=MAX_SECONDS, extra={"unit": "s"})] | None = None
    add: Annotated[float, Meta(ge=-MAX_SECONDS, le=MAX_SECONDS, extra={"unit": "s"})] | None = None

    def means(self, context: Context) -> Input:
        """Give the clock as it is to be."""
        if self.add is None:
            if self.seconds_left is None:
                raise InvalidCommandError("'clock' needs 'seconds_left'; give it")
            return ClockSet(NEVER, self.seconds_left, context.by)
        left = context.match.play.clock.left_at(context.match.now)
        if left is None:
            raise InvalidCommandError("turns have no time limit here; leave the clock alone")
        return ClockSet(NEVER, min(MAX_SECONDS, max(0.0, left + self.add)), context.by)


class Racks(Word, frozen=True, tag="racks"):
    """All racks of the last game, or of another one, at once; tiles need no `could_open`."""

    racks: _Racks
    could_open: Seats = ()
    announced: Seats = ()
    game: Annotated[int, Meta(ge=1, le=100)] | None = None

    def means(self, context: Context) -> Input:
        """Give the racks, and who held an initial meld and never laid it."""
        rules = context.match.rules
        said = {context.seat(int(seat), "racks"): rack for seat, rack in self.racks.items()}
        racks = tuple(
            (seat, rack if isinstance(rack, int) else tiles_in_the_box(rack, f"the rack of seat {seat}", rules))
            for seat, rack in said.items()
        )
        unopened = _unopened(context.match, self.game)
        tiles = {seat: rack for seat, rack in racks if not isinstance(rack, int) and seat in unopened}
        found = (seat for seat, rack in tiles.items() if _could_open(rack, rules))
        told = (context.seat(seat, "could_open") for seat in self.could_open)
        announced = tuple(context.seat(seat, "announced") for seat in self.announced)
        could_open = tuple(dict.fromkeys((*told, *found)))
        return RacksTold(NEVER, racks, could_open, announced, by=context.by, game=self.game)


COMMANDS: Final[Mapping[str, type[Word]]] = MappingProxyType(
    {
        word_of(kind): kind
        for kind in (
            *(Press, Rummikub, Undo, Pause, Resume, *CORRECTIONS, *ANSWERS, LetItStand, Clock, Blocked, SeatLeft),
            *(Rename, Reseat, Racks, ShowRack, Begin, BeginAnew, EndMatch, Start),
        )
    }
)
"""Every word of `say`."""
SAY: Final[Any] = Union[tuple(COMMANDS.values())]  # noqa: UP007 - made of the table above


def parse_command(said: object, match: Match, speaker: Speaker, limits: Limits) -> Input:
    """Give the input that was said, its time still to be filled in; InvalidCommandError where it is none."""
    if not isinstance(said, dict) or not isinstance(said.get("say"), str):
        raise InvalidCommandError('name a command, such as {"say": "pause"}')
    word = said["say"]
    kind = COMMANDS.get(word)
    if kind is None:
        raise InvalidCommandError(f"{word!r:.42} is not a command; {did_you_mean(word, COMMANDS)}")
    if match.seated is None and kind is not Start:
        raise InvalidCommandError(f"no match has begun; send 'start' before {word!r}")
    try:
        read = read_fields(kind, {key: value for key, value in said.items() if key != "say"}, repr(word))
    except WrongFieldError as error:
        raise InvalidCommandError(str(error)) from None
    return read.means(Context(match, speaker, limits))


def _unopened(match: Match, game: int | None) -> tuple[Seat, ...]:
    """Give who never opened in a game that is over, the last one if none is named."""
    over = match.results if game is None else match.results[game - 1 : game]
    return over[-1].unopened if over else ()


def _could_open(rack: tuple[Tile, ...], rules: RuleSet) -> bool:
    """Search a rack for an initial meld only where the edition asks."""
    return rules.could_open_penalty is not None and has_initial_meld(rack, rules)
