"""What an organiser does at a table takes few taps."""

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.game.inputs import GameEnded, NextGame, RacksTold
from referee.game.state import Phase
from referee.history.statistics import STATISTICS_FILE, Statistics
from tests.conftest import comes_true

DEMO = Path(__file__).parents[2] / "matches" / "demo.jsonl"
STALE = 0.4  # seconds in which a second tap in one place is the same tap


class Taps:
    """An organiser's phone that counts what it taps."""

    def __init__(self, device: Any, pin: str) -> None:
        self.view, self.count = device.view, 0
        device.log_in(pin)
        self.view.locator("dialog").wait_for(state="hidden")

    def tap(self, name: str, within: str = "body") -> None:
        self.touch(self.view.locator(within).get_by_role("button", name=name, exact=True))

    def touch(self, what: Any) -> None:
        what.scroll_into_view_if_needed()
        time.sleep(STALE)
        what.tap()
        self.count += 1


@pytest.fixture
def taps(page: Any, open_device: Callable[..., Any]) -> Callable[[], Taps]:
    return lambda: Taps(open_device(page.url), page.pin)


def test_a_doubt_is_settled_by_one(page: Any, taps: Callable[[], Taps]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    page.settle("R10 R11 R12 / K5 K6 K7", {5: "B7"})
    phone = taps()
    phone.tap("This is: blue 7", ".action-bar")
    assert comes_true(lambda: page.browser().state()["table"]["tiles"][5]["tile"] == "B7")
    assert phone.count == 1


def test_a_tile_is_corrected_by_three(page: Any, taps: Callable[[], Taps]) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R13")
    phone = taps()
    phone.touch(phone.view.locator(".piece").nth(2))
    phone.tap("Show all tiles", "dialog")
    phone.touch(phone.view.locator("dialog .pad button").get_by_text("red 12", exact=True).locator(".."))
    assert comes_true(lambda: page.browser().state()["table"]["tiles"][2]["tile"] == "R12")
    assert phone.count == 3


def test_thirty_seconds_are_given_by_one(page: Any, taps: Callable[[], Taps]) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    phone = taps()
    left = page.browser().state()["match"]["clock"]["seconds_left"]
    phone.touch(phone.view.locator(".actions").get_by_role("button", name="30 s"))
    assert comes_true(lambda: page.browser().state()["match"]["clock"]["seconds_left"] > left)
    assert phone.count == 1


def test_a_rematch_begins_by_two(page: Any, taps: Callable[[], Taps]) -> None:
    page.start(names=("Ann", "Ben"), games=1)
    page.play("R10 R11 R12")
    page.enter(GameEnded(page.now(), "organiser"))
    page.enter(RacksTold(page.now(), ((0, 5), (1, 30)), by="organiser"))
    page.enter(NextGame(page.now()))
    phone = taps()
    phone.tap("Rematch", ".victory")
    phone.tap("Begin", "dialog")
    assert comes_true(lambda: page.match.phase is Phase.CLEARING)  # a new match, once the table is clear
    assert phone.count == 2


def test_four_known_players_begin_by_six(page: Any, tmp_path: Path, taps: Callable[[], Taps]) -> None:
    shutil.copy(DEMO, tmp_path / "match-00001.jsonl")
    assert Statistics(tmp_path).rebuild() == 1
    with closing(sqlite3.connect(tmp_path / STATISTICS_FILE)) as database, database:
        match, _, _, *more = database.execute("SELECT * FROM seats WHERE seat = 2").fetchone()
        fourth = (match, 3, "Dora", *more)
        database.execute(f"INSERT INTO seats VALUES ({', '.join('?' * len(fourth))})", fourth)  # noqa: S608 - question marks
    phone = taps()
    phone.tap("Start a match")
    for name in ("Dora", "Ann", "Cem", "Ben"):
        phone.tap(name, "dialog .candidates")
    phone.tap("Begin", "dialog")
    assert comes_true(lambda: page.match.seated is not None)
    assert page.match.setup.names == ("Dora", "Ann", "Cem", "Ben")
    assert phone.count == 6
