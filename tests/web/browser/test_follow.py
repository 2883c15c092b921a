"""A match is followed on the page as it is played: turns, clock, verdicts, hands, breaks, a lost camera, the end."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game.inputs import CameraBack, CameraLost, Paused, Resumed

OPENING = "R10 R11 R12"


def test_a_turn_is_followed_from_the_first_tile_to_the_verdict(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url)
    phone.says("No match yet")
    phone.picture("empty-phone")
    page.start(names=("Ann", "Ben", "Cem"))
    phone.says("Ann to move")
    phone.says("not opened yet")
    page.settle("R7 R8 R9")
    phone.says("24 of 30")
    assert phone.view.locator("#meld-bar").get_attribute("value") == "24"
    phone.picture("opening-phone")
    page.move()
    phone.says("Hands are over the table.")
    phone.picture("hands-phone")
    page.play("R7 R8 R9 / J K5 K6")
    phone.says("Ann: legal", ".verdict")
    phone.says("39 points for the opening", ".verdict")
    phone.says("Ben to move")
    phone.says("stands for black 7", ".jokers")
    assert re.search("Ann: legal. .*Ben to move", phone.view.locator("#said").inner_text())
    phone.picture("legal-phone", whole=True)


def test_the_clock_counts_on_by_itself_and_is_read_across_the_table(
    page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"))
    tablet = open_device(page.url, "tablet", scheme="dark")
    digits = tablet.view.locator(".clock .digits")
    first = int(digits.inner_text())
    tablet.view.wait_for_timeout(1600)
    assert first - 3 <= int(digits.inner_text()) < first
    tablet.view.get_by_role("button", name="Large").click()
    box = tablet.view.locator(".clock.big .digits").bounding_box()
    # Two digits over 40 % of the height of a 10-inch tablet are 6 cm high: read at 3 m with poor eyes (1 : 60 suffices).
    assert box["height"] > 0.38 * tablet.view.viewport_size["height"]
    assert tablet.overflow() == 0
    tablet.picture("big-tablet")
    page.play("R10 R11 O12")
    tablet.says("Ann: not legal", ".shout")
    tablet.picture("big-wrong-tablet")
    tablet.view.get_by_role("button", name="Close the large view").click()
    tablet.view.locator(".tabs").wait_for()


def test_whatever_hinders_the_referee_is_said(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENING)
    tablet = open_device(page.url, "upright")
    page.enter(Paused(page.now()))
    tablet.says("A break: press the button to go on.")
    tablet.says("the clock stands")
    tablet.picture("break-upright")
    page.enter(Resumed(page.now()))
    page.enter(CameraLost(page.now()))
    tablet.says("The camera does not answer; the clock stands.")
    tablet.says("The picture is old")
    tablet.picture("camera-lost-upright")
    page.enter(CameraBack(page.now()))
    tablet.view.locator(".hindrances").wait_for(state="detached")
    tablet.view.context.set_offline(True)
    page.server.close()
    tablet.view.locator(".hindrances").get_by_text("The referee does not answer").wait_for()
    tablet.faults.clear()  # a server that is gone is told by the browser, too


def test_before_and_after_every_turn_can_be_seen(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENING)
    page.play(f"{OPENING} / K10 B10 R10")
    page.play(f"{OPENING} / K10 B10 R10")
    phone = open_device(f"{page.url}#turns", language="de")
    phone.says("Ann legt nichts")
    phone.says("zieht 1 Stein")
    assert phone.view.locator(".turn-line").count() == 3
    phone.view.locator(".fold").nth(1).click()
    phone.view.locator(".evidence").wait_for()
    assert phone.view.evaluate("document.querySelector('.evidence').decode().then(() => true)")
    phone.picture("turns-phone", whole=True)
    phone.view.get_by_role("button", name="Vorher").click()
    phone.view.get_by_alt_text("Der Tisch vor Zug 2").wait_for()


# ---- the whole program ---------------------------------------------------------------------------------------------


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[tuple[str, Path, Any]]:
    """`referee run` with the simulated camera and the real models, serving its page."""
    events, said = tmp_path / "events.jsonl", tmp_path / "said.txt"
    command = [sys.executable, "-m", "referee", "run", "--camera", "sim", "--signals", "none", "--web", "127.0.0.1:0"]
    with said.open("w") as words:
        process = subprocess.Popen([*command, "--events", str(events)], stdout=words, stderr=subprocess.STDOUT)
        try:
            yield _address(said, process), events, process
        finally:
            process.terminate()
            process.wait(20)


def _address(said: Path, process: "subprocess.Popen[bytes]") -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = re.search(r"http://127\.0\.0\.1:\d+/", said.read_text("utf-8"))
        if found:
            return found[0]
        assert process.poll() is None, said.read_text("utf-8")
        time.sleep(0.1)
    raise AssertionError(said.read_text("utf-8"))


@pytest.mark.slow
def test_a_whole_simulated_match_is_followed_to_its_end(
    evening: tuple[str, Path, Any], open_device: Callable[..., Any]
) -> None:
    url, events, _ = evening
    tablet, phone = open_device(url, "tablet"), open_device(url, "phone", scheme="dark", language="pl")
    tablet.view.evaluate(
        """() => { window.seen = new Set();
          new MutationObserver(() => { const line = document.querySelector('#verdict-line'), where = document.querySelector('.turn .where');
            if (line && where) window.seen.add(line.textContent); }).observe(document.body, {subtree: true, childList: true, characterData: true}); }"""
    )
    tablet.view.locator(".verdict").wait_for(timeout=120_000)
    tablet.picture("match-tablet")
    phone.picture("match-phone")
    tablet.view.get_by_text(re.compile("wins (the match|game 1)|game 1 is over")).first.wait_for(timeout=420_000)
    judged = [event for line in events.read_text("utf-8").splitlines() if (event := json.loads(line))["event"] == "judged"]
    last = {(event["game"], event["turn"]): event for event in judged}
    tablet.picture("match-over-tablet")
    tablet.tab("turns")
    tablet.view.locator(".turn-line").nth(len(last) - 1).wait_for()
    lines = tablet.view.locator(".turn-line strong").all_inner_texts()
    names = ("Ann", "Ben", "Cem")
    assert len(lines) == len(last)
    for line, event in zip(lines, (last[key] for key in sorted(last, reverse=True)), strict=True):
        assert line.startswith(names[event["seat"]])
        assert ("not legal" in line) == (event["verdict"] == "illegal")
        assert ("plays nothing" in line) == (event["verdict"] == "legal" and event["outcome"] == "no_play")
    seen = tablet.view.evaluate("[...window.seen]")
    assert len(seen) >= 3, seen
    tablet.picture("match-turns-tablet")
