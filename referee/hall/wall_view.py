"""The wall's view of the tables by role: no racks or pictures; doubts and penalties only for the staff."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from referee.hall.ledger import Ledger, match_of
from referee.hall.tables import HallTable, Tables
from referee.plain_json import JsonObject
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import say

_EVENT_KEYS: Final = (
    "event",
    "at",
    "seat",
    "turn",
    "verdict",
    "played",
    "tiles",
    "points",
    "needed",
    "seconds_left",
    "scores",
)


class Role(StrEnum):
    """A visitor's role."""

    ORGANISER = "organiser"
    ARBITER = "arbiter"
    DISPLAY = "display"
    GUEST = "guest"

    @property
    def can_decide(self) -> bool:
        """Whether this role may send commands to tables and enter penalties."""
        return self in {Role.ORGANISER, Role.ARBITER}

    @property
    def sees_live(self) -> bool:
        """Whether this role sees the tables without delay."""
        return self is not Role.GUEST


ROLES_WITH_PIN: Final = tuple(role for role in Role if role is not Role.GUEST)
"""The roles that need a PIN."""


def table_view(table: HallTable, ledger: Ledger, role: Role) -> dict[str, Any]:
    """Return one table as the wall shows it; times are seconds of the hall's clock."""
    match = table.state.get("match") or {}
    shown: dict[str, Any] = {
        "name": table.name,
        "online": table.online,
        "heard_at": round(table.heard_at, 1),
        "players": [_player(player) for player in match.get("players", ())],
        "seat": match.get("seat"),
        "phase": match.get("phase"),
        "halted": match.get("halted", []),
        "game": match.get("game"),
        "games": match.get("games"),
        "turn": match.get("turn"),
        "pool": match.get("pool"),
        "clock": _clock(table, match.get("clock") or {}),
        "verdict": _verdict(table, match),
        "ranks": match.get("ranks"),
        "events": table.events,
    }
    if not role.can_decide:
        return shown
    penalties = ledger.penalties_of(table.name)
    return shown | {
        "alerts": _alerts(table),
        "trouble": _link_problems(table),
        "missing": table.has_missing_events,
        "match": table.match,
        "page": _web_address(table.status.get("page")),
        "device": table.status.get("device"),
        "version": table.status.get("version"),
        "sets": (table.state.get("table") or {}).get("sets", []),
        "penalties": len(penalties),
    }


def wall_view(tables: Tables, ledger: Ledger, role: Role) -> list[dict[str, Any]]:
    """Return every table: those with alerts first, the oldest alert leading, then by name."""
    views = [table_view(table, ledger, role) for table in tables.values()]
    return sorted(views, key=_sort_key)


def _sort_key(shown: dict[str, Any]) -> tuple[Any, ...]:
    alerts = shown.get("alerts") or ()
    first = min((alert["since"] for alert in alerts), default=None)
    return (first is None, first or 0.0, natural_key(shown["name"]))


def natural_key(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Return a sort key that puts t2 before t10."""
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name))


def _player(player: JsonObject) -> dict[str, Any]:
    return {
        "name": player.get("name"),
        "tiles": player.get("rack"),
        "opened": player.get("opened"),
        "total": player.get("total"),
        "gone": player.get("gone"),
    }


def _clock(table: HallTable, clock: JsonObject) -> dict[str, Any]:
    return {
        "running": bool(clock.get("running")) and table.online,
        "left": clock.get("seconds_left"),
        "of": clock.get("of"),
    }


def _verdict(table: HallTable, match: JsonObject) -> dict[str, Any] | None:
    """Return the last judgement: from an event newer than the state, else from the state."""
    judgement, judged = match.get("verdict"), table.judged
    if judged is not None and judged.match == table.match and judged.number >= int(table.state.get("seq", 0)):
        judgement = judged.event
    if not isinstance(judgement, dict):
        return None
    faults = judgement.get("faults") or ()
    return {
        "verdict": judgement.get("verdict"),
        "outcome": judgement.get("outcome"),
        "seat": judgement.get("seat"),
        "turn": judgement.get("turn"),
        "stands": judgement.get("stands"),
        "faults": [_message(fault) for fault in faults if isinstance(fault, dict)],
    }


def _message(fault: JsonObject) -> JsonObject:
    return {key: fault[key] for key in ("message", "message_id", "values") if key in fault}


def _alerts(table: HallTable) -> list[dict[str, Any]]:
    """Return the alerts with `since` in seconds of the hall's clock; tables send seconds of their match."""
    at = table.state.get("at")
    offset = table.heard_at - float(at) if isinstance(at, int | float) else 0.0
    return [
        {"kind": str(alert["kind"]), "since": round(float(alert.get("since", 0.0)) + offset, 1)}
        for alert in table.alerts
    ]


def _link_problems(table: HallTable) -> list[JsonObject]:
    """Return a message for each problem of the link to a table."""
    found = []
    if table.rival:
        found.append(
            say(
                "hall.trouble.rival",
                "another device used this table's name: {device}; give one of them another name",
                device=table.rival,
            )
        )
    if not table.online:
        found.append(
            say("hall.trouble.gone", "the table is not linked, or has gone to another hall; it referees on its own")
        )
    if table.health.get("clock_synchronised") is False:
        found.append(
            say(
                "hall.trouble.clock",
                "the table's clock is not set: the dates in its journals are wrong, its results are not",
            )
        )
    return [message_to_json(message) for message in found]


def event_view(event: JsonObject) -> JsonObject:
    """Return the parts of a table's event that the wall shows; the page translates them."""
    shown = {key: event[key] for key in _EVENT_KEYS if event.get(key) not in (None, "", [], {})}
    if "faults" in event:
        shown["faults"] = [_message(fault) for fault in event["faults"] if isinstance(fault, dict)]
    return shown


def result_views(ledger: Ledger) -> Iterable[dict[str, Any]]:
    """Yield every result: as reported, as it counts, and its corrections."""
    for result in ledger.results:
        corrections = [
            {key: entry[key] for key in ("by", "wall", "scores", "reason")} for entry in result["corrections"]
        ]
        players = [player["name"] for player in result["result"]["players"]]
        totals = [player["total"] for player in result["result"]["players"]]
        yield {
            "table": result["table"],
            "match": match_of(result["result"]),
            "journal": result["result"]["journal"],
            "sha256": result["result"].get("sha256"),
            "wall": result["wall"],
            "players": players,
            "told": totals,
            "scores": corrections[-1]["scores"] if corrections else totals,
            "ranks": result["result"].get("ranks"),
            "corrections": corrections,
        }


def _web_address(reported: Any) -> str | None:
    """Return a reported address if it is a web address; a table can send anything."""
    return reported if isinstance(reported, str) and reported.startswith(("http://", "https://")) else None
