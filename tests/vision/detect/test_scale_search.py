"""Finding tiles: a tile on the seam of two windows is found once, a faint one is found but not clear."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.vision.detect.detection_scale import Zoom
from referee.vision.detect.scale_search import ScaleSearch
from referee.vision.geometry.detections import Detections, Floats
from referee.vision.geometry.homography import grid, square
from referee.vision.geometry.optics import Points
from referee.vision.geometry.quads import half_vectors, long_sides, quads_of
from referee.vision.image.frame import Image
from referee.vision.image.pyramid import Pyramid
from referee.vision.networks.models import MULTIPLE, Locator
from referee.vision.networks.sidecar import find_models

Paint = Callable[..., Image]
needs_models = pytest.mark.skipif(not (find_models() / "tiles-locate.onnx").exists(), reason="the models are not here")

ALONG = np.array([math.cos(0.3), math.sin(0.3), 0.0])
ZOOMS = (Zoom(0.5), Zoom(0.5, tuple(map(tuple, (np.eye(3) + 0.3 * np.outer(ALONG, ALONG)).tolist()))))


def any_face(_image: Pyramid, quads: Floats) -> Floats:
    return np.ones(len(quads), np.float32)


def as_located(_image: Pyramid, quads: Floats) -> Floats:
    return quads


def centres(found: Detections) -> list[tuple[int, int]]:
    return sorted((round(float(x)), round(float(y))) for x, y in found.quads.mean(axis=1))


@pytest.mark.parametrize("x", range(760, 841, 8))
def test_a_tile_anywhere_near_the_seam_of_two_windows_is_found_once(models: Path, paint: Paint, x: int) -> None:
    image = paint([("3", "R", x, 200)], (1600, 400))
    assert centres(ScaleSearch(Locator(models), 0.5, any_face, as_located).find(Pyramid(image), Zoom(1.0))) == [
        (x, 200)
    ]


class TwoOpinions(Locator):
    """Places tiles in a window four pixels further from its inner edge than they are."""

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        found = super().locate(image, threshold)
        away = np.where(found.quads.mean(axis=1)[:, :1] > image.shape[1] / 2, 4, -4)
        return Detections((found.quads + away[:, None]).astype(np.float32), found.scores)


@pytest.mark.parametrize("x", range(780, 821, 4))
def test_windows_that_disagree_about_its_place_do_not_lose_it(models: Path, paint: Paint, x: int) -> None:
    image = paint([("3", "R", x, 200)], (1600, 400))
    assert len(ScaleSearch(TwoOpinions(models), 0.5, any_face, as_located).find(Pyramid(image), Zoom(1.0))) == 1


def test_a_faint_tile_is_found_but_is_not_clear(models: Path, paint: Paint) -> None:
    image = paint([("3", "R", 200, 200), ("4", "R", 228, 200), ("5", "R", 256, 200), ("6", "R", 500, 400)])
    for x, y in ((256, 200), (500, 400)):
        image[y : y + 4, x : x + 4] = (165, 0, 60)  # hardly bluer than red
    finder = ScaleSearch(Locator(models), 0.5, any_face, as_located)
    found = finder.find(Pyramid(image), Zoom(1.0))
    assert centres(found) == [(200, 200), (228, 200), (256, 200), (500, 400)]
    assert centres(found.pick(finder.are_clear(found))) == [(200, 200), (228, 200)]


class Shown(Locator):
    """Remembers what it was shown."""

    pictures: list[Image]

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        self.pictures = [*getattr(self, "pictures", []), image]
        return super().locate(image, threshold)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        return [(picture.shape[1], picture.shape[0]) for picture in self.pictures]


@needs_models
@pytest.mark.parametrize("zoom", ZOOMS, ids=["as it is", "flattened"])
def test_a_look_at_a_part_of_the_picture_finds_what_lies_there_where_it_is(
    paint_sets: Callable[..., Any], zoom: Zoom
) -> None:
    image, _, truth = paint_sets("R3 R4 R5 R6 / K7 B7 O7 / B9 B10 B11", (1536, 864))
    picture = Pyramid(image)
    locator = Shown(find_models())
    finder = ScaleSearch(locator, locator.threshold, any_face, as_located)
    whole = finder.find(picture, zoom)
    for quad in truth[::3]:
        middle = quad.mean(axis=0)
        part = finder.find(picture, zoom, square(200) + middle)
        there, here = (nearest(found, middle) for found in (whole, part))
        assert np.hypot(*(there - middle)) < 0.2 * long_sides(quad[None])[0]
        assert np.hypot(*(here - there)) < 0.05 * long_sides(quad[None])[0]
    (across, down), *parts = locator.sizes
    assert max(fewer * less for fewer, less in parts) < across * down / 4
    assert all(fewer % MULTIPLE == less % MULTIPLE == 0 for fewer, less in parts)


def nearest(found: Detections, place: Floats) -> Floats:
    middles = found.quads.mean(axis=1)
    return np.asarray(middles[np.hypot(*(middles - place).T).argmin()], np.float32)


@needs_models
def test_a_part_as_large_as_the_picture_is_all_of_it(paint_sets: Callable[..., Any]) -> None:
    image, _, truth = paint_sets("R3 R4 R5 R6 / K7 B7 O7", (1280, 832))
    locator = Shown(find_models())
    finder = ScaleSearch(locator, locator.threshold, any_face, as_located)
    everywhere = grid((1280, 832))
    whole, part = (finder.find(Pyramid(image), Zoom(0.5), places) for places in (None, everywhere))
    assert len(whole) >= len(truth)
    assert centres(part) == centres(whole)
    assert locator.sizes[0] == locator.sizes[1]


@needs_models
@pytest.mark.parametrize("zoom", ZOOMS, ids=["as it is", "flattened"])
@pytest.mark.parametrize("places", [None, np.array([[10.0, 10.0], [1200.0, 800.0]])], ids=["all", "a part"])
def test_a_look_that_is_shifted_finds_the_same_tiles_in_the_same_places(
    paint_sets: Callable[..., Any], zoom: Zoom, places: Points | None
) -> None:
    image, _, truth = paint_sets("R3 R4 R5 R6 / K7 B7 O7", (1280, 832))
    locator = Shown(find_models())
    finder = ScaleSearch(locator, locator.threshold, any_face, as_located)
    for shift in (10, 21):
        found = finder.find(Pyramid(image), zoom._replace(shift=shift), places)
        for quad in truth:
            middle = quad.mean(axis=0)
            assert np.hypot(*(nearest(found, middle) - middle)) < 0.1 * long_sides(quad[None])[0]
    finder.find(Pyramid(image), zoom, places)
    *shifted, unshifted = locator.pictures
    for picture, shift in zip(shifted, (10, 21), strict=True):
        assert np.array_equal(picture[shift : shift + 300, shift : shift + 300], unshifted[:300, :300])


class SeesATilingOfThem(Locator):
    """Sees tiles side by side all over the picture, the clearer the further right they lie."""

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        del threshold
        x, y = np.meshgrid(np.arange(10, image.shape[1] - 10, 20.0), np.arange(15, image.shape[0] - 15, 28.0))
        quads = upright_quads(list(zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)), 26)
        return Detections(quads, np.linspace(0.6, 0.9, len(quads), dtype=np.float32))


def test_of_more_than_any_box_holds_the_clearest_thousand_are_kept(models: Path) -> None:
    image = np.full((704, 1280, 3), 90, np.uint8)
    found = ScaleSearch(SeesATilingOfThem(models), 0.5, any_face, as_located).find(Pyramid(image), Zoom(1.0))
    assert len(found) == 1000
    assert found.scores.min() > 0.7


class TakesAllForOne(Locator):
    """Takes what is seen at a quarter of its size for one tile that fills the picture, and is sure of it."""

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        height, width = image.shape[:2]
        if width != 160:
            return super().locate(image, threshold)
        all_of_it = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
        return Detections(all_of_it, np.ones(1, np.float32))


def test_what_vanishes_at_the_scale_that_would_suit_it_gives_way_to_the_next_best_look(
    models: Path, paint: Paint
) -> None:
    image = paint([("3", "R", 200, 200), ("4", "R", 228, 200)], (640, 480))
    found = ScaleSearch(TakesAllForOne(models), 0.5, any_face, as_located).find(Pyramid(image))
    assert centres(found) == [(200, 200), (228, 200)]


def upright_quads(places: Sequence[tuple[float, float]], tall: float) -> Floats:
    wide = tall * 0.7
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    return np.asarray(np.array(places)[:, None] + corners, np.float32)


class SeesAPiece(Locator):
    """Tiles 72 pixels long, seen whole at 640 pixels; smaller, but a piece of the last."""

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        del threshold
        places = [(100.0, 100.0), (200.0, 100.0), (300.0, 100.0)]
        if image.shape[1] == 640:
            return Detections(upright_quads(places, 72), np.full(3, 0.7, np.float32))
        if image.shape[1] < 256:
            return Detections(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))
        quads = np.concatenate([upright_quads(places[:2], 76), upright_quads(places[2:], 40)])
        return Detections((quads * 32 / 72).astype(np.float32), np.array([0.9, 0.6, 0.8], np.float32))


def test_a_tile_of_which_the_better_look_sees_but_a_piece_is_kept_from_the_first(models: Path) -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    found = ScaleSearch(SeesAPiece(models), 0.5, any_face, as_located).find(Pyramid(image))
    assert centres(found) == [(100, 100), (200, 100), (300, 100)]
    tall = long_sides(found.quads)[np.argsort(found.quads[:, 0, 0])]
    assert tall == pytest.approx([76, 76, 72], abs=0.5), "what the better look sees whole is more exact there"


def test_what_the_first_look_alone_sees_is_a_tile_only_where_a_face_shows(models: Path) -> None:
    def no_face_at_right(_image: Pyramid, quads: Floats) -> Floats:
        return np.where(quads.mean(axis=1)[:, 0] > 250, 0.8, 1.0).astype(np.float32)

    found = ScaleSearch(SeesAPiece(models), 0.5, no_face_at_right, as_located).find(
        Pyramid(np.zeros((480, 640, 3), np.uint8))
    )
    assert long_sides(found.quads)[np.argsort(found.quads[:, 0, 0])] == pytest.approx([76, 76, 40], abs=0.5)


class SeesNothingBetter(SeesAPiece):
    """What is seen at 640 pixels vanishes at the scale that would suit it."""

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        found = super().locate(image, threshold)
        return found if image.shape[1] == 640 else found.pick(np.zeros(len(found), bool))


def test_what_vanishes_at_the_better_look_was_no_tile(models: Path) -> None:
    assert (
        len(
            ScaleSearch(SeesNothingBetter(models), 0.5, any_face, as_located).find(
                Pyramid(np.zeros((480, 640, 3), np.uint8))
            )
        )
        == 0
    )


class SeesRipples(Locator):
    """Takes ripples 10 pixels long, in a picture of 2560, for tiles from a look of 1280 on; counts how much it sees."""

    pixels: int = 0

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        del threshold
        self.pixels += image.shape[0] * image.shape[1]
        ripples = upright_quads([(100.0, 100.0), (140.0, 120.0), (180.0, 90.0)], 10)
        ripples = ripples if image.shape[1] > 640 else ripples[:0]
        return Detections(ripples, np.full(len(ripples), 0.9, np.float32))


def test_a_large_picture_is_not_magnified(models: Path) -> None:
    locator = SeesRipples(models)
    ScaleSearch(locator, 0.5, any_face, as_located).find(Pyramid(np.full((1600, 2560, 3), 90, np.uint8)))
    assert locator.pixels / (2560 * 1600) < 3, "no look is larger than the picture"


class TakesThemForCommonOnes(Locator):
    """Sees tiles of the usual proportion, whatever they are, and keeps the shapes of the pictures it is shown."""

    shapes: list[tuple[int, int]]

    def locate(self, image: Image, threshold: float | None = None) -> Detections:
        del threshold
        self.shapes.append(image.shape[:2])
        scale = image.shape[1] / 640
        quads = upright_quads([(100.0, 100.0), (200.0, 100.0), (300.0, 100.0)], 40) * scale
        return Detections(quads.astype(np.float32), np.full(3, 0.9, np.float32))


def test_tiles_that_are_shorter_than_they_are_taken_for_are_looked_at_in_a_longer_picture(models: Path) -> None:
    def shorter(_image: Pyramid, quads: Floats) -> Floats:
        centre, up, right = half_vectors(quads)
        as_high = np.linalg.norm(right, axis=1) / 0.75 / 1.7
        return quads_of(centre, (up * (as_high / np.linalg.norm(up, axis=1))[:, None]).astype(np.float32), right)

    shapes = []
    for outline in (as_located, shorter):
        locator = TakesThemForCommonOnes(models)
        locator.shapes = []
        ScaleSearch(locator, 0.5, any_face, outline).find(Pyramid(np.zeros((480, 640, 3), np.uint8)))
        shapes.append([high / wide for high, wide in locator.shapes])
    assert max(shapes[0]) == pytest.approx(480 / 640, rel=0.35), "as it is, but for what fills it up"
    assert max(shapes[1]) == pytest.approx(480 / 640 * 1.7, rel=0.1)
