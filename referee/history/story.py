"""The story of a match, folded from its turn events: every turn, and what the turns say of each player."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from referee.game.event_parts import Reason
from referee.game.events import (
    ClockRuns,
    ClockStopped,
    DrawTakenBack,
    Drew,
    GameScored,
    GameStarted,
    GameWon,
    Judged,
    LookingAgain,
    MatchOver,
    NamesChanged,
    TimeOver,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
)
from referee.rules.notation import format_table
from referee.rules.verdict import VERDICT_NAMES, Legal, SetKind, VerdictName

MAX_TURNS: Final = 2000
TurnKey = tuple[int, int]
"""A turn's game, and its number in that."""


class StoryTurn(Struct, frozen=True, kw_only=True):
    """One judged turn; tiles and tables in notation. `seconds`: how long the turn's clock ran."""

    game: int
    turn: int
    seat: int
    seconds: float
    verdict: VerdictName
    outcome: Literal["played", "no_play"]
    faults: tuple[str, ...]
    played: tuple[str, ...]
    before: str
    table: str
    frame_id: str
    judged_at: float
    opened: bool
    """Whether the player had opened before."""
    opening: int | None
    """The worth of the initial meld, where this turn opened."""
    longest_run: tuple[str, ...]
    """The longest run on the table, where this turn laid a tile of it."""
    drew: int
    penalty: bool
    """The table was put back, or the time ran out over a table that was not legal."""


class ToldPlayer(Struct, frozen=True, kw_only=True):
    """A player's part of a story; each opening is game, the player's turn number in it, and points.

    `score` None: no racks are known, `place` None: nobody has won a game.
    """

    name: str
    seat: int
    turns: int
    seconds: float
    tiles: int
    draws: int
    penalties: int
    longest_turn: float
    longest_play: tuple[str, ...]
    longest_run: tuple[str, ...]
    openings: tuple[tuple[int, int, int], ...]
    games_won: int
    score: int | None
    place: int | None
    mean_turn: float | None
    """Seconds; None before the first turn."""


class Story(Struct, frozen=True, kw_only=True):
    """The story of a match so far; `number` counts the matches of its journal from 1."""

    number: int
    began_at: float
    ended_at: float | None
    edition: str
    format: str
    names: tuple[str, ...]
    games: int
    turns: tuple[StoryTurn, ...]
    players: tuple[ToldPlayer, ...]


@dataclass(slots=True)
class _Match:
    """A match while it is folded."""

    number: int
    begun: GameStarted
    names: tuple[str, ...]
    games: int = 1
    turns: dict[TurnKey, StoryTurn] = field(default_factory=dict)
    drew: dict[TurnKey, int] = field(default_factory=dict)
    """Tiles drawn in each turn, at its end or, where a drawn tile may be laid at once, before it."""
    unsettled: Judged | None = None
    """The last judgement that did not end its turn."""
    winners: dict[int, tuple[int, ...]] = field(default_factory=dict)
    totals: Mapping[int, int] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    ended_at: float | None = None
    opened: dict[TurnKey, bool] = field(default_factory=dict)
    current: TurnKey | None = None
    """The turn whose clock it is; a verdict on an earlier one leaves that alone."""
    running_since: float | None = None
    ran: float = 0.0


class StoryFold:
    """Folds turn events one after the other; keeps the newest match alone."""

    def __init__(self) -> None:
        """Begin before any match."""
        self._match: _Match | None = None
        self._matches = 0

    def note(self, event: TurnEvent) -> None:
        """Take one turn event."""
        if isinstance(event, GameStarted) and event.game == 1:
            self._matches += 1
            self._match = _Match(self._matches, event, event.names)
        elif self._match is not None:
            _note(self._match, event)

    def story(self) -> Story | None:
        """Return the story of the newest match so far; None if none has begun."""
        return None if self._match is None else _told(self._match)


def stories(events: Iterable[TurnEvent]) -> Iterator[Story]:
    """Yield the story of every match in the events."""
    fold = StoryFold()
    for event in events:
        if isinstance(event, GameStarted) and event.game == 1 and (story := fold.story()) is not None:
            yield story
        fold.note(event)
    if (story := fold.story()) is not None:
        yield story


def turn_key(event: TurnEvent) -> TurnKey:
    """Return the turn of an event: its game, and its number in that."""
    return event.game, event.turn


def _note(match: _Match, event: TurnEvent) -> None:
    key = turn_key(event)
    match.games = max(match.games, event.game)
    _note_clock(match, event)
    match event:
        case Judged(stands=True):
            _note_judged(match, event)
        case Judged():
            match.unsettled = event
        case TurnStarted():
            match.opened[key] = event.opened
        case Drew():
            _note_draw(match, event)
        case DrawTakenBack():
            match.drew[key] = match.drew.get(key, 0) - event.tiles
        case TurnTakenBack():
            match.winners.pop(event.game, None)
            if (turn := match.turns.pop(key, None)) is not None:
                match.ran = turn.seconds
        case NamesChanged():
            match.names = event.names
        case GameWon() | GameScored() | MatchOver():
            _note_end(match, event)
        case _:
            pass


def _note_draw(match: _Match, event: Drew) -> None:
    """Note what a player drew; a penalty ends a turn over a table that had to be put back."""
    key = turn_key(event)
    match.drew[key] = match.drew.get(key, 0) + event.tiles
    if event.reason is Reason.PLAYS_ON:
        return
    if key not in match.turns and match.unsettled is not None and turn_key(match.unsettled) == key:
        _note_judged(match, match.unsettled)
    if key in match.turns:
        match.turns[key] = replace(match.turns[key], penalty=event.reason is Reason.PENALTY)


def _note_end(match: _Match, event: GameWon | GameScored | MatchOver) -> None:
    match event:
        case GameWon():
            match.winners[event.game] = () if event.reason is Reason.BLOCKED else (event.seat,)
        case GameScored():
            match.totals = _by_seat(match, event.totals)
            if not match.winners.get(event.game) and event.scores:
                best = max(event.scores.values())
                scores = _by_seat(match, event.scores)
                match.winners[event.game] = tuple(seat for seat, score in scores.items() if score == best)
        case MatchOver():
            match.ended_at, match.ranks = _seconds(event), _by_seat(match, event.ranks)
            match.totals = _by_seat(match, event.totals) or match.totals


def _by_seat(match: _Match, numbers: Mapping[str, int]) -> dict[int, int]:
    """Return numbers by seat: an event has them by the names of its time."""
    return {match.names.index(name): number for name, number in numbers.items() if name in match.names}


def _seconds(event: TurnEvent) -> float:
    """Return an event's time as journals have it, whether or not it has been in one."""
    return round(event.at, 3)


def _note_clock(match: _Match, event: TurnEvent) -> None:
    """Count the turn's time from its start, without the time in which the clock is stopped."""
    at, key = _seconds(event), turn_key(event)
    match event:
        case ClockStopped() | TimeOver() | LookingAgain():
            _stop_clock(match, at)
        case Judged() if key == match.current:
            _stop_clock(match, at)
        case TurnStarted():
            match.current, match.running_since, match.ran = key, at, 0.0
        case ClockRuns():
            match.running_since = at
        case TurnTakenBack():
            match.current, match.running_since = key, at
        case _:
            pass


def _stop_clock(match: _Match, at: float) -> None:
    if match.running_since is not None:
        match.ran += max(0.0, at - match.running_since)
    match.running_since = None


def _note_judged(match: _Match, event: Judged) -> None:
    key, verdict = turn_key(event), event.verdict
    known, opened = match.turns.get(key), match.opened.get(key, True)
    played = tuple(map(str, verdict.played))
    opens = not opened and verdict.meld and isinstance(verdict, Legal) and played
    runs = [judged.tiles for judged in verdict.sets if judged.kind is SetKind.RUN]
    longest = max((run for run in runs if set(run) & set(verdict.played)), key=len, default=())
    match.turns[key] = StoryTurn(
        game=event.game,
        turn=event.turn,
        seat=event.seat,
        seconds=match.ran if known is None else known.seconds,
        verdict=VERDICT_NAMES[type(verdict)],
        outcome=verdict.outcome.value,
        faults=tuple(violation.message for violation in verdict.violations),
        played=played,
        before=format_table(event.before),
        table=format_table(event.table),
        frame_id=event.frame_id,
        judged_at=_seconds(event),
        opened=opened,
        opening=verdict.meld if opens else None,
        longest_run=tuple(map(str, longest)),
        drew=0,
        penalty=False,
    )
    if len(match.turns) > MAX_TURNS:
        del match.turns[next(iter(match.turns))]


def _told(match: _Match) -> Story:
    turns = tuple(replace(match.turns[key], drew=match.drew.get(key, 0)) for key in sorted(match.turns))
    return Story(
        number=match.number,
        began_at=_seconds(match.begun),
        ended_at=match.ended_at,
        edition=match.begun.edition,
        format=match.begun.format,
        names=match.names,
        games=match.games,
        turns=turns,
        players=tuple(_player(match, seat, name, turns) for seat, name in enumerate(match.names)),
    )


def _player(match: _Match, seat: int, name: str, all_turns: Sequence[StoryTurn]) -> ToldPlayer:
    turns = [turn for turn in all_turns if turn.seat == seat]
    seconds = round(sum(turn.seconds for turn in turns), 1)
    openings = []
    for turn in turns:
        if turn.opening is not None:
            own = sum(earlier.game == turn.game and earlier.turn <= turn.turn for earlier in turns)
            openings.append((turn.game, own, turn.opening))
    return ToldPlayer(
        name=name,
        seat=seat,
        turns=len(turns),
        seconds=seconds,
        tiles=sum(len(turn.played) for turn in turns if turn.verdict == "legal"),
        draws=sum(turn.drew for turn in turns),
        penalties=sum(turn.penalty for turn in turns),
        longest_turn=round(max((turn.seconds for turn in turns), default=0.0), 1),
        longest_play=max((turn.played for turn in turns if turn.verdict == "legal"), key=len, default=()),
        longest_run=max((turn.longest_run for turn in turns if turn.verdict == "legal"), key=len, default=()),
        openings=tuple(openings),
        games_won=sum(seat in winners for winners in match.winners.values()),
        score=match.totals.get(seat),
        place=match.ranks.get(seat),
        mean_turn=seconds / len(turns) if turns else None,
    )
