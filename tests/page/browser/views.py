"""Every view of the page, each come to as people do: for what examines them all, and for pictures to look at."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import cv2

from referee.game.inputs import ClockSet, GameEnded, NextGame, RacksTold, Seat
from referee.game.state import Phase
from referee.history.statistics import Statistics
from referee.rules.notation import parse_tiles
from referee.settings.config import load_config
from referee.settings.page_settings import PageSettings
from tests.conftest import PATIENCE_SECONDS
from tests.vision.conftest import _paint_sets

DEMO: Final = Path(__file__).parents[2] / "matches" / "demo.jsonl"
OPENED: Final = "R10 R11 R12"
TABLE: Final = f"{OPENED} / K10 B10 O10"
SCATTERED: Final = "R10 R11 / R12 K10 B10 / O10 / B1 / B13"
Stage = Callable[[Any, Any, Path], Iterator[str]]


HEALTH: Final = MappingProxyType(
    {
        "camera": "picamera",
        "models": "locate 9, corners 4, read 12, reread 3",
        "profile": ["camera", "table", "colours", "locks"],
        "seconds": 5025.0,
        "last_frame_age": 0.12,
        "frames_per_second": 5.0,
        "reading_ms": {"total": 412.0},
        "temperature": 81.5,
        "throttled": ["under_voltage_since_boot", "frequency_capped"],
        "looks_less_often": True,
        "disk_free_mb": 20481.0,
        "clock_synchronised": False,
        "can_end": True,
    }
)
"""A hot Pi that systemd runs, so that the page offers to restart and shut down."""


def _as_service(route: Any) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, json=answer.json() | HEALTH)


def before(page: Any, device: Any, folder: Path) -> Iterator[str]:
    """Before a match: what a guest sees, the PIN, the form of a match, and every part of the setup."""
    shutil.copy(DEMO, folder / "match-00001.jsonl")
    Statistics(folder).rebuild()
    page.admin.settings = PageSettings(load_config(), None, folder).show
    view = device.view
    yield "table-none"
    device.tab("setup")
    yield "setup-guest"
    device.tab("table")
    view.locator(".top .role").click()
    yield "sheet-pin"
    view.keyboard.press("Escape")
    device.log_in(page.pin)
    view.locator(".start .first").click()
    view.locator("dialog .candidates").wait_for()
    view.locator("dialog details summary").click()
    yield "sheet-start"
    view.keyboard.press("Escape")
    page.settle(OPENED)
    view.route("**/api/health", _as_service)
    device.tab("setup")
    parts = view.locator(".parts button")
    parts.nth(7).wait_for()
    for number, name in enumerate(("guide", "page", "camera", "signals", "settings", "evenings", "health", "log")):
        parts.nth(number).click()
        view.wait_for_timeout(300)
        view.evaluate("document.querySelectorAll('main details').forEach((fold) => (fold.open = true))")
        yield f"setup-{name}"
        if name == "health":
            for place, end in enumerate(("restart", "power-off")):
                view.locator("[aria-labelledby=machine-line] button").nth(place).click()
                yield f"sheet-{end}"
                view.keyboard.press("Escape")
        if name == "evenings":
            view.locator(".sheet .icon-only").first.click()
            yield "sheet-delete"
            view.keyboard.press("Escape")
            view.locator(".evenings .fold").first.click()
            view.locator(".story-turns").wait_for()
            yield "story-evening"
            view.go_back()
            parts.nth(number).wait_for()
    device.reach_by_network()
    view.goto(f"{page.url}display")
    view.locator(".display-join .qr").wait_for()
    yield "display-none"


def turn(page: Any, device: Any, _folder: Path) -> Iterator[str]:
    """In a turn: a broken table, then a doubt, with every sheet that is opened over them."""
    page.start(names=("Ann", "Ben", "Cem"), games=3, house_rules=(("turn_seconds", 900),))
    page.play(OPENED)
    page.play(TABLE)
    page.play(f"{TABLE} / K7 K8 O9 / B1 J B3 / O4")
    view = device.view
    view.locator(".verdict").wait_for()
    yield "table-guest"
    view.locator(".sets button").first.click()
    yield "sheet-tile-guest"
    view.keyboard.press("Escape")
    device.log_in(page.pin)
    view.locator(".actions summary").click()
    yield "table-broken"
    view.locator(".picture .segmented button").nth(1).click()
    view.locator(".scene image").wait_for()
    yield "table-photo"
    view.locator(".picture .segmented button").nth(0).click()
    view.locator(".actions .names").click()
    yield "sheet-players"
    view.keyboard.press("Escape")
    view.locator(".actions .danger").first.click()
    yield "sheet-sure"
    view.keyboard.press("Escape")
    view.locator(".sets button").first.click()
    view.locator("dialog .otherwise summary").click()
    yield "sheet-tile"
    view.keyboard.press("Escape")
    view.locator(".picture .below > .quiet").click()
    yield "sheet-missing"
    view.keyboard.press("Escape")
    device.tab("turns")
    view.locator(".fold").first.click()
    view.locator(".evidence").wait_for()
    yield "turns"
    device.tab("score")
    yield "score"
    yield from _far(page, device, "broken")
    view.goto(page.url)
    page.settle(f"{TABLE} / K6 K7 K8", {6: "K9", 8: "-"})
    view.locator(".doubts-now").wait_for()
    yield "table-doubt"


def _far(page: Any, device: Any, what: str) -> Iterator[str]:
    """Show the views that are read from afar."""
    for name, path in (("large", "#large"), ("display", "display"), ("overlay", "display?layout=overlay")):
        device.view.goto("about:blank")
        device.view.goto(page.url + path)
        device.view.locator(".big-view, .display, .overlay-line").first.wait_for()
        yield f"{name}-{what}"


def restore(page: Any, device: Any, _folder: Path) -> Iterator[str]:
    """The table has to be put back."""
    page.start(names=("Ann", "Ben", "Cem"))
    page.play(OPENED)
    page.play(TABLE)
    page.settle(SCATTERED)
    page.enter(ClockSet(page.now(), 0.2, "organiser"))
    end = time.monotonic() + PATIENCE_SECONDS
    while page.match.phase is not Phase.RESTORE:
        assert time.monotonic() < end, page.match.phase
        time.sleep(0.1)
        if page.match.phase is Phase.TIME_UP:
            page.settle(SCATTERED)
    device.view.locator(".restore-picture, .moves, .picture").first.wait_for()
    yield "table-restore"
    yield from _far(page, device, "restore")


def over(page: Any, device: Any, _folder: Path) -> Iterator[str]:
    """A game and then the match are over."""
    names = ("Ann", "Ben", "Cem", "Dora")
    page.start(names=names, games=1, house_rules=(("rack_tiles", 8), ("turn_seconds", 0)))
    for table in (OPENED, f"{OPENED} / B10 O10 K10", f"{OPENED} / B10 O10 K10 / K1 K2 K3"):
        page.play(table)
    page.enter(GameEnded(page.now(), "organiser"))
    view = device.view
    device.log_in(page.pin)
    yield "table-game-over"
    device.tab("score")
    view.locator(".racks").wait_for()
    yield "score-racks"
    racks = ((Seat(0), parse_tiles("R13 K4")), (Seat(1), 40), (Seat(2), 12), (Seat(3), 30))
    page.enter(RacksTold(page.now(), racks, by="organiser"))
    page.enter(NextGame(page.now()))
    view.locator(".ranking").wait_for()
    yield "score-over"
    device.tab("table")
    view.locator(".victory .highlights").wait_for()
    yield "victory"
    view.goto(f"{page.url}#story")
    view.locator(".story-turns .fold").first.click()
    view.locator(".story-turns .pair img").first.wait_for()
    yield "story"
    view.goto("about:blank")
    view.goto(f"{page.url}display")
    view.locator(".podium").wait_for()
    yield "display-over"


def photo(_page: Any, device: Any, folder: Path) -> Iterator[str]:
    """A photograph of a rack and of a table."""
    view = device.view
    device.tab("photo")
    yield "photo-none"
    for name, notation in (("rack", "R5 K13 B1 J"), ("table", "R5 R6 R7 / K9 B9 O9 / B1 B2")):
        path = folder / f"{name}.jpg"
        cv2.imwrite(str(path), _paint_sets(notation, (1280, 960)).image)
        view.locator("input[type=file]").first.set_input_files(path)
        view.locator(".photo-view h2").wait_for()
        yield f"photo-{name}"
        view.locator(".scene .pickable").first.click()
        yield f"sheet-photo-{name}"
        view.keyboard.press("Escape")


STAGES: Final = MappingProxyType({stage.__name__: stage for stage in (before, turn, restore, over, photo)})
