"""Commands of a hall's staff: the bodies of its page's requests, and what the command line enters."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from referee.declared import whole_text
from referee.hall.entrants import MAX_ENTRANTS

MAX_ROUNDS: Final = 50
_CHARACTER: Final = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]"
_LONGEST_LIST: Final = 100 * MAX_ENTRANTS

Verb = Literal["pause", "resume", "clock", "start", "next_game", "end_match", "undo", "answer_call"]
"""What the wall may ask of a table, of the table's own list."""
Text = Annotated[
    str,
    Meta(
        pattern=whole_text(rf"{_CHARACTER}*[^\s\x00-\x1f\x7f-\x9f]{_CHARACTER}*"),
        max_length=200,
        extra={"wanted": "a text of 1 to 200 characters in one line"},
    ),
]
Key = Annotated[Text, Meta(description="made anew for each decision: what is asked again with it counts once")]
OfTournament = Annotated[str, Meta(max_length=200, description="the tournament's name; none: the newest one")]
Count = Annotated[int, Meta(ge=1, le=1000)]
Round = Annotated[int, Meta(ge=1, le=MAX_ROUNDS)]
Scores = Annotated[
    tuple[Annotated[int, Meta(ge=-100_000, le=100_000)], ...],
    Meta(extra={"wanted": "a list of whole numbers, one for each player"}),
]
Won = Annotated[
    tuple[Annotated[int, Meta(ge=0, le=100_000)], ...],
    Meta(extra={"wanted": "a list of whole numbers from 0 on, one for each player"}),
]


class Body(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A command, with a key that makes it count once."""


class Ask(Body, frozen=True, kw_only=True):
    """A command for the named tables, or for all that are linked."""

    tables: Annotated[list[str] | Literal["all"], Meta(extra={"wanted": 'a list of names on the wall, or "all"'})]
    verb: Verb
    details: Annotated[dict[str, Any], Meta(extra={"wanted": "an object"})] = field(name="with")


class Penalty(Body, frozen=True, kw_only=True):
    """A penalty; 0 points are a warning."""

    key: Key
    table: Text
    player: Text
    reason: Text
    points: Annotated[int, Meta(ge=0, le=10_000)]


class Withdrawal(Body, frozen=True, kw_only=True):
    """The withdrawal of a penalty, by its number in the list."""

    number: Annotated[int, Meta(ge=1, le=1_000_000)]


class Correction(Body, frozen=True, kw_only=True):
    """A corrected result: the scores by seat."""

    key: Key
    match: Text
    reason: Text
    scores: Scores


class Forget(Body, frozen=True, kw_only=True):
    """The removal of a table from the wall."""

    table: Text


class NewTournament(Body, frozen=True, kw_only=True):
    """A tournament and who plays in it: CSV with the columns name, rating, club."""

    name: Text
    entrants: Annotated[
        str, Meta(pattern=r"\S", max_length=_LONGEST_LIST, extra={"wanted": "the list of players as CSV"})
    ]
    rounds: Round
    seats: Annotated[int, Meta(ge=2, le=8)]
    edition: Text
    format: Text


class OfRound(Body, frozen=True, kw_only=True):
    """A round of a tournament."""

    round: Round
    tournament: OfTournament = ""


class Signature(OfRound, frozen=True, kw_only=True):
    """A board whose sheet is signed."""

    key: Key
    board: Count


class Result(Signature, frozen=True, kw_only=True):
    """The result of a board by hand, by seat; `won`: games, where they rank the players."""

    scores: Scores
    reason: Text
    won: Won | None = None


class Leaver(Body, frozen=True, kw_only=True):
    """A player who leaves a tournament."""

    player: Text
    tournament: OfTournament = ""
