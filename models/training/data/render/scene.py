"""The stage of a rendered table: a box of tiles, what lies where, and the drawing of it all into a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render import clutter, faces, layout, surfaces
from models.training.data.render.canvas import Canvas, bevelled, corners, shrunk
from models.training.data.render.layout import Pose, Rack, Shape, Spot
from models.training.data.render.lens import Camera, Floats, Image, Rng, expose
from models.training.data.render.light import shine


class SeenTile(NamedTuple):
    """A tile, its face's corners clockwise from its own top left, and the share of it that shows.

    Corners are in pixels as lengths: pixel (i, j) covers the square from (i, j) to (i + 1, j + 1).
    """

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

    def __init__(self, rng: Rng, face_pixels: int, *, held_out: bool = False, fontless: bool = False) -> None:
        self.style = faces.box_style(rng, held_out=held_out, fontless=fontless)
        self.face_pixels = face_pixels
        self._faces: dict[str, list[Image]] = {}
        sample = self.face(rng, "back")
        height = float(rng.uniform(36, 40))
        self.shape = Shape(
            width=height * sample.shape[1] / sample.shape[0], height=height, thickness=float(rng.uniform(4.5, 9))
        )
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
class Stage:
    """A table being laid: camera and canvas, the box in use, and what lies where."""

    rng: Rng
    canvas: Canvas
    box: Box
    shape: Shape
    harshness: float
    poses: list[Pose]
    sets: list[tuple[int, ...]]
    racks: list[Rack]
    things: list[tuple[clutter.Thing, Spot, int]]
    still: bool = False

    def add(self, poses: list[Pose], *, together: bool) -> None:
        """Lay tiles; `together`: as one set in reading order."""
        first = len(self.poses)
        self.poses += poses
        if together:
            self.sets.append(tuple(range(first, len(self.poses))))


def set_stage(
    rng: Rng, camera: Camera, pixels: float, harshness: float, backgrounds: Sequence[Image], *, box: Box
) -> Stage:
    sun = np.array([*rng.normal(0, 0.7, 2), 1.0])
    canvas = Canvas(camera, _table(rng, camera, pixels / box.shape.height, backgrounds), sun / np.linalg.norm(sun))
    return Stage(
        rng=rng, canvas=canvas, box=box, shape=box.shape, harshness=harshness, poses=[], sets=[], racks=[], things=[]
    )


def _table(rng: Rng, camera: Camera, scale: float, backgrounds: Sequence[Image]) -> Image:
    """The bare table seen by the camera, sometimes with its edge and the floor."""
    width, height = camera.size
    if backgrounds and rng.random() < 0.08:
        photo = backgrounds[int(rng.integers(0, len(backgrounds)))]
        return np.asarray(cv2.resize(photo, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
    texture = surfaces.surface(rng, (int(width * 1.25), int(height * 1.25)), scale)
    ground = ground_map(camera)
    turn = rng.uniform(-np.pi, np.pi) if rng.random() < 0.5 else rng.normal(0, 0.05)
    rows, columns = texture.shape[:2]
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    place = np.array([[scale, 0, columns / 2], [0, -scale, rows / 2], [0, 0, 1]]) @ spin @ ground
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    image = np.asarray(
        cv2.warpPerspective(texture, place, (width, height), flags=how, borderMode=cv2.BORDER_REFLECT), np.uint8
    )
    if rng.random() < 0.15:
        _cut_edge(rng, image, scale)
    return image


def ground_map(camera: Camera) -> npt.NDArray[np.float64]:
    return np.asarray(np.linalg.inv(camera.matrix[:, [0, 1, 3]]), np.float64)


def _cut_edge(rng: Rng, image: Image, scale: float) -> None:
    """The floor beyond the table's edge."""
    height, width = image.shape[:2]
    floor = (
        surfaces.surface(rng, (width, height), scale * 0.6)
        if rng.random() < 0.6
        else np.full_like(image, rng.uniform(0, 60))
    )
    away = rng.uniform(0.5, 0.95) * width / 2
    turn = rng.uniform(-np.pi, np.pi)
    normal = np.array([np.cos(turn), np.sin(turn)])
    edge = np.array([-normal[1], normal[0]])
    middle = np.array([width, height]) / 2 + normal * away
    beyond = np.array(
        [
            middle - edge * 4000,
            middle + edge * 4000,
            middle + edge * 4000 + normal * 4000,
            middle - edge * 4000 + normal * 4000,
        ]
    )
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(beyond).astype(np.int32), 255, cv2.LINE_AA)
    alpha = mask[..., None].astype(np.float32) / 255
    image[:] = (image * (1 - alpha) + cv2.GaussianBlur(floor, (0, 0), 2) * 0.6 * alpha).astype(np.uint8)


def reach(camera: Camera) -> tuple[float, float]:
    """Half the extent of the table in view, in mm."""
    width, height = camera.size
    rim = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float64)
    flat = rim @ ground_map(camera).T
    points = np.abs(flat[:, :2] / flat[:, 2:])
    near = np.minimum(points.max(axis=0), np.median(points, axis=0) * 1.4)
    return float(max(40.0, near[0])), float(max(40.0, near[1]))


def rack_outline(at: Spot, width: float, tile_height: float) -> Floats:
    """The ground a rack takes."""
    x, y = at.x - np.sin(at.angle) * tile_height * 0.8, at.y + np.cos(at.angle) * tile_height * 0.8
    return layout.outline(float(x), float(y), at.angle + np.pi / 2, width, tile_height * 1.9)


def render(stage: Stage, *, hands: bool | None = None) -> Scene:
    rng, canvas = stage.rng, stage.canvas
    per_mm = float(np.hypot(*(canvas.camera.project([[1, 0, 0]]) - canvas.camera.project([[0, 0, 0]]))[0]))
    _cast_shadows(stage, per_mm)
    _draw_solids(stage)
    cover = np.zeros(canvas.owner.shape, np.float32)
    if hands if hands is not None else bool(stage.poses) and rng.random() < 0.16:
        aim_at = np.array(reach(canvas.camera)) * rng.uniform(-0.8, 0.8, 2)
        for _ in range(1 if rng.random() < 0.8 else 2):
            cover = np.maximum(
                cover, clutter.hand(rng, canvas, aim_at + rng.normal(0, 60, 2), float(rng.uniform(-np.pi, np.pi)))
            )
    gloss = np.concatenate([[rng.uniform(0, 0.35)], rng.uniform(0.1, 1.0, len(stage.poses)) ** 1.5])
    lit = shine(rng, canvas, cover, gloss=np.asarray(gloss, np.float32), per_mm=per_mm, harshness=stage.harshness)
    return _finish(stage, lit)


def _cast_shadows(stage: Stage, per_mm: float) -> None:
    rng, canvas, shape = stage.rng, stage.canvas, stage.shape
    racked = {index for rack in stage.racks for index in rack.members}
    for index, outline in enumerate(layout.footprints(stage.poses, shape)):
        if index not in racked:
            canvas.cast(outline, 0.0, float(stage.poses[index].centre[2]))
    for rack in stage.racks:
        canvas.cast(rack_outline(rack.at, rack.width, shape.height), 0.0, 45.0)
    canvas.casting = True
    _draw_things(stage)
    canvas.casting = False
    softness = float(np.exp(rng.uniform(np.log(0.3), np.log(8)))) * per_mm
    canvas.lay_shadows(float(rng.uniform(0.05, 0.7)), softness, 1.2 * per_mm)


def _draw_solids(stage: Stage) -> None:
    rng, canvas, shape = stage.rng, stage.canvas, stage.shape
    racked = {index for rack in stage.racks for index in rack.members}
    _draw_things(stage)
    for rack in stage.racks:
        clutter.rack_body(canvas, rack, shape.height, surfaces.any_colour(rng) * np.float32(0.6))
        for index in rack.members:
            _draw_tile(stage, index)
    order = sorted(
        (index for index in range(len(stage.poses)) if index not in racked),
        key=lambda i: (stage.poses[i].centre[2], -float(np.linalg.norm(canvas.camera.eye - stage.poses[i].centre))),
    )
    for index in order:
        _draw_tile(stage, index)


def _draw_things(stage: Stage) -> None:
    eye = stage.canvas.camera.eye
    for thing, at, seed in sorted(stage.things, key=lambda one: -np.hypot(eye[0] - one[1].x, eye[1] - one[1].y)):
        thing(np.random.default_rng(seed), stage.canvas, at)


def _draw_tile(stage: Stage, index: int) -> None:
    pose, sun = stage.poses[index], stage.canvas.sun
    pixels = stage.canvas.camera.project(corners(pose, stage.shape))
    width, height = stage.canvas.camera.size
    if (pixels.max(axis=0) < -20).any() or (pixels.min(axis=0) > (width + 20, height + 20)).any():
        return
    face = shrunk(stage.box.face(stage.rng, pose.tile), pixels)
    glint = float(stage.rng.uniform(0.05, 0.25))
    lit = bevelled(face, 0.06, glint, float(pose.up @ sun) * 1.3, float(pose.right @ sun) * 1.3)
    roundness = stage.box.style.corner * stage.box.style.aspect
    stage.canvas.tile(pose, stage.shape, lit, owner=index, body=stage.box.body, roundness=roundness)


def _finish(stage: Stage, light: Floats) -> Scene:
    camera, shape = stage.canvas.camera, stage.shape
    seen = camera.bend_image(stage.canvas.owner + 1, smooth=False)
    counts = np.bincount(seen.ravel(), minlength=len(stage.poses) + 1)[1:]
    image = camera.bend_image(expose(stage.rng, light, stage.harshness, still=stage.still))
    tiles: list[SeenTile] = []
    kept: dict[int, int] = {}
    for index, pose in enumerate(stage.poses):
        straight = camera.project(corners(pose, shape))
        area = float(cv2.contourArea(camera.bent(straight)))
        visible = min(1.0, float(counts[index]) / max(area * 0.975, 1.0))
        if visible > 0.02:
            kept[index] = len(tiles)
            tiles.append(SeenTile(pose.tile, camera.bent(straight) + np.float32(0.5), visible))
    sets = tuple(tuple(kept[i] for i in members if i in kept) for members in stage.sets)
    return Scene(image=image, tiles=tuple(tiles), sets=tuple(one for one in sets if one))
