"""Mock pins, a browser, and waiting for what another thread does."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin
from hypothesis import HealthCheck, settings

from referee.cli.main import main

# A busy machine is no fault of what is tested.
settings.register_profile("all", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "few", settings.get_profile("all"), max_examples=settings.get_profile("all").max_examples // 4
)
settings.load_profile("all")
# Who starts the tests may have these ignored, and every program they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The shell without windows takes half of the processor's time that the browser takes.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Two workers for each processor, where each has its 1.5 GB: half of their time they wait, as for a clock."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)) * 2, memory // 1_500_000_000))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put folders of long files first: no worker is left with one at the end, and a browser serves file after file."""
    first = ("tests/page/browser/", "tests/hall/", "tests/matches/", "tests/service/", "tests/page/", "tests/vision/")
    places = {folder: place for place, folder in enumerate(first)}
    items.sort(key=lambda item: min((places[one] for one in first if item.nodeid.startswith(one)), default=len(first)))


PATIENCE_SECONDS = 180.0
"""How long to wait for what must come; it measures nothing, so that a busy machine fails no test."""


def expect(part: Any, message: str | None = None) -> Any:
    """Give what must hold of a part of a page, which is asked until it holds: the page may draw it in a moment."""
    from playwright.sync_api import expect  # noqa: PLC0415 - the tests of a page need it alone

    expect.set_options(timeout=1000 * PATIENCE_SECONDS)
    return expect(part, message)


@contextmanager
def run_chromium(*switches: str) -> Iterator[Any]:
    """Give a real browser; while it runs nothing else in the process may run an asyncio loop."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("needs Debian's chromium: apt install chromium-headless-shell")
    with sync_api.sync_playwright() as driver, tempfile.TemporaryDirectory(prefix="referee-browser-") as home:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=(*SWITCHES, *switches), env={"HOME": home})
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser for the tests of a module."""
    with run_chromium() as browser:
        yield browser


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[Callable[..., Any]]:
    """Calls `referee` in this process; gives its exit code, its output and what it says beside it, log and all."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def called(*words: str) -> tuple[int, str, str]:
        with caplog.at_level("INFO"):
            try:
                code = main(words)
            except SystemExit as ended:
                code = int(ended.code or 0)
        out, err = capsys.readouterr()
        return code, out, "".join(f"{line}\n" for line in caplog.messages) + err

    yield called
    for number, handler in handlers.items():
        signal.signal(number, handler)


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


class LgpioError(Exception):
    """As lgpio's own `error`, which has no base but this."""

    def __str__(self) -> str:
        return repr(self.args[0])


def refuse(pins: MockFactory, number: int) -> None:
    """Refuse a pin from now on, as lgpio does where the chip does not let it have the line."""

    class Refused(MockPWMPin):  # type: ignore[misc]
        def __init__(self, factory: MockFactory, info: Any) -> None:
            if info.name == f"GPIO{number}":
                raise LgpioError("GPIO operation not permitted")
            super().__init__(factory, info)

    pins.pin_class, pins.chip = Refused, 0


@contextmanager
def failing(pin: Any) -> Iterator[None]:
    """Let a pin raise at each write for a while, as lgpio does where the chip does not take it."""

    def refused(_: float) -> None:
        raise LgpioError("GPIO write failed")

    pin._set_state = refused
    yield
    del pin._set_state


def examples(many: int) -> int:
    """Give how many examples a law is tried on: all of so many, or the share of them that `make test` has time for."""
    return many * settings.default.max_examples // settings.get_profile("all").max_examples


def comes_true(true: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> bool:
    """Wait until something holds, if it does in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() >= end:
            return False
        time.sleep(0.005)
    return True
