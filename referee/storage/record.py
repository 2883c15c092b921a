"""A match as a plain-text record: what each turn was, in the notation, for people and other programs to read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from referee.rules.formats import BOOKLET
from referee.storage.journal import Recorded
from referee.storage.plain_values import Plain

VERSION: Final = 1
_BY_NAME: Final = frozenset({"scores", "totals", "ranks", "banks"})
# Characters a value may not have between quotes or at a line's end.
_PLAIN: Final = str.maketrans({'"': "'", "\n": " ", "\r": " ", "\\": "/"})


def format_record(recorded: Recorded) -> str:
    """Write the record of a journal; `docs/game-record.md` describes every line."""
    return format_events(recorded.head, [event for entry in recorded.entries for event in entry.events])


def format_events(head: Mapping[str, Any], events: Sequence[Plain]) -> str:
    """Write the record of turn events; `head` may say the tournament, and which referee wrote it when."""
    records = (_record(head, match) for match in matches_in(events))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in records)


def matches_in(events: Sequence[Plain]) -> Iterator[Sequence[Plain]]:
    """Part the events of one evening into matches, each under its players' last names; before the first is nothing."""
    begins = [place for place, event in enumerate(events) if event["event"] == "game_started" and event["game"] == 1]
    if not begins:
        yield ()
        return
    for begin, end in zip(begins, [*begins[1:], len(events)], strict=True):
        yield _under_last_names(events[begin:end])


def _under_last_names(events: Sequence[Plain]) -> Sequence[Plain]:
    """Return the events of a match as if its players had been called all the time as they are at its end."""
    renamed = [event["names"] for event in events if event["event"] == "names_changed"]
    if not renamed:
        return events
    now, under_last_names = events[0]["names"], []
    for event in events:
        now = event.get("names", now)
        last = dict(zip(now, renamed[-1], strict=True))
        fresh: Plain = {"names": renamed[-1]} if "names" in event else {}
        for key in _BY_NAME.intersection(event):
            fresh[key] = {last[name]: number for name, number in event[key].items()}
        if "ranking" in event:
            fresh["ranking"] = [last[name] for name in event["ranking"]]
        under_last_names.append({**event, **fresh})
    return under_last_names


def _record(head: Mapping[str, Any], events: Sequence[Plain]) -> Iterator[str]:
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
        line = _LINES.get(event["event"])
        if line is not None:
            yield from line(event, players)


def _tag(name: str, value: object) -> str:
    return f'[{name} "{str(value).translate(_PLAIN)}"]'


def _turn(event: Plain) -> str:
    return f"{event['game']}.{event['turn']} {event['seat'] + 1}"


def _judged(event: Plain, _players: Mapping[str, int]) -> Iterator[str]:
    faults = ",".join(dict.fromkeys(fault["fault"] for fault in event["faults"])) or "-"
    meld = "-" if event["meld"] is None else event["meld"]
    verdict = event["verdict"] + ("" if event["stands"] else "!")
    played = " ".join(event["played"]) or "-"
    if event.get("by"):
        yield f"{_turn(event)} stands{_by(event)}"
    yield f"{_turn(event)} {verdict} {event['outcome']} {faults} {meld} | {played} | {event['table'] or '-'}"


def _named(event: Plain) -> str:
    return f"{_turn(event)} corrected {event['was'] or '-'} {event['tile'] or '-'}{_by(event)}"


def _rows_named(event: Plain) -> str:
    was, rows = (" / ".join(" ".join(row) for row in event[key]) for key in ("was", "rows"))
    return f"{_turn(event)} rows{_by(event)} | {was} | {rows}"


def _proposal_ended(event: Plain) -> str:
    answerer = "-" if event["answerer"] is None else event["answerer"] + 1
    return f"{_turn(event)} proposal of {event['proposer'] + 1} {event['reason']} {answerer}"


def _by(event: Plain) -> str:
    who = str(event["by"]).translate(_PLAIN).replace("|", "/")  # a bar parts what follows
    return f" by {who}" if who else ""


def _won(event: Plain) -> str:
    if event["reason"] == "blocked":
        return f"game {event['game']} blocked"
    return f"game {event['game']} won {event['seat'] + 1} {event['reason']}"


def _scores(event: Plain, players: Mapping[str, int]) -> Iterator[str]:
    points = " ".join(f"{players[name]}:{score:+d}" for name, score in event["scores"].items())
    yield f"game {event['game']} scores {points}"


def _game(event: Plain, _players: Mapping[str, int]) -> Iterator[str]:
    yield ""
    yield f"game {event['game']} starts {event['seat'] + 1}"


def _ranking(event: Plain, players: Mapping[str, int]) -> Iterator[str]:
    if not event["ranking"] or not players.keys() >= set(event["ranking"]):  # a match ended before its first game
        return
    yield ""
    yield f"ranking {' '.join(str(players[name]) for name in event['ranking'])}"
    if event.get("ranks"):  # journals from before there were ranks have none
        yield f"ranks {' '.join(f'{players[name]}:{rank}' for name, rank in event['ranks'].items())}"


Line = Callable[[Plain, Mapping[str, int]], Iterable[str]]


def _line(say: Callable[[Plain], str]) -> Line:
    return lambda event, _players: (say(event),)


_LINES: Final[Mapping[str, Line]] = MappingProxyType(
    {
        "game_started": _game,
        "judged": _judged,
        "tile_named": _line(_named),
        "tile_added": _line(lambda event: f"{_turn(event)} added {event['tile']}{_by(event)}"),
        "set_added": _line(lambda event: f"{_turn(event)} added_set {' '.join(event['tiles'])}{_by(event)}"),
        "rows_named": _line(_rows_named),
        "proposal_ended": _line(_proposal_ended),
        "time_given": _line(lambda event: f"{_turn(event)} clock {event['seconds_left']:g}{_by(event)}"),
        "drew": _line(lambda event: f"{_turn(event)} draws {event['tiles']} {event['reason']}"),
        "draw_taken_back": _line(lambda event: f"{_turn(event)} puts_back {event['tiles']}"),
        "time_over": _line(lambda event: f"{_turn(event)} time"),
        "restored": _line(lambda event: f"{_turn(event)} restored"),
        "turn_taken_back": _line(lambda event: f"{_turn(event)} undo"),
        "player_gone": _line(lambda event: f"player {event['left'] + 1} leaves"),
        "seats_changed": _line(lambda event: f"seats {' '.join(str(seat + 1) for seat in event['order'])}{_by(event)}"),
        "game_won": _line(_won),
        "rack_read": _line(
            lambda event: (
                f"game {event['game']} rack {event['owner'] + 1} {event['value']} | {' '.join(event['tiles'])}"
            )
        ),
        "game_scored": _scores,
        "match_over": _ranking,
    }
)
