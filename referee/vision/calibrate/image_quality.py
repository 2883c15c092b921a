"""Image quality: focus, brightness, clipping, glare and tile size, with limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.rules.verdict_json import message_to_json
from referee.rules.wording import Message, say, say_count
from referee.vision.geometry.crops import FACE, rectify
from referee.vision.geometry.detections import Floats
from referee.vision.geometry.optics import Points
from referee.vision.geometry.quads import long_sides
from referee.vision.image.frame import Image
from referee.vision.profile import Profile

MIN_FOCUS: Final = 0.03  # see `sharpness`; a defocus of about two crop pixels
BRIGHTNESS_RANGE: Final = (70.0, 235.0)
MAX_CLIPPED: Final = 0.02
MAX_GLARE: Final = 0.03
MIN_TILE_PX: Final = 28.0
MAX_SHIFT_MM: Final = 4.0
_CLIPPED_LEVEL: Final = 253


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition for play: the measured value, and the limit it was compared with, if any.

    `message` says what was found and what to do; other parts of the machine give a plain line.
    """

    check: str
    passed: bool
    value: float | str | bool | None
    limit: float | str | None
    message: Message | str


def check_to_plain(check: Check) -> dict[str, object]:
    """Return a check as `referee calibrate check --json` and the page show it."""
    kept = ("check", "passed", "value", "limit")
    plain: dict[str, object] = {key: getattr(check, key) for key in kept}
    return plain | (
        message_to_json(check.message) if isinstance(check.message, Message) else {"message": check.message}
    )


def check_picture(image: Image, quads: Floats) -> tuple[Check, ...]:
    """Check focus, brightness, clipping, glare and tile size in a picture with tiles at quads [n, 4, 2]."""
    crops = rectify(image, quads)
    return (
        _focus(crops),
        _light(image, crops),
        _clipped(image),
        _glare(crops),
        _tile_pixels(quads),
    )


def sharpness(grey: npt.NDArray[np.uint8]) -> float:
    """Return the variance of a picture's Laplacian over its own: sharpness, independent of brightness and contrast."""
    bright = cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float64)  # suppresses single noisy pixels
    return float(cv2.Laplacian(bright, cv2.CV_64F).var() / max(bright.var(), 25.0))


def _focus(crops: Image) -> Check:
    if not len(crops):
        return _no_tiles("focus", MIN_FOCUS)
    faces = [np.asarray(cv2.cvtColor(crop[FACE], cv2.COLOR_BGR2GRAY), np.uint8) for crop in crops]
    value = float(np.median([sharpness(face) for face in faces]))
    good = say("found.sharp", "tiles are sharp")
    bad = say("found.blurred", "tiles are blurred: focus the lens, wipe it, hold the camera still, add light")
    return _limit_check("focus", round(value, 3), MIN_FOCUS, good, bad, passed=value >= MIN_FOCUS)


def _light(image: Image, crops: Image) -> Check:
    faces = crops[:, *FACE] if len(crops) else image[None]
    value = float(np.median(faces.max(axis=-1)))
    message = _brightness_message(value, tiles=bool(len(crops)))
    good = BRIGHTNESS_RANGE[0] <= value <= BRIGHTNESS_RANGE[1]
    return Check(
        check="light",
        passed=good,
        value=round(value, 1),
        limit=f"{BRIGHTNESS_RANGE[0]:g} to {BRIGHTNESS_RANGE[1]:g}",
        message=message,
    )


def _brightness_message(value: float, *, tiles: bool) -> Message:
    if value < BRIGHTNESS_RANGE[0] and tiles:
        return say("found.tiles_dark", "tiles are too dark: add light")
    if value < BRIGHTNESS_RANGE[0]:
        return say("found.picture_dark", "the picture is too dark: add light")
    if value > BRIGHTNESS_RANGE[1] and tiles:
        return say("found.tiles_bright", "tiles are too bright: dim the lamp")
    if value > BRIGHTNESS_RANGE[1]:
        return say("found.picture_bright", "the picture is too bright: dim the lamp")
    return (
        say("found.tiles_lit", "tiles are well lit") if tiles else say("found.picture_lit", "the picture is well lit")
    )


def _clipped(image: Image) -> Check:
    value = float((image.min(axis=-1) >= _CLIPPED_LEVEL).mean())
    good = say("found.little_burnt", "little of the picture is overexposed")
    bad = say("found.burnt", "parts of the picture are overexposed: dim or turn the lamp")
    return _limit_check("clipped", round(value, 4), MAX_CLIPPED, good, bad, passed=value <= MAX_CLIPPED)


def _glare(crops: Image) -> Check:
    if not len(crops):
        return _no_tiles("glare", MAX_GLARE)
    shares = _clipped_shares(crops)
    value = float(shares.max())
    good = say("found.no_glare", "no tile reflects the lamp")
    bad = say_count(
        "found.glare",
        "{count} of the tiles reflects the lamp: move the lamp aside or put paper in front of it",
        "{count} of the tiles reflect the lamp: move the lamp aside or put paper in front of it",
        count=int((shares > MAX_GLARE).sum()),
    )
    return _limit_check("glare", round(value, 4), MAX_GLARE, good, bad, passed=value <= MAX_GLARE)


def has_glare(image: Image, quads: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each tile [n, 4, 2] reflects a lamp [n]."""
    return np.asarray(_clipped_shares(rectify(image, quads)) > MAX_GLARE) if len(quads) else np.zeros(0, np.bool_)


def _clipped_shares(crops: Image) -> npt.NDArray[np.float64]:
    """Return the share [n] of each crop's pixels that is clipped."""
    return np.asarray((crops.min(axis=-1) >= _CLIPPED_LEVEL).mean(axis=(1, 2)), np.float64)


def _tile_pixels(quads: Floats) -> Check:
    if not len(quads):
        return _no_tiles("tile_pixels", MIN_TILE_PX)
    value = float(np.percentile(long_sides(quads), 5))
    good = say("found.large", "tiles are large enough in the picture")
    bad = say("found.small", "tiles are too small: more pixels, or the camera nearer")
    return _limit_check("tile_pixels", round(value, 1), MIN_TILE_PX, good, bad, passed=value >= MIN_TILE_PX)


def _no_tiles(check: str, limit: float) -> Check:
    return _unmeasured(
        check, limit, say("found.no_tile", "no tile is seen: lay a few face up all over the table and check again")
    )


def _unmeasured(check: str, limit: float, message: Message, *, passed: bool = False) -> Check:
    return Check(check=check, passed=passed, value=None, limit=limit, message=message)


def _limit_check(check: str, value: float | None, limit: float, good: Message, bad: Message, *, passed: bool) -> Check:
    return Check(check=check, passed=passed, value=value, limit=limit, message=good if passed else bad)


def check_corners(markers: Mapping[int, Points], profile: Profile | None, *, astray: bool = False) -> Check:
    """Check the profile's table outline against the visible corner markers.

    `astray` says that the camera or the table was pushed and the table has not been located since.
    """
    if astray:
        pushed = say(
            "found.pushed", "the camera or the table was pushed: lay the markers out, or calibrate the table again"
        )
        return _unmeasured("corners", MAX_SHIFT_MM, pushed)
    if profile is None or profile.table is None:
        open_ = say("found.no_table", "the table is not calibrated: calibrate it by its tiles or markers")
        return _unmeasured("corners", MAX_SHIFT_MM, open_)
    if not markers:
        unseen = say(
            "found.no_marker",
            "no marker is visible; lay the markers out to check whether the camera has moved",
        )
        return _unmeasured("corners", MAX_SHIFT_MM, unseen, passed=True)
    good = say("found.in_place", "the table lies where it was calibrated")
    bad = say("found.moved", "the camera or the markers have moved: calibrate the table again")
    outline = np.array(profile.table.outline)
    shifts = []
    for quad in markers.values():
        away = np.linalg.norm(profile.to_table(quad)[:, None] - outline[None], axis=2)
        shifts.append(float(away.min()))
    value = max(shifts)
    return _limit_check("corners", round(value, 2), MAX_SHIFT_MM, good, bad, passed=value <= MAX_SHIFT_MM)
