"""The clock of a turn: what is left of it, whether it runs or stands."""

import pytest

from referee.game.clock import TurnClock
from referee.reading.inputs import Seconds


@pytest.mark.parametrize(
    ("clock", "at", "left"),
    [
        pytest.param(TurnClock(60.0, Seconds(10.0)), 25.0, 45.0, id="it runs"),
        pytest.param(TurnClock(60.0, Seconds(10.0)), 70.0, 0.0, id="to its end"),
        pytest.param(TurnClock(60.0, Seconds(10.0)), 99.0, 0.0, id="and nobody owes time"),
        pytest.param(TurnClock(60.0, Seconds(10.0)), 9.0, 60.0, id="asked of a time before, nobody is given any"),
        pytest.param(TurnClock(60.0), 99.0, 60.0, id="it stands"),
        pytest.param(TurnClock(), 99.0, None, id="turns are not timed"),
    ],
)
def test_what_is_left(clock: TurnClock, at: float, left: float | None) -> None:
    assert clock.left_at(Seconds(at)) == left
    assert clock.stopped(Seconds(at)) == TurnClock(left)
    assert clock.running(Seconds(at)) == TurnClock(left, Seconds(at))


@pytest.mark.parametrize(
    ("clock", "seconds_left", "due"),
    [
        pytest.param(TurnClock(60.0, Seconds(10.0)), 15.0, 55.0, id="when 15 s will be left"),
        pytest.param(TurnClock(60.0, Seconds(10.0)), 0.0, 70.0, id="when none will"),
        pytest.param(TurnClock(10.0, Seconds(10.0)), 15.0, 10.0, id="at once if it is less already"),
        pytest.param(TurnClock(60.0), 15.0, None, id="never while it stands"),
        pytest.param(TurnClock(None, Seconds(10.0)), 15.0, None, id="never where turns are not timed"),
    ],
)
def test_when_so_much_will_be_left(clock: TurnClock, seconds_left: float, due: float | None) -> None:
    assert clock.time_of(seconds_left) == due
