"""Idle detection: pausing a match that nobody plays, and starting a new one by button.

A Raspberry Pi is switched on before anybody sits down, and often left on overnight. So with a button, a match begins
paused, and a press starts its first turn. If a whole round of turns runs out without a press or a tile, the match is
paused again; otherwise its clock would run and sound all night. After a match, or if one was cut short and its table
has been cleared, a long hold begins a new match; with a page, the organiser does that.
"""

from dataclasses import dataclass, replace

from referee.game.event_parts import Reason
from referee.game.events import Judged, TimeOver, TurnEvent
from referee.game.inputs import UNATTENDED_INPUTS, MatchEnded, MatchStarted, Paused
from referee.game.state import Match, Phase
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import Input
from referee.rules.verdict import Outcome


@dataclass(slots=True)
class IdleDetection:
    """Holds the match that a long hold begins, if any, and counts consecutive turns that nobody played."""

    new_match: MatchStarted | None
    unattended: int = 0

    def meaning(self, press: Press, match: Match) -> tuple[Input, ...] | None:
        """Return the inputs of a long hold if no match can go on; None if the press has its usual meaning."""
        if self.new_match is None or press.kind is not PressKind.LONG_HOLD:
            return None
        fresh = (replace(self.new_match, at=press.at), Paused(press.at))
        if match.phase is Phase.MATCH_OVER:
            return fresh
        cut_short = Reason.RESTART in match.pauses.halted and _cleared(match)
        return (MatchEnded(press.at), *fresh) if cut_short else None

    def pause_if_idle(self, entered: Input, events: tuple[TurnEvent, ...], match: Match) -> Paused | None:
        """Return a pause if nobody pressed or laid a tile for a whole round of turns."""
        if not isinstance(entered, UNATTENDED_INPUTS) or any(_played(event) for event in events):
            self.unattended = 0
        self.unattended += sum(isinstance(event, TimeOver) for event in events)
        if match.pauses.halted or match.phase is not Phase.TURN or self.unattended < len(match.present):
            return None
        self.unattended = 0
        return Paused(entered.at)


def _cleared(match: Match) -> bool:
    """Return whether the table is empty, so that a game cut short cannot go on."""
    return match.table.current is not None and not match.table.current.hypotheses.best.sets


def _played(event: TurnEvent) -> bool:
    return isinstance(event, Judged) and event.verdict.outcome is Outcome.PLAYED
