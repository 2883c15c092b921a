"""Pictures for the page: downscaled frames and upright tiles; everything outside the table is masked."""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from referee.reading.observation import Point, Quad
from referee.vision.image.frame import Frame, Image

MAX_WIDTH: Final = 1280
CROP_WIDTH: Final = 96
CROP_HEIGHT: Final = 144
MAX_CACHE_BYTES: Final = 4_000_000
"""Some fifteen pictures of the table, or a thousand tiles."""
_JPEG_QUALITY: Final = 80
_WHOLE_FRAME, _EVIDENCE = -1, -2


def jpeg(image: Image, max_width: int = MAX_WIDTH) -> bytes:
    """Return a picture as JPEG, downscaled to `max_width` pixels."""
    height, width = image.shape[:2]
    if width > max_width:
        size = (max_width, max(1, round(height * max_width / width)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    encoded, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not encoded:
        raise ValueError(f"a picture of {image.shape} cannot be written as JPEG")
    return content.tobytes()


@dataclass(frozen=True, slots=True)
class VisibleArea:
    """The table's outline in pixels of a picture of `size` (None: a settled frame's size).

    Without an outline the table's place is unknown, and the whole picture is masked.
    """

    outline: Sequence[Point]
    size: tuple[int, int] | None


def mask_outside_table(image: Image, area: VisibleArea, size: tuple[int, int]) -> Image:
    """Return the picture with everything outside the table black; `size` is a settled frame's size."""
    height, width = image.shape[:2]
    across, down = area.size or size
    corners = np.array(area.outline, np.float64).reshape(-1, 2) * (width / across, height / down)
    mask = np.zeros((height, width), np.uint8)
    if len(corners):
        cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 255)
    return np.asarray(cv2.bitwise_and(image, image, mask=mask), np.uint8)


def tile_crop(image: Image, quad: Quad) -> bytes:
    """Return an upright crop of one tile with a small margin, as JPEG."""
    corners = np.array(quad, np.float32)
    middle = corners.mean(axis=0)
    wide = middle + (corners - middle) * 1.15
    target = np.array([(0, 0), (CROP_WIDTH, 0), (CROP_WIDTH, CROP_HEIGHT), (0, CROP_HEIGHT)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.asarray(wide, np.float32), target)
    return jpeg(np.asarray(cv2.warpPerspective(image, matrix, (CROP_WIDTH, CROP_HEIGHT)), np.uint8))


class Pictures:
    """A cache of encoded pictures; used on one thread only."""

    def __init__(
        self,
        newest: Callable[[], Frame | None],
        settled: Callable[[], Frame | None],
        area: Callable[[], VisibleArea | None] = lambda: None,
    ) -> None:
        """Take frames from these functions; `area` returns the table's outline, which a camera shift may move."""
        self._newest, self._settled, self._area = newest, settled, area
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._bytes_kept = 0
        self._live: tuple[str, bytes] = ("", b"")

    def are_private(self) -> bool:
        """Return whether only the organiser may see pictures: without a calibrated table they may show racks."""
        return self._area() is None

    def size(self) -> tuple[int, int] | None:
        """Return width and height of the settled frame."""
        frame = self._settled()
        return None if frame is None else (frame.image.shape[1], frame.image.shape[0])

    def live(self) -> bytes | None:
        """Return the newest frame as JPEG; None if there is none."""
        frame = self._newest()
        if frame is None:
            return None
        if frame.frame_id != self._live[0]:
            self._live = (frame.frame_id, jpeg(self._table_of(frame.small)))
        return self._live[1]

    def settled(self, frame_id: str) -> bytes | None:
        """Return the settled frame with this id, or a cached one; None if it is gone."""
        return self._made((frame_id, _WHOLE_FRAME), lambda image: jpeg(self._table_of(image)))

    def tile(self, frame_id: str, index: int, quad: Quad) -> bytes | None:
        """Return one tile of the settled frame with this id; None if it is gone."""
        if not all(math.isfinite(value) for corner in quad for value in corner):
            return None
        return self._made((frame_id, index), lambda image: tile_crop(image, quad))

    def evidence(self, name: str, load: Callable[[str], bytes | None]) -> bytes | None:
        """Return the evidence picture of a judged turn, masked outside the table; None if it is gone."""
        key = (name, _EVIDENCE)
        if key not in self._kept:
            content = load(name)
            # A power cut may leave an empty picture.
            image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if content else None
            if image is None:
                return None
            self._keep(key, jpeg(self._table_of(np.asarray(image, np.uint8))))
        return self._kept[key]

    def _made(self, key: tuple[str, int], make: Callable[[Image], bytes]) -> bytes | None:
        made = self._kept.get(key)
        if made is not None:
            self._kept.move_to_end(key)
            return made
        frame = self._settled()
        if frame is None or frame.frame_id != key[0]:
            return None
        return self._keep(key, make(frame.image))

    def _keep(self, key: tuple[str, int], made: bytes) -> bytes:
        self._kept[key] = made
        self._bytes_kept += len(made)
        while self._bytes_kept > MAX_CACHE_BYTES and len(self._kept) > 1:
            self._bytes_kept -= len(self._kept.popitem(last=False)[1])
        return made

    def _table_of(self, image: Image) -> Image:
        area = self._area()
        return (
            image if area is None else mask_outside_table(image, area, self.size() or (image.shape[1], image.shape[0]))
        )
