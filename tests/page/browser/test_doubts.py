"""A misread tile: asked about with its picture, settled with one tap, and the turn judged again."""

import time
from collections.abc import Callable
from typing import Any

from referee.game.inputs import GameEnded
from referee.rules.notation import parse_tiles
from tests.conftest import comes_true, expect

from .conftest import WIDTHS

OPENED = "R10 R11 R12"
IN_REACH = """one => {
  const box = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}"""


def doubtful_turn(page: Any) -> None:
    """Ann's 9 may be red: then it is no run."""
    page.start(names=("Ann", "Ben"))
    page.play(OPENED)
    page.play(f"{OPENED} / B10 K10 O10")
    page.settle(f"{OPENED} / B10 K10 O10 / K7 K8 K9", doubts={8: "R9"})
    time.sleep(0.06)  # a second press at once counts as one with the first
    page.press()


def test_one_tap_settles_a_doubt_and_the_turn_is_judged_again(page: Any, open_device: Callable[..., Any]) -> None:
    doubtful_turn(page)
    phone = open_device(page.url)
    phone.must_say("One tile is in doubt")
    phone.picture("doubt-phone-guest")
    phone.log_in(page.pin)
    phone.picture("doubt-phone")
    phone.view.get_by_role("button", name="This is: black 9").click()
    phone.must_say("Ann: legal", ".verdict")
    assert page.match.seat == 1
    assert page.match.turn == 4
    phone.tab("turns")
    phone.view.locator(".fold").first.click()
    phone.must_say("corrected to black 9 by the organiser")


def test_a_doubt_is_in_reach_on_every_screen_below_a_long_verdict(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben", "Cem"))
    page.play(f"{OPENED} / K7 K8 O9 / B1 J B3 / O4")
    page.settle(f"{OPENED} / K6 K7 K8", doubts={3: "K9"})
    device = open_device(page.url, language="pl")
    device.log_in(page.pin)
    answer = device.view.get_by_role("button", name="To jest: czarny 6")
    answer.wait_for()
    for width in WIDTHS:
        device.turn_to(width)
        device.view.evaluate("scrollTo(0, 0)")
        device.picture(f"doubt-{width}")
        assert answer.evaluate(IN_REACH), width


def test_one_tap_says_that_there_is_no_tile(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENED)
    page.play(f"{OPENED} / B10 K10 O10")
    page.settle(f"{OPENED} / B10 K10 O10 / K7 K8 K9 J", doubts={9: "-"})
    time.sleep(0.06)
    page.press()
    phone = open_device(page.url)
    phone.must_say("One tile is in doubt")
    phone.log_in(page.pin)
    phone.picture("doubt-none-phone")
    phone.view.get_by_role("button", name="There is no tile").click()
    phone.must_say("Ann: legal", ".verdict")
    assert all(parse_tiles("K7 K8 K9") in table.sets for table in page.match.turn_start.tables)


def test_a_wrong_reading_is_corrected_and_the_accusation_taken_back(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play(OPENED)
    page.play(f"{OPENED} / B10 K10 O10")
    page.play(f"{OPENED} / B10 K10 O10 / K7 K8 O9")
    tablet = open_device(page.url, "tablet")
    tablet.must_say("Ann: not legal", ".verdict")
    tablet.must_say("O9 does not fit: a run has one colour, here black.", ".verdict")
    expect(tablet.view.locator(".piece.guilty")).to_have_count(1)
    expect(tablet.view.locator(".outline.wrong")).to_have_count(1)
    tablet.picture("wrong-tablet")
    tablet.log_in(page.pin)
    tablet.view.locator(".sets li.wrong button.guilty").click()
    tablet.picture("correct-tablet")
    tablet.view.get_by_role("button", name="Show all tiles").click()
    tablet.picture("pad-tablet")
    tablet.view.locator(".pad").get_by_role("button", name="This is: black 9").or_(
        tablet.view.locator(".pad").get_by_role("button", name="black 9", exact=True)
    ).click()
    tablet.must_say("Ann: legal", ".verdict")
    assert page.match.seat == 1


def test_a_guest_looks_at_a_tile_and_corrects_it_by_the_pin(page: Any, open_device: Callable[..., Any]) -> None:
    doubtful_turn(page)
    before = page.match.turn
    phone = open_device(page.url)
    phone.must_say("The organiser can say what these tiles are", ".doubts")
    expect(phone.view.locator(".doubts button")).to_have_count(0)
    phone.view.locator(".sets button.unsure").click()
    phone.must_say("Changing something needs the organiser’s PIN.", "dialog")
    expect(phone.view.locator("dialog button.tile")).to_have_count(0)
    phone.view.locator("dialog").get_by_role("button", name="Log in").click()
    phone.must_say("With the PIN you can")
    phone.view.locator("input[name=pin]").fill("000000")
    phone.view.keyboard.press("Enter")
    phone.view.locator("dialog p.wrong").wait_for()
    phone.picture("pin-wrong")
    assert page.match.turn == before
    phone.view.locator("input[name=pin]").fill(page.pin)
    phone.view.keyboard.press("Enter")
    phone.view.locator("dialog").get_by_role("button", name="This is: black 9").click()
    phone.must_say("Ann: legal", ".verdict")


GUESTS_BUTTONS = {
    "table": {"Log in", "First steps"},
    "turns": set(),
    "score": {"Log in", "First steps"},
    "setup": {"First steps", "This page", "Health", "Log in", "Look at the table"},
}


def test_guests_see_no_button_that_is_locked(page: Any, open_device: Callable[..., Any]) -> None:
    """Before a match, in it, and while racks are waited for."""
    phone = open_device(page.url)
    buttons = phone.view.locator("main button:visible")
    for tab, allowed in GUESTS_BUTTONS.items():
        phone.tab(tab)
        phone.view.locator("main h1").first.wait_for(state="attached")
        shown = lambda: set(buttons.all_inner_texts()) <= allowed | {"Drawn", "Camera"}  # noqa: B023, E731 - called at once
        assert comes_true(shown), (tab, buttons.all_inner_texts())
    phone.view.goto(f"{page.url}#setup/settings")
    phone.must_say("Settings: only for the organiser.")
    phone.tab("table")
    phone.view.get_by_role("button", name="Log in").click()
    phone.must_say("With the PIN you can", "dialog")
    phone.view.keyboard.press("Escape")
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    phone.must_say("Ben to move")
    expect(phone.view.locator(".actions, .action-bar, .picture .below > .quiet")).to_have_count(0)
    page.enter(GameEnded(page.now(), "organiser"))
    phone.tab("score")
    phone.must_say("The organiser enters what is left on the racks.")
    expect(phone.view.locator("main input")).to_have_count(0)
    expect(buttons).to_have_text(["The story of this match"], use_inner_text=True)
    phone.tab("table")
    phone.log_in(page.pin)
    phone.view.get_by_role("button", name="To the score").wait_for()
