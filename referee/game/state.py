"""A match at one moment: everything `step` needs to know of what came before."""

from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import TypedDict, TypeVar

from referee.game.clock import NO_CLOCK, TimeControl, TurnClock, time_control
from referee.game.correction_events import ProposalMade
from referee.game.corrections.corrections import NO_CORRECTIONS, Corrections
from referee.game.event_parts import Guide, Reason
from referee.game.events import TurnEvent
from referee.game.inputs import FIRST_SEAT, NEVER, CorrectionProposed, MatchStarted, Seat, Seconds
from referee.game.limits import Limits
from referee.game.table.hypotheses import Finding, TableHypotheses
from referee.reading.observation import Quad, TableReading
from referee.rules.editions import RuleSet
from referee.rules.table import EMPTY_TABLE, Table
from referee.rules.tiles import Tile

_Item = TypeVar("_Item")


@unique
class Phase(StrEnum):
    """Where a match stands."""

    IDLE = "idle"
    TURN = "turn"
    LOOKING = "looking"
    DOUBT = "doubt"
    TIME_UP = "time_up"
    RESTORE = "restore"
    GAME_OVER = "game_over"
    CLEARING = "clearing"
    MATCH_OVER = "match_over"


@dataclass(frozen=True, slots=True)
class Sight:
    """The table as it last settled: as it was read, and as people say it is; still since when, seen so last when.

    `earlier` is what the look before this one allowed, if nothing has moved in between.
    """

    read: TableReading
    reading: TableReading
    since: Seconds
    at: Seconds
    hypotheses: TableHypotheses
    earlier: TableHypotheses | None = None

    @property
    def bare(self) -> bool:
        """Whether no face is seen: tiles face down are the pool, what was only said to lie there is cleared away."""
        return not any(tile.tile is not None for tile in self.reading.tiles[: len(self.read.tiles)])


@dataclass(frozen=True, slots=True)
class Proposal:
    """A correction that a player proposed: what was said and told, of which look, until when another one may agree."""

    made: CorrectionProposed
    told: ProposalMade
    sight: Sight
    until: Seconds


class Here(TypedDict):
    """What every turn event begins with."""

    at: Seconds
    seat: Seat
    turn: int
    game: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What stays the same from the first game to the last."""

    start: MatchStarted
    rules: RuleSet

    @property
    def limits(self) -> Limits:
        """How long the referee waits for what."""
        return self.start.limits

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat."""
        return self.start.names

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, clockwise."""
        return tuple(Seat(index) for index in range(len(self.names)))

    @property
    def time_control(self) -> TimeControl:
        """By what clock the players move."""
        return time_control(self.rules)

    @property
    def games(self) -> int:
        """How many games the match has; "as many as players" unless it was said otherwise."""
        return self.start.games or self.rules.games_per_round(len(self.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One finished game: who won (of a blocked one, whoever the racks tell) and the scores, once these are told.

    `on_time`: the loser's time had run out.
    """

    blocked: bool
    winners: tuple[Seat, ...]
    unopened: tuple[Seat, ...]
    scores: tuple[tuple[Seat, int], ...] | None = None
    on_time: bool = False
    present: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRack:
    """A rack that was shown to the camera: whose, its tiles, and where they lay."""

    seat: Seat
    tiles: tuple[Tile, ...]
    quads: tuple[Quad, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One match at one moment.

    `last_starter` began the game before; `first_said` is who begins the next one, where that was said before the table
    was cleared. `before` holds every table that is still possible where a turn was left undecided, and `began` what it
    was taken from; `disputed` of them are those with which such a turn began, for it may be taken back. `drawn` is how
    many tiles were drawn for the last press, and `has_drawn` says that the player to move drew in this turn and may
    play on. `passed` are the seats that could only pass since anybody last played. `shown` is what settled last, even
    if it moves by now, `looks` the last looks at the table as it lies there, and `still_since` when it came to rest.
    `banks` is the time of their own that the players had when the turn began. `cut` says that a recording ended in the
    middle of a game. `unseen` is a table in play of which there has been no look since the game began, nor anything
    moving over it. `judged` is the match as it was judged last, as long as that verdict can be judged again; there
    `ordered` says that the table stood because a person said so. After a game `rack_of` is whose rack is spoken of,
    `rack_due` whether it waits for a look, `rack_seen` what the first look saw, `rack_asked` what was asked about.
    """

    seated: Sitting | None = None
    phase: Phase = Phase.IDLE
    now: Seconds = NEVER
    game: int = 0
    turn: int = 0
    seat: Seat = FIRST_SEAT
    starter: Seat = FIRST_SEAT
    last_starter: Seat | None = None
    first_said: Seat | None = None
    gone: frozenset[Seat] = frozenset()
    opened: tuple[bool, ...] = ()
    racks: tuple[int, ...] = ()
    passed: frozenset[Seat] = frozenset()
    drawn: int = 0
    has_drawn: bool = False
    results: tuple[Result, ...] = ()
    cut: bool = False

    before: tuple[Table, ...] = (EMPTY_TABLE,)
    disputed: frozenset[Table] = frozenset()
    began: Sight | None = None
    sight: Sight | None = None
    clock: TurnClock = NO_CLOCK
    banks: tuple[float, ...] = ()
    warnings: tuple[float, ...] = ()
    watched_legal: bool = True
    meld_told: int = 0

    pressed_at: Seconds = NEVER
    claims_win: bool = False
    wait_until: Seconds | None = None
    late: bool = False
    deadline: Seconds = NEVER
    first_look: TableHypotheses | None = None
    doubt: Finding | None = None
    guide: Guide | None = None

    shown: Sight | None = None
    looks: tuple[Sight, ...] = ()
    still_since: Seconds | None = None
    unseen: bool = False
    corrections: Corrections = NO_CORRECTIONS
    proposal: Proposal | None = None
    judged: "Match | None" = None
    ordered: bool = False

    shown_racks: tuple[ShownRack, ...] = ()
    rack_of: Seat | None = None
    rack_due: bool = False
    rack_seen: tuple[Tile, ...] | None = None
    rack_asked: tuple[Tile, ...] | None = None

    halted: frozenset[Reason] = frozenset()
    reference: tuple[Table, ...] = ()
    change_told: bool = False
    undo: "Match | None" = None
    undo_until: Seconds = NEVER

    @property
    def here(self) -> Here:
        """The beginning of an event told now."""
        return Here(at=self.now, seat=self.seat, turn=self.turn, game=self.game)

    @property
    def sitting(self) -> Sitting:
        """The players and their rules; asked only once a match has begun."""
        if self.seated is None:
            raise ValueError("no match has begun")
        return self.seated

    @property
    def rules(self) -> RuleSet:
        """The rules in force."""
        return self.sitting.rules

    @property
    def limits(self) -> Limits:
        """How long the referee waits for what."""
        return self.sitting.limits

    @property
    def present(self) -> tuple[Seat, ...]:
        """The seats still in the match, clockwise."""
        return tuple(seat for seat in self.sitting.seats if seat not in self.gone)

    @property
    def banks_now(self) -> tuple[float, ...]:
        """The time of their own that the players have, in seconds by seat; none by a clock without a bank."""
        control = self.sitting.time_control
        if not control.banked or not self.banks:
            return ()
        left = self.clock.left_at(self.now)
        return with_item(self.banks, self.seat, control.bank_after(self.banks[self.seat], left))

    @property
    def pool(self) -> int:
        """How many tiles lie in the pool, as far as the referee could count."""
        return max(0, self.rules.tile_count - len(self.before[0].tiles) - sum(self.racks))

    def total(self, seat: Seat) -> int:
        """What a player has scored in the games whose racks were told."""
        return sum(dict(result.scores or ()).get(seat, 0) for result in self.results)

    @property
    def lost_on_time(self) -> bool:
        """Whether the game is over because time ran out, and can still be taken up again."""
        return self.phase is Phase.GAME_OVER and self.undo is not None and self.results[-1].on_time

    @property
    def judged_from(self) -> Seconds:
        """No verdict rests on a frame taken before this: the press, or the end of the time."""
        return max(self.pressed_at, self.deadline)

    @property
    def look_due(self) -> Seconds | None:
        """From when on a frame is to be read because a verdict is awaited; None where none is."""
        awaited = not self.halted and self.phase in {Phase.LOOKING, Phase.TIME_UP}
        return self.judged_from if awaited else None

    @property
    def wants_fresh_look(self) -> bool:
        """Whether the table is to be read anew from new frames, as independently of the last reading as can be."""
        again = self.phase is Phase.DOUBT or self.first_look is not None or self.rack_seen is not None
        return not self.halted and (again or self._may_be_sent_back)

    @property
    def _may_be_sent_back(self) -> bool:
        """Whether a press now would need a second look, which can as well be taken while the player still thinks."""
        seen_once = self.sight is not None and self.sight.earlier is None
        return self.phase is Phase.TURN and not self.watched_legal and seen_once


Step = tuple[Match, tuple[TurnEvent, ...]]


def also(step: Step, *events: TurnEvent) -> Step:
    """Put events before those of a step."""
    match, later = step
    return match, (*events, *later)


def seat_after(match: Match, seat: Seat) -> Seat:
    """Give the next seat clockwise whose player is still there."""
    following = (*match.sitting.seats[seat + 1 :], *match.sitting.seats[: seat + 1])
    return next(other for other in following if other not in match.gone)


def running(match: Match, clock: TurnClock) -> TurnClock:
    """Give the clock, running from now on; in a break it stands."""
    return clock.standing(match.now) if match.halted else clock.running(match.now)


def with_item(items: tuple[_Item, ...], index: int, item: _Item) -> tuple[_Item, ...]:
    """Give the tuple with one item exchanged."""
    return (*items[:index], item, *items[index + 1 :])


def forget_undo(match: Match) -> Match:
    """Give the match without a way back."""
    return replace(match, undo=None, undo_until=NEVER)


def forget_judged(match: Match) -> Match:
    """Give the match with its last verdict beyond dispute."""
    return replace(match, judged=None)


def is_double(match: Match) -> bool:
    """Tell whether a press comes so soon after the last that it was meant as one with it."""
    return match.now - match.pressed_at <= match.limits.double_press_seconds
