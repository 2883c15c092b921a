"""The response types of the page's interface other than State."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.history import story
from referee.history.evidence_pictures import TurnPictures
from referee.history.statistics import Evening
from referee.history.story import StoryTurn
from referee.protocol.schema import Fault, GameResult, Outcome, Seats, Tiles, Values
from referee.rules.house_rules import HouseValue
from referee.rules.verdict import VerdictName

TurnEvent = Annotated[dict[str, Any], Meta(description="a turn event as `referee run --events` writes it")]


class Said(TypedDict):
    """A message: English text, id, and values for translation."""

    message: str
    message_id: str
    values: Values


class Error(TypedDict):
    """The reason for an error response."""

    error: Annotated[str, Meta(description="one line for people")]
    error_id: Literal[
        "agreement",
        "busy",
        "disk",
        "host",
        "now",
        "stale",
        "organiser",
        "origin",
        "pin",
        "request",
        "role",
        "session",
        "tries",
        "unknown",
    ]
    message_id: str
    values: Values
    seconds: NotRequired[Annotated[float, Meta(description="how long to wait")]]
    errors: NotRequired[Annotated[dict[str, Said], Meta(description="what is wrong with each field")]]


class Session(TypedDict):
    """The visitor's session and what this referee lets players do."""

    organiser: bool
    csrf: Annotated[str, Meta(description="to be sent as X-CSRF-Token with every POST")]
    pin_set: bool
    ended: Annotated[int, Meta(description="how many sessions had to end for this one")]
    players_may_correct: bool
    corrections: Literal["organiser", "agreement", "players"]
    has_table: Annotated[bool, Meta(description="false for a page of photographs alone")]
    version: str


class Entered(TypedDict):
    """The events of an accepted command."""

    entered: Literal[True]
    told: list[TurnEvent]
    rev: int


class Dropped(TypedDict):
    """Confirmation that a command was dropped."""

    cancelled: Literal[True]


class PinSet(TypedDict):
    """Confirmation of a new PIN."""

    set: Literal[True]


class Address(TypedDict):
    """The page's URLs, best first."""

    addresses: list[str]
    local_only: bool


class TileSaid(TypedDict):
    """A correction of a tile; `was` is null for an added one."""

    by: str
    at: float
    index: int
    frame_id: str
    was: str | None
    tile: str | None
    where: NotRequired[str]


class RowsSaid(TypedDict):
    """A correction of rows: joined, split or added."""

    by: str
    at: float
    frame_id: str
    was: list[Tiles]
    rows: list[Tiles]


class TurnJudgement(TypedDict):
    """One judgement of a turn."""

    verdict: VerdictName
    outcome: Outcome
    stands: bool
    late: bool
    faults: list[Fault]
    played: Tiles
    meld: int | None
    before: str
    table: str
    frame_id: str
    judged_at: float
    wall: str | None


class _JudgedTurn(TurnJudgement):
    game: int
    turn: int
    seat: int
    drew: int
    corrections: list[TileSaid]
    rows: list[RowsSaid]
    taken_back: bool
    pictures: TurnPictures


class Turn(_JudgedTurn):
    """A judged turn; `judgements` counts them; `taken_back` means undone and not judged again."""

    judgements: int


class WholeTurn(_JudgedTurn):
    """A judged turn with all its judgements, oldest first."""

    judgements: list[TurnJudgement]


class Turns(TypedDict):
    """The judged turns, newest first."""

    turns: list[Turn]


class MissedPlay(TypedDict):
    """The best play that the player missed."""

    laid: int
    played: Tiles
    table: str


class ToldTurn(StoryTurn, frozen=True, kw_only=True):
    """A turn of a story; `missed` exists only for the current match."""

    pictures: TurnPictures
    missed: MissedPlay | UnsetType | None = UNSET


class Story(story.Story, frozen=True, kw_only=True):
    """A match so far; `searching` means that more missed plays may follow."""

    turns: tuple[ToldTurn, ...]
    searching: bool | UnsetType = UNSET


class Evenings(TypedDict):
    """The archive of matches; players as in `referee stats --json`."""

    kept: bool
    evenings: list[Evening]
    players: list[dict[str, Any]]


class ScoredGame(GameResult, frozen=True, kw_only=True):
    """A row of the score table."""

    sum: int
    check: bool


class Score(Struct, frozen=True, kw_only=True):
    """The score table with its checks."""

    players: list[str]
    games: list[ScoredGame]
    totals: list[int]
    totals_check: bool
    games_won: list[int]
    big_points: bool
    ranking: Seats
    ranks: list[int]


class Form(TypedDict):
    """The type, range and unit of a setting or house rule."""

    key: str
    kind: Literal["text", "time", "whole", "number", "texts", "numbers", "wholes", "truth", "choice"]
    unit: NotRequired[str]
    least: NotRequired[float]
    most: NotRequired[float]
    choices: NotRequired[list[str]]


class RuleForm(Form):
    """A house rule with the edition's value."""

    value: HouseValue


class Edition(TypedDict):
    """An edition."""

    id: str
    name: str
    players: Annotated[list[int], Meta(min_length=2, max_length=2)]
    colours: dict[str, str]
    tiles: Tiles
    jokers: Tiles
    turn_seconds: int | None
    initial_meld: int
    games_per_player: int
    joker_penalty: int
    house_rules: list[RuleForm]


class Format(TypedDict):
    """A format; `players` is null if the edition decides."""

    id: str
    players: list[int] | None
    changes: dict[str, HouseValue]


class Editions(TypedDict):
    """All editions and formats."""

    editions: list[Edition]
    formats: list[Format]


class PhotoTile(TypedDict):
    """A tile in a photograph: null if it lies face down; `quad`: its corners, clockwise from its top left."""

    tile: str | None
    quad: list[list[float]]
    unsure: bool
    alternatives: Tiles


class PhotoReading(TypedDict):
    """What a photograph shows; `sets` are places in `tiles`, a loose tile is a set of its own."""

    size: Annotated[list[int], Meta(min_length=2, max_length=2)]
    tiles: list[PhotoTile]
    sets: list[list[int]]


class LaidSet(TypedDict):
    """A judged set; `why` says why it is none."""

    legal: bool
    kind: str | None
    worth: int | None
    why: Said | None


class Laid(TypedDict):
    """Judged sets, and the points of all their tiles on a rack."""

    sets: list[LaidSet]
    points: int


class FoundPlay(TypedDict):
    """The play with the most tiles, and the table after it; no tiles: there is none."""

    tiles: Tiles
    sets: list[Tiles]
    worth: int


class Nearest(TypedDict):
    """The nearest legal table."""

    sets: list[Tiles]
    moved: Tiles
    optimal: bool
