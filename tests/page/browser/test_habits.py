"""What people do without thinking: tap twice, go back, press Escape, load anew; and what they then expect to see."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.game.inputs import GameEnded
from tests.conftest import comes_true, expect

from .conftest import WIDTHS

QUICK = {min(WIDTHS), max(WIDTHS)}
at_every_width = pytest.mark.parametrize(
    "width", [pytest.param(width, marks=() if width in QUICK else pytest.mark.slow) for width in WIDTHS]
)


def sheet_is_open(device: Any) -> bool:
    return bool(device.view.locator("dialog[open]").count())


@at_every_width
def test_back_and_escape_close_what_is_on_top(width: int, page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    device = open_device(page.url)
    device.turn_to(width)
    view = device.view
    device.tab("turns")
    device.tab("table")
    view.get_by_role("button", name="Large").click()
    view.locator(".big-view").wait_for()
    assert view.url.endswith("#large")
    view.reload()
    view.locator(".big-view").wait_for()
    view.keyboard.press("Escape")
    view.locator(".big-view").wait_for(state="detached")
    view.locator(".top .role").click()
    view.locator("dialog[open]").wait_for()
    view.go_back()
    view.locator("dialog").wait_for(state="hidden")
    expect(view.locator('.tabs a[aria-current="page"]')).to_have_attribute("href", "#table")
    view.locator(".top .role").click()
    view.locator("dialog[open]").wait_for()
    view.keyboard.press("Escape")
    view.locator("dialog").wait_for(state="hidden")
    view.get_by_role("button", name="Large").click()
    view.locator(".big-view").wait_for()
    view.go_back()
    view.locator(".big-view").wait_for(state="detached")
    assert not sheet_is_open(device)


@at_every_width
def test_a_double_tap_is_one_tap_and_its_toast_moves_nothing(
    width: int, page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 0),))
    page.settle("R10 R11 R12")
    device = open_device(page.url)
    device.turn_to(width)
    device.log_in(page.pin)
    view = device.view
    button = view.get_by_role("button", name="End the turn")
    button.scroll_into_view_if_needed()
    box = None
    while box != (box := button.bounding_box()):  # a tap on what has just moved counts for nothing
        view.wait_for_timeout(400)
    for _ in range(2):  # as fast as a person's: what waits for the button in between is too slow on a busy machine
        view.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    device.must_say("Ann: legal", ".verdict")
    view.wait_for_timeout(600)
    assert view.locator(".toast.bad").count() == 0
    assert page.match.turn == 2
    view.get_by_role("button", name="Take back").tap()
    device.must_say("Taken back.", ".toast")
    assert view.locator(".toast").evaluate("one => getComputedStyle(one).position") == "fixed"
    assert view.locator(".toast").evaluate("one => getComputedStyle(one).pointerEvents") == "none"
    assert device.overflow() == 0


def test_after_a_game_no_turn_can_be_ended_and_the_next_game_gives_a_sign(
    page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"), games=2)
    page.play("R10 R11 R12")
    page.enter(GameEnded(page.now(), "organiser"))
    device = open_device(page.url)
    device.log_in(page.pin)
    device.must_say("game 1 is over")
    expect(device.view.get_by_role("button", name="End the turn")).to_have_count(0)
    device.tab("score")
    device.view.get_by_role("button", name="Next game").click()
    device.view.locator("dialog").get_by_role("button", name="Next game").click()
    device.must_say("The next game: clear the table and deal.", ".toast")
    assert device.view.url.endswith("#table")


@pytest.mark.parametrize(
    ("language", "letters"),
    [
        ("pl", {"RÓ", "Ż"}),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("en", {"P", "Y"}), ("de", {"P", "G"}))),
    ],
)
def test_tiles_have_the_colours_of_the_box_and_the_letters_of_the_language(
    language: str, letters: set[str], page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"), edition="twist")
    page.settle("R10 R11 R12 / O3 O4")
    device = open_device(page.url, language=language)
    shown = device.view.locator(".sets .letter")
    shown.nth(4).wait_for()
    assert comes_true(lambda: set(shown.all_text_contents()) == letters), shown.all_text_contents()
    inks = {
        name: device.view.locator(f".sets .digit.ink-{name}").first.evaluate("one => getComputedStyle(one).fill")
        for name in ("pink", "yellow")
    }
    assert inks == {"pink": "rgb(194, 24, 122)", "yellow": "rgb(120, 96, 0)"}
    dots = "M5 12v.1M12 12v.1M19 12v.1"
    expect(device.view.locator(".legend .unfinished path"), "as … in the drawing").to_have_attribute("d", dots)
    expect(device.view.locator(".badge.unfinished text")).to_have_text("…")


def test_an_opening_that_is_too_low_is_red_all_over(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R3 R4 R5 / B1 B2 B3")
    device = open_device(page.url)
    device.must_say("Ann: not legal", ".verdict")
    expect(device.view.locator(".outline.wrong")).to_have_count(2)
    device.must_say("too few points to open", ".sets")


def test_guests_are_told_why_they_see_no_picture(private_page: Any, open_device: Callable[..., Any]) -> None:
    private_page.start(names=("Ann", "Ben"))
    private_page.play("R10 R11 R12")
    device = open_device(private_page.url)
    device.view.get_by_role("button", name="Camera").click()
    device.must_say("only the organiser sees this picture", ".picture")
    device.log_in(private_page.pin)
    device.view.locator(".scene image").wait_for()


def test_the_organiser_renames_players_at_once_and_moves_them_between_games(
    page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben", "Cem"), games=2)
    page.play("R10 R11 R12")
    guest, device = open_device(page.url), open_device(page.url)
    expect(guest.view.get_by_role("button", name="Names and places")).to_have_count(0)
    device.log_in(page.pin)
    view = device.view
    view.locator(".actions summary").click()
    view.get_by_role("button", name="Names and places").click()
    device.must_say("Places can be changed between games", "dialog")
    expect(view.locator("dialog .icon-only[aria-label*=' place ']")).to_have_count(0)
    view.locator("input[name=name-1]").fill("Ann")
    view.get_by_role("button", name="Save").click()
    device.must_say("must be two to six different names", "dialog .wrong[role=alert]")
    view.locator("input[name=name-1]").fill("Benedikt")
    view.get_by_role("button", name="Save").click()
    device.must_say("Names and places are changed.", ".toast")
    guest.must_say("Benedikt", ".seats .moves")
    page.enter(GameEnded(page.now(), "organiser"))
    device.tab("score")
    view.get_by_role("button", name="Names and places").click()
    view.get_by_role("button", name="Cem one place up").click()
    assert view.locator("dialog input").evaluate_all("all => all.map((one) => one.value)") == ["Ann", "Cem", "Benedikt"]
    device.picture("sheet-players")
    view.get_by_role("button", name="Save").click()
    view.locator("dialog").wait_for(state="hidden")
    guest.view.locator(".seats li:nth-child(2)", has_text="Cem").wait_for()
    expect(guest.view.locator(".seats strong")).to_have_text(["Ann", "Cem", "Benedikt"])
    assert page.match.setup.clockwise == (0, 2, 1)
