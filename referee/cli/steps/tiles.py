"""`referee calibrate tiles`: enrol new tile faces, and report which of them look alike."""

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from referee.cli.progress import Progress
from referee.cli.steps.common import (
    add_picture_arguments,
    add_profile_arguments,
    load_picture,
    load_pictures,
    next_command,
    print_note,
    print_result,
    profile_for,
    save,
    save_drawing,
)
from referee.rules.tiles import Tile
from referee.vision.calibrate.face_learning import learn_faces, named_rows
from referee.vision.image.frame import Image
from referee.vision.pipeline import TableReader


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument(
        "--order",
        required=True,
        metavar="TILES",
        help="what lies there, row by row from the left: 'J JD JC JM', rows separated by /",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write the profile even if faces look alike; the referee asks about those",
    )
    parser.add_argument(
        "--others", type=Path, metavar="IMAGE", help="a picture of number tiles, to learn the difference"
    )


def run(arguments: argparse.Namespace) -> int:
    """Enrol the faces in a picture, write the profile; return 1 without writing if two look alike."""
    rows = named_rows(arguments.order)
    picture, reader = load_picture(arguments), TableReader()
    profile = profile_for(arguments, picture.size)
    with Progress("learning the faces"):
        others = next(load_pictures([arguments.others])).image if arguments.others else None
        learnt = learn_faces(reader, picture.image, picture.name, rows, note=print_note, others=others)
    tiles, alike, enrolment = tuple(tile for row in rows for tile in row), learnt.alike, learnt.enrolment
    save_drawing(arguments.annotate, "enrolled", _tiles_drawing(picture.image, learnt.quads, tiles))
    path = None
    if not alike or arguments.keep:
        path = save(replace(profile, enrolment=enrolment), arguments)
    for one, other, how in alike:
        print_note(
            f"{one} and {other} cannot be told apart (confused {how:.0%}); take the picture nearer, or mark one; "
            "with --keep the referee asks where it doubts"
        )
    report = {
        "profile": str(path) if path else None,
        "tiles": [str(tile) for tile in tiles],
        "near": enrolment.near,
        "too_alike": [[str(one), str(other), how] for one, other, how in alike],
    }
    faces = f"{len(tiles)} faces: {' '.join(map(str, tiles))}"
    done = f"Learnt {faces}.\nWritten to {path}. Next: {next_command(arguments, 'check')}"
    print_result(report, [done if path else f"Not learnt: {faces}. The profile is as it was."], as_json=arguments.json)
    return 1 if alike else 0


def _tiles_drawing(image: Image, quads: npt.NDArray[np.float64], tiles: tuple[Tile, ...]) -> Image:
    drawing, thick = image.copy(), max(1, image.shape[1] // 700)
    for quad, tile in zip(quads, tiles, strict=True):
        outline = np.round(quad).astype(np.int32)
        cv2.polylines(drawing, [outline], True, (60, 90, 230), thick, cv2.LINE_AA)
        x, y = (int(value) for value in outline.min(axis=0))
        cv2.putText(
            drawing,
            str(tile),
            (x, y - 6),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.4 * thick + 0.4,
            (60, 90, 230),
            thick,
            cv2.LINE_AA,
        )
    return drawing
