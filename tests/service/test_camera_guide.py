"""What keeps the camera from seeing well is named by its symptom, on pictures in which one thing is wrong."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from referee.rules.notation import parse_tile
from referee.sim.faces import STYLES, face
from referee.vision.calibrate.camera_guide import SYMPTOMS, examine
from referee.vision.geometry.homography import TablePlane
from referee.vision.profile import Profile

Image = npt.NDArray[np.uint8]
WIDTH, HEIGHT = 1600, 1000


def table(tile_px: int = 64) -> tuple[Image, npt.NDArray[np.float32]]:
    """Green baize with a row of twelve tiles, and where they lie."""
    image = np.full((HEIGHT, WIDTH, 3), (70, 110, 50), np.uint8)
    quads = []
    wide = tile_px * 27 // 38
    for place in range(12):
        left, top = 200 + place * (wide + 6), 400
        drawn, _ = face(parse_tile(f"R{place + 1}"), 0, STYLES["classic"], 2.0, 0)
        drawn = np.minimum(drawn, 225).astype(np.uint8)
        image[top : top + tile_px, left : left + wide] = cv2.resize(
            drawn, (wide, tile_px), interpolation=cv2.INTER_AREA
        )
        quads.append([(left, top), (left + wide, top), (left + wide, top + tile_px), (left, top + tile_px)])
    return image, np.array(quads, np.float32)


def seen(image: Image, quads: Any, profile: Any = None) -> set[str]:
    found = examine(image, np.asarray(quads, np.float32).reshape(-1, 4, 2), profile, astray=False)
    assert {one.symptom for one in found} == set(SYMPTOMS)
    return {one.symptom for one in found if one.seen}


def test_a_good_picture_shows_nothing_wrong() -> None:
    assert seen(*table()) == set()


def test_a_covered_lens_shows_nothing() -> None:
    assert seen(np.full((HEIGHT, WIDTH, 3), 9, np.uint8), []) == {"nothing"}


def test_too_dark() -> None:
    image, quads = table()
    assert "dark" in seen((image * 0.25).astype(np.uint8), quads)


def test_too_bright() -> None:
    image, quads = table()
    assert "bright" in seen(np.clip(image.astype(int) + 120, 0, 255).astype(np.uint8), quads)


def test_glare_names_the_tiles() -> None:
    image, quads = table()
    left, top = quads[3][0].astype(int)
    image[top + 10 : top + 30, left + 8 : left + 36] = 255
    assert seen(image, quads) == {"glare"}
    (glare,) = [one for one in examine(image, quads, None, astray=False) if one.symptom == "glare"]
    assert [quad[0] for quad in glare.quads] == [quads[3][0].tolist()]


def test_out_of_focus() -> None:
    image, quads = table()
    assert seen(np.asarray(cv2.GaussianBlur(image, (0, 0), 9), np.uint8), quads) == {"blurred"}


def test_tiles_too_small() -> None:
    assert "small" in seen(*table(20))


@pytest.mark.parametrize(("times", "leans"), [(1.2, False), (2.0, True)])
def test_a_camera_that_leans_too_far(times: float, *, leans: bool) -> None:
    image, quads = table(96)
    low = np.asarray(cv2.resize(image, (WIDTH, int(HEIGHT / times)), interpolation=cv2.INTER_AREA), np.uint8)
    assert ("tilted" in seen(low, quads / np.array([1, times], np.float32))) is leans


@pytest.mark.parametrize(("outline", "cut"), [((100, 1500), False), ((-40, 1500), True), ((100, 1700), True)])
def test_a_table_that_is_cut_off(outline: tuple[int, int], *, cut: bool) -> None:
    left, right = outline
    corners = tuple((float(x), float(y)) for x, y in ((left, 100), (right, 100), (right, 900), (left, 900)))
    plane = TablePlane(homography=np.eye(3), outline=corners, error_mm=1.0, source="points")
    profile = Profile(camera="usb:0", size=(WIDTH, HEIGHT), table=plane)
    assert ("cut" in seen(*table(), profile)) is cut


def test_what_cannot_be_told_is_not_said() -> None:
    image, _ = table()
    found = {one.symptom: one.seen for one in examine(image, np.zeros((0, 4, 2), np.float32), None, astray=False)}
    assert {symptom for symptom, told in found.items() if told is None} == {
        *("cut", "moved", "covered", "tilted", "blurred", "glare", "small")
    }
