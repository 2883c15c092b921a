"""Every view fits every screen, whoever plays: six names of twenty letters, from a small phone to a large screen."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game.inputs import ClockSet, GameEnded, NextGame, Paused, RacksTold
from referee.game.state import Phase
from referee.language.catalogue import languages
from tests.conftest import CHROMIUM, PATIENCE_SECONDS, SWITCHES

from .conftest import PICTURES, WIDTHS
from .views import STAGES, Stage

NAMES = (
    "Wilhelminamargaretha",
    "Maximilianmeinhardts",
    "Konstantynopolitanka",
    "Bartholomewchristoph",
    "Gwendolynneelizabeth",
    "Abigailwinterbottoms",
)
FITS = (Path(__file__).parent / "fits.js").read_text("utf-8")
# The buttons of the bar whose middle is covered once they are scrolled to within it, or that are less than 44 pixels.
OUT_OF_REACH = """bar => [...bar.querySelectorAll('button')].filter(one => {
  bar.scrollTop = one.offsetTop;
  const box = one.getBoundingClientRect();
  const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !one.contains(found) || Math.min(box.width, box.height) < 43.5;
}).map(one => one.textContent)"""
MIN_VIEW = 0.2  # of the screen's height, which bar and tabs leave to the view
OPENED = "R10 R11 R12"
TABLE = "R10 R11 R12 / K10 B10 O10"


def must_fit(device: Any, what: str) -> None:
    """See that nothing is too wide, cut off, broken or out of reach at any width, and keep a picture of what is."""
    wrong = {}
    PICTURES.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        device.turn_to(width)
        found = device.view.evaluate(FITS)
        found["broken"] = [word for word in found["broken"] if word not in NAMES]
        if found != {"wide": 0, "cut": [], "hidden": [], "broken": []}:
            device.view.screenshot(path=PICTURES / f"{what}-{width}.png")
            wrong[f"{what} at {width}"] = found
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)


def start(page: Any, **more: Any) -> None:
    page.start(names=NAMES, edition="xp", **more)


def opening_too_low(page: Any) -> None:
    start(page)
    page.play("R3 R4 R5 / B1 B2 B3")


def broken_set(page: Any) -> None:
    start(page)
    page.play(OPENED)
    page.play("R10 R11 R12 / K10 B10 O10 / K7 K8 O9 / B1 J B3 / O4")


def legal(page: Any) -> None:
    start(page)
    page.play(OPENED)
    page.play(TABLE)
    page.settle(f"{TABLE} / J K5 K6")


def doubtful(page: Any) -> None:
    start(page)
    page.play(OPENED)
    page.lay(f"{TABLE} / K6 K7 K8", {6: "K9", 8: "-"})
    time.sleep(0.06)
    page.press()


def put_back(page: Any) -> None:
    start(page)
    page.play(OPENED)
    page.play(TABLE)
    page.settle("R10 R11 / R12 K10 B10 / O10 / B1 / B13")
    page.enter(ClockSet(page.now(), 0.2, "organiser"))
    end = time.monotonic() + PATIENCE_SECONDS
    while page.match.phase is not Phase.RESTORE:
        assert time.monotonic() < end, page.match.phase
        time.sleep(0.1)
        if page.match.phase is Phase.TIME_UP:
            page.settle("R10 R11 / R12 K10 B10 / O10 / B1 / B13")


def rested(page: Any) -> None:
    legal(page)
    page.enter(Paused(page.now()))


def counted(page: Any) -> None:
    start(page, games=2)
    page.play(OPENED)
    page.enter(GameEnded(page.now(), "organiser"))


def ranked(page: Any) -> None:
    start(page, games=1)
    page.play(OPENED)
    page.enter(GameEnded(page.now(), "organiser"))
    page.enter(RacksTold(page.now(), tuple((seat, 1234 + 40 * seat) for seat in range(6)), by="organiser"))
    page.enter(NextGame(page.now()))
    assert page.match.phase is Phase.MATCH_OVER


STATES: dict[str, Callable[[Any], None]] = {
    "empty": lambda _page: None,
    "opening": opening_too_low,
    "broken": broken_set,
    "legal": legal,
    "doubt": doubtful,
    "restore": put_back,
    "break": rested,
    "racks": counted,
    "ranked": ranked,
}


def every(quick: str, *states: str) -> pytest.MarkDecorator:
    """A test of these states; all but one take long, and `make test-long` tries them."""
    return pytest.mark.parametrize(
        "state", [pytest.param(state, marks=() if state == quick else pytest.mark.slow) for state in states]
    )


@every("doubt", *STATES)
def test_the_table_fits(state: str, page: Any, open_device: Callable[..., Any]) -> None:
    STATES[state](page)
    device = open_device(page.url, language="de")
    device.log_in(page.pin)
    device.view.wait_for_timeout(200)
    must_fit(device, f"table-{state}")


@pytest.mark.parametrize(
    ("width", "height", "text"),
    [
        (320, 568, 32),
        (740, 360, 16),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((320, 568, 16), (360, 640, 32))),
    ],
)
def test_what_is_done_now_is_in_reach(
    width: int, height: int, text: int, page: Any, open_device: Callable[..., Any]
) -> None:
    """Nothing lies over the buttons of the moment, on a narrow or lying phone or with text twice as large."""
    doubtful(page)
    device = open_device(page.url, language="de")
    device.log_in(page.pin)
    view = device.view
    view.set_viewport_size({"width": width, "height": height})
    view.evaluate("size => (document.documentElement.style.fontSize = `${size}px`)", text)
    view.wait_for_timeout(150)
    device.picture(f"bar-{width}-{text}")
    assert device.overflow() == 0
    for place in (0, 10_000):
        view.evaluate("place => scrollTo(0, place)", place)
        bar = view.locator(".action-bar")
        assert not bar.evaluate(OUT_OF_REACH), f"scrolled to {place}"
        box, tabs = bar.bounding_box(), view.locator(".tabs").bounding_box()
        assert abs(box["y"] + box["height"] - tabs["y"]) <= 1, "a gap above the tabs, or one over the other"
        assert height - box["height"] - tabs["height"] >= MIN_VIEW * height
    last = view.locator(".sets-card").bounding_box()
    assert last["y"] + last["height"] <= box["y"], "the end of the view lies behind the bar"


def test_who_reads_letters_twice_as_large_has_the_layout_of_half_the_width(page: Any, chromium: Any) -> None:
    doubtful(page)
    large = chromium.browser_type.launch(
        executable_path=CHROMIUM, args=(*SWITCHES, "--blink-settings=defaultFontSize=32")
    )
    try:
        view = large.new_context(locale="de-DE").new_page()
        for width, height in WIDTHS.items():
            view.set_viewport_size({"width": width, "height": height})
            view.goto(page.url)
            view.locator(".link.up").wait_for(state="attached")
            found = view.evaluate(FITS)
            assert (found["wide"], found["cut"], found["hidden"]) == (0, [], []), width
            assert not {"Tisch", "Punkte", "Einrichten"} & {*found["broken"]}, width
    finally:
        large.close()


@every("broken", "opening", "broken", "legal", "doubt", "restore", "break")
def test_the_large_view_fits(state: str, page: Any, open_device: Callable[..., Any]) -> None:
    STATES[state](page)
    device = open_device(f"{page.url}#large", language="pl")
    device.view.locator(".big-view").wait_for()
    must_fit(device, f"large-{state}")


@every("broken", *STATES)
def test_the_display_fits(state: str, page: Any, open_device: Callable[..., Any]) -> None:
    STATES[state](page)
    device = open_device(f"{page.url}display", language="pl")
    device.view.locator(".display").wait_for()
    must_fit(device, f"display-{state}")


@every("restore", "broken", "legal", "restore", "ranked")
def test_the_line_over_a_stream_fits(state: str, page: Any, open_device: Callable[..., Any]) -> None:
    STATES[state](page)
    device = open_device(f"{page.url}display?layout=overlay", language="de")
    device.view.locator(".overlay-line").wait_for()
    must_fit(device, f"overlay-{state}")


@every("ranked", "legal", "racks", "ranked")
def test_the_score_fits(state: str, page: Any, open_device: Callable[..., Any]) -> None:
    STATES[state](page)
    device = open_device(f"{page.url}#score", language="de")
    device.view.locator("table.sheet").wait_for()
    must_fit(device, f"score-{state}")


def test_the_story_fits_with_a_turns_pictures_side_by_side_where_there_is_room(
    page: Any, open_device: Callable[..., Any]
) -> None:
    start(page, games=1)
    page.play(OPENED)
    page.play(TABLE)
    device = open_device(f"{page.url}#story", language="pl")
    device.view.locator(".story-turns .fold").nth(1).click()
    device.view.locator(".story-turns .pair img").nth(1).wait_for()
    must_fit(device, "story")
    device.turn_to(810)
    before, after = (one.bounding_box() for one in device.view.locator(".story-turns .pair img").all())
    assert before["y"] == after["y"]
    assert before["x"] + before["width"] < after["x"]


def test_the_bars_fit_in_every_language(page: Any, open_device: Callable[..., Any]) -> None:
    legal(page)
    device = open_device(page.url)
    for language in languages():
        device.view.evaluate("language => localStorage.setItem('language', language)", language)
        device.view.reload()
        device.view.locator(f"html[lang={language}] .link.up").wait_for()
        must_fit(device, f"bars-{language}")


def test_the_turns_fit(page: Any, open_device: Callable[..., Any]) -> None:
    broken_set(page)
    device = open_device(f"{page.url}#turns", language="de")
    device.view.locator(".fold").first.click()
    device.view.locator(".evidence").wait_for()
    must_fit(device, "turns")


@pytest.mark.parametrize("language", ["pl", *(pytest.param(one, marks=pytest.mark.slow) for one in ("de", "nl", "tr"))])
def test_the_setup_fits(language: str, page: Any, open_device: Callable[..., Any]) -> None:
    legal(page)
    device = open_device(f"{page.url}#setup", language=language)
    device.log_in(page.pin)
    for number, part in enumerate(device.parts()):
        part.click()
        must_fit(device, f"setup-{language}-{number}")


def sheets(device: Any) -> Iterator[str]:
    """Open every sheet in turn."""
    view = device.view
    view.locator(".sets button").first.click()
    view.get_by_role("button", name="Alle Steine zeigen").click()
    view.locator(".otherwise summary").click()
    yield "tile"
    view.keyboard.press("Escape")
    view.locator(".picture .below > .quiet").click()
    yield "missing"
    view.keyboard.press("Escape")
    view.locator(".actions summary").click()
    view.locator(".actions .danger").first.click()
    yield "sure"
    view.keyboard.press("Escape")
    view.get_by_role("button", name="Namen und Plätze").click()
    yield "players"
    view.keyboard.press("Escape")


def test_the_sheets_fit(page: Any, open_device: Callable[..., Any]) -> None:
    legal(page)
    device = open_device(page.url, language="de")
    device.view.locator(".top .role").click()
    must_fit(device, "sheet-pin")
    device.view.keyboard.press("Escape")
    device.log_in(page.pin)
    for sheet in sheets(device):
        must_fit(device, f"sheet-{sheet}")
        device.turn_to(360)


def test_the_form_of_a_match_fits(page: Any, open_device: Callable[..., Any]) -> None:
    ranked(page)
    device = open_device(f"{page.url}#score", language="de")
    device.log_in(page.pin)
    device.view.locator(".actions .first").click()
    device.view.locator("dialog details summary").first.click()
    must_fit(device, "sheet-start")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", ["de", "pl"])
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_every_view_fits(
    stage: Stage, language: str, page: Any, open_device: Callable[..., Any], tmp_path: Path
) -> None:
    device = open_device(page.url, language=language)
    for view in stage(page, device, tmp_path):
        size = device.view.viewport_size
        must_fit(device, f"{language}-{view}")
        device.view.set_viewport_size(size)


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_shows_the_whole_table_in_its_first_view(width: int, page: Any, open_device: Any) -> None:
    names = ("Wolfeschlegelstein", "Bartholomaeus Lind", "Maximiliane Muelle", "Christophora Leeds")
    page.start(names=names, house_rules=(("turn_seconds", 900),))
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / K7 K8 O9 / B1 J B3 / O4")
    device = open_device(page.url)
    device.turn_to(width)
    device.view.locator(".verdict").wait_for()
    tabs = device.view.locator(".tabs").bounding_box()["y"]
    scene = device.view.locator(".scene").bounding_box()
    assert scene["y"] + scene["height"] < tabs
    if width == 390:
        assert device.view.locator("#verdict-line").bounding_box()["y"] < tabs
    device.picture(f"first-view-{width}")
