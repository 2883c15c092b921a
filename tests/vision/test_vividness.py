"""Colour lost in a picture is measured by its warm prints and given back; a grey picture has none to give back."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.vision.detections import EMBEDDING, INKS, SYMBOLS, Faces
from referee.vision.detector import find_models
from referee.vision.frame import Image
from referee.vision.pipeline import TableReader
from referee.vision.table_inks import judge_together, print_colours
from referee.vision.vividness import is_colourless, lost_colour, stretched, surely_lost

BODY = (205, 225, 232)
PRINTS = {"K": (30, 30, 34), "R": (40, 36, 200), "B": (150, 80, 20), "O": (30, 130, 240)}


def crops_of(inks: str, grey: float = 0.0) -> Image:
    """Tiles with a bar of ink, blended with their own grey by a share."""
    crops = np.empty((len(inks), 48, 32, 3), np.uint8)
    crops[:] = BODY
    for crop, ink in zip(crops, inks, strict=True):
        crop[9:26, 13:23] = PRINTS[ink]
    greys = np.stack([cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR) for crop in crops])
    return np.asarray(np.round(crops * (1 - grey) + greys * grey), np.uint8)


def numbers(count: int) -> Faces:
    symbol = np.zeros((count, len(SYMBOLS)), np.float32)
    symbol[:, 2] = 1
    blank = np.zeros((count, EMBEDDING), np.float32)
    ink = np.full((count, len(INKS)), 1 / len(INKS), np.float32)
    return Faces(symbol=symbol, ink=ink, upright=np.ones(count, np.float32), embedding=blank)


TABLE = "KKKRRRRBBBOOOO"


def test_a_picture_with_its_colours_is_left_alone() -> None:
    assert lost_colour(print_colours(crops_of(TABLE)), numbers(len(TABLE))) == 1


@pytest.mark.parametrize("grey", [0.6, 0.7])
def test_drained_colour_is_measured_and_given_back(grey: float) -> None:
    drained = crops_of(TABLE, grey)
    factor = lost_colour(print_colours(drained), numbers(len(TABLE)))
    assert factor == pytest.approx(2.5, rel=0.2), "a little less than what was lost, and never more than noise bears"
    back, due = (print_colours(crops) for crops in (stretched(drained, factor), crops_of(TABLE)))
    before = np.abs(print_colours(drained) - due).mean()
    assert np.abs(back - due).mean() < before / 2


def test_a_table_without_warm_prints_says_nothing() -> None:
    assert lost_colour(print_colours(crops_of("K" * 12, 0.6)), numbers(12)) == 1
    assert lost_colour(print_colours(crops_of("RRR", 0.6)), numbers(3)) == 1
    assert lost_colour(np.zeros((0, 3)), numbers(0)) == 1


def test_brightness_stays_when_colour_is_stretched() -> None:
    crops = crops_of(TABLE, 0.5)
    luma = [cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(int) for crop in (crops[3], stretched(crops, 2.0)[3])]
    assert np.abs(luma[0] - luma[1]).max() <= 3


def test_only_a_grey_picture_is_colourless() -> None:
    assert is_colourless(crops_of(TABLE, 1.0))
    assert not is_colourless(crops_of("KKKK"))
    assert not is_colourless(crops_of(TABLE, 0.6))
    assert not is_colourless(crops_of("K")[:0])


@pytest.mark.skipif(not (find_models() / "tiles-read.onnx").exists(), reason="the models are not here")
@pytest.mark.parametrize(
    ("grey", "seen", "given_back"),
    [
        pytest.param(0.2, 1.0, 0.0, id="all colour is there"),
        pytest.param(0.55, 0.5, 0.5, id="a little may be lost, or the inks are brick and ochre"),
        pytest.param(0.65, 0.0, 1.0, id="much is lost"),
    ],
)
def test_inks_are_judged_as_they_are_seen_or_with_their_colour_given_back_or_both(
    grey: float, seen: float, given_back: float
) -> None:
    reader, crops = TableReader(), crops_of(TABLE, grey)
    faces = replace(numbers(len(TABLE)), ink=reader._reader.read(crops).ink)
    as_seen = judge_together(print_colours(crops), faces)
    back = stretched(crops, lost_colour(print_colours(crops), faces))
    with_colour = judge_together(print_colours(back), replace(faces, ink=reader._reader.read(back).ink))
    judged = reader._judged_inks(crops, faces, None).ink
    np.testing.assert_allclose(judged, seen * as_seen + given_back * with_colour, atol=1e-6)


@pytest.mark.parametrize(("factor", "surely"), [(1.0, False), (1.7, False), (1.99, False), (2.0, True), (2.5, True)])
def test_much_is_surely_lost(factor: float, *, surely: bool) -> None:
    assert surely_lost(factor) is surely
