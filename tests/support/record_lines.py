"""The lines of a game record as values, one class per kind of line; `docs/game-record.md` describes them."""

from dataclasses import dataclass

from referee.rules.table import Table
from referee.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class TurnId:
    """The turn that a line belongs to: game, turn and player, counted from 1."""

    game: int
    turn: int
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """A judged turn; `stands` means that the turn ended with this verdict."""

    at: TurnId
    verdict: str
    stands: bool
    outcome: str
    faults: tuple[str, ...]
    meld: int | None
    played: tuple[Tile, ...]
    table: Table


@dataclass(frozen=True, slots=True)
class DrawLine:
    """A number of drawn tiles and the reason."""

    at: TurnId
    tiles: int
    reason: str


@dataclass(frozen=True, slots=True)
class PutBackLine:
    """Drawn tiles returned to the pool because their verdict was withdrawn."""

    at: TurnId
    tiles: int


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """A corrected tile: its reading before and after (None: no tile), and the author."""

    at: TurnId
    was: Tile | None
    tile: Tile | None
    by: str


@dataclass(frozen=True, slots=True)
class AddedLine:
    """A tile that was not detected, and the author of the correction."""

    at: TurnId
    tile: Tile
    by: str


@dataclass(frozen=True, slots=True)
class AddedSetLine:
    """A set of which no tile was detected, and the author of the correction."""

    at: TurnId
    tiles: tuple[Tile, ...]
    by: str


@dataclass(frozen=True, slots=True)
class RowsLine:
    """Rows as read and as corrected, and the author of the correction."""

    at: TurnId
    was: Table
    rows: Table
    by: str


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """The end of a player's proposal, and the player who answered it (None: the organiser or nobody)."""

    at: TurnId
    proposer: int
    reason: str
    answerer: int | None


@dataclass(frozen=True, slots=True)
class ClockLine:
    """A change of the clock and its author."""

    at: TurnId
    seconds_left: float
    by: str


@dataclass(frozen=True, slots=True)
class StandsLine:
    """A decision to let the table stand; the verdict follows."""

    at: TurnId
    by: str


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A note: `time` (time ran out), `restored` (the table was put back) or `undo` (the press was undone)."""

    at: TurnId
    what: str


@dataclass(frozen=True, slots=True)
class LeaveLine:
    """The departure of a player."""

    player: int


@dataclass(frozen=True, slots=True)
class SeatsLine:
    """A new seating, clockwise, and its author."""

    players: tuple[int, ...]
    by: str


@dataclass(frozen=True, slots=True)
class GameLine:
    """The start of a game and its first player."""

    game: int
    starts: int


@dataclass(frozen=True, slots=True)
class WonLine:
    """The end of a game; `player` is None if it was blocked."""

    game: int
    player: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class RackLine:
    """A player's rack at the end of a game and its value."""

    game: int
    player: int
    value: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class ScoresLine:
    """Every player's score of a game."""

    game: int
    scores: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RankingLine:
    """The final ranking, best player first."""

    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RanksLine:
    """Each player's rank; level players share one."""

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
