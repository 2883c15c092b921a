"""Answers that come late, for people who have gone on: cancelled is cancelled, and no sheet touches another."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.game.state import Phase

from .troubles import Troubles


@pytest.fixture
def troubles(page: Any) -> Iterator[Troubles]:
    between = Troubles(page.server.port)
    yield between
    between.close()


@pytest.fixture
def phone(troubles: Troubles, open_device: Callable[..., Any]) -> Iterator[Any]:
    device = open_device(troubles.url)
    yield device
    device.faults[:] = [fault for fault in device.faults if "Failed to load resource: net::" not in fault]


def until(view: Any, holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < end, view.inner_text("body")[:600]
        view.wait_for_timeout(20)


def role(phone: Any) -> str:
    return str(phone.view.locator(".top .role").inner_text())


def enter_pin(phone: Any, pin: str, times: int = 1) -> None:
    phone.view.locator(".top .role").click()
    phone.view.locator("input[name=pin]").fill(pin)
    for _ in range(times):
        phone.view.keyboard.press("Enter")


def test_a_pin_is_sent_once_however_often_enter_is_pressed(page: Any, troubles: Troubles, phone: Any) -> None:
    troubles.be("late", "/api/login")
    enter_pin(phone, page.pin, times=4)
    assert troubles.held.wait(10)
    troubles.release()
    phone.view.locator("dialog").wait_for(state="hidden")
    assert len(troubles.bodies) == 1


@pytest.mark.parametrize("trouble", ["late", "late answer"])
def test_a_log_in_that_was_cancelled_logs_nobody_in_and_closes_no_other_sheet(
    trouble: str, page: Any, troubles: Troubles, phone: Any
) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    troubles.be(trouble, "/api/login")
    enter_pin(phone, page.pin)
    assert troubles.held.wait(10)
    phone.view.locator("dialog").get_by_role("button", name="Cancel").click()
    phone.view.locator("dialog").wait_for(state="hidden")
    phone.view.locator(".sets-card button").first.click()
    phone.must_say("What is this tile?", "dialog")
    troubles.release()
    phone.view.wait_for_timeout(500)
    phone.must_say("What is this tile?", "dialog")
    phone.view.reload()
    phone.view.locator(".link.up").wait_for()
    phone.view.wait_for_timeout(300)
    assert role(phone) == "Organiser"
    session = phone.view.evaluate("async () => (await (await fetch('/api/session')).json()).organiser")
    assert session is False


@pytest.mark.parametrize("trouble", ["late", "late answer"])
def test_begin_that_was_cancelled_begins_nothing_or_the_page_says_that_it_has(
    trouble: str, page: Any, troubles: Troubles, phone: Any
) -> None:
    phone.log_in(page.pin)
    phone.view.get_by_role("button", name="Start a match").click()
    for seat, name in enumerate(("Ann", "Ben")):
        phone.view.locator(f"input[name=name-{seat}]").fill(name)
    troubles.be(trouble)
    phone.view.get_by_role("button", name="Begin", exact=True).click()
    assert troubles.held.wait(10)
    if trouble == "late answer":
        until(phone.view, lambda: page.match.phase is Phase.TURN)
    phone.view.locator("dialog").get_by_role("button", name="Cancel").click()
    phone.view.locator("dialog").wait_for(state="hidden")
    if trouble == "late answer":
        phone.must_say("It was done before it could be cancelled.", ".toast")
    phone.tab("setup")
    until(phone.view, lambda: any(b'"id"' in body for body in troubles.bodies))
    troubles.release()
    phone.view.wait_for_timeout(700)
    assert (page.match.phase is Phase.TURN) == (trouble == "late answer")
    assert phone.view.url.endswith("#setup")


def test_the_first_field_of_a_sheet_has_the_focus(page: Any, phone: Any) -> None:
    focused = "document.activeElement.name"
    phone.view.locator(".top .role").click()
    until(phone.view, lambda: phone.view.evaluate(focused) == "pin")
    phone.view.keyboard.type(page.pin)
    phone.view.keyboard.press("Enter")
    phone.view.locator("dialog").wait_for(state="hidden")
    phone.view.get_by_role("button", name="Start a match").click()
    until(phone.view, lambda: phone.view.evaluate(focused) == "edition")


def test_what_was_refused_is_asked_for_again_after_a_log_in(page: Any, phone: Any) -> None:
    phone.log_in(page.pin)
    phone.tab("setup")
    phone.view.context.clear_cookies()  # the session has ended, and the page does not know
    phone.view.locator(".parts").get_by_role("button", name="Lamps and sounds").click()
    phone.view.locator(".locked-line").wait_for()
    phone.log_in(page.pin)
    phone.view.locator(".grid button").first.wait_for()


def test_a_log_out_reaches_the_other_tabs(page: Any, phone: Any, troubles: Troubles) -> None:
    phone.log_in(page.pin)
    other = phone.view.context.new_page()
    other.goto(troubles.url)
    other.get_by_role("button", name="Start a match").wait_for()
    phone.view.locator(".top .role").click()
    other.get_by_role("button", name="Start a match").wait_for(state="detached")
    other.close()


SAY_STATE = """
window.EventSource = class extends EventSource {
  constructor(path) {
    super(path);
    window.say = (state) => this.dispatchEvent(new MessageEvent("state", { data: JSON.stringify(state) }));
  }
};
"""


def test_a_sheet_over_a_match_that_disappears_closes(page: Any, phone: Any) -> None:
    phone.view.add_init_script(SAY_STATE)
    phone.view.reload()
    phone.log_in(page.pin)
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    phone.view.get_by_text("More", exact=True).click()
    phone.view.get_by_role("button", name="Names and places").click()
    phone.view.locator("dialog[open]").wait_for()
    nobody = "async () => { const state = await (await fetch('/api/state')).json(); return { ...state, match: null }; }"
    phone.view.evaluate(f"({nobody})().then((state) => window.say(state))")
    phone.must_say("This was meant for a match that is over.", ".toast")
    phone.view.locator("dialog").wait_for(state="hidden")
    phone.must_say("No match yet")


def test_without_storage_the_page_works(page: Any, troubles: Troubles, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    device = open_device(troubles.url)
    device.view.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    device.view.reload()
    device.must_say("Ann to move")
    device.view.get_by_role("button", name="As seen").or_(
        device.view.locator(".picture .segmented button").nth(1)
    ).first.click()
    device.tab("setup")
    device.parts()[1].click()
    device.view.get_by_role("button", name="Deutsch").click()
    device.must_say("Einrichten")


SPEECH = """
window.spoken = [];
const speak = (said) => window.spoken.push(said.text);
Object.defineProperty(window, "speechSynthesis", { value: { cancel() {}, speak } });
"""


def test_the_first_state_after_a_reload_is_silent(page: Any, phone: Any) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    phone.view.add_init_script(SPEECH)
    phone.view.evaluate("localStorage.setItem('sounds', 'voice')")
    phone.view.reload()
    phone.must_say("Ben to move")
    phone.view.wait_for_timeout(300)
    assert phone.view.evaluate("spoken") == []
    page.play("R10 R11 R12 / B10 K10 O10")
    until(phone.view, lambda: phone.view.evaluate("spoken.length") > 0)


def test_thirty_seconds_tapped_twice_with_slow_answers_are_sixty(page: Any, troubles: Troubles, phone: Any) -> None:
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 100),))
    page.settle("R10 R11 R12")
    phone.log_in(page.pin)
    give = phone.view.get_by_role("button", name="Give 30 seconds")
    troubles.be("late answer")
    give.click()
    assert troubles.held.wait(10)
    give.click()
    until(phone.view, lambda: (page.match.play.clock.left_at(page.match.now) or 0) > 130)
    troubles.release()
    until(phone.view, lambda: not phone.view.locator("[aria-busy=true]").count())
    assert len(troubles.bodies) == 2
    assert 130 < page.match.play.clock.left_at(page.match.now) <= 160
