"""Mock pins, and waiting for what another thread does."""

import time
from collections.abc import Callable, Iterator

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin
from hypothesis import settings

settings.register_profile("no haste", deadline=None)  # a busy machine is no fault of what is tested
settings.load_profile("no haste")


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    """The pins of a Raspberry Pi that is not there."""
    before = gpiozero.Device.pin_factory
    factory = MockFactory(pin_class=MockPWMPin)
    gpiozero.Device.pin_factory = factory
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    yield factory
    factory.reset()
    gpiozero.Device.pin_factory = before


def comes_true(true: Callable[[], object], seconds: float = 20.0) -> bool:
    """Wait until something holds, if it does in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)
    return True
