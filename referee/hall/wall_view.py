"""The wall's view of the tables by role: no racks or pictures; doubts and penalties only for the staff."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from msgspec import to_builtins

from referee.hall.ledger import Ledger
from referee.hall.messages import Judgement, MatchState, Player, Record, ToldEvent, TurnClock
from referee.hall.tables import HallTable, Tables
from referee.plain_json import JsonObject
from referee.rules.verdict_json import message_to_json
from referee.rules.wording import say

_NO_MATCH: Final = MatchState()
_NO_CLOCK: Final = TurnClock()
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
    match = table.state.match or _NO_MATCH
    shown: dict[str, Any] = {
        "name": table.name,
        "online": table.online,
        "silent": table.is_silent,
        "heard_at": round(table.heard_at, 1),
        "players": [_player(player) for player in match.players],
        "seat": match.seat,
        "phase": match.phase,
        "halted": list(match.halted),
        "game": match.game,
        "games": match.games,
        "turn": match.turn,
        "pool": match.pool,
        "clock": _clock(table, match.clock or _NO_CLOCK),
        "verdict": _verdict(table, match),
        "ranks": match.ranks and list(match.ranks),
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
        "match_id": match.id,
        "page": table.status.web_address,
        "device": table.status.device,
        "version": table.status.version,
        "sets": list(map(list, table.state.table.sets)) if table.state.table else [],
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


def _player(player: Player) -> dict[str, Any]:
    return {
        "name": player.name,
        "tiles": player.rack,
        "opened": player.opened,
        "total": player.total,
        "gone": player.gone,
    }


def _clock(table: HallTable, clock: TurnClock) -> dict[str, Any]:
    return {"running": clock.running and table.online, "left": clock.seconds_left, "of": clock.of}


def _verdict(table: HallTable, match: MatchState) -> dict[str, Any] | None:
    """Return the last judgement: from an event newer than the state, else from the state."""
    judgement, judged = match.verdict, table.judged
    if judged is not None and judged.match == table.match and judged.number >= table.state.seq:
        judgement = judged.told
    if judgement is None:
        return None
    return {
        "verdict": judgement.verdict,
        "outcome": judgement.outcome,
        "seat": judgement.seat,
        "turn": judgement.turn,
        "stands": judgement.stands,
        "faults": _messages(judgement),
    }


def _messages(judgement: Judgement) -> list[JsonObject]:
    return [_said(fault, ("message", "message_id", "values")) for fault in judgement.faults]


def _said(record: Record, keys: Iterable[str]) -> JsonObject:
    """Return these fields of a record where they say something."""
    values = {key: to_builtins(getattr(record, key)) for key in keys}
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def _alerts(table: HallTable) -> list[dict[str, Any]]:
    """Return the alerts with `since` in seconds of the hall's clock; tables send seconds of their match."""
    offset = table.heard_at - table.state.at
    return [{"kind": alert.kind, "since": round(alert.since + offset, 1)} for alert in table.alerts]


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
    if table.unreadable:
        found.append(
            say(
                "hall.trouble.unreadable",
                "{table} sends what I cannot read ({count} so far); update table and hall to one version",
                table=table.name,
                count=table.unreadable,
            )
        )
    if table.is_silent:
        found.append(
            say(
                "hall.trouble.silent",
                "nothing has come from the table for over a minute; look at its power and network",
            )
        )
    if not table.is_linked:
        found.append(
            say("hall.trouble.gone", "the table is not linked, or has gone to another hall; it referees on its own")
        )
    if table.health.clock_synchronised is False:
        found.append(
            say(
                "hall.trouble.clock",
                "the table's clock is not set: the dates in its journals are wrong, its results are not",
            )
        )
    return [message_to_json(message) for message in found]


def event_view(event: ToldEvent) -> JsonObject:
    """Return the parts of a table's event that the wall shows; the page translates them."""
    shown = _said(event, _EVENT_KEYS)
    return {**shown, "faults": _messages(event)} if event.faults else shown


def result_views(ledger: Ledger) -> Iterable[dict[str, Any]]:
    """Yield every result: as reported, as it counts, and its corrections."""
    for result in ledger.results:
        told = result.told
        yield {
            "table": result.table,
            "match": result.match,
            "journal": told.journal,
            "sha256": told.sha256,
            "wall": result.wall,
            "players": [player.name for player in told.players],
            "told": list(told.totals),
            "scores": list(result.scores),
            "ranks": told.ranks and list(told.ranks),
            "corrections": [
                {"by": entry.by, "wall": entry.wall, "scores": list(entry.scores), "reason": entry.reason}
                for entry in result.corrections
            ],
        }
