"""Nobody at the table: a match waits for the first press, stops where a round runs out unseen, and begins anew."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.game.event_parts import Reason
from referee.game.events import ClockRuns, ClockStopped, GameStarted, TimeOver, TurnEvent
from referee.game.inputs import MatchEnded, MatchStarted, Paused, Restarted, Ticked
from referee.game.state import Match, Phase
from referee.hardware.ports import PlannedButton, Press, PressKind
from referee.reading.inputs import Input, Seconds, TableMoving, TableSettled
from referee.service.idle_detection import IdleDetection
from referee.service.loop import Loop
from referee.storage.journal import FileJournal, load_journal
from referee.storage.match_step import MatchStep

from .conftest import reading  # isort: skip

BEGUN = MatchStarted(at=Seconds(0.0), names=("Ann", "Ben", "Cem"), edition="original")
HALF = 0.5


class Evening:
    """A loop whose time passes at once, at a table that is looked at twice a second."""

    def __init__(self, folder: Path, *, begun: MatchStarted | None = BEGUN) -> None:
        self.told: list[TurnEvent] = []
        self.warned: list[str] = []
        self.path = folder / "match-00001.jsonl"
        self.journal = FileJournal(self.path)
        self.loop = Loop(Match(), self.journal, (self,), self.warned.append, idle_detection=IdleDetection(begun))
        self.at = 0.0

    def publish(self, step: MatchStep) -> None:
        self.told += step.events

    def enter(self, *entered: Input) -> None:
        for one in entered:
            self.at = max(self.at, one.at)
            self.loop.enter(one)

    def lie(self, table: str, seconds: float) -> None:
        """Nothing moves for so long over this table."""
        end = self.at + seconds
        self.enter(TableMoving(Seconds(self.at)))
        self.enter(TableSettled(Seconds(self.at), Seconds(self.at), reading(table, self.at)))
        while self.at < end:
            self.enter(Ticked(Seconds(self.at + HALF)))
            if self.loop.match.look_due is not None or self.loop.match.wants_fresh_look:
                self.enter(TableSettled(Seconds(self.at), Seconds(self.at), reading(table, self.at)))

    def press(self, kind: PressKind = PressKind.PRESS) -> None:
        self.at += 2.0
        self.loop.enter_presses(PlannedButton([Press(Seconds(self.at), kind)]), Seconds(self.at))

    def heard(self, kind: type) -> Sequence[TurnEvent]:
        return [event for event in self.told if isinstance(event, kind)]


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


def test_a_round_that_runs_out_before_nobody_ends_in_a_break(evening: Evening) -> None:
    evening.enter(BEGUN)
    evening.lie("", 3 * 61 + 5)
    assert len(evening.heard(TimeOver)) == 3
    assert evening.loop.match.pauses.halted == {Reason.PAUSE}
    assert evening.warned == ["nobody pressed or laid a tile for a whole round: a break; a press of the button goes on"]
    size, told = evening.path.stat().st_size, len(evening.told)
    evening.lie("", 8 * 3600)
    assert evening.path.stat().st_size - size < 2000
    assert len(evening.told) == told
    evening.press()
    assert isinstance(evening.told[-1], ClockRuns)
    assert not evening.loop.match.pauses.halted


def test_a_table_with_tiles_on_it_is_left_too(evening: Evening) -> None:
    evening.enter(BEGUN)
    evening.lie("R10 R11 R12", 5)
    evening.press()
    evening.lie("R10 R11 R12", 4 * 61)
    assert evening.loop.match.pauses.halted == {Reason.PAUSE}


def test_whoever_presses_or_plays_is_there(evening: Evening) -> None:
    evening.enter(BEGUN)
    evening.lie("", 2 * 61)  # Ann and Ben let their time run out
    evening.press()  # Cem presses
    evening.lie("", 2 * 61)
    assert not evening.loop.match.pauses.halted
    evening.lie("R10 R11 R12", 61)  # Cem again: laid, and forgot to press
    assert len(evening.heard(TimeOver)) == 5
    evening.lie("R10 R11 R12", 2 * 61)
    assert not evening.loop.match.pauses.halted
    evening.lie("R10 R11 R12", 61)
    assert evening.loop.match.pauses.halted == {Reason.PAUSE}


def test_in_a_break_nothing_is_written(evening: Evening) -> None:
    evening.enter(BEGUN, Paused(Seconds(0.5)))
    written = len(load_journal(evening.path).entries)
    for second in range(1, 3600):
        evening.enter(Ticked(Seconds(float(second))))
    assert len(load_journal(evening.path).entries) == written


def test_a_button_held_long_begins_the_next_match(evening: Evening) -> None:
    evening.enter(BEGUN, MatchEnded(Seconds(9.0)))
    evening.press()
    assert evening.loop.match.phase is Phase.MATCH_OVER
    evening.press(PressKind.LONG_HOLD)
    assert len(evening.heard(GameStarted)) == 2
    assert evening.loop.match.pauses.halted == {Reason.PAUSE}
    evening.press()
    assert not evening.loop.match.pauses.halted


def cut_short(evening: Evening, table: str) -> None:
    """Three tiles lie there when the plug is pulled, and when the referee is back there is this table."""
    evening.enter(BEGUN)
    evening.lie("R10 R11 R12", 5)
    evening.press()
    evening.lie("R10 R11 R12", 5)
    evening.enter(Restarted(Seconds(evening.at)))
    evening.lie(table, 3)
    assert Reason.RESTART in evening.loop.match.pauses.halted


def test_a_match_whose_table_was_cleared_is_given_up_by_a_button_held_long(evening: Evening) -> None:
    cut_short(evening, "")
    evening.press(PressKind.LONG_HOLD)
    assert len(evening.heard(GameStarted)) == 2
    assert evening.loop.match.pauses.halted == {Reason.PAUSE}
    assert (evening.loop.match.turn, evening.loop.match.turn_start.best.sets) == (1, ())


def test_a_match_whose_table_still_lies_there_is_not(evening: Evening) -> None:
    cut_short(evening, "R10 R11")
    evening.press(PressKind.LONG_HOLD)
    assert len(evening.heard(GameStarted)) == 1
    assert not evening.loop.match.pauses.halted  # a break held long is a break ended, as ever


def test_with_a_page_the_organiser_begins_matches(tmp_path: Path) -> None:
    evening = Evening(tmp_path, begun=None)
    evening.enter(BEGUN, MatchEnded(Seconds(9.0)))
    evening.press(PressKind.LONG_HOLD)
    assert evening.loop.match.phase is Phase.MATCH_OVER


def test_before_a_recording_nobody_is_missed(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    evening.loop = Loop(Match(), evening.journal, (evening,), evening.warned.append)
    evening.enter(BEGUN)
    evening.lie("", 5 * 61)
    assert len(evening.heard(TimeOver)) == 5
    assert not evening.heard(ClockStopped)
