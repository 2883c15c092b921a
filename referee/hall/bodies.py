"""Request bodies for the staff's commands; the page sends them and the command line builds them."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from referee.declared import whole_text
from referee.hall.entrants import MAX_ENTRANTS

MAX_ROUNDS: Final = 50
_CHARACTER: Final = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]"
_MAX_LIST_CHARACTERS: Final = 100 * MAX_ENTRANTS

Verb = Literal["pause", "resume", "clock", "start", "next_game", "end_match", "undo", "answer_call"]
"""The table's commands that the wall may send."""
ShortText = Annotated[
    str,
    Meta(
        pattern=whole_text(rf"{_CHARACTER}*[^\s\x00-\x1f\x7f-\x9f]{_CHARACTER}*"),
        max_length=200,
        extra={"wanted": "a text of 1 to 200 characters in one line"},
    ),
]
Key = Annotated[ShortText, Meta(description="new for each decision; a repeated request with the same key counts once")]
TournamentName = Annotated[str, Meta(max_length=200, description="the tournament's name; the newest one if empty")]
BoardNumber = Annotated[int, Meta(ge=1, le=1000)]
RoundNumber = Annotated[int, Meta(ge=1, le=MAX_ROUNDS)]
Scores = Annotated[
    tuple[Annotated[int, Meta(ge=-100_000, le=100_000)], ...],
    Meta(extra={"wanted": "a list of whole numbers, one for each player"}),
]
GamesWon = Annotated[
    tuple[Annotated[int, Meta(ge=0, le=100_000)], ...],
    Meta(extra={"wanted": "a list of whole numbers from 0 on, one for each player"}),
]


class CommandBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command of the staff."""


class TableCommand(CommandBody, frozen=True, kw_only=True):
    """A command for the named tables or for all linked tables."""

    tables: Annotated[list[str] | Literal["all"], Meta(extra={"wanted": 'a list of names on the wall, or "all"'})]
    verb: Verb
    details: Annotated[dict[str, Any], Meta(extra={"wanted": "an object"})] = field(name="with")
    meant: Annotated[
        dict[str, dict[str, Any]],
        Meta(description="by table: `match`, `game` and `turn` as the wall showed them", extra={"wanted": "an object"}),
    ] = {}
    id: Annotated[str, Meta(min_length=1, max_length=100, description="new for each command")] | None = None


class PenaltyBody(CommandBody, frozen=True, kw_only=True):
    """A penalty; 0 points mean a warning."""

    key: Key
    table: ShortText
    player: ShortText
    reason: ShortText
    points: Annotated[int, Meta(ge=0, le=10_000)]


class WithdrawalBody(CommandBody, frozen=True, kw_only=True):
    """The number of the penalty to withdraw."""

    number: Annotated[int, Meta(ge=1, le=1_000_000)]


class CorrectionBody(CommandBody, frozen=True, kw_only=True):
    """A corrected result: scores by seat."""

    key: Key
    match: ShortText
    reason: ShortText
    scores: Scores


class ForgetTable(CommandBody, frozen=True, kw_only=True):
    """The table to remove from the wall."""

    table: ShortText


class NewTournament(CommandBody, frozen=True, kw_only=True):
    """A new tournament; `entrants` is CSV with the columns name, rating, club."""

    name: ShortText
    entrants: Annotated[
        str, Meta(pattern=r"\S", max_length=_MAX_LIST_CHARACTERS, extra={"wanted": "the list of players as CSV"})
    ]
    rounds: RoundNumber
    seats: Annotated[int, Meta(ge=2, le=8)]
    edition: ShortText
    format: ShortText


class FinalsBody(CommandBody, frozen=True, kw_only=True):
    """Finals of the best `players` of a tournament; with `per_board` of the best of each board of its last round."""

    name: ShortText
    players: Annotated[int, Meta(ge=2, le=1000)] = 8
    per_board: Annotated[int, Meta(ge=1, le=8)] | None = None
    rounds: RoundNumber = 1
    seats: Annotated[int, Meta(ge=2, le=8)] = 4
    format: ShortText = "booklet"
    tournament: TournamentName = ""


class RoundBody(CommandBody, frozen=True, kw_only=True):
    """A round of a tournament."""

    round: RoundNumber
    tournament: TournamentName = ""


class SignatureBody(RoundBody, frozen=True, kw_only=True):
    """A board whose score sheet is signed."""

    key: Key
    board: BoardNumber


class ResultBody(SignatureBody, frozen=True, kw_only=True):
    """A board's result by seat, entered by hand; `won` counts games where they rank the players."""

    scores: Scores
    reason: ShortText
    won: GamesWon | None = None


class ForfeitBody(SignatureBody, frozen=True, kw_only=True):
    """A player who did not come to a board of two."""

    player: ShortText
    reason: ShortText


class SwapBody(RoundBody, frozen=True, kw_only=True):
    """Two players of the newest round who change their seats."""

    key: Key
    player: ShortText
    other: ShortText


class ByeBody(RoundBody, frozen=True, kw_only=True):
    """A player who asked to miss a round to come, for half a point."""

    player: ShortText


class LateEntrant(CommandBody, frozen=True, kw_only=True):
    """A player who joins late; the missed rounds count nothing, or as byes."""

    player: ShortText
    rating: Annotated[int, Meta(ge=0, le=9999)] = 0
    club: Annotated[str, Meta(max_length=60)] = ""
    missed: Literal["zero", "bye"] = "zero"
    tournament: TournamentName = ""


class LeaverBody(CommandBody, frozen=True, kw_only=True):
    """A player who withdraws from a tournament."""

    player: ShortText
    tournament: TournamentName = ""
