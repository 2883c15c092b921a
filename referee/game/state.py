"""A match at one moment: everything `step` needs to know of what came before."""

from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Final, TypedDict, TypeVar

from referee.game.clock import NO_CLOCK, TurnClock, time_control
from referee.game.correction_events import ProposalMade
from referee.game.corrections.corrections import NO_CORRECTIONS, Corrections
from referee.game.event_parts import Guide, Reason
from referee.game.events import TurnEvent
from referee.game.inputs import FIRST_SEAT, NEVER, CorrectionProposed, RummikubCalled, Seat, TurnEnded
from referee.game.limits import Limits
from referee.game.setup import MatchSetup, Result
from referee.game.table.hypotheses import TableHypotheses
from referee.game.table.judging import TableJudgement
from referee.reading.inputs import Input, Seconds
from referee.reading.observation import TableReading, TrackId
from referee.reading.tracks import NO_TRACKS, Tracks
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


_LOST_AFTER: Final = 3  # turns in a row without a verdict
_IN_PLAY: Final = frozenset({Phase.TURN, Phase.LOOKING, Phase.DOUBT, Phase.TIME_UP, Phase.RESTORE})


@dataclass(frozen=True, slots=True)
class TableObservation:
    """The last settled table, as `read` and as corrected (`reading`); at rest `since`, last seen `at`.

    `earlier` are the hypotheses of the previous look, if nothing has moved in between.
    """

    read: TableReading
    reading: TableReading
    since: Seconds
    at: Seconds
    hypotheses: TableHypotheses
    earlier: TableHypotheses | None = None

    @property
    def is_cleared(self) -> bool:
        """Whether no face is seen: face-down tiles are the pool, and missed tiles are taken as cleared away."""
        return not any(tile.tile is not None for tile in self.reading.tiles[: len(self.read.tiles)])


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed correction: the input, its event, the observation it is about, and the deadline for an answer."""

    made: CorrectionProposed
    event: ProposalMade
    observation: TableObservation
    until: Seconds


class EventHeader(TypedDict):
    """The fields that every turn event begins with."""

    at: Seconds
    seat: Seat
    turn: int
    game: int


@dataclass(frozen=True, slots=True)
class ShownRack:
    """A rack shown to the camera: its seat, its tiles and their placements."""

    seat: Seat
    tiles: tuple[Tile, ...]
    placements: tuple[TrackId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnState:
    """What the turn in play has come to; each turn begins a new one.

    `has_drawn` says that the player to move drew in this turn and may play on. `deadline` is when the time ran out, if
    it has. `first_look` is what an illegal table looked like first, `doubt` what is asked about, `guided`
    what was told last to be restored, and what the tiles may be that were asked about then. `ahead` is the last
    press, if any of another player, while the table is restored, or one made while it is cleared and something moves
    over it. `lying` are the places of the faces that are to be cleared, `insisted` says that a press called the table
    clear, `mixed` that another player pressed on a changed table, which may hold that player's tiles too.
    """

    clock: TurnClock = NO_CLOCK
    warnings: tuple[float, ...] = ()
    watched_legal: bool = True
    meld_told: int = 0
    has_drawn: bool = False
    claims_win: bool = False
    wait_until: Seconds | None = None
    deadline: Seconds = NEVER
    first_look: TableHypotheses | None = None
    doubt: TableJudgement | None = None
    guided: tuple[Guide, tuple[tuple[Tile, ...], ...]] | None = None
    ahead: TurnEnded | RummikubCalled | None = None
    lying: tuple[TrackId, ...] = ()
    insisted: bool = False
    mixed: bool = False

    @property
    def late(self) -> bool:
        """Whether the time of the turn is over."""
        return self.deadline > NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationState:
    """What is seen of the table: as it lies, None while it moves, and as it settled last, even if it moves by now.

    `looks` are the last looks at the table as it lies there, and `still_since` when it came to rest. `unseen` is a
    table in play of which there has been no look since the game began, nor anything moving over it.
    """

    tracks: Tracks = NO_TRACKS
    current: TableObservation | None = None
    shown: TableObservation | None = None
    looks: tuple[TableObservation, ...] = ()
    still_since: Seconds | None = None
    unseen: bool = False
    reached: bool | None = None
    """Whether what moved last was as large as a hand and came in over the edge; None if nobody knows."""

    def moved(self, *, reached: bool | None = None) -> "ObservationState":
        """Return the state after something has moved: what was read no longer counts."""
        return replace(self, current=None, still_since=None, reached=reached)


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A player in this game: tiles on the rack as counted, and seconds in the bank when the turn began.

    `spare` is how many tiles more the rack may hold after an undecided turn. `passed` says that the player could only
    pass since anybody last played. `opened_after` are the tables, one of which lay before what may have been
    the opening; empty where that is known.
    """

    rack: int
    bank: float
    opened: bool = False
    passed: bool = False
    spare: int = 0
    opened_after: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """A turn that stood undecided: its seat, the player before it, and how many tiles lay there then."""

    seat: Seat
    player: Player
    tiles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart:
    """The start of a turn: the possible tables, the observation they come from, and the tiles drawn at the last press.

    `disputed` are tables that only count if an undecided turn is taken back; `uncounted` is that turn. `may_be_empty`
    is the seat that is asked whether its rack is empty. `open`: the turn before may have laid more than was seen;
    `first_seen` is what the first sure look at this turn showed then.
    """

    tables: tuple[Table, ...] = (EMPTY_TABLE,)
    disputed: frozenset[Table] = frozenset()
    observation: TableObservation | None = None
    drawn: int = 0
    uncounted: Uncounted | None = None
    may_be_empty: Seat | None = None
    open: bool = False
    first_seen: tuple[Table, ...] = ()

    @property
    def best(self) -> Table:
        """The likeliest table."""
        return self.tables[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state before the end of a turn, and the deadline for its player to undo it."""

    turn: int
    seat: Seat
    players: tuple[Player, ...]
    turn_start: TurnStart
    play: TurnState
    results: tuple[Result, ...]
    until: Seconds = NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTurn:
    """A turn that can be judged again: the deciding observation, and whether a person let it stand (`ordered`)."""

    checkpoint: Checkpoint
    observation: TableObservation
    undo: Checkpoint | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """Corrections, the open proposal of one, and the turn that can be judged again."""

    corrections: Corrections = NO_CORRECTIONS
    proposal: Proposal | None = None
    judged: JudgedTurn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The racks that are shown after a game: those known, and whose is spoken of.

    `due` says that its rack waits for a look, `seen` is what the first look saw, `asked` what was asked about. `asks`
    are the seats that were asked for their racks, as often as they were; `cleared` says that the table has been bare.
    """

    racks: tuple[ShownRack, ...] = ()
    asks: tuple[Seat, ...] = ()
    cleared: bool = False
    owner: Seat | None = None
    due: bool = False
    seen: tuple[Tile, ...] | None = None
    asked: tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Why the clock is stopped, the tables known then, and whether a change since then was reported."""

    halted: frozenset[Reason] = frozenset()
    reference: tuple[Table, ...] = ()
    change_told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonMeaning:
    """What a press of the common button means: it changed `at`, by a press on the device `by`, or by none."""

    at: Seconds = NEVER
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One match at one moment.

    `last_starter` began the game before; `named_starter` begins the next one, if named before the table was cleared.
    `pressed_at` is the last press, `pressed_on` its device. `cut` says that a recording ended in the middle of a game.
    `strayed` is the seat that pressed last though another was to move, `astray` counts the turns in a row that stood
    without a verdict, and `bared` says that the table of a game in play was cleared.
    """

    seated: MatchSetup | None = None
    phase: Phase = Phase.IDLE
    now: Seconds = NEVER
    game: int = 0
    turn: int = 0
    seat: Seat = FIRST_SEAT
    starter: Seat = FIRST_SEAT
    last_starter: Seat | None = None
    named_starter: Seat | None = None
    gone: frozenset[Seat] = frozenset()
    players: tuple[Player, ...] = ()
    results: tuple[Result, ...] = ()
    cut: bool = False
    pressed_at: Seconds = NEVER
    pressed_on: tuple[str, ...] = ()
    strayed: Seat | None = None
    astray: int = 0
    bared: bool = False
    button: ButtonMeaning = ButtonMeaning()

    turn_start: TurnStart = TurnStart()
    play: TurnState = TurnState()
    table: ObservationState = ObservationState()
    undo: Checkpoint | None = None
    dispute: Dispute = Dispute()
    showing: Showing = Showing()
    pauses: Pauses = Pauses()

    @property
    def event_header(self) -> EventHeader:
        """The header of an event now."""
        return EventHeader(at=self.now, seat=self.seat, turn=self.turn, game=self.game)

    @property
    def setup(self) -> MatchSetup:
        """The players and their rules; asked only once a match has begun."""
        if self.seated is None:
            raise ValueError("no match has begun")
        return self.seated

    @property
    def rules(self) -> RuleSet:
        """The rules in force."""
        return self.setup.rules

    @property
    def limits(self) -> Limits:
        """How long the referee waits for what."""
        return self.setup.start.limits

    @property
    def present(self) -> tuple[Seat, ...]:
        """The seats still in the match, clockwise."""
        return tuple(seat for seat in self.setup.clockwise if seat not in self.gone)

    @property
    def player(self) -> Player:
        """The player to move."""
        return self.players[self.seat]

    @property
    def bank_now(self) -> float:
        """The bank of the player to move now, in seconds."""
        return time_control(self.rules).bank_after(self.player.bank, self.play.clock.left_at(self.now))

    @property
    def banks_now(self) -> tuple[float, ...]:
        """The seconds in each seat's bank; empty for a clock without banks."""
        if not time_control(self.rules).banked:
            return ()
        return with_item(tuple(player.bank for player in self.players), self.seat, self.bank_now)

    @property
    def racks(self) -> tuple[int, ...]:
        """How many tiles lie on each rack, as counted."""
        return tuple(player.rack for player in self.players)

    @property
    def pool(self) -> int:
        """The number of tiles in the pool, as far as counted."""
        return max(0, self.rules.tile_count - len(self.turn_start.best.tiles) - sum(self.racks))

    def total(self, seat: Seat) -> int:
        """Return a player's points in the games whose racks are known."""
        return sum(dict(result.scores or ()).get(seat, 0) for result in self.results)

    @property
    def checkpoint(self) -> Checkpoint:
        """What the end of the turn would change."""
        return Checkpoint(
            turn=self.turn,
            seat=self.seat,
            players=self.players,
            turn_start=self.turn_start,
            play=self.play,
            results=self.results,
        )

    def back_at(self, checkpoint: Checkpoint, undo: Checkpoint | None = None) -> "Match":
        """Return the match with all that as it was at a checkpoint."""
        return replace(
            self,
            turn=checkpoint.turn,
            seat=checkpoint.seat,
            players=checkpoint.players,
            turn_start=checkpoint.turn_start,
            play=checkpoint.play,
            results=checkpoint.results,
            undo=undo,
            showing=Showing(),
        )

    def undo_from_now(self) -> Checkpoint | None:
        """Return the undo with the time in which a player may use it beginning now."""
        return self.undo and replace(self.undo, until=self.in_seconds(self.limits.undo_seconds))

    @property
    def waits_for_verdict(self) -> bool:
        """Whether a press still waits for its verdict."""
        return self.phase in {Phase.LOOKING, Phase.DOUBT}

    def may_undo(self, at: Seconds) -> bool:
        """Return whether a player may take the last press back at this time."""
        return self.undo is not None and (self.waits_for_verdict or at <= self.undo.until)

    def asks_whether_empty(self, seat: Seat | None) -> bool:
        """Return whether a call of "Rummikub!" from this button answers that the rack asked about is empty."""
        owner = self.turn_start.may_be_empty
        return self.phase is Phase.TURN and owner is not None and seat in {None, owner}

    @property
    def lost_on_time(self) -> bool:
        """Whether the game ended on time and can still be resumed."""
        return self.phase is Phase.GAME_OVER and self.undo is not None and self.results[-1].on_time

    @property
    def has_lost_thread(self) -> bool:
        """Whether so many turns stood without a verdict that people are asked to confirm table and seat."""
        return self.in_play and self.astray >= _LOST_AFTER

    @property
    def in_play(self) -> bool:
        """Whether a turn is in play, though perhaps in a break."""
        return self.phase in _IN_PLAY

    @property
    def judged_from(self) -> Seconds:
        """The time of the press or of the end of the turn's time: no verdict rests on an earlier frame."""
        return max(self.pressed_at, self.play.deadline)

    def in_seconds(self, seconds: float) -> Seconds:
        """Return the time so many seconds from now."""
        return Seconds(self.now + seconds)

    @property
    def look_due(self) -> Seconds | None:
        """The earliest time of a frame that the pending verdict needs; None if none is pending."""
        awaited = not self.pauses.halted and self.phase in {Phase.LOOKING, Phase.TIME_UP}
        return self.judged_from if awaited else None

    @property
    def wants_fresh_look(self) -> bool:
        """Whether the table must be read from new frames, as independently of the last reading as possible."""
        again = self.phase is Phase.DOUBT or self.play.first_look is not None or self.showing.seen is not None
        return not self.pauses.halted and (again or self._may_be_sent_back)

    @property
    def _may_be_sent_back(self) -> bool:
        """Whether a press now would need a second look, which can be taken while the player still thinks."""
        seen_once = self.table.current is not None and self.table.current.earlier is None
        return self.phase is Phase.TURN and not self.play.watched_legal and seen_once


Step = tuple[Match, tuple[TurnEvent, ...]]


def prepend(step: Step, *events: TurnEvent) -> Step:
    """Return the step with these events before its own ones."""
    match, later = step
    return match, (*events, *later)


def seat_after(match: Match, seat: Seat) -> Seat:
    """Return the next seat clockwise whose player is still there."""
    return next(other for other in match.setup.after(seat) if other not in match.gone)


def with_clock_running(match: Match) -> TurnState:
    """Return the turn in play with its clock running from now on; stopped in a break."""
    return (
        with_clock_stopped(match)
        if match.pauses.halted
        else replace(match.play, clock=match.play.clock.running(match.now))
    )


def with_clock_stopped(match: Match) -> TurnState:
    """Return the turn in play with its clock stopped from now on."""
    return replace(match.play, clock=match.play.clock.stopped(match.now))


def with_item(items: tuple[_Item, ...], index: int, item: _Item) -> tuple[_Item, ...]:
    """Return the tuple with one item replaced."""
    return (*items[:index], item, *items[index + 1 :])


def with_player(match: Match, player: Player) -> Match:
    """Return the match with this as the player to move."""
    return replace(match, players=with_item(match.players, match.seat, player))


def none_passed(match: Match) -> Match:
    """Return the match after somebody could play."""
    return replace(match, players=tuple(replace(player, passed=False) for player in match.players))


def forget_undo(match: Match) -> Match:
    """Return the match with nothing to undo."""
    return replace(match, undo=None)


def forget_judged(match: Match) -> Match:
    """Return the match with its last verdict final."""
    return replace(match, dispute=replace(match.dispute, judged=None))


def is_double_press(match: Match) -> bool:
    """Return whether a press follows the last one so soon that both count as one."""
    return match.now - match.pressed_at <= match.limits.double_press_seconds


_SECOND_DEVICE: Final = 2.0  # times as long as a double press: two people need longer than one finger


def is_second_press(match: Match, entered: Input) -> bool:
    """Return whether a press was meant for what another device, or the clock, has just ended.

    Two people end one turn, by the button and a phone: the second press would end the next player's. A press on the
    device that ended it, or by the seat to move, is meant for the new turn.
    """
    if not isinstance(entered, TurnEnded | RummikubCalled) or not entered.voice or match.seated is None:
        return False
    if isinstance(entered, RummikubCalled) and match.asks_whether_empty(entered.seat):
        return False
    if entered.seat == match.seat or not set(entered.voice).isdisjoint(match.button.by):
        return False
    return match.now - match.button.at <= _SECOND_DEVICE * match.limits.double_press_seconds


def with_button_meaning(before: Match, after: Match, entered: Input) -> Match:
    """Return the match after an input, noting whether a press of the button means something else now."""
    if isinstance(entered, TurnEnded | RummikubCalled) and after.pressed_at != before.pressed_at:
        after = replace(after, pressed_on=entered.voice)
    ends_turn = (before.game, before.turn, before.in_play) != (after.game, after.turn, after.in_play)
    stops_or_goes_on = bool(entered.voice) and bool(before.pauses.halted) != bool(after.pauses.halted)
    if before.phase in {Phase.IDLE, Phase.MATCH_OVER} or not (ends_turn or stops_or_goes_on):
        return after
    by = entered.voice or (after.pressed_on if before.waits_for_verdict else ())
    return replace(after, button=ButtonMeaning(at=after.now, by=by))
