"""The play is shown as it was made: tiles slide from where they lay, new ones come down, guilty ones pulse."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import comes_true

NOTE_ANIMATIONS = """
  window.begun = [];
  addEventListener("animationstart", ({ target, animationName }) => {
    const piece = target.closest(".piece");
    window.begun.push([animationName.replace(/-\\d$/, ""), piece.querySelector(".digit")?.textContent]);
  });
"""


def begun(device: Any) -> dict[str, list[str]]:
    """What was animated so far: the numbers on the tiles that slid, fell and pulsed."""
    found = device.view.evaluate("window.begun")
    return {kind: sorted(number for name, number in found if name == kind) for kind in ("slide", "fall", "pulse")}


def await_begun(device: Any, holds: Callable[[dict[str, list[str]]], bool]) -> None:
    """Wait until what was animated so far is as it should be."""
    assert comes_true(lambda: holds(begun(device))), begun(device)


@pytest.mark.parametrize("path", ["", "display"])
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_tiles_slide_fall_and_pulse(path: str, motion: str, page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R9 R10 R11 R12")
    device = open_device(f"{page.url}{path}", "tablet", motion=motion)
    device.view.locator(".piece").nth(3).wait_for()
    device.view.evaluate(NOTE_ANIMATIONS)
    page.settle("R10 R11 R12 / R9 K1")
    device.view.locator(".piece").nth(4).wait_for()
    await_begun(device, lambda seen: seen["fall"] == ([] if motion == "reduce" else ["1"]))
    device.picture(f"motion-{path or 'table'}-{motion}")
    page.settle("R10 R11 R12 / R9 K2 K1")
    device.view.locator(".piece").nth(5).wait_for()
    page.press()
    device.view.locator(".piece.guilty").first.wait_for()
    if motion == "reduce":
        assert begun(device) == {"slide": [], "fall": [], "pulse": []}
        return
    # R9 was put away from its run, which closed up; K1 was laid beside it, and moved on for K2.
    wanted = {"slide": ["1", "10", "11", "12", "9"], "fall": ["1", "2"], "pulse": ["9"]}
    await_begun(device, lambda seen: seen == wanted)


def test_a_page_that_is_opened_shows_the_table_at_rest(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    device = open_device(page.url, motion="no-preference")
    device.view.locator(".piece").nth(2).wait_for()
    device.view.evaluate(NOTE_ANIMATIONS)
    device.tab("turns")
    device.tab("table")
    device.view.locator(".piece").nth(2).wait_for()
    device.view.wait_for_timeout(300)
    assert device.view.evaluate("window.begun") == []
