"""Enrol the jokers of rendered boxes from one picture of each, then read later tables by the whole pipeline.

Run from the repository root: python benchmarks/enrol.py [--tables N]
"""

import argparse
from collections import Counter

import numpy as np

from referee.rules.notation import parse_tiles
from referee.rules.tiles import Tile
from referee.sim.faces import STYLES
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile, View
from referee.vision.calibrate.face_learning import learn_faces
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Enrolment, Profile

JOKERS = parse_tiles("J JD JC JM")
BOX = dict.fromkeys(JOKERS, 8)
SIZE = (1920, 1080)
NEAR = 0.5  # tile widths: a reading this close to a tile is that tile's


def render_jokers(style: str, seed: int, copies: int) -> tuple[Image, list[tuple[Tile, np.ndarray]]]:
    """Return a picture of jokers, `copies` of each at random angles (one copy: nearly upright), and their quads."""
    rng, view = np.random.default_rng(seed), View(size=SIZE, width_mm=900)
    turn = 0.1 if copies == 1 else 3.1
    laid = [
        LaidTile(tile=tile, copy=0, x=120 + 90 * (i % 8), y=110 + 90 * (i // 8), angle=rng.uniform(-turn, turn))
        for i, tile in enumerate(JOKERS * copies)
    ]
    setting = TableSetting(view=view, style=STYLES[style], seed=seed, light=rng.uniform(-3, 3))
    quads = [view.quad(tile, setting.style.thickness) + 0.5 for tile in laid]
    return Painter(setting).paint(laid), list(zip(JOKERS * copies, quads, strict=True))


def enrol_jokers(reader: TableReader, style: str) -> tuple[Enrolment, list[str]]:
    """Return the enrolment that `referee calibrate tiles` makes, and the pairs that look alike."""
    image, _ = render_jokers(style, seed=1, copies=1)
    learned = learn_faces(reader, image, "jokers", [JOKERS], note=print)
    return learned.enrolment, [f"{first}/{other} {share:.0%}" for first, other, share in learned.alike]


def grade_table(reader: TableReader, profile: Profile, style: str, seed: int) -> Counter[str]:
    """Count how the jokers of one table are read."""
    image, truth = render_jokers(style, seed, copies=6)
    tiles = reader.read_table(Frame("x", 0.0, image), box=BOX, profile=profile).tiles
    found: Counter[str] = Counter()
    for tile, quad in truth:
        middle = quad.mean(axis=0)
        tile_width = float(np.hypot(*(quad[1] - quad[0])))
        nearby = [
            tile_reading
            for tile_reading in tiles
            if np.hypot(*(np.array(tile_reading.centre) - middle)) < NEAR * tile_width
        ]
        if not nearby:
            found["not found"] += 1
        elif nearby[0].tile == tile:
            found["right, in doubt" if nearby[0].unsure else "right"] += 1
        else:
            found["wrong, in doubt" if nearby[0].unsure else "WRONG"] += 1
            print(f"  {style} table {seed}: {tile} is read {nearby[0].tile} {nearby[0].confidence:.3f}")
    return found


def main() -> None:
    """Print a row per box and the total."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=4, help="tables of 24 jokers a box (4)")
    tables = parser.parse_args().tables
    reader, total = TableReader(threads=1), Counter[str]()
    for style in STYLES:
        enrolment, alike = enrol_jokers(reader, style)
        profile = Profile(camera="bench", size=SIZE, enrolment=enrolment)
        found = sum((grade_table(reader, profile, style, 100 + table) for table in range(tables)), Counter[str]())
        print(f"{style}: {dict(found)}; named as too alike: {', '.join(alike) or 'none'}", flush=True)
        total += found
    total_tiles = sum(total.values())
    right = total["right"] + total["right, in doubt"]
    print(f"all: {dict(total)}; {right} of {total_tiles} right ({right / total_tiles:.1%})")


if __name__ == "__main__":
    main()
