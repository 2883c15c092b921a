"""The page's State and the types it is made of; the OpenAPI document and the page's script types are made from them.

Seats count from 0. Tiles and tables are in notation. Times are seconds of the match's clock. Corners are pixels of
the camera's frame, clockwise from the tile's own top left.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from referee.rules.verdict import VerdictName

Quad = Annotated[list[Annotated[list[float], Meta(min_length=2, max_length=2)]], Meta(min_length=4, max_length=4)]
Size = Annotated[list[int], Meta(min_length=2, max_length=2, description="width and height in pixels")]
Tiles = list[str]
Seats = list[int]
Values = Annotated[dict[str, Any], Meta(description="what fills a message: numbers, words, lists of tiles or messages")]
Halt = Literal["pause", "camera", "restart"]
RackDoubt = Literal["nothing", "table", "box", "count", "doubt"]
CorrectionName = Literal["correct", "add", "add_set", "join", "part"]
CameraState = Literal["ok", "lost", "none"]
Outcome = Literal["played", "no_play"]
SetKind = Literal["group", "run", "mirror"]


class Fault(Struct, frozen=True, kw_only=True):
    """A violation of a rule."""

    fault: str
    set: Annotated[int | None, Meta(description="its place in the table's sets")]
    tiles: Tiles
    message: str
    message_id: str | UnsetType = UNSET
    values: Values | UnsetType = UNSET


class Judgement(Struct, frozen=True, kw_only=True):
    """The last judgement of the current turn or of the one just finished."""

    verdict: VerdictName
    outcome: Outcome
    stands: bool
    late: bool
    game: int
    turn: int
    seat: int
    judged_at: float
    frame_id: str
    faults: list[Fault]
    played: Tiles
    meld: int | None


class Now(Struct, frozen=True, kw_only=True):
    """The provisional verdict on the table during a turn."""

    verdict: VerdictName
    faults: list[Fault]


class PlayerState(Struct, frozen=True, kw_only=True):
    """A player; `bank` is the player's time reserve in seconds, null without one."""

    seat: int
    name: str
    opened: bool
    rack: int
    total: int
    games_won: int
    gone: bool
    bank: float | None


class ClockState(Struct, frozen=True, kw_only=True):
    """The turn's clock: `ends_at` is set while it runs; `of` is the whole turn, null if untimed."""

    running: bool
    of: float | None
    seconds_left: float | None
    ends_at: float | None


class Meld(Struct, frozen=True, kw_only=True):
    """The progress of the initial meld."""

    points: int
    needed: int


class StandsFor(Struct, frozen=True, kw_only=True):
    """The numbers and colours that a joker may stand for."""

    numbers: list[int]
    colours: list[str]


class JokerState(Struct, frozen=True, kw_only=True):
    """A joker on the table; `stands_for` is null in a row that is no set."""

    tile: str
    stands_for: StandsFor | None
    set: int
    index: int


class Asked(Struct, frozen=True, kw_only=True):
    """A tile that a person should name; `or_none` means that there may be no tile."""

    index: int
    may_be: Tiles
    or_none: bool
    where: str
    crop: str | None


class SpokenOf(Struct, frozen=True, kw_only=True):
    """A tile of a proposal, as it lies now."""

    quad: Quad
    crop: str | None


class Proposal(Struct, frozen=True, kw_only=True):
    """A player's proposal about one tile or rows; another player may agree until `ends_at`, also in a break."""

    seat: int
    say: CorrectionName
    was: str | UnsetType | None = UNSET
    tile: str | UnsetType | None = UNSET
    where: str | UnsetType = UNSET
    rows_were: list[Tiles] | UnsetType = UNSET
    rows: list[Tiles] | UnsetType = UNSET
    tiles: list[SpokenOf]
    ends_at: float
    seconds_left: float


class Changed(Struct, frozen=True, kw_only=True):
    """Changes to the table while it had to stay untouched."""

    missing: Tiles
    added: Tiles


class TileBefore(Struct, frozen=True, kw_only=True):
    """A tile as it lay at the turn's start; `set` is its index among the sets to restore."""

    tile: str
    quad: Quad
    set: int


class TableBefore(Struct, frozen=True, kw_only=True):
    """The table as it lay at the turn's start."""

    picture: str
    tiles: list[TileBefore]


class Move(Struct, frozen=True, kw_only=True):
    """A step back to the table before."""

    what: Literal["move", "bring", "take_back"]
    tile: str
    set: int | None
    from_: Quad | None = field(name="from")
    to: Quad | None
    index: int | None
    done: bool


class Restore(Struct, frozen=True, kw_only=True):
    """The table to restore; `before` is null if it was not seen, as after a restart."""

    sets: list[Tiles]
    before: TableBefore | None
    moves: list[Move]
    missing: Tiles
    surplus: Tiles


class GameResult(Struct, frozen=True, kw_only=True):
    """A finished game; `scores` is null until the racks are known."""

    game: int
    winners: Seats
    blocked: bool
    on_time: bool
    scores: list[int | None] | None
    unopened: Seats


class ShownRack(Struct, frozen=True, kw_only=True):
    """A rack that was shown to the camera."""

    seat: int
    tiles: Tiles
    value: int


class KnownRack(Struct, frozen=True, kw_only=True):
    """A rack that was shown after a game."""

    seat: int
    tiles: list[str]


class OpenRacks(Struct, frozen=True, kw_only=True):
    """An earlier game without scores: the seats whose racks are missing, and the racks that were shown."""

    game: int
    missing: Seats
    shown: list[KnownRack]


class RackAsked(Struct, frozen=True, kw_only=True):
    """A question about the rack that was shown last."""

    seat: int
    reason: RackDoubt
    tiles: Tiles
    expected: int | None


class MatchState(Struct, frozen=True, kw_only=True):
    """The current match; `can` lists the useful commands, `played` the tiles played this turn so far."""

    id: Annotated[str, Meta(description="what a command calls the match that it is meant for")]
    edition: str
    edition_name: str
    format: str
    joker_penalty: int
    could_open_penalty: int | None
    began_at: float
    phase: Literal["idle", "turn", "looking", "doubt", "time_up", "restore", "game_over", "clearing", "match_over"]
    halted: list[Halt]
    game: int
    games: int
    turn: int
    seat: int
    starter: int
    players: list[PlayerState]
    order: Annotated[Seats, Meta(description="the seats as the players sit now, clockwise from the first place")]
    clock: ClockState
    pool: int
    meld: Annotated[Meld | None, Meta(description="null: has opened")]
    played: Tiles
    jokers: list[JokerState]
    can: list[str]
    undo_turn: Annotated[int | None, Meta(description="the turn that `undo` would return to")]
    undo_until: float | None
    verdict: Judgement | None
    now: Now | None
    asked: list[Asked]
    proposal: Proposal | None
    changed: Changed | None
    restore: Restore | None
    results: list[GameResult]
    waiting_for_racks: Annotated[Seats | None, Meta(description="whose racks the last game is scored by, until it is")]
    racks: list[ShownRack]
    rack_asked: RackAsked | None
    open_racks: Annotated[list[OpenRacks], Meta(description="earlier games whose scores wait for racks")]
    may_be_empty: Annotated[
        int | None, Meta(description="the seat that is asked whether its rack is empty; 'rummikub' says so")
    ]
    ranking: Annotated[Seats | None, Meta(description="once the match is over; [] where a recording ended in a game")]
    ranks: Annotated[
        list[int] | None, Meta(description="each seat's place, once a game was won; who is level shares it")
    ]


class CorrectedTile(Struct, frozen=True, kw_only=True):
    """A tile's reading before its correction; `by`: `organiser`, `players` or names; `missed`: not detected."""

    was: str | None
    by: str
    missed: bool | UnsetType = UNSET


class TileState(Struct, frozen=True, kw_only=True):
    """A tile on the table; `id` is its track; `tile` is null face down; `crop` is null outside the picture."""

    index: int
    id: int
    tile: str | None
    quad: Quad
    confidence: float
    unsure: bool
    alternatives: list[tuple[str, float]]
    corrected: CorrectedTile | None
    crop: str | None
    played: bool


class SetState(Struct, frozen=True, kw_only=True):
    """A set or loose tile on the table; `tiles` are indices.

    It is `wrong` only if a verdict names it or the initial meld is too low, `unfinished` if it is not legal
    during a turn, in `doubt` if one of its tiles is in question.
    """

    tiles: list[int]
    state: Literal["ok", "unfinished", "wrong", "doubt"]
    kind: SetKind | None
    worth: int | None
    new: bool


class TableState(Struct, frozen=True, kw_only=True):
    """The table as last seen; `stale` means out of date; `private` means that only the organiser sees pictures."""

    frame_id: str | None
    settled_at: float | None
    seen_at: float | None
    camera: CameraState
    hands: bool
    stale: bool
    size: Size | None
    picture: str | None
    live: str | None
    private: bool
    tiles: list[TileState]
    sets: list[SetState]
    loose: list[int]


class Said(Struct, frozen=True, kw_only=True):
    """A message: in English, and its id and values for the catalogues."""

    message: str
    message_id: str
    values: Values


class Arbiter(Struct, frozen=True, kw_only=True):
    """The call to the hall's arbiter."""

    called_at: float | None


class State(Struct, frozen=True, kw_only=True):
    """Everything a page shows; `rev` increases with every change and restarts with the referee; `at` is now."""

    rev: int
    wall: str
    safe_mode: Annotated[str | None, Meta(description="why the service runs in safe mode")]
    safe_mode_message: Annotated[Said | None, Meta(description="the same, for every language")]
    arbiter: Annotated[Arbiter | None, Meta(description="null: this table is of no hall")]
    at: float
    match: Annotated[MatchState | None, Meta(description="null: no match has begun")]
    table: TableState
