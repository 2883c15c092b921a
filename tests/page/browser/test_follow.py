"""A match is followed on the page as it is played: turns, clock, verdicts, hands, breaks, a lost camera, the end."""

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game.inputs import CameraBack, CameraLost, ClockSet, Paused, Resumed, RummikubCalled
from referee.game.state import Phase
from referee.sim.demo import DEMO_EDITION, DEMO_TURNS
from tests.conftest import PATIENCE_SECONDS, expect

OPENING = "R10 R11 R12"


def test_a_turn_is_followed_from_the_first_tile_to_the_verdict(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url)
    phone.must_say("No match yet")
    phone.picture("empty-phone")
    page.start(names=("Ann", "Ben", "Cem"))
    phone.must_say("Ann to move")
    phone.must_say("0 of 30")
    page.settle("R7 R8 R9")
    phone.must_say("24 of 30")
    expect(phone.view.locator("#meld-bar")).to_have_attribute("value", "24")
    phone.picture("opening-phone")
    page.move()
    phone.must_say("Hands are over the table.")
    phone.picture("hands-phone")
    page.play("R7 R8 R9 / J K5 K6")
    phone.must_say("Ann: legal", ".verdict")
    phone.must_say("39 points for the opening", ".verdict")
    phone.must_say("Ben to move")
    phone.must_say("stands for black 4", ".jokers")
    expect(phone.view.locator("#said")).to_have_text(re.compile("Ann: legal. .*Ben to move"))
    phone.picture("legal-phone", whole=True)


def test_a_table_that_was_never_seen_is_not_called_empty(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url)
    phone.must_say("No picture has come from the camera yet. Is it plugged in?", ".hindrances")
    phone.must_say("The table has not been seen yet.", ".picture")
    health = {"state": "running", "camera": "usb:0", "last_frame_age": None}
    phone.view.route("**/api/health", lambda route: route.fulfill(json=health))
    phone.view.goto(f"{page.url}#setup/health")
    phone.must_say("No picture has come from the camera yet. Is it plugged in?", "main .doubt")
    phone.tab("table")
    page.settle("")
    phone.must_say("No tile lies on the table.", ".picture")


def test_a_press_by_mistake_is_taken_back(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 0),))
    phone = open_device(page.url)
    phone.log_in(page.pin)
    page.play(OPENING)
    phone.must_say("Ben to move")
    phone.view.get_by_role("button", name="Take back").click()
    phone.must_say("Ann to move")
    assert (page.match.turn, page.match.seat) == (1, 0)
    phone.view.locator(".verdict").wait_for(state="detached")
    phone.view.get_by_role("button", name="Take back").wait_for(state="detached")
    phone.tab("turns")
    phone.must_say("Ann: taken back")
    phone.picture("undone-phone")
    phone.tab("table")
    page.settle(f"{OPENING} / K10 B10 O10")
    phone.view.get_by_role("button", name="End the turn").click()
    phone.must_say("Ann: legal", ".verdict")
    phone.must_say("63 points for the opening", ".verdict")


def test_who_moves_the_clock_and_the_verdict_stay_in_sight(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 600),))
    page.play("R10 R11 R12 / K1 K2 K4")
    device = open_device(page.url)
    view, line = device.view, device.view.locator(".pinned-line")
    view.locator(".verdict").wait_for()
    expect(line, "said twice").to_have_count(0)
    view.evaluate("scrollTo(0, 10_000)")
    line.wait_for()
    expect(line.locator("strong")).to_have_text("Ann")
    expect(line.locator(".digits")).to_have_text(re.compile(r"^\d+:\d\d$"))
    expect(line.locator(".last")).to_have_text("Ann: not legal")
    height = view.evaluate("scrollY")
    line.scroll_into_view_if_needed()
    assert view.evaluate("scrollY") == height > 0, "what is pinned is in sight"
    line.click()
    line.wait_for(state="detached")
    page.play("R10 R11 R12")
    device.must_say("Ann: legal", ".verdict")
    view.evaluate("scrollTo(0, 10_000)")
    line.locator(".other").wait_for()
    assert line.text_content() == "Ann: legal", "Ben's name and clock beside Ann's verdict"
    line.locator("strong").wait_for()
    assert (line.locator("strong").text_content(), line.locator(".last").count()) == ("Ben", 0)
    device.tab("score")
    line.click()
    view.locator(".turn h2").wait_for()


def test_the_clock_counts_on_by_itself_and_is_read_across_the_table(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    tablet = open_device(page.url, "tablet", scheme="dark")
    digits = tablet.view.locator(".clock .digits")
    first = int(digits.inner_text())
    tablet.view.evaluate("""() => {
      window.drawn = 0;
      const [digits] = document.querySelectorAll(".clock");
      new MutationObserver((all) => (window.drawn += all.filter(({ target }) => !digits.contains(target)).length))
        .observe(document.body, { attributes: true, characterData: true, childList: true, subtree: true });
    }""")
    tablet.view.wait_for_function(
        "first => Number(document.querySelector('.clock .digits').textContent) < first", arg=first
    )
    assert tablet.view.evaluate("window.drawn") == 0, "only the clock is drawn anew"
    tablet.view.get_by_role("button", name="Large").click()
    box = tablet.view.locator(".clock.big .digits").bounding_box()
    # 38 % of the height of a 10-inch tablet are 5 to 6 cm: a sixtieth of 3 m, which poor eyes read, too.
    assert box["height"] > 0.38 * tablet.view.viewport_size["height"]
    assert tablet.overflow() == 0
    tablet.picture("big-tablet")
    page.play("R10 R11 O12")
    tablet.must_say("Ann: not legal", ".shout")
    tablet.picture("big-wrong-tablet")
    tablet.view.get_by_role("button", name="Close the large view").click()
    tablet.view.locator(".tabs").wait_for()


def test_whatever_hinders_the_referee_is_said(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENING)
    tablet = open_device(page.url, "upright")
    page.enter(Paused(page.now()))
    tablet.must_say("A break: press the button to go on.")
    tablet.must_say("the clock is stopped")
    tablet.picture("break-upright")
    page.enter(Resumed(page.now()))
    page.enter(CameraLost(page.now()))
    tablet.must_say("The camera does not answer; the clock is stopped. Look at its cable.")
    tablet.must_say("seconds old.")
    tablet.picture("camera-lost-upright")
    page.enter(CameraBack(page.now()))
    tablet.view.locator(".hindrances").wait_for(state="detached")
    tablet.view.context.set_offline(True)
    page.server.close()
    tablet.view.locator(".unlinked").get_by_text("The referee does not answer").wait_for()
    tablet.faults.clear()  # a server that is gone is told by the browser, too


def test_before_and_after_every_turn_can_be_seen(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENING)
    page.play(f"{OPENING} / K10 B10 R10")
    page.play(f"{OPENING} / K10 B10 R10")
    phone = open_device(f"{page.url}#turns", language="de")
    phone.must_say("Ann legt nichts")
    phone.must_say("zieht 1 Stein")
    expect(phone.view.locator(".turn-line")).to_have_count(3)
    phone.view.locator(".fold").nth(1).click()
    phone.view.locator(".evidence").wait_for()
    assert phone.view.evaluate("document.querySelector('.evidence').decode().then(() => true)")
    phone.picture("turns-phone", whole=True)
    phone.view.get_by_role("button", name="Vorher").click()
    phone.view.get_by_alt_text("Der Tisch vor Zug 2").wait_for()


# ---- a whole match -------------------------------------------------------------------------------------------------

NAMES = ("Ann", "Ben", "Cem")
SAYINGS = ("legal", "not legal", "legal", "plays nothing", "legal", "not legal", "legal", "legal", "legal")


@pytest.mark.slow
def test_a_whole_simulated_match_is_followed_to_its_end(page: Any, open_device: Callable[..., Any]) -> None:
    """The match of `make demo`: two mistakes put right, a clock that runs out, a table put back, a joker freed."""
    page.start(names=NAMES, edition=DEMO_EDITION, games=1)
    tablet = open_device(page.url, "tablet")
    table = ""
    for act, said in zip(DEMO_TURNS, SAYINGS, strict=False):
        tablet.must_say(f"{NAMES[act.seat]} to move")
        table = act.table or table
        page.play(table)
        must_follow(tablet, f"{NAMES[act.seat]} {said}", sets=len(table.split(" / ")))
        wrong = tablet.view.locator(".outline.wrong")
        expect(wrong.first).to_be_visible() if said == "not legal" else expect(wrong).to_have_count(0)

    broken, mended, freed, won = DEMO_TURNS[len(SAYINGS) :]
    page.settle(broken.table)
    tablet.must_say("The table cannot be left like this yet")
    page.enter(ClockSet(page.now(), 0.3, "organiser"))
    put_back(page, broken.table)
    tablet.must_say("Put the table back")
    tablet.picture("match-restore-tablet")
    page.settle(mended.table)
    tablet.must_say("Cem to move")
    page.play(freed.table)
    must_follow(tablet, "Cem legal", sets=9)
    tablet.must_say("stands for", ".jokers")
    page.settle(won.table)
    time.sleep(0.06)  # a second press at once counts as one with the first
    page.enter(RummikubCalled(page.now()))
    tablet.must_say("Ann wins game 1")
    tablet.picture("match-over-tablet", whole=True)
    tablet.tab("turns")
    tablet.view.locator(".turn-line").nth(9).wait_for()
    lines = tablet.view.locator(".turn-line strong").all_inner_texts()
    assert len(lines) == 10
    assert lines[1:3] == ["Cem: legal", "Ben: not legal"]
    expect(tablet.view.get_by_text("draws 3 tiles")).to_have_count(1)
    tablet.picture("match-turns-tablet")


def must_follow(device: Any, line: str, *, sets: int) -> None:
    """Wait until the page says this of the turn, and see every set outlined."""
    device.view.wait_for_function(
        "line => document.querySelector('#verdict-line')?.textContent.replace(':', '') === line", arg=line
    )
    expect(device.view.locator(".outline")).to_have_count(sets)


def put_back(page: Any, table: str) -> None:
    """Let the time run out over a table."""
    end = time.monotonic() + PATIENCE_SECONDS
    while page.match.phase is not Phase.RESTORE:
        assert time.monotonic() < end, page.match.phase
        time.sleep(0.1)
        if page.match.phase is Phase.TIME_UP:
            page.settle(table)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[tuple[str, Path, Any]]:
    """`referee run` with the simulated camera and the real models, serving its page."""
    events, said = tmp_path / "events.jsonl", tmp_path / "said.txt"
    command = [sys.executable, "-m", "referee", "run", "--camera", "sim", "--signals", "none"]
    command += ["--web", f"127.0.0.1:{free_port()}", "--events", str(events), "--state", str(tmp_path)]
    with said.open("w") as words:
        process = subprocess.Popen(command, stdout=words, stderr=subprocess.STDOUT)
        try:
            yield _address(said, process), events, process
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def _address(said: Path, process: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        found = re.search(r"http://127\.0\.0\.1:\d+/", said.read_text("utf-8"))
        if found:
            return found[0]
        assert process.poll() is None, said.read_text("utf-8")
        time.sleep(0.1)
    raise AssertionError(said.read_text("utf-8"))


@pytest.mark.slow
def test_the_real_program_shows_what_it_tells(evening: tuple[str, Path, Any], open_device: Callable[..., Any]) -> None:
    """The page of `referee run` on the simulated table, with the real models, up to the second verdict."""
    url, events, _ = evening
    tablet, phone = open_device(url, "tablet"), open_device(url, "phone", scheme="dark", language="pl")
    for count in (1, 2):
        while len(verdicts(events)) < count:
            tablet.view.wait_for_timeout(200)
        last = verdicts(events)[count - 1]
        name = NAMES[last["seat"]]
        ends = {"illegal": ": not legal", "legal": ": legal" if last["outcome"] == "played" else " plays nothing"}
        tablet.must_say(name + ends[last["verdict"]], ".verdict")
        tablet.picture(f"real-tablet-{count}")
    tablet.view.get_by_role("button", name="Camera").click()
    shown = tablet.view.locator(".scene image").get_attribute("href")
    assert tablet.view.request.get(url.rstrip("/") + shown).headers["content-type"] == "image/jpeg"
    tablet.picture("real-photo-tablet")
    phone.picture("real-phone", whole=True)
    set_up(tablet, events.with_name("said.txt").read_text("utf-8"))


def set_up(device: Any, said: str) -> None:
    """The organiser looks through the setup: signals, a setting that is wrong and then right, health, the log."""
    device.log_in(re.search(r"PIN is (\d+)", said)[1])  # type: ignore[index]
    device.tab("setup")
    parts = device.view.locator(".parts")
    parts.get_by_role("button", name="Lamps and sounds").click()
    device.view.get_by_role("button", name="not legal", exact=True).click()
    device.must_say("Tried out: not legal")
    parts.get_by_role("button", name="Settings").click()
    device.view.locator("summary", has_text="Waiting times").click()
    undo = device.view.locator("input[name='limits.undo_seconds']")
    undo.fill("-1")
    device.view.get_by_role("button", name="Save 1 change").click()
    device.view.locator(".field.wrong p.wrong").get_by_text("-1 is out of range; use 0 to").wait_for()
    expect(undo).to_have_attribute("aria-invalid", "true")
    device.picture("real-settings-tablet")
    device.view.get_by_role("button", name="Cancel").click()
    parts.get_by_role("button", name="Camera and check").click()
    device.picture("real-calibration-tablet")
    parts.get_by_role("button", name="Health").click()
    device.must_say("Pictures a second")
    device.picture("real-health-tablet")
    parts.get_by_role("button", name="Log and report").click()
    device.picture("real-log-tablet")


def verdicts(events: Path) -> list[Any]:
    """What the program has told so far."""
    lines = events.read_text("utf-8").splitlines() if events.exists() else []
    return [event for line in lines if line.endswith("}") and (event := json.loads(line))["event"] == "judged"]


def test_a_turn_without_a_play_tells_no_points(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    page.play("R10 R11 R12")
    phone = open_device(f"{page.url}#turns")
    told = []
    for place in (0, 1):
        phone.view.locator(".fold").nth(place).click()
        phone.view.locator(".turn-line").nth(place).locator(".turn-details").wait_for()
        details = phone.view.locator(".turn-line").nth(place).locator(".turn-details")
        told.append(details.get_by_text("points for the opening").all_text_contents())
    assert told == [[], ["33 points for the opening"]]
