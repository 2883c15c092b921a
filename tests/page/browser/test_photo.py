"""A photograph taken on a phone: what a rack is worth in four taps, a wrong tile corrected, the rack entered."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.game.inputs import GameEnded
from tests.conftest import expect
from tests.vision.conftest import _paint_sets


def photograph(folder: Path, notation: str) -> Path:
    path = folder / "photograph.jpg"
    cv2.imwrite(str(path), _paint_sets(notation, (1280, 960)).image)
    return path


def test_a_rack_is_counted_in_two_taps_and_a_wrong_tile_is_corrected(
    page: Any, open_device: Any, tmp_path: Path
) -> None:
    device = open_device(page.url)
    device.tab("photo")
    view = device.view
    view.get_by_label("Take a photograph").set_input_files(photograph(tmp_path, "R5 K13 B1"))
    device.must_say("19 points", "#points-line")
    device.must_say("3 tiles")
    view.locator(".scene .pickable").nth(1).click()
    view.locator("dialog .pad").get_by_role("button", name="black 12").click()
    device.must_say("18 points", "#points-line")
    view.locator(".scene .pickable").nth(1).click()
    view.get_by_role("button", name="There is no tile here").click()
    device.must_say("6 points", "#points-line")
    assert view.locator(".photo-view .notice.doubt").count() == 0
    assert device.overflow() == 0
    device.picture("photo-rack")


def test_a_table_says_which_set_is_none_and_a_play_is_found_for_a_rack(
    page: Any, open_device: Any, tmp_path: Path
) -> None:
    device = open_device(page.url)
    device.tab("photo")
    view = device.view
    view.get_by_label("Choose a picture").set_input_files(photograph(tmp_path, "R5 R6 R7 / K9 B9 O9"))
    device.must_say("Every set is legal.")
    view.get_by_role("button", name="Remember this table for a play").click()
    device.must_say("The table is remembered. Now photograph the rack.")
    view.get_by_label("Take a photograph").set_input_files(photograph(tmp_path, "R8 K1 B3"))
    device.must_say("12 points")
    view.get_by_role("button", name="What could be played?").click()
    device.must_say("Play red 8.")
    view.get_by_label("Take a photograph").set_input_files(photograph(tmp_path, "R5 R6 R7 / K9 B9"))
    device.must_say("This table is not legal.")
    device.must_say("K9 and B9 are only two tiles; a set has at least three.")
    device.picture("photo-table")


def test_a_rack_goes_from_its_photograph_into_the_form(page: Any, open_device: Any, tmp_path: Path) -> None:
    page.start()
    page.play("R10 R11 R12")
    page.enter(GameEnded(page.now(), "organiser"))
    device = open_device(page.url)
    device.log_in(page.pin)
    device.tab("photo")
    view = device.view
    view.get_by_label("Take a photograph").set_input_files(photograph(tmp_path, "R5 K13 B1"))
    view.get_by_role("button", name="Enter as Ben's rack").click()
    field = view.locator("fieldset").filter(has_text="Rack of Ben").locator("input[name=rack-1]")
    expect(field).to_be_visible()
    assert sorted(field.input_value().split()) == ["B1", "K13", "R5"]


@pytest.mark.parametrize("content", [b"a text", b"\x00\x00\x00\x18ftypheic"], ids=["a text", "a HEIC's first bytes"])
def test_what_the_browser_cannot_open_is_said_in_words(
    content: bytes, page: Any, open_device: Any, tmp_path: Path
) -> None:
    device = open_device(page.url)
    device.tab("photo")
    (tmp_path / "file.jpg").write_bytes(content)
    device.view.get_by_label("Choose a picture").set_input_files(tmp_path / "file.jpg")
    device.must_say("This browser cannot open this picture. Choose a JPEG or PNG.")


def test_a_picture_without_tiles_says_what_to_do(page: Any, open_device: Any, tmp_path: Path) -> None:
    device = open_device(page.url)
    device.tab("photo")
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((3000, 4000, 3), 90, np.uint8))  # larger than what is sent
    device.view.get_by_label("Choose a picture").set_input_files(tmp_path / "grey.png")
    device.must_say("No tile was found.")
    assert device.view.locator("#points-line").count() == 0
