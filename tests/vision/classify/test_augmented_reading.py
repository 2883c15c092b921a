"""Further looks at tiles in doubt: who is looked at again, how often, and that no one look decides.

The stand-in reader says 3 of a crop, the surer the more of its left rim is light, and 8 where it is dark; it tells the
upper end by its light.
"""

import numpy as np
import pytest

from referee.vision.classify.augmented_reading import (
    AUGMENTATIONS,
    CropJitter,
    augmented_reading,
    confidence,
)
from referee.vision.geometry.crops import READ_CROP_SIZE, rectify
from referee.vision.geometry.detections import INKS, SYMBOLS, Faces, Floats
from referee.vision.geometry.quads import quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import FaceReader
from referee.vision.networks.sidecar import find_models

THREE, EIGHT = SYMBOLS.index("3"), SYMBOLS.index("8")
WIDTH, HEIGHT = 48.0, 64.0
RED = INKS.index("R")


class Rim:
    """The stand-in reader; keeps how many crops it was shown in each call."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, crops: Image) -> Faces:
        self.calls.append(len(crops))
        symbol = np.full((len(crops), len(SYMBOLS)), 1e-6, np.float32)
        ink = np.full((len(crops), len(INKS)), 1e-6, np.float32)
        height = crops.shape[1]
        symbol[:, THREE] = (crops[:, :, :2].mean(axis=(1, 2, 3)) / 252).clip(0, 0.9995)
        symbol[:, EIGHT] = 1 - symbol[:, THREE]
        ink[:, RED] = 1
        ends = [np.s_[: height // 4], np.s_[-height // 4 :]]
        light = [crops[:, part].mean(axis=(1, 2, 3)).astype(np.float32) for part in ends]
        return Faces(
            symbol=symbol / symbol.sum(axis=1, keepdims=True),
            ink=ink / ink.sum(axis=1, keepdims=True),
            upright=(light[0] > light[1]).astype(np.float32) * 0.8 + 0.1,
            embedding=np.zeros((len(crops), 32), np.float32),
        )


class Says:
    """A reader who says one thing of every crop; keeps how many crops it was shown in each call."""

    def __init__(self, *, sure: float, symbol: int = THREE, ink_sure: float = 1.0) -> None:
        self.calls: list[int] = []
        self._chances = [np.full((1, count), 1e-6, np.float32) for count in (len(SYMBOLS), len(INKS))]
        for chances, one in zip(self._chances, (symbol, RED), strict=True):
            chances[0, one] = 1.0
        self._chances[0][0, [symbol, SYMBOLS.index("13")]] = sure, 1 - sure
        self._chances[1][0, [RED, INKS.index("O")]] = ink_sure, 1 - ink_sure

    def __call__(self, crops: Image) -> Faces:
        if len(crops):
            self.calls.append(len(crops))
        symbol, ink = (chances.repeat(len(crops), axis=0) for chances in self._chances)
        upright = np.full(len(crops), 0.9, np.float32)
        return Faces(symbol=symbol, ink=ink, upright=upright, embedding=np.zeros((len(crops), 32), np.float32))


def tiles(count: int, *, inverted: bool = False) -> Floats:
    middles = 60.0 + np.outer(np.arange(count), (80, 0))
    up = np.array([0, HEIGHT / 2 if inverted else -HEIGHT / 2], np.float32)
    right = np.array([-WIDTH / 2 if inverted else WIDTH / 2, 0], np.float32)
    return quads_of(middles, *(np.tile(side, (count, 1)) for side in (up, right)))


def scene(quads: Floats, rims: list[int]) -> Pyramid:
    """White tiles whose upper half is lighter, on a white table; a line of each rim's light lies at its left edge."""
    image = np.full((120, 80 * len(quads) + 40, 3), 250, np.uint8)
    image[60:] = 246
    for quad, rim in zip(quads, rims, strict=True):
        left = int(quad[:, 0].min() - 0.08 * WIDTH) - 1
        image[:, left : left + 3] = rim
    return Pyramid(image)


def seen(quads: Floats, rims: list[int]) -> tuple[Faces, Faces, list[int]]:
    """The faces at first look, after the others, and how many crops the better reader was shown in each call."""
    reader, image = Rim(), scene(quads, rims)
    first = Rim()(rectify(image, quads, READ_CROP_SIZE))
    after = augmented_reading(image, quads, first, read=reader)
    return first, after, reader.calls


def test_a_sure_tile_is_not_looked_at_again() -> None:
    image, reader = Pyramid(np.full((120, 300, 3), 255, np.uint8)), Rim()
    first = Rim()(np.full((3, 48, 32, 3), 255, np.uint8))
    after = augmented_reading(image, tiles(3), first, read=reader)
    assert sum(reader.calls) == 0
    np.testing.assert_array_equal(after.symbol, first.symbol)


def test_no_tiles_are_no_trouble() -> None:
    image, reader = Pyramid(np.zeros((64, 64, 3), np.uint8)), Rim()
    assert len(augmented_reading(image, tiles(0), reader(np.zeros((0, 48, 32, 3), np.uint8)), read=reader)) == 0


def test_what_lies_on_the_rim_of_one_cut_is_outvoted() -> None:
    first, after, _ = seen(tiles(2), [250, 0])
    assert first.symbol[1].argmax() == EIGHT, "at first look the dark line is taken for part of the digit"
    assert after.symbol.argmax(axis=1).tolist() == [THREE, THREE]


def test_only_the_doubtful_tile_is_shown_to_the_better_reader_and_cut_out_again() -> None:
    first, after, calls = seen(tiles(3), [255, 0, 255])
    assert calls == [2, 2], "one tile both ways up, then two cuts"
    np.testing.assert_array_equal(after.symbol[[0, 2]], first.symbol[[0, 2]])


def test_of_a_table_full_of_doubts_some_are_cut_out_again() -> None:
    _, _, calls = seen(tiles(60), [100] * 60)
    assert calls == [2 * 60, 2 * 48]


def test_what_the_better_reader_is_sure_of_is_not_cut_out_anew() -> None:
    crops, better = np.full((1, 48, 32, 3), 200, np.uint8), Says(sure=0.99)
    first = Says(sure=0.9, symbol=EIGHT)(crops)
    after = augmented_reading(Pyramid(np.full((120, 140, 3), 200, np.uint8)), tiles(1), first, read=better)
    assert better.calls == [2], "both ways up"
    assert after.symbol[0, THREE] == pytest.approx(0.99, abs=1e-3), "and the first look does not count"


@pytest.mark.parametrize(
    ("ink_sure", "shown"),
    [
        pytest.param(0.996, [], id="sure of it: no further look"),
        pytest.param(0.7, [2], id="in doubt: both ways up, and no more, however little that tells"),
    ],
)
def test_a_doubt_about_the_ink_alone_is_left_to_the_table(ink_sure: float, shown: list[int]) -> None:
    better = Says(sure=0.9999, ink_sure=0.7)
    first = Says(sure=0.9999, ink_sure=ink_sure)(np.full((1, 48, 32, 3), 200, np.uint8))
    augmented_reading(Pyramid(np.full((120, 140, 3), 200, np.uint8)), tiles(1), first, read=better)
    assert better.calls == shown


@pytest.mark.parametrize("inverted", [pytest.param(False, id="upright"), pytest.param(True, id="upside down")])
def test_the_end_that_is_up_is_the_same_after_all_looks(*, inverted: bool) -> None:
    first, after, _ = seen(tiles(1, inverted=inverted), [100])
    assert (first.upright[0] < 0.5) == inverted
    assert after.upright[0] == pytest.approx(first.upright[0], abs=0.01), "every look agrees about it"


def test_cuts_lie_on_either_side_of_the_first() -> None:
    y, x = np.mgrid[:120, :120].astype(np.uint8)
    places, quads = np.stack([x, y, x], axis=2), tiles(1)
    crops = rectify(places, quads)
    shown: list[Image] = []

    def read(those: Image) -> Faces:
        shown.append(those)
        return Rim()(those)

    augmented_reading(Pyramid(places), quads, Says(sure=0.5)(crops), read=read)
    middles = shown[-1][:, :, :, :2].mean(axis=(1, 2)) - crops[0, :, :, :2].mean(axis=(0, 1))
    aside = np.array([0.04 * WIDTH, -0.03 * HEIGHT])  # to the right and upward
    np.testing.assert_allclose(middles, np.stack([aside, -aside]), atol=0.3)


@pytest.mark.parametrize("cut", [pytest.param(cut, id=f"cut {number}") for number, cut in enumerate(AUGMENTATIONS)])
def test_of_a_camera_that_keeps_still_the_better_reader_looks_once_however_doubtful_it_is(cut: CropJitter) -> None:
    quads, reader = tiles(2), Rim()
    image = scene(quads, [100, 100])
    crops = rectify(image, quads, READ_CROP_SIZE)
    first = Rim()(crops)
    after = augmented_reading(image, quads, first, read=reader, jitter=cut)
    assert reader.calls == [2]
    assert not np.array_equal(after.symbol, first.symbol)


@pytest.mark.parametrize("inverted", [pytest.param(False, id="upright"), pytest.param(True, id="upside down")])
def test_each_of_the_cuts_tells_the_same_end_that_is_up(*, inverted: bool) -> None:
    quads = tiles(1, inverted=inverted)
    image = scene(quads, [100])
    crops = rectify(image, quads, READ_CROP_SIZE)
    first = Rim()(crops)
    ups = [augmented_reading(image, quads, first, read=Rim(), jitter=cut).upright[0] for cut in AUGMENTATIONS]
    assert ups == [pytest.approx(first.upright[0], abs=0.01)] * len(AUGMENTATIONS)


def test_the_cuts_are_what_lies_there_the_same_turned_round_and_one_aside() -> None:
    y, x = np.mgrid[:120, :120].astype(np.uint8)
    places, quads = np.stack([x, y, x], axis=2), tiles(1)
    crops = rectify(places, quads, READ_CROP_SIZE)
    shown: list[Image] = []

    def read(those: Image) -> Faces:
        shown.append(those)
        return Rim()(those)

    doubtful = Says(sure=0.5)(crops)
    for cut in AUGMENTATIONS:
        augmented_reading(Pyramid(places), quads, doubtful, read=read, jitter=cut)
    here, turned, aside = (one[0].astype(np.float64) for one in shown)
    np.testing.assert_allclose(turned, here[::-1, ::-1], atol=1.01)
    middle = (aside - here)[:, :, :2].mean(axis=(0, 1))
    np.testing.assert_allclose(middle, [-0.04 * WIDTH, 0.03 * HEIGHT], atol=0.3)


def test_embeddings_stay_those_of_the_first_look() -> None:
    reader = FaceReader(find_models())
    crops = np.random.default_rng(1).integers(0, 255, (2, 48, 32, 3)).astype(np.uint8)
    first = reader.read(crops)
    image = Pyramid(np.random.default_rng(2).integers(0, 255, (120, 220, 3)).astype(np.uint8))
    after = augmented_reading(image, tiles(2), first, read=reader.read)
    assert (confidence(first) < 0.98).all(), "noise is no tile"
    assert not np.array_equal(after.symbol, first.symbol)
    np.testing.assert_array_equal(after.embedding, first.embedding)
