"""Alerts for the arbiter, folded from the steps of a match."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from referee.game.event_parts import Reason
from referee.game.events import Judged, TurnEvent, TurnStarted
from referee.game.state import Match, Phase
from referee.rules.verdict import Illegal

DOUBT_SECONDS: Final = 20.0
RESTORE_SECONDS: Final = 60.0


class AlertKind(StrEnum):
    """The kinds of alert."""

    ILLEGAL_TWICE = "illegal_twice"
    DOUBT = "doubt"
    RESTORE = "restore"
    CAMERA = "camera"
    CALLED = "called"


@dataclass(frozen=True, slots=True)
class Alerts:
    """The open alerts, each with its start in match seconds, and how often this turn was illegal."""

    since: tuple[tuple[AlertKind, float], ...] = ()
    illegal: int = 0
    phase: Phase | None = None
    phase_since: float = 0.0
    called_at: float | None = None

    def call(self, at: float | None) -> "Alerts":
        """Return the alerts with the arbiter called at a time; None: the call is answered."""
        return replace(self, called_at=at)

    def follow(self, events: tuple[TurnEvent, ...], match: Match) -> "Alerts":
        """Return the alerts after one step of the match."""
        illegal = self.illegal
        for event in events:
            if isinstance(event, TurnStarted):
                illegal = 0
            elif isinstance(event, Judged) and isinstance(event.verdict, Illegal):
                illegal += 1
        at = match.now
        phase_since = at if match.phase is not self.phase else self.phase_since
        open_alerts = {
            AlertKind.ILLEGAL_TWICE: illegal >= 2,
            AlertKind.DOUBT: match.phase is Phase.DOUBT and at - phase_since >= DOUBT_SECONDS,
            AlertKind.RESTORE: match.phase is Phase.RESTORE and at - phase_since >= RESTORE_SECONDS,
            AlertKind.CAMERA: Reason.CAMERA in match.pauses.halted,
        }
        began = dict(self.since)
        since = tuple((kind, began.get(kind, at)) for kind, is_open in open_alerts.items() if is_open)
        return replace(self, since=since, illegal=illegal, phase=match.phase, phase_since=phase_since)

    def to_json(self) -> list[dict[str, object]]:
        """Return a list for JSON: `kind` and `since`, the longest waiting first."""
        called = () if self.called_at is None else ((AlertKind.CALLED, self.called_at),)
        ordered = sorted((*self.since, *called), key=lambda alert: alert[1])
        return [{"kind": kind.value, "since": round(since, 1)} for kind, since in ordered]
