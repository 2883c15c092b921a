"""Draws solid things on a picture of a table: prisms, prints and tiles, their shadows, and a map of who hides whom."""

import cv2
import numpy as np
import numpy.typing as npt

from models.training.data.render.layout import Pose, Shape
from models.training.data.render.lens import Camera, Floats, Image

SHIFT = 4


class Canvas:
    """A picture in the making: colours, tile numbers seen in each pixel (-1: none), and shadows still to be laid."""

    def __init__(self, camera: Camera, image: Image, sun: npt.NDArray[np.float64]) -> None:
        self.camera = camera
        self.image = image
        self.sun = sun
        self.owner = np.full(image.shape[:2], -1, np.int16)
        self.shade = np.zeros(image.shape[:2], np.uint8)
        self.contact = np.zeros(image.shape[:2], np.uint8)
        self.casting = False

    def cast(self, outline: npt.ArrayLike, low: float, high: float) -> None:
        """Note the shadow of a prism over an outline [n, 2] in mm."""
        flat = np.asarray(outline, np.float64)
        reach = -self.sun[:2] / self.sun[2]
        points = np.concatenate([flat + reach * low, flat + reach * high])
        ground = np.column_stack([points, np.zeros(len(points))])
        self._fill(self.shade, cv2.convexHull(self.camera.project(ground)), 255)
        foot = np.column_stack([flat, np.full(len(flat), low)])
        self._fill(self.contact, cv2.convexHull(self.camera.project(foot)), 255)

    def lay_shadows(self, strength: float, softness: float, contact: float) -> None:
        """Darken the table under everything cast so far; softness and contact width in pixels."""
        shade = cv2.GaussianBlur(self.shade, (0, 0), max(0.5, softness)).astype(np.float32)
        close = cv2.GaussianBlur(self.contact, (0, 0), max(0.5, contact)).astype(np.float32)
        keep = (1 - shade * np.float32(strength / 255)) * (1 - close * np.float32(0.55 / 255))
        self.image = (self.image * keep[..., None]).astype(np.uint8)

    def polygon(self, points: npt.ArrayLike, colour: npt.ArrayLike) -> None:
        """Fill a convex polygon given in mm [n, 3]; nothing while only shadows are cast."""
        if self.casting:
            return
        pixels = self.camera.project(points)
        self._fill(self.image, pixels, np.asarray(colour, np.float64).clip(0, 255).tolist())
        self._disown(pixels)

    def prism(self, outline: npt.ArrayLike, low: float, high: float, colour: npt.ArrayLike) -> None:
        """A convex solid with upright walls."""
        flat = np.asarray(outline, np.float64)
        if self.casting:
            self.cast(flat, low, high)
            return
        tint = np.asarray(colour, np.float64)
        ring = self._walls(flat)
        for index, outward in ring:
            a, b = flat[index], flat[(index + 1) % len(flat)]
            light = 0.45 + 0.4 * max(0.0, float(outward @ self.sun[:2]))
            self.polygon([[*a, high], [*b, high], [*b, low], [*a, low]], tint * light)
        self.polygon(np.column_stack([flat, np.full(len(flat), high)]), tint)

    def _walls(self, flat: npt.NDArray[np.float64]) -> list[tuple[int, npt.NDArray[np.float64]]]:
        middle = flat.mean(axis=0)
        seen = []
        for index in range(len(flat)):
            a, b = flat[index], flat[(index + 1) % len(flat)]
            edge = b - a
            outward = np.array([edge[1], -edge[0]]) / (np.hypot(*edge) + 1e-9)
            if outward @ ((a + b) / 2 - middle) < 0:
                outward = -outward
            if outward @ (self.camera.eye[:2] - a) > 0:
                seen.append((index, outward))
        return seen

    def print(self, texture: Image, corners: npt.ArrayLike, owner: int = -1) -> None:
        """Warp a BGR or premultiplied BGRA picture onto four corners in mm, clockwise from its top left."""
        if self.casting:
            return
        quad = self.camera.project(corners)
        height, width = self.image.shape[:2]
        low = np.floor(quad.min(axis=0)).astype(int) - 1
        high = np.ceil(quad.max(axis=0)).astype(int) + 2
        x0, y0 = np.maximum(low, 0).tolist()
        x1, y1 = min(int(high[0]), width), min(int(high[1]), height)
        if x0 >= x1 or y0 >= y1:
            return
        texture = shrunk(texture, quad)
        rows, columns = texture.shape[:2]
        corner = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(corner, np.asarray(quad - np.array([x0, y0]), np.float32))
        warped = cv2.warpPerspective(texture, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        if texture.shape[2] == 4:
            alpha = warped[..., 3:].astype(np.float32) / 255
        else:
            mask = np.zeros(warped.shape[:2], np.uint8)
            self._fill(mask, quad - np.array([x0, y0]), 255)
            alpha = mask[..., None].astype(np.float32) / 255
        patch = self.image[y0:y1, x0:x1]
        patch[:] = (patch * (1 - alpha) + warped[..., :3] * (alpha if texture.shape[2] == 3 else 1)).astype(np.uint8)
        owned = alpha[..., 0] > 0.5
        self.owner[y0:y1, x0:x1][owned] = owner

    def tile(self, pose: Pose, shape: Shape, face: Image, *, owner: int, body: Floats, roundness: float) -> None:
        """A tile as a solid: walls in the body's colour, then its face (premultiplied BGRA)."""
        normal = np.cross(pose.right, pose.up)
        rim = _rim(pose, shape, roundness)
        base = rim - normal * shape.thickness
        toward = self.camera.eye - pose.centre
        sides = (
            (pose.up, shape.height),
            (-pose.up, shape.height),
            (pose.right, shape.width),
            (-pose.right, shape.width),
        )
        seen = [(side, float(side @ toward)) for side, _ in sides if side @ toward > 0]
        main = max(seen, key=lambda one: one[1])[0] if seen else pose.up
        hull = cv2.convexHull(self.camera.project(np.concatenate([rim, base])))
        self._fill(self.image, hull, (body * self._wall_light(main)).clip(0, 255).tolist())
        self._disown(hull)
        for side, _ in seen:
            if side is main:
                continue
            edge = [
                i
                for i in range(len(rim))
                if (rim[i] - pose.centre) @ side > 0.8 * np.abs((rim - pose.centre) @ side).max()
            ]
            wall = np.concatenate([rim[edge], base[edge]])
            self._fill(
                self.image,
                cv2.convexHull(self.camera.project(wall)),
                (body * self._wall_light(side)).clip(0, 255).tolist(),
            )
        self.print(face, corners(pose, shape), owner)

    def _wall_light(self, side: npt.NDArray[np.float64]) -> float:
        return 0.5 + 0.45 * max(0.0, float(side @ self.sun)) + 0.15 * max(0.0, float(side[2]))

    def _disown(self, pixels: npt.ArrayLike) -> None:
        points = np.round(np.clip(np.asarray(pixels, np.float64), -8000, 8000)).astype(np.int32)
        cv2.fillConvexPoly(self.owner, points, -1)

    @staticmethod
    def _fill(target: npt.NDArray[np.uint8], pixels: npt.ArrayLike, colour: float | list[float]) -> None:
        points = np.round(np.clip(np.asarray(pixels, np.float64), -8000, 8000) * 2**SHIFT).astype(np.int32)
        cv2.fillConvexPoly(target, points, colour, cv2.LINE_AA, SHIFT)


def corners(pose: Pose, shape: Shape) -> npt.NDArray[np.float64]:
    """A tile face's corners in mm, clockwise from its own top left."""
    up, right = pose.up * shape.height / 2, pose.right * shape.width / 2
    return np.asarray(pose.centre + np.array([up - right, up + right, -up + right, -up - right]), np.float64)


def _rim(pose: Pose, shape: Shape, roundness: float) -> npt.NDArray[np.float64]:
    radius = roundness * shape.width
    points = []
    for sy, sx, start in ((1, 1, 0.0), (1, -1, 90.0), (-1, -1, 180.0), (-1, 1, 270.0)):
        for degrees in (0, 45, 90):
            turn = np.deg2rad(start + degrees)
            across = sx * (shape.width / 2 - radius) + radius * np.cos(turn)
            along = sy * (shape.height / 2 - radius) + radius * np.sin(turn)
            points.append(pose.centre + pose.right * across + pose.up * along)
    return np.array(points)


def shrunk(texture: Image, quad: Floats) -> Image:
    """The texture at about the size it is seen at, so that warping it does not alias."""
    long = max(float(np.hypot(*(quad[3] - quad[0]))), float(np.hypot(*(quad[2] - quad[1]))), 4.0)
    wide = max(float(np.hypot(*(quad[1] - quad[0]))), float(np.hypot(*(quad[2] - quad[3]))), 4.0)
    rows, columns = texture.shape[:2]
    want = (max(4, min(columns, round(wide * 1.15))), max(4, min(rows, round(long * 1.15))))
    if want[0] * want[1] > 0.8 * rows * columns:
        return texture
    return np.asarray(cv2.resize(texture, want, interpolation=cv2.INTER_AREA), np.uint8)


def disc(x: float, y: float, radius: float, points: int = 28) -> npt.NDArray[np.float64]:
    """A circle's outline."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])


def bevelled(face: Image, width: float, strength: float, sun_up: float, sun_right: float) -> Image:
    """The face premultiplied, its edge lit on the sunny side and dark on the other."""
    rows, columns = face.shape[:2]
    reach = max(1.0, width * columns)
    x, y = np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32)
    left, right = np.clip(1 - x / reach, 0, 1), np.clip(1 - x[::-1] / reach, 0, 1)
    top, bottom = np.clip(1 - y / reach, 0, 1), np.clip(1 - y[::-1] / reach, 0, 1)
    tilt = (top - bottom)[:, None] * sun_up + (right - left)[None, :] * sun_right
    edge = np.maximum(np.maximum(top, bottom)[:, None], np.maximum(left, right)[None, :])
    shade = 1 + strength * tilt - 0.12 * strength * edge
    alpha = face[..., 3:].astype(np.float32) / 255
    out = np.empty_like(face)
    out[..., :3] = np.clip(face[..., :3] * shade[..., None] * alpha, 0, 255)
    out[..., 3] = face[..., 3]
    return out
