"""A match as a plain-text record: every turn in the notation, readable by people and programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from referee.game.correction_events import ProposalEnded, RowsNamed, SetAdded, TileAdded, TileNamed
from referee.game.event_parts import Reason
from referee.game.events import (
    DrawTakenBack,
    Drew,
    GameScored,
    GameStarted,
    GameWon,
    Judged,
    MatchOver,
    NamesChanged,
    PlayerGone,
    RackRead,
    Restored,
    SeatsChanged,
    TimeGiven,
    TimeOver,
    TurnEvent,
    TurnTakenBack,
)
from referee.rules.formats import BOOKLET
from referee.rules.notation import format_table, format_tiles
from referee.rules.table import TileSet
from referee.rules.verdict import VERDICT_NAMES
from referee.storage.journal import RecordedMatch
from referee.storage.json_codec import events_from_json

VERSION: Final = 1
# Characters that quoted values may not contain.
_UNQUOTED: Final = str.maketrans({'"': "'", "\n": " ", "\r": " ", "\\": "/"})


def format_record(recorded: RecordedMatch) -> str:
    """Return the record of a journal; `docs/game-record.md` describes every line."""
    events = events_from_json(event for entry in recorded.entries for event in entry.events)
    return format_events(recorded.head, tuple(events))


def format_events(head: Mapping[str, Any], events: Sequence[TurnEvent]) -> str:
    """Return the record of turn events; `head` may name tournament, round, table, program version and start."""
    records = (_record(head, match) for match in split_matches(events))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in records)


def split_matches(events: Sequence[TurnEvent]) -> Iterator[Sequence[TurnEvent]]:
    """Split an evening's events into matches with their players' last names; one empty match if none began."""
    begins = [place for place, event in enumerate(events) if isinstance(event, GameStarted) and event.game == 1]
    if not begins:
        yield ()
        return
    for begin, end in zip(begins, [*begins[1:], len(events)], strict=True):
        yield _with_last_names(events[begin:end])


def _with_last_names(events: Sequence[TurnEvent]) -> Sequence[TurnEvent]:
    """Return the events of a match with the players' last names throughout."""
    renamed = [event.names for event in events if isinstance(event, NamesChanged)]
    if not renamed:
        return events
    last, under_last_names = dict[str, str](), []
    for event in events:
        if isinstance(event, GameStarted | NamesChanged):
            last = dict(zip(event.names, renamed[-1], strict=True))
        under_last_names.append(_renamed(event, last))
    return under_last_names


def _renamed(event: TurnEvent, last: Mapping[str, str]) -> TurnEvent:
    match event:
        case GameStarted() | NamesChanged():
            return replace(event, names=tuple(last.values()))
        case GameScored():
            return replace(event, scores=_under(last, event.scores), totals=_under(last, event.totals))
        case MatchOver():
            ranking = tuple(last[name] for name in event.ranking)
            return replace(event, ranking=ranking, ranks=_under(last, event.ranks), totals=_under(last, event.totals))
        case _:
            return event


def _under(last: Mapping[str, str], numbers: Mapping[str, int]) -> Mapping[str, int]:
    return {last[name]: number for name, number in numbers.items()}


def _record(head: Mapping[str, Any], events: Sequence[TurnEvent]) -> Iterator[str]:
    yield f'[Record "{VERSION}"]'
    for name in ("event", "round", "table", "referee", "begun"):
        if name in head:
            yield _tag(name.capitalize(), head[name])
    if not events or not isinstance(started := events[0], GameStarted):
        return
    yield _tag("Edition", started.edition)
    if started.format != BOOKLET:
        yield _tag("Format", started.format)
    yield from (_tag("House", f"{key} {value}") for key, value in started.house_rules.items())
    yield from (_tag(f"Player{number}", name) for number, name in enumerate(started.names, start=1))
    players = {name: number for number, name in enumerate(started.names, start=1)}
    for event in events:
        yield from _lines(event, players)


def _tag(name: str, value: object) -> str:
    return f'[{name} "{str(value).translate(_UNQUOTED)}"]'


def _lines(event: TurnEvent, players: Mapping[str, int]) -> Iterator[str]:
    match event:
        case GameStarted():
            yield from ("", f"game {event.game} starts {event.seat + 1}")
        case GameWon(reason=Reason.BLOCKED):
            yield f"game {event.game} blocked"
        case GameWon():
            yield f"game {event.game} won {event.seat + 1} {event.reason}"
        case RackRead():
            yield f"game {event.game} rack {event.owner + 1} {event.value} | {format_tiles(event.tiles)}"
        case GameScored():
            points = " ".join(f"{players[name]}:{score:+d}" for name, score in event.scores.items())
            yield f"game {event.game} scores {points}"
        case MatchOver():
            yield from _ranking(event, players)
        case PlayerGone():
            yield f"player {event.left + 1} leaves"
        case SeatsChanged():
            yield f"seats {' '.join(str(seat + 1) for seat in event.order)}{_author(event.by)}"
        case _:
            yield from (f"{event.game}.{event.turn} {event.seat + 1} {note}" for note in _notes(event))


def _notes(event: TurnEvent) -> Iterator[str]:
    """Yield the rest of the lines that begin with their turn."""
    match event:
        case Judged():
            yield from _judged(event)
        case TimeGiven():
            yield f"clock {event.seconds_left:g}{_author(event.by)}"
        case Drew():
            yield f"draws {event.tiles} {event.reason}"
        case DrawTakenBack():
            yield f"puts_back {event.tiles}"
        case TimeOver() | Restored() | TurnTakenBack():
            yield {"time_over": "time", "turn_taken_back": "undo"}.get(event.name, event.name)
        case _:
            yield from _said(event)


def _said(event: TurnEvent) -> Iterator[str]:
    """Yield what people said of tiles and rows."""
    match event:
        case TileNamed():
            yield f"corrected {event.was or '-'} {event.tile or '-'}{_author(event.by)}"
        case TileAdded():
            yield f"added {event.tile}{_author(event.by)}"
        case SetAdded():
            yield f"added_set {format_tiles(event.tiles)}{_author(event.by)}"
        case RowsNamed():
            yield f"rows{_author(event.by)} | {_rows(event.was)} | {_rows(event.rows)}"
        case ProposalEnded():
            answerer = "-" if event.answerer is None else event.answerer + 1
            yield f"proposal of {event.proposer + 1} {event.reason} {answerer}"
        case _:
            pass


def _judged(event: Judged) -> Iterator[str]:
    verdict = event.verdict
    faults = ",".join(dict.fromkeys(violation.fault for violation in verdict.violations)) or "-"
    meld = "-" if verdict.meld is None else verdict.meld
    name = VERDICT_NAMES[type(verdict)] + ("" if event.stands else "!")
    played, table = format_tiles(verdict.played) or "-", format_table(event.table) or "-"
    if event.by:
        yield f"stands{_author(event.by)}"
    yield f"{name} {verdict.outcome} {faults} {meld} | {played} | {table}"


def _rows(rows: Iterable[TileSet]) -> str:
    return " / ".join(map(format_tiles, rows))


def _author(by: str) -> str:
    who = by.translate(_UNQUOTED).replace("|", "/")  # a bar separates the parts of the line
    return f" by {who}" if who else ""


def _ranking(event: MatchOver, players: Mapping[str, int]) -> Iterator[str]:
    if not event.ranking or not players.keys() >= set(event.ranking):  # the match ended before its first game
        return
    yield ""
    yield f"ranking {' '.join(str(players[name]) for name in event.ranking)}"
    if event.ranks:  # old journals have no ranks
        yield f"ranks {' '.join(f'{players[name]}:{rank}' for name, rank in event.ranks.items())}"
