"""A match as a plain-text record: what each turn was, in the notation, for people and other programs to read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from referee.storage.journal import Recorded
from referee.storage.plain import Plain

VERSION: Final = 1
# Characters a value may not have between quotes or at a line's end.
_PLAIN: Final = str.maketrans({'"': "'", "\n": " ", "\r": " ", "\\": "/"})


def format_record(recorded: Recorded) -> str:
    """Write the record of a journal; `docs/game-record.md` describes every line."""
    events = [event for entry in recorded.entries for event in entry.told]
    return "".join(f"{line}\n" for line in (*_head(recorded.head, events), *_body(events)))


def _head(head: Plain, events: list[Plain]) -> Iterator[str]:
    started = next((event for event in events if event["event"] == "game_started"), None)
    yield f'[Record "{VERSION}"]'
    for name in ("referee", "begun"):
        if name in head:
            yield f'[{name.capitalize()} "{str(head[name]).translate(_PLAIN)}"]'
    if started is not None:
        yield f'[Edition "{started["edition"]}"]'
        for number, name in enumerate(started["names"], start=1):
            yield f'[Player{number} "{name.translate(_PLAIN)}"]'


def _body(events: Iterable[Plain]) -> Iterator[str]:
    for event in events:
        line = _LINES.get(event["event"])
        if line is not None:
            yield from line(event)


def _turn(event: Plain) -> str:
    return f"{event['game']}.{event['turn']} {event['seat'] + 1}"


def _judged(event: Plain) -> Iterator[str]:
    faults = ",".join(dict.fromkeys(fault["fault"] for fault in event["faults"])) or "-"
    meld = "-" if event["meld"] is None else event["meld"]
    verdict = event["verdict"] + ("" if event["stands"] else "!")
    played = " ".join(event["played"]) or "-"
    yield f"{_turn(event)} {verdict} {event['outcome']} {faults} {meld} | {played} | {event['table'] or '-'}"


def _named(event: Plain) -> Iterator[str]:
    yield f"{_turn(event)} corrected {event['was'] or '-'} {event['tile'] or '-'}{_by(event)}"


def _by(event: Plain) -> str:
    said = str(event["by"]).translate(_PLAIN)
    return f" by {said}" if said else ""


def _game(event: Plain) -> Iterator[str]:
    yield ""
    yield f"game {event['game']} starts {event['seat'] + 1}"


_LINES: Final[Mapping[str, Callable[[Any], Iterator[str]]]] = MappingProxyType(
    {
        "game_started": _game,
        "judged": _judged,
        "drew": lambda event: iter([f"{_turn(event)} draws {event['tiles']} {event['reason']}"]),
        "time_over": lambda event: iter([f"{_turn(event)} time"]),
        "restored": lambda event: iter([f"{_turn(event)} restored"]),
        "turn_taken_back": lambda event: iter([f"{_turn(event)} undo"]),
        "tile_named": _named,
        "time_given": lambda event: iter([f"{_turn(event)} clock {event['seconds_left']:g}{_by(event)}"]),
        "player_gone": lambda event: iter([f"player {event['left'] + 1} leaves"]),
        "game_won": lambda event: iter(
            [
                f"game {event['game']} blocked"
                if event["reason"] == "blocked"
                else f"game {event['game']} won {event['seat'] + 1} {event['reason']}"
            ]
        ),
        "game_scored": lambda event: iter(
            [
                f"game {event['game']} scores "
                + ", ".join(f"{name} {score:+d}" for name, score in event["scores"].items())
            ]
        ),
        "match_over": lambda event: iter(["", f"ranking {', '.join(event['ranking'])}"]),
    }
)
