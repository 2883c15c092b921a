"""The drawn table comes nearer by keyboard and by two fingers, and is moved about."""

from collections.abc import Callable
from typing import Any

import pytest


def shown(device: Any) -> list[float]:
    """What the drawing shows: x, y, width, height."""
    return [float(part) for part in device.view.locator("svg.scene").get_attribute("viewBox").split()]


@pytest.fixture
def device(page: Any, open_device: Callable[..., Any]) -> Any:
    page.start()
    page.lay("R10 R11 R12 / K10 B10 O10 / K7 K8 K9")
    opened = open_device(page.url)
    opened.must_say("3 sets on the table")
    return opened


def test_the_table_is_zoomed_by_keyboard(device: Any) -> None:
    whole = shown(device)
    device.view.get_by_role("button", name="Nearer").focus()
    device.view.keyboard.press("Enter")
    device.view.get_by_role("button", name="All of it").wait_for()
    near = shown(device)
    assert near[2] == pytest.approx(whole[2] / 1.5, rel=0.01)
    device.view.keyboard.press("ArrowLeft")
    device.view.wait_for_function(
        "x => Number(document.querySelector('svg.scene').viewBox.baseVal.x) < x - 1", arg=near[0]
    )
    device.view.keyboard.press("ArrowDown")
    device.view.wait_for_function(
        "y => Number(document.querySelector('svg.scene').viewBox.baseVal.y) > y + 1", arg=near[1]
    )
    device.view.get_by_role("button", name="All of it").click()
    device.view.get_by_role("button", name="All of it").wait_for(state="detached")
    assert shown(device) == pytest.approx(whole)


def test_the_table_is_zoomed_by_two_fingers(device: Any) -> None:
    whole = shown(device)
    box = device.view.locator(".pane").bounding_box()
    middle, row = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = device.view.context.new_cdp_session(device.view)

    def fingers(kind: str, apart: float | None = None) -> None:
        places = (
            []
            if apart is None
            else [{"x": middle - apart, "y": row, "id": 0}, {"x": middle + apart, "y": row, "id": 1}]
        )
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    fingers("touchStart", 30)
    for apart in (45, 60, 75, 90):
        fingers("touchMove", apart)
    fingers("touchEnd")
    device.view.get_by_role("button", name="All of it").wait_for()
    assert whole[2] / 4 < shown(device)[2] < whole[2] / 2
    assert device.view.evaluate("visualViewport.scale") == 1, "the drawing is zoomed, not the page"


def test_the_zoom_lies_over_no_tile(device: Any) -> None:
    pane, zoom = (device.view.locator(one).bounding_box() for one in (".pane", ".zoom"))
    assert pane["y"] + pane["height"] <= zoom["y"]
