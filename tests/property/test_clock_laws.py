"""What holds for every kind of clock, whatever players and halts do to it."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game.clock import TimeControl
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    ClockSet,
    MatchStarted,
    Paused,
    Restarted,
    Resumed,
    Ticked,
    TurnEnded,
)
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.reading.observation import Layout, TableReading

CONTROLS = st.builds(
    TimeControl, st.one_of(st.none(), st.integers(0, 90)), st.integers(0, 600), keeps_unused=st.booleans()
)
KINDS = [
    pytest.param(0, 30, "bronstein", id="turn clock"),
    pytest.param(40, 0, "bronstein", id="bank alone"),
    pytest.param(40, 10, "bronstein", id="Bronstein"),
    pytest.param(40, 10, "fischer", id="Fischer"),
]
BARE = TableReading(frame_id="bare", at=0.0, tiles=(), layouts=(Layout((), (), 1.0),))
NAMES = ("Ann", "Ben", "Cem")
HALTS = {"pause": (Paused, Resumed), "camera": (CameraLost, CameraBack), "restart": (Restarted, Resumed)}


@settings(deadline=None)
@given(CONTROLS, st.floats(0, 600), st.lists(st.floats(0, 700), max_size=12))
def test_a_bank_never_grows_but_by_a_turns_seconds(control: TimeControl, bank: float, used: Sequence[float]) -> None:
    for seconds in used:
        limit = control.limit(bank)
        after = control.bank_after(bank, None if limit is None else max(0.0, limit - seconds))
        assert 0.0 <= after <= bank + (control.turn_seconds or 0.0 if control.keeps_unused else 0.0)
        if limit is not None:
            assert limit == pytest.approx(bank + (control.turn_seconds or 0.0))
            assert after >= bank - seconds - 1e-9, "nobody pays more than was used"
        bank = after


class Table:
    """A match at a bare table, where every turn ends with a draw; `banks` is what a plain sum says is left."""

    def __init__(self, bank: int, turn: int, kind: str) -> None:
        rules: dict[str, bool | int | str] = {"bank_seconds": bank, "turn_seconds": turn, "clock": kind, "pass_draw": 0}
        self.match, self.now = Match(), 0.0
        self.turn, self.kind = float(turn), kind
        self.banks = [float(bank)] * len(NAMES)
        self.enter(
            MatchStarted(
                at=Seconds(0.0),
                names=NAMES,
                edition="original",
                house_rules=tuple(rules.items()),
                limits=Limits(double_press_seconds=0.0, undo_seconds=0.0),
            )
        )

    def enter(self, entered: Input) -> None:
        self.match, _, _ = step(self.match, entered)

    def think(self, parts: Sequence[tuple[float, str | None, float]]) -> None:
        """Think in parts, each with a halt of so long after it, then press."""
        used, seat = 0.0, self.match.seat
        limit = self.banks[seat] + self.turn
        for seconds, halt, long in parts:
            used += seconds
            self.now += seconds
            self.enter(Ticked(Seconds(self.now)))
            if self.match.phase is not Phase.TURN:
                break
            if halt is not None:
                begins, ends = HALTS[halt]
                self.enter(begins(Seconds(self.now)))
                self.now += long
                self.enter(ends(Seconds(self.now)))
        if self.match.phase is Phase.TURN:
            self.enter(TurnEnded(Seconds(self.now)))
        self.now += 0.5
        self.enter(TableSettled(Seconds(self.now), Seconds(self.now), BARE))
        left = max(0.0, limit - used)
        self.banks[seat] = left if self.kind == "fischer" else min(self.banks[seat], left)


@pytest.mark.parametrize(("bank", "turn", "kind"), KINDS)
@settings(deadline=None)
@given(
    turns=st.lists(
        st.lists(
            st.tuples(st.floats(0.1, 30), st.sampled_from([None, *HALTS]), st.floats(0.1, 500)), min_size=1, max_size=3
        ),
        max_size=9,
    )
)
def test_only_who_is_to_move_loses_time_and_no_halt_costs_any(
    bank: int, turn: int, kind: str, turns: Sequence[Sequence[tuple[float, str | None, float]]]
) -> None:
    table = Table(bank, turn, kind)
    for number, parts in enumerate(turns, start=2):
        table.think(parts)
        assert (table.match.phase, table.match.turn) == (Phase.TURN, number)
        assert [player.bank for player in table.match.players] == pytest.approx(table.banks, abs=1e-6)
        limit = table.banks[table.match.seat] + turn
        assert table.match.play.clock.left_at(table.match.now) == pytest.approx(limit, abs=1e-6)


@settings(deadline=None)
@given(first=st.floats(1, 40), given_back=st.floats(50, 3000))
def test_time_that_is_given_stays_with_whom_it_was_given_to(first: float, given_back: float) -> None:
    table = Table(40, 10, "bronstein")
    table.now += first
    table.enter(ClockSet(Seconds(table.now), given_back))
    assert table.match.play.clock.left_at(table.match.now) == given_back
    table.enter(TurnEnded(Seconds(table.now)))
    table.now += 0.5
    table.enter(TableSettled(Seconds(table.now), Seconds(table.now), BARE))
    spent_beyond_the_turn = max(0.0, first - 10.0)
    given_to_the_bank = given_back - (50.0 - first)
    assert table.match.players[0].bank == pytest.approx(min(given_back, 40.0 + given_to_the_bank), abs=1e-6)
    assert table.match.players[0].bank <= given_back + spent_beyond_the_turn
    assert [player.bank for player in table.match.players[1:]] == [40.0, 40.0]
