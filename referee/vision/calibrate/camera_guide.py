"""Problems with the camera's picture, by symptom, from a picture and the tiles in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from referee.vision.calibrate.image_quality import BRIGHTNESS_RANGE, Check, check_corners, check_picture, has_glare
from referee.vision.calibrate.markers import CORNERS, find_corner_markers
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.plane import fit_plane
from referee.vision.image.frame import Image
from referee.vision.profile import Profile

MIN_CONTRAST: Final = 12.0
"""Between dark and light, of 255 grey levels; a covered lens shows less."""
MAX_FORESHORTENING: Final = 1.5
"""A camera tilted by 48 degrees."""
SYMPTOMS: Final = ("nothing", "dark", "bright", "cut", "moved", "covered", "tilted", "blurred", "glare", "small")
Quad = list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFinding:
    """One symptom; `seen` is None if unknown. `quads` are the tiles that show it, in pixels."""

    symptom: str
    seen: bool | None
    value: float | None = None
    limit: float | None = None
    quads: tuple[Quad, ...] = ()


def examine(image: Image, quads: Floats, profile: Profile | None, *, astray: bool) -> tuple[CameraFinding, ...]:
    """Return every symptom of a picture with tiles at quads [n, 4, 2].

    A blank picture has only the symptom "nothing". `astray` says that the camera or the table was pushed.
    """
    contrast = float(np.subtract(*np.percentile(image[::4, ::4], [99, 1])))
    blind = contrast < MIN_CONTRAST
    nothing = CameraFinding(symptom="nothing", seen=blind, value=round(contrast, 1), limit=MIN_CONTRAST)
    if blind:
        return (nothing, *(CameraFinding(symptom=symptom, seen=None) for symptom in SYMPTOMS[1:]))
    found = {result.check: result for result in check_picture(image, quads)}
    size = (image.shape[1], image.shape[0])
    fitted = profile if profile is None or profile.size == size else profile.scaled(size)
    return (nothing, *_light(found), *_table(image, fitted, astray=astray), *_tiles(image, quads, found))


def _light(found: dict[str, Check]) -> Iterator[CameraFinding]:
    light, clipped = found["light"], found["clipped"]
    value = float(light.value or 0.0)
    yield CameraFinding(symptom="dark", seen=value < BRIGHTNESS_RANGE[0], value=value, limit=BRIGHTNESS_RANGE[0])
    yield CameraFinding(
        symptom="bright", seen=value > BRIGHTNESS_RANGE[1] or not clipped.passed, value=value, limit=BRIGHTNESS_RANGE[1]
    )


def _table(image: Image, profile: Profile | None, *, astray: bool) -> Iterator[CameraFinding]:
    """Yield whether the whole table is visible, has not moved, and has all its markers uncovered."""
    if profile is None or profile.table is None:
        yield from (CameraFinding(symptom=symptom, seen=None) for symptom in ("cut", "moved", "covered"))
        return
    outline = np.asarray(profile.to_picture(np.array(profile.table.outline)))
    outside = (outline < 0) | (outline > (image.shape[1], image.shape[0]))
    yield CameraFinding(symptom="cut", seen=bool(outside.any()))
    markers = find_corner_markers(image)
    corners = check_corners(markers, profile, astray=astray)
    shift = corners.value if isinstance(corners.value, float) else None
    limit = corners.limit if isinstance(corners.limit, float) else None
    yield CameraFinding(symptom="moved", seen=not corners.passed, value=shift, limit=limit)
    hidden = len(CORNERS) - len(markers)
    yield CameraFinding(symptom="covered", seen=hidden > 0 if markers else None, value=float(hidden), limit=0.0)


def _tiles(image: Image, quads: Floats, found: dict[str, Check]) -> Iterator[CameraFinding]:
    """Yield the symptoms of the tiles; unknown if there are none."""
    if not len(quads):
        yield from (CameraFinding(symptom=symptom, seen=None) for symptom in ("tilted", "blurred", "glare", "small"))
        return
    short = fit_plane(quads).distortion(quads.mean(axis=(0, 1))[None])
    limit = MAX_FORESHORTENING
    yield CameraFinding(symptom="tilted", seen=short > limit, value=round(short, 2), limit=limit)
    yield _of_check("blurred", found["focus"])
    shining = quads[has_glare(image, quads)]
    yield _of_check("glare", found["glare"], tuple(np.round(quad, 1).tolist() for quad in shining))
    yield _of_check("small", found["tile_pixels"])


def _of_check(symptom: str, check: Check, quads: tuple[Quad, ...] = ()) -> CameraFinding:
    value = float(check.value) if isinstance(check.value, float) else None
    limit = float(check.limit) if isinstance(check.limit, float) else None
    return CameraFinding(symptom=symptom, seen=not check.passed, value=value, limit=limit, quads=quads)
