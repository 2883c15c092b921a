"""The inks of a box under a lamp: their colours, and whether they can be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from referee.errors import CalibrationError
from referee.reading.observation import Quad, TileReading
from referee.rules.tiles import Colour, NumberTile
from referee.rules.wording import COLOURS, Message, comma_list, say
from referee.vision.geometry.crops import FACE, READ_CROP_SIZE, rectify
from referee.vision.geometry.optics import Points
from referee.vision.image.colour_channels import print_colours
from referee.vision.image.frame import Image
from referee.vision.profile import Inks, Lab

MIN_TILES: Final = 3
MIN_DISTANCE: Final = 12.0  # CIE L*a*b*: two closer inks look alike
MIN_SEPARATION: Final = 3.0  # in combined spreads of the two inks
_MIN_SPREAD: Final = 1.5


def fit_inks(image: Image, tiles: Sequence[TileReading]) -> Inks:
    """Return the inks of the number tiles read in a picture; raises CalibrationError if a colour is missing."""
    lying: dict[Colour, list[Quad]] = {colour: [] for colour in Colour}
    for reading in tiles:
        if isinstance(reading.tile, NumberTile) and not reading.unsure:
            lying[reading.tile.colour].append(reading.quad)
    missing = [
        say("inks.seen", "{colour} ({seen})", colour=ink_name(colour), seen=len(quads))
        for colour, quads in lying.items()
        if len(quads) < MIN_TILES
    ]
    if missing:
        raise CalibrationError(
            say(
                "inks.few",
                "too few tiles are read for sure in {colours}; lay at least {least} of each colour, and add light",
                colours=comma_list(missing),
                least=MIN_TILES,
            )
        )
    samples: dict[Colour, Points] = {}
    prints: dict[Colour, tuple[float, float, float]] = {}
    for colour, those in lying.items():
        quads = np.array(those, np.float32)
        samples[colour] = np.array([measure_ink(crop) for crop in rectify(image, quads)])
        blue, green, red = print_colours(rectify(image, quads, READ_CROP_SIZE)).mean(axis=0).tolist()
        prints[colour] = (blue, green, red)
    return replace(summarise_inks(samples), prints=MappingProxyType(prints))


def fit_distinct_inks(image: Image, tiles: Sequence[TileReading]) -> Inks:
    """Return the inks as `fit_inks` does; raises CalibrationError also if two are too close."""
    inks = fit_inks(image, tiles)
    for one, other in confusable_inks(inks):
        raise CalibrationError(
            say(
                "inks.close",
                "{one} and {other} are too close under this lamp; use a whiter lamp, or more of it",
                one=ink_name(one),
                other=ink_name(other),
            )
        )
    return inks


def summarise_inks(samples: Mapping[Colour, Points]) -> Inks:
    """Return the inks from samples [n, 3] of each in CIE L*a*b*."""
    means = {colour: samples[colour].mean(axis=0) for colour in Colour}
    spreads = {
        colour: max(_MIN_SPREAD, float(np.sqrt(np.mean(np.sum((samples[colour] - means[colour]) ** 2, axis=1)))))
        for colour in Colour
    }
    colours = {colour: (float(mean[0]), float(mean[1]), float(mean[2])) for colour, mean in means.items()}
    nearest = min(_separation(colours, spreads, pair) for pair in combinations(Colour, 2))
    return Inks(colours=MappingProxyType(colours), spreads=MappingProxyType(spreads), separation=nearest)


def confusable_inks(inks: Inks) -> tuple[tuple[Colour, Colour], ...]:
    """Return the pairs of inks that cannot be told apart reliably."""
    return tuple(
        pair
        for pair in combinations(Colour, 2)
        if _separation(inks.colours, inks.spreads, pair) < MIN_SEPARATION
        or float(np.linalg.norm(np.subtract(inks.colours[pair[0]], inks.colours[pair[1]]))) < MIN_DISTANCE
    )


def ink_name(colour: Colour) -> Message:
    """Return the name of an ink."""
    return COLOURS[colour.name.lower()]


def _separation(colours: Mapping[Colour, Lab], spreads: Mapping[Colour, float], pair: tuple[Colour, Colour]) -> float:
    one, other = pair
    distance = float(np.linalg.norm(np.subtract(colours[one], colours[other])))
    return distance / float(np.hypot(spreads[one], spreads[other]))


def measure_ink(crop: Image) -> Lab:
    """Return the ink of an upright crop in CIE L*a*b*: the mean of the pixels that differ most from the tile's body."""
    lab = np.asarray(cv2.cvtColor(crop[FACE].astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float64).reshape(-1, 3)
    body = np.median(lab, axis=0)  # ink covers less than half of any face
    away = np.linalg.norm(lab - body, axis=1)
    # Mixed pixels lie in between; only about the inkiest twentieth is pure ink.
    ink = lab[away >= np.percentile(away, 96)].mean(axis=0)
    return (float(ink[0]), float(ink[1]), float(ink[2]))
