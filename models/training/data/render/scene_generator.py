"""Renders tables with tiles as a camera would see them, and says where every tile lies and how much of it shows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.training.data.render import clutter, layout, prints
from models.training.data.render.canvas import corners, disc
from models.training.data.render.layout import Ground, Pose, Rack, Shape, Spot
from models.training.data.render.lens import Camera, Image, Rng, aim
from models.training.data.render.scene import Box, Scene, SeenTile, Stage, rack_outline, reach, render, set_stage

__all__ = ["Box", "Scene", "SeenTile", "among_prints", "full_table", "scene", "stepped_rack"]

KINDS = {"sets": 0.3, "shelves": 0.17, "scatter": 0.17, "pool": 0.08, "rack": 0.1, "few": 0.1, "none": 0.08}


def scene(
    rng: Rng,
    size: tuple[int, int] = (640, 480),
    *,
    tile_pixels: float | None = None,
    tilt: float | None = None,
    harshness: float = 1.0,
    backgrounds: Sequence[Image] = (),
    box: Box | None = None,
) -> Scene:
    """Some table: any layout, camera, light, clutter; `tile_pixels` is a tile's long side at the picture's middle."""
    pixels = float(np.exp(rng.uniform(np.log(15), np.log(96)))) if tile_pixels is None else tile_pixels
    lean = float(abs(rng.normal(0, 0.35)) if rng.random() < 0.7 else rng.uniform(0, 0.9)) if tilt is None else tilt
    box = Box(rng, int(np.clip(pixels * 1.3, 72, 220))) if box is None else box
    camera = aim(rng, size, pixels / box.shape.height, min(lean, 0.95))
    stage = set_stage(rng, camera, pixels, harshness, backgrounds, box=box)
    _lay(stage, str(rng.choice(list(KINDS), p=list(KINDS.values()))))
    return render(stage)


def among_prints(rng: Rng, size: tuple[int, int], *, tile_pixels: float, harshness: float, box: Box) -> Scene:
    """A few sets, or none, among printed things that might pass for tiles, seen from about straight above."""
    camera = aim(rng, size, tile_pixels / box.shape.height, float(abs(rng.normal(0, 0.06))))
    stage = set_stage(rng, camera, tile_pixels, harshness, (), box=box)
    ground = Ground(*reach(camera))
    sets = [layout.any_set(rng) for _ in range(int(rng.integers(0, 4)))]
    heading = float(rng.uniform(-np.pi, np.pi))
    for poses in layout.lay_sets(rng, ground, sets, stage.shape, care=float(rng.uniform(0.3, 1)), heading=heading):
        stage.add(poses, together=True)
    _scatter_things(stage, ground, int(rng.integers(8, 24)), prints.PRINTS)
    return render(stage, hands=False)


def stepped_rack(rng: Rng, size: tuple[int, int]) -> Scene:
    """A rack of three steps as its player sees it, 45 to 60 degrees from straight above; no jokers, many a 6 or 9."""
    box = Box(rng, 120)
    pixels, tilt = float(rng.uniform(70, 110)), float(np.radians(rng.uniform(45, 60)))
    camera = aim(rng, size, pixels / box.shape.height, tilt, roll=float(rng.normal(0, 0.03)))
    stage = set_stage(rng, camera, pixels, 0.3, (), box=box)
    stage.still = True
    length, lean = int(rng.integers(5, 9)), float(rng.uniform(0.7, 1.1))
    numbers = rng.choice([*range(1, 14), 6, 9, 6, 9], (3, length))
    rows = [[f"{rng.choice(list(layout.COLOURS))}{number}" for number in row] for row in numbers]
    at = Spot(0.0, -0.8 * box.shape.height, 0.0)
    stage.add(layout.lay_steps(rng, rows, box.shape, at, lean), together=False)
    width = 1.25 * length * box.shape.width
    stage.racks.append(Rack(at=at, width=width, lean=lean, members=tuple(range(len(stage.poses)))))
    return render(stage, hands=False)


def full_table(
    rng: Rng,
    edition: str = "original",
    size: tuple[int, int] = (2304, 1296),
    *,
    tiles: int | None = None,
    harshness: float = 0.4,
    clean: bool = False,
    still: bool = False,
    box: Box | None = None,
) -> Scene:
    """A legal table of 60 to 106 tiles, a camera about straight above; `clean` leaves out hands and other things.

    `still`: the camera is fixed, as the referee's is; see `lens.expose`.
    """
    sets = layout.legal_table(rng, edition, int(rng.integers(60, 107)) if tiles is None else tiles)
    pixels = float(rng.uniform(0.033, 0.046) * size[0])
    airy = float(rng.uniform(0.2, 1.6))
    box = Box(rng, int(np.clip(pixels * 1.3, 72, 220))) if box is None else box
    while True:
        ground = Ground(*(0.485 * side * box.shape.height / pixels for side in size))
        laid = layout.lay_shelves(rng, ground, sets, box.shape, care=float(rng.uniform(0.3, 1)), airy=airy)
        if len(laid) == len(sets):
            break
        pixels, airy = pixels * 0.99, airy * 0.75
    tilt, roll = float(abs(rng.normal(0, 0.04))), float(rng.normal(0, 0.02))
    lowest = min(float(p.centre[1]) for poses in laid for p in poses)
    drop = -float(rng.uniform(0, max(0.0, lowest + ground.half[1] - 0.7 * box.shape.height)))
    laid = [layout.moved(poses, 0.0, drop) for poses in laid]
    chance = int(rng.integers(2**31))
    while True:
        camera = aim(np.random.default_rng(chance), size, pixels / box.shape.height, tilt, roll=roll)
        if _all_in_view(camera, [pose for poses in laid for pose in poses], box.shape):
            break
        pixels *= 0.98
    stage = set_stage(rng, camera, pixels, harshness, (), box=box)
    stage.still = still
    for poses in laid:
        stage.add(poses, together=True)
    if not clean:
        free = Ground(*ground.half)
        for poses in laid:
            free.claim(layout.footprints(poses, stage.shape))
        _scatter_things(stage, free, int(rng.integers(0, 3)))
    return render(stage, hands=not clean and rng.random() < 0.1 * harshness)


def _all_in_view(camera: Camera, poses: Sequence[Pose], shape: Shape) -> bool:
    """Whether the lens leaves every face in the picture, as somebody who mounts a camera sees to."""
    points = camera.bent(np.concatenate([camera.project(corners(pose, shape)) for pose in poses]))
    return bool((points > 2).all() and (points < np.array(camera.size) - 3).all())


def _lay(stage: Stage, kind: str) -> None:
    rng, shape = stage.rng, stage.shape
    ground = Ground(*reach(stage.canvas.camera))
    room = 4 * ground.half[0] * ground.half[1] / (shape.width * shape.height)
    care = float(rng.uniform(0, 1))
    heading = float(rng.uniform(-np.pi, np.pi))
    if kind == "rack" or (kind != "none" and rng.random() < 0.07):
        for _ in range(int(rng.integers(1, 3))):
            _place_rack(stage, ground)
    if kind in ("none", "few") or rng.random() < 0.4:
        _scatter_things(stage, ground, int(rng.integers(1, 9 if kind == "none" else 5)))
    if kind == "sets":
        sets = [layout.any_set(rng) for _ in range(int(np.clip(room * rng.uniform(0.02, 0.15), 1, 28)))]
        for poses in layout.lay_sets(rng, ground, sets, shape, care=care, heading=heading):
            stage.add(poses, together=True)
    if kind == "shelves":
        sets = [layout.any_set(rng) for _ in range(int(np.clip(room * rng.uniform(0.05, 0.25), 2, 30)))]
        for poses in layout.lay_shelves(
            rng, ground, sets, shape, care=care, heading=heading if rng.random() < 0.2 else np.pi / 2
        ):
            stage.add(poses, together=True)
    loose = {"scatter": rng.uniform(0.05, 0.4), "pool": rng.uniform(0.1, 0.5), "few": 0.03}.get(
        kind, rng.uniform(0, 0.03)
    )
    if kind != "none":
        count = int(np.clip(room * loose, 1 if kind in ("scatter", "few") else 0, 70))
        backs = 0.9 if kind == "pool" else (0.3 if rng.random() < 0.15 else 0.02)
        tiles = ["back" if rng.random() < backs else layout.any_tile(rng) for _ in range(count)]
        stage.add(
            layout.lay_loose(rng, ground, tiles, shape, margin=float(rng.choice([-3, -1, 0, 0, 2, 6]))), together=False
        )


def _place_rack(stage: Stage, ground: Ground) -> None:
    rng, shape = stage.rng, stage.shape
    x, y = rng.uniform(-0.8, 0.8, 2) * np.array(ground.half)
    eye = stage.canvas.camera.eye
    facing = float(np.arctan2(eye[1] - y, eye[0] - x)) + np.pi / 2 + rng.normal(0, 0.4)
    if rng.random() < 0.25:
        facing = float(rng.uniform(-np.pi, np.pi))
    lean, width = float(rng.uniform(0.7, 1.2)), float(rng.uniform(200, 330))
    at = Spot(float(x), float(y), facing)
    if not ground.claim([rack_outline(at, width, shape.height)]):
        return
    tiles = [layout.any_tile(rng) for _ in range(int(rng.integers(0, 15)))]
    poses = layout.lay_rack(rng, tiles, shape, at, lean)
    seen = [p for p in poses if _slant(p, eye) > 0.2]
    first = len(stage.poses)
    stage.add(seen, together=False)
    members = tuple(range(first, first + len(seen)))
    stage.racks.append(Rack(at=at, width=width, lean=lean, members=members))


def _scatter_things(
    stage: Stage, ground: Ground, count: int, things: Sequence[tuple[clutter.Thing, float]] = clutter.THINGS
) -> None:
    rng = stage.rng
    for _ in range(count):
        thing, radius = things[int(rng.integers(0, len(things)))]
        x, y = (rng.uniform(-1.05, 1.05, 2) * np.array(ground.half)).tolist()
        if ground.claim([np.asarray(disc(x, y, radius * 0.9), np.float32)]):
            spot = Spot(x, y, float(rng.uniform(-np.pi, np.pi)))
            stage.things.append((thing, spot, int(rng.integers(0, 2**31))))


def _slant(pose: Pose, eye: npt.NDArray[np.float64]) -> float:
    """Cosine of the angle under which a face is seen; below zero from behind."""
    toward = eye - pose.centre
    return float(np.cross(pose.right, pose.up) @ toward / np.linalg.norm(toward))
