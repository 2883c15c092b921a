"""A match as a plain-text record: every turn in the notation, readable by people and programs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from referee.rules.formats import BOOKLET
from referee.storage.dataclass_codec import JsonValue
from referee.storage.journal import RecordedMatch

VERSION: Final = 1
_KEYS_BY_PLAYER: Final = frozenset({"scores", "totals", "ranks", "banks"})
# Characters that quoted values may not contain.
_UNQUOTED: Final = str.maketrans({'"': "'", "\n": " ", "\r": " ", "\\": "/"})


def format_record(recorded: RecordedMatch) -> str:
    """Return the record of a journal; `docs/game-record.md` describes every line."""
    return format_events(recorded.head, [event for entry in recorded.entries for event in entry.events])


def format_events(head: Mapping[str, Any], events: Sequence[JsonValue]) -> str:
    """Return the record of turn events; `head` may name tournament, round, table, program version and start."""
    records = (_record(head, match) for match in split_matches(events))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in records)


def split_matches(events: Sequence[JsonValue]) -> Iterator[Sequence[JsonValue]]:
    """Split an evening's events into matches with their players' last names; one empty match if none began."""
    begins = [place for place, event in enumerate(events) if event["event"] == "game_started" and event["game"] == 1]
    if not begins:
        yield ()
        return
    for begin, end in zip(begins, [*begins[1:], len(events)], strict=True):
        yield _with_last_names(events[begin:end])


def _with_last_names(events: Sequence[JsonValue]) -> Sequence[JsonValue]:
    """Return the events of a match with the players' last names throughout."""
    renamed = [event["names"] for event in events if event["event"] == "names_changed"]
    if not renamed:
        return events
    now, under_last_names = events[0]["names"], []
    for event in events:
        now = event.get("names", now)
        last = dict(zip(now, renamed[-1], strict=True))
        fresh: JsonValue = {"names": renamed[-1]} if "names" in event else {}
        for key in _KEYS_BY_PLAYER.intersection(event):
            fresh[key] = {last[name]: number for name, number in event[key].items()}
        if "ranking" in event:
            fresh["ranking"] = [last[name] for name in event["ranking"]]
        under_last_names.append({**event, **fresh})
    return under_last_names


def _record(head: Mapping[str, Any], events: Sequence[JsonValue]) -> Iterator[str]:
    yield f'[Record "{VERSION}"]'
    for name in ("event", "round", "table", "referee", "begun"):
        if name in head:
            yield _tag(name.capitalize(), head[name])
    if not events:
        return
    started = events[0]
    yield _tag("Edition", started["edition"])
    if started.get("format", BOOKLET) != BOOKLET:
        yield _tag("Format", started["format"])
    yield from (_tag("House", f"{key} {value}") for key, value in started.get("house_rules", {}).items())
    yield from (_tag(f"Player{number}", name) for number, name in enumerate(started["names"], start=1))
    players = {name: number for number, name in enumerate(started["names"], start=1)}
    for event in events:
        line = _LINE_WRITERS.get(event["event"])
        if line is not None:
            yield from line(event, players)


def _tag(name: str, value: object) -> str:
    return f'[{name} "{str(value).translate(_UNQUOTED)}"]'


def _turn(event: JsonValue) -> str:
    return f"{event['game']}.{event['turn']} {event['seat'] + 1}"


def _judged(event: JsonValue, _players: Mapping[str, int]) -> Iterator[str]:
    faults = ",".join(dict.fromkeys(fault["fault"] for fault in event["faults"])) or "-"
    meld = "-" if event["meld"] is None else event["meld"]
    verdict = event["verdict"] + ("" if event["stands"] else "!")
    played = " ".join(event["played"]) or "-"
    if event.get("by"):
        yield f"{_turn(event)} stands{_author(event)}"
    yield f"{_turn(event)} {verdict} {event['outcome']} {faults} {meld} | {played} | {event['table'] or '-'}"


def _correction(event: JsonValue) -> str:
    return f"{_turn(event)} corrected {event['was'] or '-'} {event['tile'] or '-'}{_author(event)}"


def _rows_named(event: JsonValue) -> str:
    was, rows = (" / ".join(" ".join(row) for row in event[key]) for key in ("was", "rows"))
    return f"{_turn(event)} rows{_author(event)} | {was} | {rows}"


def _proposal_ended(event: JsonValue) -> str:
    answerer = "-" if event["answerer"] is None else event["answerer"] + 1
    return f"{_turn(event)} proposal of {event['proposer'] + 1} {event['reason']} {answerer}"


def _author(event: JsonValue) -> str:
    who = str(event["by"]).translate(_UNQUOTED).replace("|", "/")  # a bar separates the parts of the line
    return f" by {who}" if who else ""


def _winner(event: JsonValue) -> str:
    if event["reason"] == "blocked":
        return f"game {event['game']} blocked"
    return f"game {event['game']} won {event['seat'] + 1} {event['reason']}"


def _scores(event: JsonValue, players: Mapping[str, int]) -> Iterator[str]:
    points = " ".join(f"{players[name]}:{score:+d}" for name, score in event["scores"].items())
    yield f"game {event['game']} scores {points}"


def _game(event: JsonValue, _players: Mapping[str, int]) -> Iterator[str]:
    yield ""
    yield f"game {event['game']} starts {event['seat'] + 1}"


def _ranking(event: JsonValue, players: Mapping[str, int]) -> Iterator[str]:
    if not event["ranking"] or not players.keys() >= set(event["ranking"]):  # the match ended before its first game
        return
    yield ""
    yield f"ranking {' '.join(str(players[name]) for name in event['ranking'])}"
    if event.get("ranks"):  # old journals have no ranks
        yield f"ranks {' '.join(f'{players[name]}:{rank}' for name, rank in event['ranks'].items())}"


LineWriter = Callable[[JsonValue, Mapping[str, int]], Iterable[str]]


def _single_line(say: Callable[[JsonValue], str]) -> LineWriter:
    return lambda event, _players: (say(event),)


_LINE_WRITERS: Final[Mapping[str, LineWriter]] = MappingProxyType(
    {
        "game_started": _game,
        "judged": _judged,
        "tile_named": _single_line(_correction),
        "tile_added": _single_line(lambda event: f"{_turn(event)} added {event['tile']}{_author(event)}"),
        "set_added": _single_line(lambda event: f"{_turn(event)} added_set {' '.join(event['tiles'])}{_author(event)}"),
        "rows_named": _single_line(_rows_named),
        "proposal_ended": _single_line(_proposal_ended),
        "time_given": _single_line(lambda event: f"{_turn(event)} clock {event['seconds_left']:g}{_author(event)}"),
        "drew": _single_line(lambda event: f"{_turn(event)} draws {event['tiles']} {event['reason']}"),
        "draw_taken_back": _single_line(lambda event: f"{_turn(event)} puts_back {event['tiles']}"),
        "time_over": _single_line(lambda event: f"{_turn(event)} time"),
        "restored": _single_line(lambda event: f"{_turn(event)} restored"),
        "turn_taken_back": _single_line(lambda event: f"{_turn(event)} undo"),
        "player_gone": _single_line(lambda event: f"player {event['left'] + 1} leaves"),
        "seats_changed": _single_line(
            lambda event: f"seats {' '.join(str(seat + 1) for seat in event['order'])}{_author(event)}"
        ),
        "game_won": _single_line(_winner),
        "rack_read": _single_line(
            lambda event: (
                f"game {event['game']} rack {event['owner'] + 1} {event['value']} | {' '.join(event['tiles'])}"
            )
        ),
        "game_scored": _scores,
        "match_over": _ranking,
    }
)
