"""Renders tables with tiles as a camera would see them, and says where every tile is: the training and test pictures of *locate*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.training import clutter, faces, layout, surfaces
from models.training.canvas import Canvas, bevelled, corners, shrunk
from models.training.layout import Ground, Pose, Shape
from models.training.lens import Camera, Floats, Image, Rng, aim, expose


class SeenTile(NamedTuple):
    """One tile of a scene: what it is, its face's corners (pixels, clockwise from its own top left), and how much of the face is seen."""

    tile: str
    quad: Floats
    visible: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A picture (BGR), its tiles, and which of them lie together as sets, in reading order."""

    image: Image
    tiles: tuple[SeenTile, ...]
    sets: tuple[tuple[int, ...], ...]


class Box:
    """One box of tiles: its style, its measures, and the faces drawn so far."""

    def __init__(self, rng: Rng, face_pixels: int, *, held_out: bool = False) -> None:
        self.style = faces.box_style(rng, held_out=held_out)
        self.face_pixels = face_pixels
        self._faces: dict[str, list[Image]] = {}
        sample = self.face(rng, "back")
        height = float(rng.uniform(36, 40))
        self.shape = Shape(width=height * sample.shape[1] / sample.shape[0], height=height, thickness=float(rng.uniform(4.5, 9)))
        edge = sample[sample.shape[0] // 20 : -1 : 5, sample.shape[1] // 12 : sample.shape[1] // 9 + 1, :3]
        self.body = np.asarray(np.median(edge.reshape(-1, 3), axis=0), np.float32)

    def face(self, rng: Rng, tile: str) -> Image:
        """A face (BGRA), one of two copies in the box."""
        drawn = self._faces.setdefault(tile, [])
        if len(drawn) < 2:
            drawn.append(faces.face(rng, tile, self.style, self.face_pixels))
            return drawn[-1]
        return drawn[int(rng.integers(0, 2))]


@dataclass(slots=True, kw_only=True)
class _Stage:
    rng: Rng
    canvas: Canvas
    box: Box
    shape: Shape
    harshness: float
    poses: list[Pose]
    sets: list[tuple[int, ...]]
    racks: list[tuple[tuple[int, ...], tuple[float, float, float, float, float]]]
    things: list[tuple[clutter.Thing, float, float, float, int]]

    def add(self, poses: list[Pose], *, together: bool) -> None:
        first = len(self.poses)
        self.poses += poses
        if together:
            self.sets.append(tuple(range(first, len(self.poses))))


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
    """Some table: any layout, camera, light and clutter. `tile_pixels` is a tile's long side at the picture's middle."""
    pixels = float(np.exp(rng.uniform(np.log(15), np.log(96)))) if tile_pixels is None else tile_pixels
    lean = float(abs(rng.normal(0, 0.35)) if rng.random() < 0.7 else rng.uniform(0, 0.9)) if tilt is None else tilt
    stage = _stage(rng, size, pixels, min(lean, 0.95), harshness, backgrounds, box=box)
    kind = str(rng.choice(["sets", "shelves", "scatter", "pool", "rack", "few", "none"], p=[0.3, 0.17, 0.17, 0.08, 0.1, 0.1, 0.08]))
    _lay(stage, kind, pixels)
    return _render(stage)


def full_table(
    rng: Rng,
    edition: str = "original",
    size: tuple[int, int] = (2304, 1296),
    *,
    tiles: int | None = None,
    harshness: float = 0.4,
    clean: bool = False,
    box: Box | None = None,
) -> Scene:
    """A legal table of 60 to 106 tiles under a fixed camera (nearly) straight above; `clean` leaves out hands and other things."""
    wanted = int(rng.integers(60, 107)) if tiles is None else tiles
    sets = layout.legal_table(rng, edition, wanted)
    pixels = float(rng.uniform(0.033, 0.046) * size[0])
    airy = float(rng.uniform(0.2, 1.6))
    while True:
        stage = _stage(rng, size, pixels, float(abs(rng.normal(0, 0.04))), harshness, (), roll=float(rng.normal(0, 0.02)), box=box)
        across, down = (half / (pixels / stage.shape.height) * 0.97 / 2 for half in size)
        ground = Ground(across, down)
        laid = layout.lay_shelves(rng, ground, sets, stage.shape, care=float(rng.uniform(0.3, 1)), airy=airy)
        if len(laid) == len(sets):
            break
        pixels, airy = pixels * 0.99, airy * 0.75
    lowest = min(float(p.centre[1]) for poses in laid for p in poses)
    drop = -float(rng.uniform(0, max(0.0, lowest + ground.half[1] - 0.7 * stage.shape.height)))
    for poses in laid:
        stage.add(layout.moved(poses, 0.0, drop), together=True)
    if not clean:
        free = Ground(*ground.half)
        for poses in laid:
            free.claim(layout.footprints(layout.moved(poses, 0.0, drop), stage.shape))
        _scatter_things(stage, free, int(rng.integers(0, 3)))
    return _render(stage, hands=not clean and rng.random() < 0.1 * harshness)


def _stage(
    rng: Rng, size: tuple[int, int], pixels: float, tilt: float, harshness: float, backgrounds: Sequence[Image],
    *, roll: float | None = None, box: Box | None = None,
) -> _Stage:  # fmt: skip
    box = Box(rng, int(np.clip(pixels * 1.3, 72, 220))) if box is None else box
    camera = aim(rng, size, pixels / box.shape.height, tilt, roll=roll)
    sun = np.array([*rng.normal(0, 0.7, 2), 1.0])
    canvas = Canvas(camera, _table(rng, camera, pixels / box.shape.height, backgrounds), sun / np.linalg.norm(sun))
    return _Stage(rng=rng, canvas=canvas, box=box, shape=box.shape, harshness=harshness, poses=[], sets=[], racks=[], things=[])


def _table(rng: Rng, camera: Camera, scale: float, backgrounds: Sequence[Image]) -> Image:
    """The bare table seen by the camera, sometimes with its edge and the floor."""
    width, height = camera.size
    if backgrounds and rng.random() < 0.08:
        photo = backgrounds[int(rng.integers(0, len(backgrounds)))]
        return np.asarray(cv2.resize(photo, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    texture = surfaces.surface(rng, (int(width * 1.25), int(height * 1.25)), scale)
    ground = _ground_map(camera)
    turn = rng.uniform(-np.pi, np.pi) if rng.random() < 0.5 else rng.normal(0, 0.05)
    rows, columns = texture.shape[:2]
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    place = np.array([[scale, 0, columns / 2], [0, -scale, rows / 2], [0, 0, 1]]) @ spin @ ground
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    image = np.asarray(cv2.warpPerspective(texture, place, (width, height), flags=how, borderMode=cv2.BORDER_REFLECT), np.uint8)
    if rng.random() < 0.15:
        _cut_edge(rng, camera, image, scale)
    return image


def _ground_map(camera: Camera) -> npt.NDArray[np.float64]:
    return np.asarray(np.linalg.inv(camera.matrix[:, [0, 1, 3]]), np.float64)


def _cut_edge(rng: Rng, camera: Camera, image: Image, scale: float) -> None:
    """The floor beyond the table's edge."""
    height, width = image.shape[:2]
    floor = surfaces.surface(rng, (width, height), scale * 0.6) if rng.random() < 0.6 else np.full_like(image, rng.uniform(0, 60))
    away = rng.uniform(0.5, 0.95) * width / 2
    turn = rng.uniform(-np.pi, np.pi)
    normal = np.array([np.cos(turn), np.sin(turn)])
    edge = np.array([-normal[1], normal[0]])
    middle = np.array([width, height]) / 2 + normal * away
    beyond = np.array([middle - edge * 4000, middle + edge * 4000, middle + edge * 4000 + normal * 4000, middle - edge * 4000 + normal * 4000])
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(beyond).astype(np.int32), 255, cv2.LINE_AA)  # type: ignore[call-overload]
    alpha = mask[..., None].astype(np.float32) / 255
    image[:] = (image * (1 - alpha) + cv2.GaussianBlur(floor, (0, 0), 2) * 0.6 * alpha).astype(np.uint8)


def _reach(camera: Camera) -> tuple[float, float]:
    """Half the extent of the table in view, in mm."""
    width, height = camera.size
    rim = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float64)
    flat = rim @ _ground_map(camera).T
    points = np.abs(flat[:, :2] / flat[:, 2:])
    near = np.minimum(points.max(axis=0), np.median(points, axis=0) * 1.4)
    return float(max(40.0, near[0])), float(max(40.0, near[1]))


def _lay(stage: _Stage, kind: str, pixels: float) -> None:
    rng, shape = stage.rng, stage.shape
    ground = Ground(*_reach(stage.canvas.camera))
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
        for poses in layout.lay_shelves(rng, ground, sets, shape, care=care, heading=heading if rng.random() < 0.2 else np.pi / 2):
            stage.add(poses, together=True)
    loose = {"scatter": rng.uniform(0.05, 0.4), "pool": rng.uniform(0.1, 0.5), "few": 0.03}.get(kind, rng.uniform(0, 0.03))
    if kind != "none":
        count = int(np.clip(room * loose, 1 if kind in ("scatter", "few") else 0, 70))
        backs = 0.9 if kind == "pool" else (0.3 if rng.random() < 0.15 else 0.02)
        tiles = ["back" if rng.random() < backs else layout.any_tile(rng) for _ in range(count)]
        stage.add(layout.lay_loose(rng, ground, tiles, shape, margin=float(rng.choice([-3, -1, 0, 0, 2, 6]))), together=False)


def _place_rack(stage: _Stage, ground: Ground) -> None:
    rng, shape = stage.rng, stage.shape
    x, y = rng.uniform(-0.8, 0.8, 2) * np.array(ground.half)
    eye = stage.canvas.camera.eye
    facing = float(np.arctan2(eye[1] - y, eye[0] - x)) + np.pi / 2 + rng.normal(0, 0.4)
    if rng.random() < 0.25:
        facing = float(rng.uniform(-np.pi, np.pi))
    lean, width = float(rng.uniform(0.7, 1.2)), float(rng.uniform(200, 330))
    middle = np.array([x, y]) + np.array([-np.sin(facing), np.cos(facing)]) * shape.height * 0.8
    if not ground.claim([layout.outline(float(middle[0]), float(middle[1]), facing + np.pi / 2, width, shape.height * 2)], 0.0):
        return
    tiles = [layout.any_tile(rng) for _ in range(int(rng.integers(0, 15)))]
    poses = layout.lay_rack(rng, tiles, shape, float(x), float(y), facing, lean)
    seen = [p for p in poses if float(np.cross(p.right, p.up) @ (eye - p.centre)) > 0.2 * float(np.linalg.norm(eye - p.centre))]
    first = len(stage.poses)
    stage.add(seen, together=False)
    stage.racks.append((tuple(range(first, first + len(seen))), (float(x), float(y), facing, width, lean)))


def _scatter_things(stage: _Stage, ground: Ground, count: int) -> None:
    rng = stage.rng
    for _ in range(count):
        thing, radius = clutter.THINGS[int(rng.integers(0, len(clutter.THINGS)))]
        x, y = rng.uniform(-1.05, 1.05, 2) * np.array(ground.half)
        if ground.claim([np.asarray(clutter.disc(float(x), float(y), radius * 0.9), np.float32)]):
            stage.things.append((thing, float(x), float(y), float(rng.uniform(-np.pi, np.pi)), int(rng.integers(0, 2**31))))


def _render(stage: _Stage, hands: bool | None = None) -> Scene:
    rng, canvas = stage.rng, stage.canvas
    per_mm = float(np.hypot(*(canvas.camera.project([[1, 0, 0]]) - canvas.camera.project([[0, 0, 0]]))[0]))
    _cast_shadows(stage, per_mm)
    _draw_solids(stage)
    cover = np.zeros(canvas.owner.shape, np.float32)
    if hands if hands is not None else bool(stage.poses) and rng.random() < 0.16:
        reach = np.array(_reach(canvas.camera)) * rng.uniform(-0.8, 0.8, 2)
        for _ in range(1 if rng.random() < 0.8 else 2):
            cover = np.maximum(cover, clutter.hand(rng, canvas, reach + rng.normal(0, 60, 2), float(rng.uniform(-np.pi, np.pi))))
    light = _lit(stage, cover, per_mm)
    return _finish(stage, light)


def _cast_shadows(stage: _Stage, per_mm: float) -> None:
    rng, canvas, shape = stage.rng, stage.canvas, stage.shape
    racked = {index for members, _ in stage.racks for index in members}
    for index, outline in enumerate(layout.footprints(stage.poses, shape)):
        if index not in racked:
            canvas.cast(outline, 0.0, float(stage.poses[index].centre[2]))
    for _, (x, y, facing, width, _) in stage.racks:
        back = np.array([-np.sin(facing), np.cos(facing)]) * shape.height * 0.8
        canvas.cast(layout.outline(x + float(back[0]), y + float(back[1]), facing + np.pi / 2, width, shape.height * 1.7), 0.0, 45.0)
    canvas.casting = True
    _draw_things(stage)
    canvas.casting = False
    softness = float(np.exp(rng.uniform(np.log(0.3), np.log(8)))) * per_mm
    canvas.lay_shadows(float(rng.uniform(0.05, 0.7)), softness, 1.2 * per_mm)


def _draw_solids(stage: _Stage) -> None:
    rng, canvas, shape = stage.rng, stage.canvas, stage.shape
    racked = {index for members, _ in stage.racks for index in members}
    _draw_things(stage)
    for members, (x, y, facing, width, lean) in stage.racks:
        clutter.rack_body(canvas, x, y, facing, width, lean, shape.height, np.asarray(surfaces.any_colour(rng) * 0.6, np.float32))
        for index in members:
            _draw_tile(stage, index)
    order = sorted(
        (index for index in range(len(stage.poses)) if index not in racked),
        key=lambda i: (stage.poses[i].centre[2], -float(np.linalg.norm(canvas.camera.eye - stage.poses[i].centre))),
    )
    for index in order:
        _draw_tile(stage, index)


def _draw_things(stage: _Stage) -> None:
    eye = stage.canvas.camera.eye
    for thing, x, y, angle, seed in sorted(stage.things, key=lambda one: -np.hypot(eye[0] - one[1], eye[1] - one[2])):
        thing(np.random.default_rng(seed), stage.canvas, x, y, angle)


def _draw_tile(stage: _Stage, index: int) -> None:
    pose, sun = stage.poses[index], stage.canvas.sun
    pixels = stage.canvas.camera.project(corners(pose, stage.shape))
    width, height = stage.canvas.camera.size
    if (pixels.max(axis=0) < -20).any() or (pixels.min(axis=0) > (width + 20, height + 20)).any():
        return
    face = shrunk(stage.box.face(stage.rng, pose.tile), pixels)
    glint = float(stage.rng.uniform(0.05, 0.25))
    lit = bevelled(face, 0.06, glint, float(pose.up @ sun) * 1.3, float(pose.right @ sun) * 1.3)
    stage.canvas.tile(pose, stage.shape, lit, index, stage.box.body, stage.box.style.corner * stage.box.style.aspect)


def _lit(stage: _Stage, cover: Floats, per_mm: float) -> Floats:
    """The picture under lamps and windows: fall-off, colour of light, cast shadows, and glare on glossy faces."""
    rng, canvas, harsh = stage.rng, stage.canvas, stage.harshness
    height, width = canvas.owner.shape
    small = (max(8, width // 8), max(8, height // 8))
    x, y = np.meshgrid(np.linspace(-1, 1, small[0], dtype=np.float32), np.linspace(-1, 1, small[1], dtype=np.float32))
    slope = rng.normal(0, 0.14, 2) * harsh
    field = 1 + slope[0] * x + slope[1] * y
    for _ in range(int(rng.integers(0, 3))):
        cx, cy = rng.uniform(-1.3, 1.3, 2)
        field += rng.uniform(0.1, 0.7) * harsh * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / rng.uniform(0.1, 1.5))
    field /= field.mean()
    warmth = rng.normal(0, 0.09) + x * rng.normal(0, 0.05) * harsh + y * rng.normal(0, 0.05) * harsh
    green = rng.normal(0, 0.03)
    light = np.stack([field * (1 - warmth), field * (1 + green), field * (1 + warmth)], axis=-1)
    lit = canvas.image * cv2.resize(light.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    shadow = _cast_shadow(rng, (width, height), cover, per_mm, harsh)
    if shadow is not None:
        lit *= shadow[..., None]
    return _with_glare(stage, lit) if rng.random() < 0.45 * max(harsh, 0.5) else np.asarray(lit, np.float32)


def _cast_shadow(rng: Rng, size: tuple[int, int], cover: Floats, per_mm: float, harsh: float) -> Floats | None:
    """Shadows that fall over tiles too: hands, people, window frames."""
    width, height = size
    hard = rng.random() < 0.22 * harsh
    if not hard and not cover.any():
        return None
    dark = np.zeros((height, width), np.float32)
    if cover.any():
        shift = rng.normal(0, 30, 2) * per_mm
        dark = np.asarray(cv2.warpAffine(cover, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), size), np.float32)
    if hard:
        mask = np.zeros((height, width), np.uint8)
        for _ in range(int(rng.integers(1, 5))):
            centre = rng.uniform(0, 1, 2) * size
            arm = np.array([np.cos(t := rng.uniform(0, np.pi)), np.sin(t)]) * rng.uniform(0.3, 1.5) * width
            across = np.array([-arm[1], arm[0]]) * rng.uniform(0.03, 0.5)
            cv2.fillConvexPoly(mask, np.round([centre - arm - across, centre + arm - across * rng.uniform(0.3, 1), centre + arm + across, centre - arm + across]).astype(np.int32), 255)  # type: ignore[call-overload]  # fmt: skip
        if rng.random() < 0.4:
            mask = 255 - mask
        dark = np.maximum(dark, mask.astype(np.float32) / 255)
    soft = float(np.exp(rng.uniform(np.log(0.6), np.log(25)))) * per_mm
    small = cv2.resize(dark, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), max(0.4, soft / 2))
    return np.asarray(1 - cv2.resize(small, size) * np.float32(rng.uniform(0.2, 0.65)), np.float32)


def _with_glare(stage: _Stage, lit: Floats) -> Floats:
    """Lamps mirrored in the faces: each tile lies a little differently and so mirrors more or less of them."""
    rng, owner = stage.rng, stage.canvas.owner
    height, width = owner.shape
    small = (max(8, width // 4), max(8, height // 4))
    x, y = np.meshgrid(np.linspace(-1, 1, small[0], dtype=np.float32), np.linspace(-1, 1, small[1], dtype=np.float32))
    blob = np.zeros_like(x)
    for _ in range(int(rng.integers(1, 4))):
        cx, cy = rng.uniform(-1, 1, 2)
        wide, high = np.exp(rng.uniform(np.log(0.03), np.log(0.6), 2))
        power = float(rng.choice([1, 1, 3]))
        blob += np.exp(-((((x - cx) / wide) ** 2 + ((y - cy) / high) ** 2) ** power))
    gloss = np.concatenate([[rng.uniform(0, 0.35)], rng.uniform(0.1, 1.0, len(stage.poses)) ** 1.5]).astype(np.float32)
    shine = cv2.resize(blob, (width, height), interpolation=cv2.INTER_LINEAR) * gloss[owner + 1] * np.float32(rng.uniform(30, 230))
    tint = np.array([1.0, 1.0, 1.0], np.float32) + rng.normal(0, 0.06, 3).astype(np.float32)
    return np.asarray(lit + shine[..., None] * tint, np.float32)


def _finish(stage: _Stage, light: Floats) -> Scene:
    camera, shape = stage.canvas.camera, stage.shape
    counts = np.bincount((stage.canvas.owner + 1).ravel(), minlength=len(stage.poses) + 1)[1:]
    image = camera.bend_image(expose(stage.rng, light, stage.harshness))
    tiles: list[SeenTile] = []
    kept: dict[int, int] = {}
    for index, pose in enumerate(stage.poses):
        straight = camera.project(corners(pose, shape))
        area = float(cv2.contourArea(straight))
        visible = min(1.0, float(counts[index]) / max(area * 0.975, 1.0))
        if visible > 0.02:
            kept[index] = len(tiles)
            tiles.append(SeenTile(pose.tile, camera.bent(straight), visible))
    sets = tuple(tuple(kept[i] for i in members if i in kept) for members in stage.sets)
    return Scene(image=image, tiles=tuple(tiles), sets=tuple(one for one in sets if one))
