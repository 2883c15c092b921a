"""Tiles of a photograph printed anew: the print changes as named, and nothing else does."""

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from models.training.data.reprinted import REPRINTS

TILE = np.array([[100, 60], [220, 60], [220, 220], [100, 220]], np.float32)
BODY, INK = (205, 215, 220), (40, 50, 160)


def pictured(*, rim: bool = False, digit: str = "8") -> npt.NDArray[np.uint8]:
    """A tile with a digit on a dark table; or one of which a dark piece reaches over the edge."""
    image = np.full((280, 320, 3), (60, 80, 70), np.uint8)
    image[60:220, 100:220] = BODY
    if rim:
        image[60:140, 140:180] = INK
    else:
        cv2.putText(image, digit, (130, 160), cv2.FONT_HERSHEY_SIMPLEX, 3, INK, 12, cv2.LINE_AA)
    return image


def printed(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Where something is printed on the tile."""
    face = image[68:212, 108:212].astype(int)
    return np.asarray(face.min(axis=2) < 0.6 * np.median(face.reshape(-1, 3), axis=0).min())


def reprinted(change: str, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    result, (outline,) = REPRINTS[change](image, [TILE])
    assert np.array_equal(outline, TILE), "the tile lies where it lay"
    outside = np.ones(image.shape[:2], bool)
    outside[60:220, 100:220] = False
    assert np.abs(result.astype(int) - image)[outside].max() <= 1, "what is around it stays"
    return np.asarray(result, np.uint8)


def height_of(marks: npt.NDArray[np.bool_]) -> int:
    return int(np.ptp(np.nonzero(marks.any(axis=1))[0])) + 1


@pytest.mark.parametrize(
    ("change", "factor"), [("digits smaller by a quarter", 0.75), ("digits larger by a quarter", 1.25)]
)
def test_digits_take_another_size(change: str, factor: float) -> None:
    image = pictured()
    before, after = (height_of(printed(one)) for one in (image, reprinted(change, image)))
    assert after == pytest.approx(factor * before, abs=3)


def test_thin_digits_have_less_ink_and_bold_ones_more() -> None:
    image = pictured()
    thin, bold = (printed(reprinted(change, image)).sum() for change in ("thin digits", "bold digits"))
    assert thin < 0.8 * printed(image).sum() < 0.8 * bold / 1.2


def test_of_hollow_digits_the_outline_is_left() -> None:
    image = pictured(digit="1")
    result = reprinted("hollow digits", image)
    core = cv2.erode(printed(image).astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    face = result[68:212, 108:212]
    assert face[core].mean() > 0.9 * np.mean(BODY), "within the strokes the body shows"
    assert height_of(printed(result)) == pytest.approx(height_of(printed(image)), abs=3)


def test_a_digit_off_its_place_or_aslant_keeps_its_ink() -> None:
    image = pictured()
    for change in ("digits off their place", "digits aslant"):
        marks = printed(reprinted(change, image))
        assert marks.sum() == pytest.approx(printed(image).sum(), rel=0.1)
        assert (marks != printed(image)).mean() > 0.02, "it is elsewhere"


@pytest.mark.parametrize(("change", "brighter"), [("pale prints", True), ("dark prints", False)])
def test_prints_are_paler_or_darker_on_the_same_body(change: str, brighter: bool) -> None:  # noqa: FBT001  both ways
    image, marks = pictured(), printed(pictured())
    result = reprinted(change, image)
    stroke = cv2.erode(marks.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    ink = result[68:212, 108:212][stroke].mean() - image[68:212, 108:212][stroke].mean()
    assert (ink > 20) if brighter else (ink < -10)
    assert np.median(result[68:212, 108:212]) == pytest.approx(np.median(image[68:212, 108:212]), abs=3)


def test_a_body_of_another_colour_keeps_its_print() -> None:
    image = pictured()
    result = reprinted("yellowed tiles", image)
    blue, green, red = np.median(result[68:212, 108:212].reshape(-1, 3), axis=0)
    assert blue < 0.7 * green < 0.7 * red * 1.1
    assert (printed(result) == printed(image)).mean() > 0.95


def test_what_reaches_over_the_edge_of_a_tile_is_no_print() -> None:
    image = pictured(rim=True)
    for change in REPRINTS:
        assert np.abs(reprinted(change, image).astype(int) - image).max() <= 1, f"{change}: the tile was to stay"


@pytest.mark.parametrize(
    ("change", "height", "filled"),
    [("a dot below the digit", 22, 0.78), ("a ring below the digit", 34, 0.41), ("a heart below the digit", 24, 0.68)],
)
@pytest.mark.parametrize("turned", [False, True], ids=["upright", "upside down"])
def test_a_mark_stands_below_the_digit_in_its_ink(change: str, height: int, filled: float, turned: bool) -> None:  # noqa: FBT001  both
    image = _digit_above(turned=turned)
    result = reprinted(change, image)
    mark = _added(printed(image), printed(result))
    assert height_of(mark) == pytest.approx(height, abs=3)
    assert mark.sum() == pytest.approx(filled * height_of(mark) ** 2, rel=0.15)
    rows, digit = (np.nonzero(which.any(axis=1))[0] for which in (mark, printed(image)))
    assert rows.max() < digit.min() if turned else rows.min() > digit.max(), "below the digit as it is read"
    assert np.abs(np.median(result[68:212, 108:212][mark], axis=0) - INK).max() < 30


def test_the_digit_stands_below_once_more_but_smaller() -> None:
    image = _digit_above()
    assert height_of(_added(printed(image), printed(reprinted("the digit once more below", image)))) == pytest.approx(
        0.4 * height_of(printed(image)), abs=3
    )


def test_digits_are_moved_to_the_middle_from_above_and_from_below() -> None:
    for turned in (False, True):
        marks = printed(reprinted("digits in the middle, underlined", _digit_above(turned=turned)))
        middle = np.nonzero(marks.any(axis=1))[0].mean()
        assert middle == pytest.approx(72, abs=12)


def _added(before: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """What is printed now and was not, but for the edges of what was."""
    beside = cv2.dilate(before.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    return np.asarray(after & ~beside)


def _digit_above(*, turned: bool = False) -> npt.NDArray[np.uint8]:
    """A tile with a digit in its upper half, or the same upside down."""
    image = np.full((280, 320, 3), (60, 80, 70), np.uint8)
    image[60:220, 100:220] = BODY
    cv2.putText(image, "8", (141, 125), cv2.FONT_HERSHEY_SIMPLEX, 1.9, INK, 8, cv2.LINE_AA)
    return np.ascontiguousarray(image[::-1, ::-1]) if turned else image
