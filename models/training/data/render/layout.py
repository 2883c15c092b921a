"""How people lay tiles: rows that are crooked, fanned or curved, shelves of sets, loose tiles, tiles on racks."""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render.lens import Floats, Rng

COLOURS = "KRBO"
JOKERS = {
    "original": ("J", "J"),
    "pressman": ("J", "J"),
    "xp": ("J",) * 4,
    "3in1-standard": ("J", "J"),
    "twist": ("J", "J", "JD", "JD", "JC", "JC", "JM", "JM"),
    "twist-pressman": ("J", "J", "JD", "JD", "JC", "JC", "JM", "JM"),
    "3in1-twist": ("J", "J", "JD", "JD", "JC", "JC", "JM", "JM"),
    "3in1-expert": ("JK", "JK", "JR", "JR", "JB", "JB", "JO", "JO"),
}
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A box's tiles in millimetres."""

    width: float
    height: float
    thickness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where a tile's face lies: its centre, and unit vectors toward its top edge and its right edge."""

    tile: str
    centre: Vector
    up: Vector
    right: Vector


class Spot(NamedTuple):
    """A place on the table in mm, and a direction in radians counter-clockwise from x."""

    x: float
    y: float
    angle: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    """A rack, long side along its spot's angle, its shelves `lean` radians from flat, and which tiles it holds."""

    at: Spot
    width: float
    lean: float
    members: tuple[int, ...]


def flat(tile: str, x: float, y: float, angle: float, lift: float) -> Pose:
    """A tile lying with its face `lift` mm above the table, its top edge toward `angle` (counter-clockwise from x)."""
    up = np.array([np.cos(angle), np.sin(angle), 0.0])
    return Pose(tile=tile, centre=np.array([x, y, lift]), up=up, right=np.array([up[1], -up[0], 0.0]))


def any_tile(rng: Rng) -> str:
    """A tile drawn with no thought of sets; jokers and backs more often than in the bag."""
    if rng.random() < 0.1:
        return str(rng.choice(["J", "J", "JD", "JC", "JM", "JK", "JR", "JB", "JO"]))
    return f"{COLOURS[int(rng.integers(0, 4))]}{int(rng.integers(1, 14))}"


def any_set(rng: Rng) -> list[str]:
    """Something like a set: a run or a group, at times with a joker, at times with too few or very many tiles."""
    length = int(rng.choice([1, 2, 3, 3, 3, 4, 4, 5, 6, 8, 13]))
    if length <= 4 and rng.random() < 0.5:
        number = int(rng.integers(1, 14))
        tiles = [f"{colour}{number}" for colour in rng.permutation(list(COLOURS))[:length]]
    else:
        start = int(rng.integers(1, 15 - length))
        colour = COLOURS[int(rng.integers(0, 4))]
        tiles = [f"{colour}{start + step}" for step in range(length)]
    if rng.random() < 0.2:
        tiles[int(rng.integers(0, len(tiles)))] = str(rng.choice(["J", "JD", "JC", "JM"]))
    return tiles


def legal_table(rng: Rng, edition: str, tiles: int) -> list[list[str]]:
    """Legal sets of about `tiles` tiles (never more) out of one box of an edition, jokers among them."""
    copies = 3 if edition == "xp" else 2
    sets: list[list[str]] = []
    for _ in range(copies):
        for start, length in _cut(rng):
            numbers = range(start, start + length)
            if rng.random() < 0.6:
                sets += [[f"{colour}{number}" for number in numbers] for colour in COLOURS]
            else:
                sets += [[f"{colour}{number}" for colour in rng.permutation(list(COLOURS))] for number in numbers]
    sets = [sets[i] for i in rng.permutation(len(sets))]
    sets = _with_jokers(rng, sets, list(JOKERS[edition]))
    while sets and sum(map(len, sets)) > tiles:
        over = sum(map(len, sets)) - tiles
        if over >= 3:
            sets.pop(int(rng.integers(0, len(sets))))
            continue
        long = [index for index, one in enumerate(sets) if len(one) > 3 and not any(t.startswith("J") for t in one)]
        if not long:
            break
        sets[int(rng.choice(long))].pop()
    return sets


def _cut(rng: Rng) -> list[tuple[int, int]]:
    lengths = [(13,), (3, 10), (4, 9), (3, 3, 7), (5, 8), (3, 5, 5), (4, 4, 5), (3, 3, 3, 4), (6, 7), (3, 4, 6)]
    chosen = [int(part) for part in rng.permutation(np.array(lengths[int(rng.integers(1, len(lengths)))]))]
    starts = np.cumsum([1, *chosen[:-1]])
    return [(int(start), length) for start, length in zip(starts, chosen, strict=True)]


def _is_run(tiles: list[str]) -> bool:
    return not any(t.startswith("J") for t in tiles) and tiles[0][0] == tiles[1][0]


def _with_jokers(rng: Rng, sets: list[list[str]], jokers: list[str]) -> list[list[str]]:
    """The sets with each joker laid for one or two of the tiles, as far as a place is found; colours swap at a JC."""
    for joker in jokers:
        if joker == "JM":
            _lay_mirror(rng, sets)
            continue
        for index in rng.permutation(len(sets)):
            one = sets[int(index)]
            if any(t.startswith("J") for t in one):
                continue
            changed = _lay_joker(rng, one, joker)
            if changed is not None:
                sets[int(index)] = changed
                break
    return sets


def _lay_mirror(rng: Rng, sets: list[list[str]]) -> None:
    """Take both copies of one tile from the ends of two sets and lay them on either side of a mirror joker."""
    spare: dict[str, int] = {}
    for index in rng.permutation(len(sets)):
        one = sets[int(index)]
        if len(one) < 4 or any(t.startswith("J") for t in one):
            continue
        if one[-1] in spare:
            tile = one.pop()
            sets[spare[tile]].pop()
            sets.append([tile, "JM", tile])
            return
        spare[one[-1]] = int(index)


def _lay_joker(rng: Rng, one: list[str], joker: str) -> list[str] | None:
    run = _is_run(one)
    place = int(rng.integers(0, len(one)))
    if joker == "J":
        return [joker if i == place else t for i, t in enumerate(one)]
    if joker in ("JK", "JR", "JB", "JO"):
        fits = [i for i, t in enumerate(one) if t[0] == joker[1]]
        return [joker if i == fits[0] else t for i, t in enumerate(one)] if fits else None
    if joker == "JD" and run and len(one) >= 4:
        place = min(place, len(one) - 2)
        return [*one[:place], joker, *one[place + 2 :]]
    if joker == "JC" and run and len(one) >= 3:
        return [*one[:-1], joker]
    return None


class Ground:
    """Which parts of the table are taken, on a grid of 2 mm."""

    CELL = 2.0

    def __init__(self, half_width: float, half_height: float) -> None:
        self.half = (half_width, half_height)
        self.taken = np.zeros((int(2 * half_height / self.CELL) + 1, int(2 * half_width / self.CELL) + 1), np.uint8)

    def claim(self, outlines: list[Floats], margin: float = 0.0, *, inside: float = 0.0) -> bool:
        """Take the ground under outlines (mm) if it is free; `inside` is the share that must lie on the grid."""
        reach = round(margin / self.CELL)
        cells = [(o + np.array(self.half)) / self.CELL for o in outlines]
        low = np.floor(np.min([c.min(axis=0) for c in cells], axis=0)).astype(int) - reach - 1
        high = np.ceil(np.max([c.max(axis=0) for c in cells], axis=0)).astype(int) + reach + 2
        low, high = np.maximum(low, 0), np.minimum(high, self.taken.shape[::-1])
        if (low >= high).any():
            return False
        taken = self.taken[low[1] : high[1], low[0] : high[0]]
        mask = np.zeros(taken.shape, np.uint8)
        for polygon in cells:
            cv2.fillConvexPoly(mask, np.round((polygon - low) * 16).astype(np.int32), 1, shift=4)
        wanted = sum(cv2.contourArea(np.asarray(o, np.float32)) for o in outlines) / self.CELL**2
        if int(mask.sum()) < inside * wanted:
            return False
        wide = np.asarray(cv2.dilate(mask, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)), np.uint8)
        if (taken & wide).any():
            return False
        taken |= mask
        return True


def outline(x: float, y: float, angle: float, width: float, height: float) -> Floats:
    """Corners of a rectangle whose `height` runs along `angle`."""
    up = np.array([np.cos(angle), np.sin(angle)]) * height / 2
    right = np.array([np.sin(angle), -np.cos(angle)]) * width / 2
    return np.array([up - right, up + right, -up + right, -up - right], np.float32) + np.array([x, y], np.float32)


def lay_row(rng: Rng, tiles: list[str], shape: Shape, at: Spot, care: float) -> list[Pose]:
    """Tiles side by side from a spot, the first tile's, in which they are up; `care`: 0 thrown down, 1 squared up."""
    x, y, angle = at
    kind = rng.choice(["touching", "gaps", "fan", "arc", "shingled", "stairs"], p=[0.62, 0.14, 0.06, 0.07, 0.05, 0.06])
    gap = {"touching": abs(rng.normal(0, 0.25)), "gaps": rng.uniform(0.5, 9), "shingled": -rng.uniform(1, 5)}.get(
        str(kind), 0.3
    )
    bend = {"fan": rng.normal(0, 0.12), "arc": rng.normal(0, 0.05)}.get(str(kind), rng.normal(0, 0.004))
    climb = rng.normal(0, 4) if kind == "stairs" else 0.0
    sloppy = (1 - care) * 1.2 + 0.1
    poses: list[Pose] = []
    for place, tile in enumerate(tiles):
        way = angle - np.pi / 2
        turn = rng.normal(0, 0.02) * sloppy
        slip = rng.normal(0, 0.6) * sloppy
        lift = shape.thickness * (1.0 + (0.35 if kind == "shingled" and place % 2 else 0.0))
        aside = np.array([np.cos(angle), np.sin(angle)]) * slip
        poses.append(flat(tile, x + aside[0], y + aside[1], angle + turn, lift))
        step = shape.width + gap + abs(rng.normal(0, 0.35)) * sloppy + shape.height / 2 * abs(np.sin(bend)) * 0.9
        x += float(step * np.cos(way + bend / 2) + climb * np.cos(angle))
        y += float(step * np.sin(way + bend / 2) + climb * np.sin(angle))
        angle += float(bend)
    return poses


def footprints(poses: list[Pose], shape: Shape) -> list[Floats]:
    """The tiles' outlines seen from above."""
    return [
        np.array(
            [
                (p.centre + sy * p.up * shape.height / 2 + sx * p.right * shape.width / 2)[:2]
                for sy, sx in ((1, -1), (1, 1), (-1, 1), (-1, -1))
            ],
            np.float32,
        )
        for p in poses
    ]


def moved(poses: list[Pose], dx: float, dy: float) -> list[Pose]:
    """The same tiles elsewhere."""
    return [Pose(tile=p.tile, centre=p.centre + np.array([dx, dy, 0.0]), up=p.up, right=p.right) for p in poses]


def lay_sets(
    rng: Rng, ground: Ground, sets: list[list[str]], shape: Shape, *, care: float, heading: float, tries: int = 14
) -> list[list[Pose]]:
    """Sets as rows wherever there is room; those that find none are left out."""
    laid: list[list[Pose]] = []
    spread = rng.choice([0.02, 0.1, 0.5, np.pi])
    margin = rng.choice([0.0, 2.0, 6.0])
    for tiles in sets:
        for _ in range(tries):
            angle = heading + rng.normal(0, spread) + (np.pi if rng.random() < 0.1 else 0)
            x, y = rng.uniform(-1, 1, 2) * np.array(ground.half)
            poses = lay_row(rng, tiles, shape, Spot(float(x), float(y), float(angle)), care)
            if ground.claim(footprints(poses, shape), margin, inside=0.6):
                laid.append(poses)
                break
    return laid


def lay_shelves(
    rng: Rng,
    ground: Ground,
    sets: list[list[str]],
    shape: Shape,
    *,
    care: float,
    heading: float = np.pi / 2,
    airy: float = 0.0,
) -> list[list[Pose]]:
    """A crowded table: sets in rows below each other, as players tidy them; every set that fits inside the ground."""
    laid: list[list[Pose]] = []
    across, down = ground.half
    gap = float(rng.uniform(3, 16) + airy * shape.width)
    drop = 1.04 + float(rng.uniform(0, 0.15)) + airy * 0.5
    slack = rng.uniform(0.0, 0.05)
    x, y = -across + rng.uniform(2, 15), down - 0.6 * shape.height - rng.uniform(2, 10)
    for tiles in sets:
        for _ in range(12):
            angle = heading + rng.normal(0, slack) + (np.pi if rng.random() < 0.06 else 0)
            poses = lay_row(rng, tiles, shape, Spot(0.0, 0.0, float(angle)), care)
            reach = np.concatenate(footprints(poses, shape))
            if x + np.ptp(reach[:, 0]) > across - 2:
                x, y = -across + rng.uniform(2, 15) * (1 + 3 * airy), y - shape.height * drop * rng.uniform(1.0, 1.08)
            if y < -down + shape.height * 0.6:
                return laid
            poses = moved(poses, x - float(reach[:, 0].min()), y + float(rng.normal(0, 1.0 + 4 * airy)))
            x += 1.5
            if ground.claim(footprints(poses, shape), 0.0, inside=0.97):
                x += float(np.ptp(reach[:, 0])) + gap * float(rng.uniform(0.1, 1.6))
                laid.append(poses)
                break
    return laid


def lay_loose(rng: Rng, ground: Ground, tiles: list[str], shape: Shape, *, margin: float) -> list[Pose]:
    """Single tiles at any angle; with a negative margin they may overlap by some millimetres."""
    laid: list[Pose] = []
    trim = min(0.0, margin) * 2
    for tile in tiles:
        for _ in range(10):
            x, y = rng.uniform(-1, 1, 2) * np.array(ground.half)
            angle = float(rng.uniform(-np.pi, np.pi))
            body = outline(float(x), float(y), angle, shape.width + trim, shape.height + trim)
            if ground.claim([body], max(0.0, margin), inside=0.6):
                lift = shape.thickness * (1 + (rng.uniform(0, 0.4) if trim < 0 else 0))
                laid.append(flat(tile, float(x), float(y), angle, float(lift)))
                break
    return laid


def lay_rack(rng: Rng, tiles: list[str], shape: Shape, at: Spot, lean: float) -> list[Pose]:
    """Tiles in two tiers leaning back, `lean` radians from flat, on a rack along the spot's angle."""
    x, y, angle = at
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    back = np.array([-np.sin(angle), np.cos(angle), 0.0])
    up = back * np.cos(lean) + np.array([0, 0, np.sin(lean)])
    poses: list[Pose] = []
    for tier in (1, 0):
        share = tiles[: len(tiles) // 2] if tier else tiles[len(tiles) // 2 :]
        place = -0.5 * len(share) * shape.width * 1.15 + rng.uniform(-20, 20)
        for tile in share:
            foot = np.array([x, y, 6.0]) + tier * (
                back * shape.height * np.cos(lean) * 0.9 + np.array([0, 0, shape.height * 0.75])
            )
            centre = foot + along * place + up * shape.height / 2 + np.cross(along, up) * shape.thickness
            poses.append(Pose(tile=tile, centre=centre, up=up, right=along))
            place += shape.width * (1.01 if rng.random() < 0.7 else rng.uniform(1.05, 2.2))
    return poses


def lay_steps(rng: Rng, rows: list[list[str]], shape: Shape, at: Spot, lean: float) -> list[Pose]:
    """Rows of tiles on the steps of a rack, the highest first; each covers the lower third of the one behind it."""
    along = np.array([np.cos(at.angle), np.sin(at.angle), 0.0])
    up = np.array([-np.sin(at.angle) * np.cos(lean), np.cos(at.angle) * np.cos(lean), np.sin(lean)])
    toward = np.cross(along, up)
    poses: list[Pose] = []
    for step, row in zip(range(len(rows) - 1, -1, -1), rows, strict=True):
        foot = np.array([at.x, at.y, 6.0]) + step * (up * shape.height * 2 / 3 - toward * shape.thickness * 1.3)
        place = -0.5 * len(row) * shape.width + rng.uniform(-8, 8)
        for tile in row:
            centre = foot + along * place + up * shape.height / 2 + toward * shape.thickness
            poses.append(Pose(tile=tile, centre=centre, up=up, right=along))
            place += shape.width * (1.02 if rng.random() < 0.8 else rng.uniform(1.05, 1.5))
    return poses
