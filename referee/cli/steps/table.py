"""`referee calibrate table`: find the table plane in millimetres, and measure the tiles."""

import argparse
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from referee.cli.progress import Progress
from referee.cli.steps.common import (
    Picture,
    add_picture_arguments,
    add_profile_arguments,
    load_picture,
    next_command,
    print_note,
    print_result,
    profile_for,
    profile_path,
    save,
    save_drawing,
)
from referee.errors import ConfigError, ModelError
from referee.reading.observation import TableReading
from referee.vision.calibrate.markers import find_corner_markers
from referee.vision.calibrate.table_plane import fit_markers, fit_points, measure_tiles
from referee.vision.geometry.homography import TablePlane
from referee.vision.geometry.optics import Points
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

_CORNER_COUNT: Final = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument(
        "--size", metavar="WxD", help="the table in mm, between the markers' outer corners, such as 1200x900"
    )
    parser.add_argument(
        "--points",
        metavar="'X,Y …'",
        help="without markers: pixels of the table's corners, clockwise from far left",
    )
    parser.add_argument(
        "--places", metavar="'X,Y …'", help="with --points: their positions on the table in mm, if not its corners"
    )
    parser.add_argument(
        "--tiles", action="store_true", help="without markers: one tile lies in each corner of the table"
    )


def run(arguments: argparse.Namespace) -> int:
    """Find the table, measure its tiles if there are any, write the profile."""
    picture, size = load_picture(arguments), table_size(arguments.size)
    profile = replace(profile_for(arguments, picture.size), table=None)
    if profile.intrinsics is None:
        print_note(
            "the lens is not calibrated, so straight lines may bend; calibrate the camera first for a better table"
        )
    reading = _read_tiles(picture)
    markers = find_corner_markers(picture.image)
    plane = _find_plane(arguments, profile, size, markers, reading)
    if reading is not None:
        plane = replace(plane, tile_mm=measure_tiles(replace(profile, table=plane), reading.tiles, markers))
    profile = replace(profile, table=plane)
    save_drawing(arguments.annotate, f"table-{Path(picture.name).stem}", draw_table(picture.image, profile))
    save(profile, arguments)
    _report(plane, arguments)
    return 0


def _find_plane(
    arguments: argparse.Namespace,
    profile: Profile,
    size: tuple[float, float] | None,
    markers: Mapping[int, Points],
    reading: TableReading | None,
) -> TablePlane:
    if arguments.points:
        pixels = _parse_points(arguments.points, "--points")
        places = _parse_points(arguments.places, "--places") if arguments.places else _corner_places(size, "--points")
        return fit_points(pixels, places, profile.intrinsics)
    if arguments.tiles:
        return fit_points(_outer_corners(reading), _corner_places(size, "--tiles"), profile.intrinsics, "tiles")
    return fit_markers(markers, profile.intrinsics, size)


def _read_tiles(picture: Picture) -> TableReading | None:
    """Return the tiles in the picture; None without a model, which this step does not need."""
    try:
        with Progress("reading the tiles"):
            return TableReader().read_table(Frame(picture.name, 0.0, picture.image))
    except ModelError as error:
        print_note(f"tiles are not measured: {error}")
        return None


def _outer_corners(reading: TableReading | None) -> Points:
    """Return the outermost corners of four tiles, clockwise from far left."""
    tiles = reading.tiles if reading else ()
    if len(tiles) != _CORNER_COUNT:
        raise ConfigError(f"tiles seen: {len(tiles)}; lay exactly four, one in each corner of the table")
    quads = np.array([tile.quad for tile in tiles], np.float64)
    middle = quads.mean(axis=(0, 1))
    away = np.linalg.norm(quads - middle, axis=2)
    outer = quads[np.arange(_CORNER_COUNT), np.argmax(away, axis=1)]
    angles = np.arctan2(*(outer - middle).T[::-1])  # y runs down, so growing angles run clockwise
    order = np.argsort(angles)
    clockwise = outer[order]
    first = int(np.argmin(clockwise.sum(axis=1)))
    return np.roll(clockwise, -first, axis=0)


def table_size(text: str | None) -> tuple[float, float] | None:
    """Return the table's width and depth in millimetres from `--size`, if given; raises ConfigError."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)\s*", text)
    if not match or min(map(float, match.groups())) < 200 or max(map(float, match.groups())) > 5000:
        raise ConfigError(f"--size {text!r} is not a table size; give width x depth in mm, such as 1200x900")
    return (float(match[1]), float(match[2]))


def _parse_points(text: str, option: str) -> Points:
    words = text.replace(";", " ").split()
    try:
        points = [tuple(float(part) for part in word.split(",")) for word in words]
    except ValueError:
        points = []
    if not points or any(len(point) != 2 for point in points) or not np.isfinite(points).all():
        raise ConfigError(f"{option} {text!r} are not points; write them as '310,120 1600,118 1810,990 95,1003'")
    return np.array(points, np.float64)


def _corner_places(size: tuple[float, float] | None, option: str) -> Points:
    if size is None:
        raise ConfigError(f"{option} needs --size WIDTHxDEPTH, the table's measure in millimetres")
    width, depth = size
    return np.array([[0, 0], [width, 0], [width, depth], [0, depth]], np.float64)


def draw_table(image: Image, profile: Profile) -> Image:
    """Return the picture with the table's outline and a line every 100 mm, distorted as by the lens."""
    drawing = image.copy()
    if profile.table is None:
        return drawing
    thick = max(1, image.shape[1] // 900)
    outline = np.array(profile.table.outline)
    low, high = outline.min(axis=0), outline.max(axis=0)
    for axis in (0, 1):
        for place in np.arange(np.ceil(low[axis] / 100) * 100, high[axis] + 1, 100):
            line = np.linspace(low, high, 50)
            line[:, axis] = place
            _draw_line(drawing, profile, line, (200, 160, 60), thick)
    for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        _draw_line(drawing, profile, np.linspace(start, end, 50), (60, 90, 230), 3 * thick)
    return drawing


def _draw_line(drawing: Image, profile: Profile, places: Points, colour: tuple[int, int, int], thick: int) -> None:
    pixels = np.round(profile.to_picture(places)).astype(np.int32)
    cv2.polylines(drawing, [pixels], False, colour, thick, cv2.LINE_AA)


def _report(plane: TablePlane, arguments: argparse.Namespace) -> None:
    path = profile_path(arguments)
    width, depth = plane.size_mm
    report = {
        "profile": str(path),
        "source": plane.source,
        "size_mm": [round(width, 2), round(depth, 2)],
        "error_mm": None if plane.error_mm is None else round(plane.error_mm, 3),
        "tile_mm": None if plane.tile_mm is None else list(plane.tile_mm),
    }
    error = (
        "nothing was left to check it by" if plane.error_mm is None else f"places are known to {plane.error_mm:.2f} mm"
    )
    tiles = (
        "no tile lay on it to measure"
        if plane.tile_mm is None
        else f"tiles are {plane.tile_mm[0]:g} × {plane.tile_mm[1]:g} mm"
    )
    words = [
        f"The table is {width:.1f} × {depth:.1f} mm, from {plane.source}; {error}; {tiles}.",
        f"Written to {path}. Next: {next_command(arguments, 'colours')}",
    ]
    print_result(report, words, as_json=arguments.json)
