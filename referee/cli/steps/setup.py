"""`referee calibrate setup`: focus, light, lens, table and inks from the box's own tiles."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from referee.addresses import showable
from referee.cli.progress import Progress
from referee.cli.steps.colours import swatches
from referee.cli.steps.common import (
    Picture,
    add_picture_arguments,
    add_profile_arguments,
    load_picture,
    next_command,
    number_in_range,
    open_camera,
    print_note,
    print_result,
    profile_for,
    profile_path,
    save,
    save_drawing,
)
from referee.cli.steps.lens import lock_controls
from referee.cli.steps.table import draw_table, table_size
from referee.errors import CalibrationError, ConfigError
from referee.hardware.ports import EndOfFrames
from referee.reading.observation import TableReading, TileReading
from referee.vision.calibrate.ink_colours import fit_distinct_inks
from referee.vision.calibrate.tile_fit import fit_table
from referee.vision.calibrate.tile_plane import TilePlane, calibrated_lens
from referee.vision.geometry.optics import Points
from referee.vision.geometry.plane import TILE_MM
from referee.vision.image.annotate import draw
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader
from referee.vision.profile import Inks, LockedControls, Profile

_MAX_TILE_SHIFT: Final = 0.2  # of a tile's width
_LARGE_ERROR_MM: Final = 5.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument("--size", metavar="WxD", help="the table in mm, if you measured it, such as 1200x900")
    parser.add_argument("--tile", metavar="WxH", help="a tile in mm, if yours is not 27x38")
    parser.add_argument(
        "--pictures",
        type=number_in_range(1, 50, int),
        default=5,
        metavar="N",
        help="with --camera: how many to average (5)",
    )
    parser.set_defaults(light=False)


def run(arguments: argparse.Namespace) -> int:
    """Lock focus and light, fit lens and table to the tiles, learn the inks, write the profile."""
    sides, tile = table_size(arguments.size), tile_size(arguments.tile)
    locked = lock_controls(arguments) if arguments.camera and arguments.images is None else None
    picture, readings = _read_pictures(arguments, locked)
    profile = profile_for(arguments, picture.size)
    with Progress("fitting lens and table"):
        try:
            corners = average_corners([reading.tiles for reading in readings])
            found = fit_table(corners, picture.size, calibrated_lens(profile), tile, sides)
        except CalibrationError as problem:
            raise ConfigError(f"{problem}; {_draw_seen(arguments, picture, readings[-1])}") from None
        inks = _learn_inks(picture, readings[-1].tiles)
    profile = replace(
        profile,
        intrinsics=found.intrinsics,
        table=found.table,
        inks=inks or profile.inks,
        locked=locked or profile.locked,
    )
    save_drawing(arguments.annotate, f"setup-{Path(picture.name).stem}", draw_table(picture.image, profile))
    if inks:
        save_drawing(arguments.annotate, "inks", swatches(inks))
    save(profile, arguments)
    _report(found, profile, arguments, learnt=inks is not None)
    return 0


def _read_pictures(arguments: argparse.Namespace, locked: LockedControls | None) -> tuple[Picture, list[TableReading]]:
    """Return the last picture, and what was read in each picture."""
    reader = TableReader()

    def read(picture: Picture) -> TableReading:
        return reader.read_table(Frame(picture.name, 0.0, picture.image))

    if arguments.images is not None or arguments.camera is None:
        picture = load_picture(arguments)
        with Progress("reading the tiles"):
            return picture, [read(picture)]
    pictures, readings = [], []
    with open_camera(arguments, locked) as camera, Progress("reading the tiles", arguments.pictures) as progress:
        for number in range(1, arguments.pictures + 1):
            try:
                frame = camera.capture()
            except EndOfFrames:
                break
            pictures = [Picture(frame.frame_id, frame.image)]
            readings.append(read(pictures[-1]))
            print_note(f"Picture {number} of {arguments.pictures}: {len(readings[-1].tiles)} tiles")
            progress.done = number
    if not pictures:
        raise ConfigError(f"camera {showable(arguments.camera)} gives no picture; name another")
    return pictures[-1], readings


def _draw_seen(arguments: argparse.Namespace, picture: Picture, reading: TableReading) -> str:
    """Draw the tiles that were read where drawings are asked for; say where, or how to get them."""
    if arguments.annotate is None:
        return "to look at what was read, add --annotate seen"
    drawn = save_drawing(arguments.annotate, f"setup-{Path(picture.name).stem}", draw(picture.image, reading))
    return f"what was read is drawn in {drawn}"


def average_corners(readings: Sequence[Sequence[TileReading]]) -> Points:
    """Return the mean corners, shape [n, 4, 2], of the tiles that every reading has in the same place."""
    first, *others = [np.array([tile.quad for tile in tiles], np.float64).reshape(-1, 4, 2) for tiles in readings]
    total, everywhere = first.copy(), np.ones(len(first), bool)
    near = _MAX_TILE_SHIFT * np.linalg.norm(first[:, 1] - first[:, 0], axis=1)
    for quads in others:
        if not len(quads):
            return np.zeros((0, 4, 2))
        away = np.linalg.norm(quads[None] - first[:, None], axis=3).max(axis=2)
        everywhere &= away.min(axis=1, initial=np.inf) < near
        total += quads[away.argmin(axis=1)]
    return np.asarray(total[everywhere] / len(readings))


def tile_size(text: str | None) -> tuple[float, float]:
    """Return the tile size in millimetres of `--tile`, else that of most boxes."""
    if text is None:
        return TILE_MM
    match = re.fullmatch(r"(\d+(?:\.\d+)?)[x×](\d+(?:\.\d+)?)", text)
    width, height = (float(match[1]), float(match[2])) if match else (0.0, 0.0)
    if not (18 <= width <= 36 and 26 <= height <= 52):
        raise ConfigError(f"--tile {text!r} is not a tile size; give width x height in mm, such as 27x38")
    return width, height


def _learn_inks(picture: Picture, tiles: Sequence[TileReading]) -> Inks | None:
    """Return the inks if enough tiles of each colour are there and they differ enough; else print why not."""
    try:
        return fit_distinct_inks(picture.image, tiles)
    except CalibrationError as problem:
        print_note(f"The inks are not learnt: {problem}")
        return None


def _report(found: TilePlane, profile: Profile, arguments: argparse.Namespace, *, learnt: bool) -> None:
    table, lens, path = found.table, found.intrinsics, profile_path(arguments)
    width, depth = table.size_mm
    error = table.error_mm or 0.0
    hint = "; measure it and give --size to know it better" if error > _LARGE_ERROR_MM else ""
    report = {
        "profile": str(path),
        "source": table.source,
        "size_mm": [round(width, 2), round(depth, 2)],
        "error_mm": round(error, 3),
        "in_rows": found.in_rows,
        "tile_mm": list(table.tile_mm or TILE_MM),
        "focal": [round(value, 2) for value in lens.focal],
        "distortion": [round(value, 6) for value in lens.distortion],
        "inks": learnt,
    }
    known = [*(["focus and light"] if profile.locked else []), "lens", "table", *(["inks"] if learnt else [])]
    words = [
        f"The table is {width:.0f} × {depth:.0f} mm, right to about {error:.0f} mm: enough for play{hint}.",
        f"Written to {path}: {', '.join(known)}. Next: {next_command(arguments, 'check')}",
    ]
    print_result(report, words, as_json=arguments.json)
