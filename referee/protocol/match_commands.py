"""Commands that start a match or a game, and that name and seat the players."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final

from msgspec import Meta

from referee.errors import ConfigError
from referee.game.endgame.starter import highest, next_starters, tiles_decide
from referee.game.inputs import (
    FIRST_SEAT,
    NEVER,
    MatchStarted,
    NextGame,
    PlayerLeft,
    PlayersRenamed,
    PlayersReseated,
    Seat,
)
from referee.game.player_names import MAX_PLAYERS, tidy_name, wrong_with_names
from referee.game.state import Phase
from referee.game.turns.seating import may_reseat
from referee.protocol.command import Command, CommandContext, InvalidCommandError, SeatKey, SeatNumber, Seats, seat_of
from referee.protocol.subject import Scope
from referee.reading.inputs import Input
from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.formats import BOOKLET, FORMATS, agreed_rules, wrong_with_players
from referee.rules.wording import message_of, only_english, say

BETWEEN_GAMES: Final = frozenset({Phase.GAME_OVER, Phase.CLEARING})
_DRAWN_WANTED: Final = say("wanted.drawn", "a number from 1 to 13")
_Drawn = Annotated[
    dict[SeatKey, Annotated[int, Meta(ge=1, le=13)]],
    Meta(
        min_length=1,
        max_length=MAX_PLAYERS,
        description="the numbers that were drawn for the start, by seat: the highest begins, ties draw again",
        examples=[{"0": 7, "2": 12}],
        extra={
            "wanted": "an object of seats and the numbers they drew",
            "entry": _DRAWN_WANTED,
        },
    ),
]
_Names = Annotated[
    tuple[str, ...],
    Meta(min_length=2, max_length=MAX_PLAYERS, extra={"wanted": say("wanted.names", "a list of two to six names")}),
]


class SeatLeft(Command, frozen=True, tag="player_left"):
    """A player leaves the match."""

    refers_to: ClassVar = Scope.MATCH
    seat: SeatNumber

    def to_input(self, context: CommandContext) -> Input:
        """Return the input."""
        return PlayerLeft(NEVER, context.seat(self.seat), context.by)


class Rename(Command, frozen=True, tag="rename"):
    """Rename the players, by seat; scores and turns stay as they are."""

    refers_to: ClassVar = Scope.MATCH
    names: _Names

    def to_input(self, context: CommandContext) -> Input:
        """Return the names."""
        names = _checked_names(self.names)
        if len(names) != len(context.names):
            wrong = say(
                "names.count",
                "{given} names for {players} players; name each of them",
                given=len(names),
                players=len(context.names),
            )
            raise InvalidCommandError(wrong, "names")
        return PlayersRenamed(NEVER, names, context.by)


class Reseat(Command, frozen=True, tag="reseat"):
    """Change the seating: every seat once, clockwise from the first place; only between games."""

    refers_to: ClassVar = Scope.MATCH
    order: Seats

    def to_input(self, context: CommandContext) -> Input:
        """Return the seats in their new order."""
        match, order = context.match, tuple(context.seat(seat, "order") for seat in self.order)
        if sorted(order) != list(match.setup.seats):
            raise InvalidCommandError(
                only_english(f"'order' must name each seat from 0 to {len(context.names) - 1} once")
            )
        if not may_reseat(match):
            wrong = say(
                "refused.places",
                "game {game} is in its turn {turn}, and players change places only between games; try then",
                game=match.game,
                turn=match.turn,
            )
            raise InvalidCommandError(wrong)
        return PlayersReseated(NEVER, order, context.by)


class Begin(Command, frozen=True, tag="next_game"):
    """Begin the next game; `first` and `drawn` are refused if the rule `next_starter` decides."""

    refers_to: ClassVar = Scope.GAME
    first: SeatNumber | None = None
    drawn: _Drawn | None = None

    def to_input(self, context: CommandContext) -> Input:
        """Return the input that begins the next game."""
        match, first = context.match, context.seat_or_none(self.first, "first")
        drawn = _drawn_numbers(self.first, self.drawn, context.names)
        if drawn and not any(seat in match.present for seat, _ in drawn):
            wrong = say("drawn.left", "only players who have left are named; give the tiles of those who still play")
            raise InvalidCommandError(wrong, "drawn")
        wanted = NextGame(NEVER, first, context.by, drawn)
        if (first is not None or drawn) and not tiles_decide(match):
            last = match.starter if match.last_starter is None or match.phase in BETWEEN_GAMES else match.last_starter
            (left,) = next_starters(match, last, NextGame(NEVER))
            if next_starters(match, last, wanted) != (left,):
                wrong_starter = say(
                    "refused.starter",
                    "the rules decide it: {name} begins, to the left of the last starter; name nobody",
                    name=match.setup.names[left],
                )
                raise InvalidCommandError(wrong_starter)
        return wanted


class BeginAnew(Begin, frozen=True, tag="starter"):
    """Change the first player of a later game, before its first verdict, if the format draws tiles for the start."""

    refers_to: ClassVar = Scope.TURN

    def to_input(self, context: CommandContext) -> Input:
        """Return the input that begins the game with another player."""
        if self.first is None and self.drawn is None:
            raise InvalidCommandError(only_english("'starter' needs 'first'; give it"))
        return Begin.to_input(self, context)


class Start(Command, frozen=True, tag="start"):
    """Start a match; refused while one is played."""

    refers_to: ClassVar = Scope.NOTHING
    names: _Names
    edition: Annotated[
        str,
        Meta(extra_json_schema={"enum": list(EDITIONS)}, extra={"wanted": "a text; see /api/editions"}),
    ]
    format: Annotated[
        str,
        Meta(extra_json_schema={"enum": list(FORMATS)}, extra={"wanted": "a text; see /api/editions"}),
    ] = BOOKLET
    first: SeatNumber | None = None
    drawn: _Drawn | None = None
    games: Annotated[int, Meta(ge=0, le=100, description="0: as the format says, else as many as players")] | None = (
        None
    )
    house_rules: Annotated[
        dict[str, Any],
        Meta(
            extra_json_schema={"$ref": "#/components/schemas/HouseRules"},
            extra={"wanted": "an object; see /api/editions"},
        ),
    ] = {}  # noqa: RUF012 - msgspec copies it

    def to_input(self, context: CommandContext) -> Input:
        """Return the input that starts the match."""
        names = _checked_names(self.names)
        try:
            rules = agreed_rules(self.edition, self.format, self.house_rules)
        except ConfigError as error:
            raise InvalidCommandError(message_of(error)) from None
        if (wrong := wrong_with_players(rules, len(names))) is not None:
            raise InvalidCommandError(wrong)
        return MatchStarted(
            at=NEVER,
            names=names,
            edition=self.edition,
            format=self.format,
            house_rules=tuple(self.house_rules.items()),
            first=self._first(names, rules),
            games=self.games or None,
            limits=context.limits,
            by=context.by,
        )

    def _first(self, names: tuple[str, ...], rules: RuleSet) -> Seat:
        """Return the first game's first player: `first`, or the player who drew the highest number."""
        drawn = _drawn_numbers(self.first, self.drawn, names)
        if not drawn:
            return FIRST_SEAT if self.first is None else seat_of(self.first, "first", names)
        seats = tuple(Seat(seat) for seat in range(len(names)))
        first, *tied = highest(drawn, seats, draw_again=rules.ties_draw_again)
        if tied:
            wrong = say(
                "drawn.tied",
                "{who} drew the same number; let them draw again and give the new tiles",
                who=tuple(names[seat] for seat in (first, *tied)),
            )
            raise InvalidCommandError(wrong, "drawn")
        return first


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the normalised names; InvalidCommandError if a match cannot be played with them."""
    tidy = tuple(map(tidy_name, names))
    if (wrong := wrong_with_names(tidy)) is not None:
        raise InvalidCommandError(wrong.filled(value=say("names.list", "the list")), "names")
    return tidy


def _drawn_numbers(
    first: int | None, drawn: Mapping[str, int] | None, names: Sequence[str]
) -> tuple[tuple[Seat, int], ...]:
    """Return the drawn numbers by seat."""
    if drawn is None:
        return ()
    if first is not None:
        raise InvalidCommandError(only_english("'first' and 'drawn' both say who begins; give one of them"))
    return tuple((seat_of(int(seat), "drawn", names), number) for seat, number in drawn.items())
