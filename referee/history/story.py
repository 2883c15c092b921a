"""The story of a match, folded from its turn events as JSON: every turn, and what the turns say of each player."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from referee.plain_json import JsonObject

MAX_TURNS: Final = 2000
_STOPS: Final = frozenset({"clock_stopped", "time_over", "looking_again"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTurn:
    """One judged turn; tiles and tables in notation. `seconds`: how long the turn's clock ran."""

    game: int
    turn: int
    seat: int
    seconds: float
    verdict: str
    outcome: str
    faults: tuple[str, ...]
    played: tuple[str, ...]
    before: str
    table: str
    frame_id: str
    judged_at: float
    opened: bool
    """Whether the player had opened before."""
    opening: int | None = None
    """The worth of the initial meld, where this turn opened."""
    longest_run: tuple[str, ...] = ()
    """The longest run on the table, where this turn laid a tile of it."""
    drew: int = 0
    penalty: bool = False
    """The table was put back, or the time ran out over a table that was not legal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStory:
    """A player's statistics; `score` None: no racks are known, `place` None: nobody has won a game."""

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
    """Game, the player's own turn in it, and points of every initial meld."""
    games_won: int
    score: int | None
    place: int | None

    @property
    def mean_turn(self) -> float | None:
        """Mean seconds of a turn; None before the first."""
        return self.seconds / self.turns if self.turns else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The story of a match so far; `number` counts the matches of its journal from 1."""

    number: int
    began_at: float
    ended_at: float | None
    edition: str
    format: str
    names: tuple[str, ...]
    games: int
    turns: tuple[StoryTurn, ...]
    players: tuple[PlayerStory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPosition:
    """A turn's table, and tiles that the player certainly held when it began; `laid`: how many of them were laid."""

    game: int
    turn: int
    before: str
    opened: bool
    held: tuple[str, ...]
    laid: int


def certain_positions(story: Story, game: int, racks: Mapping[int, tuple[str, ...]]) -> tuple[KnownPosition, ...]:
    """Return the turns of a game for which it is known what the player could have laid more.

    After a player's last draw the rack only shrinks: what was laid later was held, and so was what was left at the end,
    where `racks` (by seat) tells it. Of the turn of that draw and of those before nothing is said.
    """
    positions: list[KnownPosition] = []
    for seat in range(len(story.names)):
        held = list(racks.get(seat, ()))
        for turn in reversed([turn for turn in story.turns if (turn.game, turn.seat) == (game, seat)]):
            if turn.drew or turn.verdict != "legal":
                break
            held += turn.played
            if len(held) > len(turn.played):
                positions.append(
                    KnownPosition(
                        game=game,
                        turn=turn.turn,
                        before=turn.before,
                        opened=turn.opened,
                        held=tuple(held),
                        laid=len(turn.played),
                    )
                )
    return tuple(positions)


@dataclass(slots=True)
class _Match:
    """A match while it is folded."""

    number: int
    begun: JsonObject
    names: tuple[str, ...]
    games: int = 1
    turns: dict[tuple[int, int], StoryTurn] = field(default_factory=dict)
    drew: dict[tuple[int, int], int] = field(default_factory=dict)
    """Tiles drawn in each turn, at its end or, where a drawn tile may be laid at once, before it."""
    unsettled: tuple[tuple[int, int], JsonObject] | None = None
    """The last judgement that did not end its turn."""
    winners: dict[int, tuple[int, ...]] = field(default_factory=dict)
    totals: Mapping[int, int] = field(default_factory=dict)
    ranks: Mapping[int, int] = field(default_factory=dict)
    ended_at: float | None = None
    opened: dict[tuple[int, int], bool] = field(default_factory=dict)
    current: tuple[int, int] | None = None
    """The turn whose clock it is; a verdict on an earlier one leaves that alone."""
    running_since: float | None = None
    ran: float = 0.0


class StoryFold:
    """Folds turn events one after the other; keeps the newest match alone."""

    def __init__(self, past: Iterable[JsonObject] = ()) -> None:
        """Begin before any match, or after the events before a restart."""
        self._match: _Match | None = None
        self._matches = 0
        for event in past:
            self.note(event)

    def note(self, event: JsonObject) -> None:
        """Take one turn event as the journal holds it."""
        if event["event"] == "game_started" and event["game"] == 1:
            self._matches += 1
            self._match = _Match(self._matches, event, tuple(event["names"]))
        elif self._match is not None:
            _note(self._match, event)

    def story(self) -> Story | None:
        """Return the story of the newest match so far; None if none has begun."""
        return None if self._match is None else _told(self._match)


def stories(events: Iterable[JsonObject]) -> Iterator[Story]:
    """Yield the story of every match in the events."""
    fold = StoryFold()
    for event in events:
        if event["event"] == "game_started" and event["game"] == 1 and (story := fold.story()) is not None:
            yield story
        fold.note(event)
    if (story := fold.story()) is not None:
        yield story


def _note(match: _Match, event: JsonObject) -> None:
    kind, key = event["event"], (event["game"], event["turn"])
    match.games = max(match.games, event["game"])
    _note_clock(match, kind, event)
    if kind == "judged" and event["stands"]:
        _note_judged(match, key, event)
    elif kind == "judged":
        match.unsettled = key, event
    elif kind == "turn_started":
        match.opened[key] = event["opened"]
    elif kind == "drew":
        _note_draw(match, key, event)
    elif kind == "draw_taken_back":
        match.drew[key] = match.drew.get(key, 0) - event["tiles"]
    elif kind == "turn_taken_back":
        match.winners.pop(event["game"], None)
        if (turn := match.turns.pop(key, None)) is not None:
            match.ran = turn.seconds
    elif kind == "names_changed":
        match.names = tuple(event["names"])
    elif kind in {"game_won", "game_scored", "match_over"}:
        _note_end(match, kind, event)


def _note_draw(match: _Match, key: tuple[int, int], event: JsonObject) -> None:
    """Note what a player drew; a penalty ends a turn over a table that had to be put back."""
    match.drew[key] = match.drew.get(key, 0) + event["tiles"]
    if event["reason"] == "plays_on":
        return
    if key not in match.turns and match.unsettled is not None and match.unsettled[0] == key:
        _note_judged(match, key, match.unsettled[1])
    if key in match.turns:
        match.turns[key] = replace(match.turns[key], penalty=event["reason"] == "penalty")


def _note_end(match: _Match, kind: str, event: JsonObject) -> None:
    game = event["game"]
    if kind == "game_won":
        blocked = event["reason"] == "blocked"
        match.winners[game] = () if blocked else (event["seat"],)
    elif kind == "game_scored":
        match.totals = _by_seat(match, event["totals"])
        if not match.winners.get(game) and event["scores"]:
            best = max(event["scores"].values())
            scores = _by_seat(match, event["scores"])
            match.winners[game] = tuple(seat for seat, score in scores.items() if score == best)
    else:
        match.ended_at, match.ranks = event["at"], _by_seat(match, event.get("ranks", {}))
        match.totals = _by_seat(match, event.get("totals", {})) or match.totals


def _by_seat(match: _Match, numbers: Mapping[str, int]) -> dict[int, int]:
    """Return numbers by seat: an event has them by the names of its time."""
    return {match.names.index(name): number for name, number in numbers.items() if name in match.names}


def _note_clock(match: _Match, kind: str, event: JsonObject) -> None:
    """Count the turn's time from its start, without the time in which the clock is stopped."""
    at = event["at"]
    if kind in _STOPS or (kind == "judged" and (event["game"], event["turn"]) == match.current):
        if match.running_since is not None:
            match.ran += max(0.0, at - match.running_since)
        match.running_since = None
    elif kind == "turn_started":
        match.current, match.running_since, match.ran = (event["game"], event["turn"]), at, 0.0
    elif kind == "clock_runs":
        match.running_since = at
    elif kind == "turn_taken_back":
        match.current, match.running_since = (event["game"], event["turn"]), at


def _note_judged(match: _Match, key: tuple[int, int], event: JsonObject) -> None:
    known = match.turns.get(key)
    played = tuple(event["played"])
    opens = not match.opened.get(key, True) and event["meld"] and event["verdict"] == "legal" and played
    runs = [tuple(set_json["tiles"]) for set_json in event.get("sets", ()) if set_json["kind"] == "run"]
    longest = max((run for run in runs if set(run) & set(played)), key=len, default=())
    turn = StoryTurn(
        game=key[0],
        turn=key[1],
        seat=event["seat"],
        seconds=match.ran if known is None else known.seconds,
        verdict=event["verdict"],
        outcome=event["outcome"],
        faults=tuple(fault["message"] for fault in event["faults"]),
        played=played,
        before=event["before"],
        table=event["table"],
        frame_id=event["frame_id"],
        judged_at=event["at"],
        opened=match.opened.get(key, True),
        opening=event["meld"] if opens else None,
        longest_run=longest,
    )
    match.turns[key] = turn
    if len(match.turns) > MAX_TURNS:
        del match.turns[next(iter(match.turns))]


def _told(match: _Match) -> Story:
    turns = tuple(replace(match.turns[key], drew=match.drew.get(key, 0)) for key in sorted(match.turns))
    return Story(
        number=match.number,
        began_at=match.begun["at"],
        ended_at=match.ended_at,
        edition=match.begun["edition"],
        format=match.begun.get("format", "booklet"),
        names=match.names,
        games=match.games,
        turns=turns,
        players=tuple(_player(match, seat, name, turns) for seat, name in enumerate(match.names)),
    )


def _player(match: _Match, seat: int, name: str, all_turns: Sequence[StoryTurn]) -> PlayerStory:
    turns = [turn for turn in all_turns if turn.seat == seat]
    openings = []
    for turn in turns:
        if turn.opening is not None:
            own = sum(earlier.game == turn.game and earlier.turn <= turn.turn for earlier in turns)
            openings.append((turn.game, own, turn.opening))
    return PlayerStory(
        name=name,
        seat=seat,
        turns=len(turns),
        seconds=round(sum(turn.seconds for turn in turns), 1),
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
    )
