"""`referee calibrate colours`: learn this box's ink colours under this lamp, and check that they differ enough."""

import argparse
from dataclasses import replace
from itertools import combinations

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
    save,
    save_drawing,
)
from referee.rules.tiles import Colour
from referee.vision.calibrate.ink_colours import MIN_DISTANCE, MIN_SEPARATION, confusable_inks, fit_inks, ink_name
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Inks


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the step's arguments."""
    add_picture_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument(
        "--keep", action="store_true", help="write the profile even if inks are too close; the referee asks about those"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the tiles in a picture, learn their inks, write the profile; return 1 if two inks are too close."""
    picture = load_picture(arguments)
    profile = profile_for(arguments, picture.size)
    inks = learn_inks(picture)
    save_drawing(arguments.annotate, "inks", swatches(inks))
    close = [f"{ink_name(one)} and {ink_name(other)}" for one, other in confusable_inks(inks)]
    path = save(replace(profile, inks=inks), arguments) if not close or arguments.keep else None
    for pair in close:
        print_note(f"{pair} are too close under this lamp; use a whiter lamp, or more of it, or --keep")
    report = {
        "profile": str(path) if path else None,
        "inks": {colour.letter: [round(part, 1) for part in lab] for colour, lab in inks.colours.items()},
        "separation": round(inks.separation, 2),
        "limit": MIN_SEPARATION,
        "too_close": [[one.letter, other.letter] for one, other in confusable_inks(inks)],
    }
    words = [
        f"Distances of the inks ({MIN_DISTANCE:g} is enough); the least is {inks.separation:.1f} times the spread:",
        *(f"  {_distance_text(inks, one, other)}" for one, other in combinations(Colour, 2)),
        f"Written to {path}. Next: {next_command(arguments, 'check')} (special jokers first: referee calibrate tiles)"
        if path
        else "Not written: the profile is as it was.",
    ]
    print_result(report, words, as_json=arguments.json)
    return 1 if close else 0


def learn_inks(picture: Picture) -> Inks:
    """Return the inks of the tiles in a picture; raises CalibrationError."""
    with Progress("learning the inks"):
        reading = TableReader().read_table(Frame(picture.name, 0.0, picture.image))
        return fit_inks(picture.image, reading.tiles)


def _distance_text(inks: Inks, one: Colour, other: Colour) -> str:
    away = float(np.linalg.norm(np.subtract(inks.colours[one], inks.colours[other])))
    return f"{ink_name(one)} to {ink_name(other)}: {away:.0f}"


def swatches(inks: Inks) -> Image:
    """Return a square of each ink."""
    labs = np.array([[inks.colours[colour] for colour in Colour]], np.float32)
    squares = np.clip(cv2.cvtColor(labs, cv2.COLOR_LAB2BGR) * 255, 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(squares, (480, 120), interpolation=cv2.INTER_NEAREST), np.uint8)
