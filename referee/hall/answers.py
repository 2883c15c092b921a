"""The answers of the hall's interface as types; its OpenAPI document and tests of its answers are made from them.

Seats count from 0. Times are seconds of the hall's clock. A value that a table has not sent is null.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

TurnEvent = Annotated[dict[str, Any], Meta(description="what the wall shows of a turn event")]
RoleName = Literal["organiser", "arbiter", "display", "guest"]


class Session(TypedDict):
    """The visitor's role and what it may do."""

    organiser: bool
    csrf: Annotated[str, Meta(description="to be sent as X-CSRF-Token with every POST")]
    pin_set: bool
    ended: Annotated[int, Meta(description="how many sessions had to end for this one")]
    role: RoleName
    version: str


class Message(TypedDict):
    """A message: English text, id, and values for translation."""

    message: NotRequired[str]
    message_id: NotRequired[str]
    values: NotRequired[dict[str, Any]]


class Player(TypedDict):
    """A player at a table."""

    name: str | None
    tiles: int | None
    opened: bool | None
    total: int | None
    gone: bool | None


class Clock(TypedDict):
    """The turn's clock as the table reported it, in seconds."""

    running: bool
    left: float | None
    of: float | None


class Verdict(TypedDict):
    """The last judgement."""

    verdict: str | None
    outcome: str | None
    seat: int | None
    turn: int | None
    stands: bool | None
    faults: list[Message]


class Alert(TypedDict):
    """A reason for the staff to come to the table."""

    kind: str
    since: float


class Table(TypedDict):
    """A table; the keys from `alerts` on are for the organiser and the arbiter."""

    name: str
    online: bool
    silent: Annotated[bool, Meta(description="nothing was heard of it for too long, though it did not leave")]
    heard_at: float
    players: list[Player]
    seat: int | None
    phase: str | None
    halted: list[str]
    game: int | None
    games: int | None
    turn: int | None
    pool: int | None
    clock: Clock
    verdict: Verdict | None
    ranks: list[int] | None
    events: int
    alerts: NotRequired[list[Alert]]
    trouble: NotRequired[list[Message]]
    missing: NotRequired[Annotated[bool, Meta(description="events of it are still asked for")]]
    match: NotRequired[str | None]
    match_id: NotRequired[
        Annotated[str | None, Meta(description="what a command calls the match that it is meant for")]
    ]
    page: NotRequired[str | None]
    device: NotRequired[str | None]
    version: NotRequired[str | None]
    sets: NotRequired[list[Any]]
    penalties: NotRequired[int]


class Penalty(TypedDict):
    """A penalty; `withdrawn` names the role that withdrew it."""

    kind: str
    key: str
    table: str
    player: str
    reason: str
    points: int
    by: str
    wall: str
    number: int
    withdrawn: str | None


class Wall(TypedDict):
    """Every table; guests see it `delay` seconds late."""

    now: float
    whole: bool
    tables: list[Table]
    linked: NotRequired[bool]
    penalties: NotRequired[list[Penalty]]
    delay: NotRequired[float]


class TableTold(TypedDict):
    """One table with its last events."""

    table: Table
    told: list[TurnEvent]
    health: dict[str, Any]


class Answer(TypedDict):
    """A table's answer; without either key the command changed nothing."""

    ok: NotRequired[bool]
    error: NotRequired[str]
    error_id: NotRequired[str]
    message_id: NotRequired[str]
    values: NotRequired[dict[str, Any]]


class Answers(TypedDict):
    """Each table's answer."""

    answers: dict[str, Answer]


class Correction(TypedDict):
    """A correction of a result."""

    by: str
    wall: str
    scores: list[int]
    reason: str


class Result(TypedDict):
    """The result of a match: as the table reported it and as it counts now."""

    table: str
    match: str
    journal: str
    sha256: str | None
    wall: str
    players: list[str]
    told: list[int]
    scores: list[int]
    ranks: list[int] | None
    corrections: list[Correction]


class Results(TypedDict):
    """Every result."""

    results: list[Result]


class Records(Results):
    """Results and penalties in the hall's journal."""

    penalties: list[Penalty]


class Done(TypedDict):
    """Confirmation of a request."""

    ok: bool


class Entrant(TypedDict):
    """A player of a tournament; `left` is true after the player withdrew."""

    name: str
    rating: int
    club: str
    left: bool


class BoardResult(TypedDict):
    """A board's result by seat: `scores` after penalties, `held` before; `told` by the table; `by_hand`: a role."""

    scores: list[int]
    held: list[int]
    games_won: list[int]
    ranks: list[int]
    told: list[int] | None
    by_hand: str
    penalties: list[int]


class Board(TypedDict):
    """A board; `signed` names the role that confirmed the signatures, or is empty."""

    board: int
    table: str
    players: list[str]
    signed: str
    result: BoardResult | None


class Round(TypedDict):
    """A round."""

    round: int
    boards: list[Board]
    byes: list[str]
    half_byes: list[str]


class Standing(TypedDict):
    """A line of the standings."""

    rank: int
    name: str
    points: float
    opponents: float
    games_won: int
    total: int
    played: int


class Stray(TypedDict):
    """A result that fits no board."""

    table: str
    round: int
    match: str
    players: list[str]


class Tournament(TypedDict):
    """A tournament; `strays` are for the organiser and the arbiter."""

    name: str
    edition: str
    format: str
    seats: int
    length: int
    tie_breaks: str
    ranked_by: Message
    entrants: list[Entrant]
    rounds: list[Round]
    standings: list[Standing]
    strays: NotRequired[list[Stray]]
    complete: bool
    signed: bool


class TournamentNow(TypedDict):
    """The requested tournament, or null, and the names of all tournaments."""

    tournament: Tournament | None
    names: NotRequired[list[str]]
