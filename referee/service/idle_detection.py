"""Idle detection: whether anybody is there, and a new match for those who come.

A Raspberry Pi is switched on before anybody sits down, and often left on when all have gone to bed. So with a button a
match begins in a break, and a press begins its first turn; where a whole round of turns ran out without a press or a
tile, there is a break again, for else a clock that nobody hears would run and sound all night. After a match, or where
one was cut short and its table has been cleared since, a button held long begins a new one; with a page that is the
organiser's to say.
"""

from dataclasses import dataclass, replace

from referee.game.event_parts import Reason
from referee.game.events import Judged, TimeOver, TurnEvent
from referee.game.inputs import (
    CameraBack,
    CameraBumped,
    CameraLost,
    Input,
    MatchEnded,
    MatchStarted,
    Paused,
    TableMoving,
    TableSettled,
    TableStill,
    Ticked,
)
from referee.game.state import Match, Phase
from referee.ports import Press, PressKind
from referee.rules.verdict import Outcome

_NOBODY = (Ticked, TableStill, TableMoving, TableSettled, CameraLost, CameraBack, CameraBumped)
"""What is entered where nobody is there, too."""


@dataclass(slots=True)
class IdleDetection:
    """Holds the match that a button begins (None: none), and counts turns in a row that nobody played."""

    begun: MatchStarted | None
    unattended: int = 0

    def meaning(self, press: Press, match: Match) -> tuple[Input, ...] | None:
        """Return what a button held long begins where no match can go on; None where a press means the usual."""
        if self.begun is None or press.kind is not PressKind.LONG_HOLD:
            return None
        fresh = (replace(self.begun, at=press.at), Paused(press.at))
        if match.phase is Phase.MATCH_OVER:
            return fresh
        cut_short = Reason.RESTART in match.pauses.halted and _cleared(match)
        return (MatchEnded(press.at), *fresh) if cut_short else None

    def follows(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> Paused | None:
        """Return the break that follows where nobody pressed or laid a tile for a whole round of turns."""
        if not isinstance(entered, _NOBODY) or any(_played(event) for event in events):
            self.unattended = 0
        self.unattended += sum(isinstance(event, TimeOver) for event in events)
        if match.pauses.halted or match.phase is not Phase.TURN or self.unattended < len(match.present):
            return None
        self.unattended = 0
        return Paused(entered.at)


def _cleared(match: Match) -> bool:
    """Return whether no tile is left on the table: then the game that was cut short cannot go on."""
    return match.table.current is not None and not match.table.current.hypotheses.best.sets


def _played(event: TurnEvent) -> bool:
    return isinstance(event, Judged) and event.verdict.outcome is Outcome.PLAYED
