"""The lines of a game record as values, a class for every kind of line; `docs/game-record.md` describes them."""

from dataclasses import dataclass

from referee.rules.table import Table
from referee.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class At:
    """Which turn a line speaks of: game, turn and player, all counted from 1."""

    game: int
    turn: int
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """A judged turn; `stands` says that it ended with this verdict."""

    at: At
    verdict: str
    stands: bool
    outcome: str
    faults: tuple[str, ...]
    meld: int | None
    played: tuple[Tile, ...]
    table: Table


@dataclass(frozen=True, slots=True)
class DrawLine:
    """Tiles drawn, and why."""

    at: At
    tiles: int
    reason: str


@dataclass(frozen=True, slots=True)
class PutBackLine:
    """Drawn tiles that went back to the pool, for the verdict they were drawn for no longer holds."""

    at: At
    tiles: int


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """A tile that was taken for another one (None: for none), and who said so."""

    at: At
    was: Tile | None
    tile: Tile | None
    by: str


@dataclass(frozen=True, slots=True)
class AddedLine:
    """A tile that was not seen, and who said so."""

    at: At
    tile: Tile
    by: str


@dataclass(frozen=True, slots=True)
class AddedSetLine:
    """A set of which nothing was seen, and who said so."""

    at: At
    tiles: tuple[Tile, ...]
    by: str


@dataclass(frozen=True, slots=True)
class RowsLine:
    """Rows as they were read and as they are, and who said so."""

    at: At
    was: Table
    rows: Table
    by: str


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """How a player's proposal ended, and who answered it (None: the organiser, or nobody)."""

    at: At
    proposer: int
    reason: str
    answerer: int | None


@dataclass(frozen=True, slots=True)
class ClockLine:
    """The clock set, and by whom."""

    at: At
    seconds_left: float
    by: str


@dataclass(frozen=True, slots=True)
class StandsLine:
    """Somebody lets the table stand; the verdict follows."""

    at: At
    by: str


@dataclass(frozen=True, slots=True)
class NoteLine:
    """`time`: the time was over; `restored`: the table was put back; `undo`: the press was taken back."""

    at: At
    what: str


@dataclass(frozen=True, slots=True)
class LeaveLine:
    """A player left."""

    player: int


@dataclass(frozen=True, slots=True)
class SeatsLine:
    """The players changed places and sit so clockwise, and who said so."""

    players: tuple[int, ...]
    by: str


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game begins with this player."""

    game: int
    starts: int


@dataclass(frozen=True, slots=True)
class WonLine:
    """A game is over; nobody won it at once where it was blocked."""

    game: int
    player: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class RackLine:
    """What a player had left at the end of a game, and what it counts."""

    game: int
    player: int
    value: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class ScoresLine:
    """What every player scored in a game."""

    game: int
    scores: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RankingLine:
    """The match is over, best player first."""

    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RanksLine:
    """Each player's place; players who are level share one."""

    ranks: tuple[tuple[int, int], ...]


Line = (
    TurnLine
    | DrawLine
    | PutBackLine
    | CorrectionLine
    | AddedLine
    | AddedSetLine
    | RowsLine
    | ProposalLine
    | ClockLine
    | StandsLine
    | NoteLine
    | LeaveLine
    | SeatsLine
    | GameLine
    | WonLine
    | RackLine
    | ScoresLine
    | RankingLine
    | RanksLine
)
