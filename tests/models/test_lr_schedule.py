"""How fast training learns as it goes on, and when it ends."""

import time

import pytest

from models.training.train.lr_schedule import Pace


def test_the_rate_rises_to_its_highest_and_falls_to_nearly_nothing() -> None:
    pace = Pace(0.004, 100)
    rates = [pace.next_rate() for _ in range(100)]
    highest = rates.index(max(rates))
    assert highest == 15
    assert rates[highest] == pytest.approx(0.004, rel=1e-3)
    assert rates[:highest] == sorted(rates[:highest])
    assert rates[highest:] == sorted(rates[highest:], reverse=True)
    assert rates[-1] < 0.004 / 500
    assert pace.done == 1


def test_it_ends_with_its_minutes_where_the_steps_would_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pace = Pace(0.004, 10**6, minutes=2)
    pace.next_rate()
    assert pace.done == pytest.approx(1e-6)
    now += 117
    assert pace.done == pytest.approx(0.975)
    assert pace.next_rate() < 0.004 / 400
    now += 3
    assert pace.done == 1


def test_a_bar_hands_on_every_lesson() -> None:
    pace = Pace(0.004, 3)
    assert [(one, pace.next_rate() > 0) for one in pace.shown("abc", "training")] == [(one, True) for one in "abc"]
