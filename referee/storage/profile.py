"""Profiles as JSON files: written whole or not at all, and refused where damaged, foreign or of another version."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from referee.errors import CalibrationError, NotationError, StorageError
from referee.files import make_folder, refusal, write_whole
from referee.rules.notation import parse_tile
from referee.rules.tiles import Colour
from referee.vision.geometry.homography import TablePlane
from referee.vision.geometry.optics import Intrinsics
from referee.vision.profile import EnrolledFace, Enrolment, Inks, Locked, Profile, camera_name

PROFILE_NAME: Final = "profile.json"
VERSION: Final = 2
_READABLE: Final = (1, VERSION)  # version 1 knew nothing of focus and light
_KIND: Final = "referee profile"
_MOST_BYTES: Final = 4_000_000
_AGAIN: Final = "calibrate again, or take back a copy"


def save_profile(profile: Profile, path: Path) -> None:
    """Write the profile in place of what was there, in one step that a power cut cannot halve; raises StorageError."""
    content = {"kind": _KIND, "version": VERSION, **_plain(profile)}
    text = json.dumps({**content, "checksum": _checksum(content)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        make_folder(path.parent)
        write_whole(path, text)
    except OSError as error:
        raise StorageError(f"profile {path} cannot be written {refusal(error, path, 'name another file')}") from None


def load_profile(path: Path, camera: str | None = None) -> Profile:
    """The profile in a file; raises CalibrationError where it is missing, damaged, of another version or camera."""
    profile = _profile(path, _content(path))
    if camera is not None and profile.camera != (camera := camera_name(camera)):
        raise CalibrationError(
            f"profile {path} is of camera {profile.camera!r}, not {camera!r}; "
            "plug in that one, or name another profile, or calibrate this camera"
        )
    return profile


def _content(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise CalibrationError(f"profile {path} is too large to be one; check the name")
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CalibrationError(
            f"profile {path} does not exist; check the name, or make it with 'referee calibrate'"
        ) from None
    except OSError as error:
        raise CalibrationError(f"profile {path} cannot be read ({error.strerror}); check the name") from None
    except (ValueError, RecursionError):
        raise CalibrationError(f"profile {path} is damaged: it is no whole JSON file; {_AGAIN}") from None
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise CalibrationError(f"{path} is no profile of the referee; check the name")
    if content.get("version") not in _READABLE:
        raise CalibrationError(
            f"profile {path} is of version {content.get('version')!r:.20}, and this referee reads up to {VERSION}; "
            "calibrate again"
        )
    if content.get("checksum") != _checksum({key: value for key, value in content.items() if key != "checksum"}):
        raise CalibrationError(f"profile {path} is damaged or was changed by hand: its checksum differs; {_AGAIN}")
    return content


def _checksum(content: Mapping[str, Any]) -> str:
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def _plain(profile: Profile) -> dict[str, Any]:
    optics, table, inks, enrolment = profile.intrinsics, profile.table, profile.inks, profile.enrolment
    locked = profile.locked
    return {
        "camera": profile.camera,
        "size": list(profile.size),
        "locked": locked
        and {
            "focus": locked.focus,
            "exposure": locked.exposure,
            "gain": locked.gain,
            "white": list(locked.white),
        },
        "intrinsics": optics
        and {
            "focal": list(optics.focal),
            "centre": list(optics.centre),
            "distortion": list(optics.distortion),
            "error_px": optics.error_px,
            "pictures": optics.pictures,
        },
        "table": table
        and {
            "homography": [list(row) for row in table.homography],
            "outline": [list(corner) for corner in table.outline],
            "error_mm": table.error_mm,
            "source": table.source,
            "tile_mm": table.tile_mm and list(table.tile_mm),
        },
        "inks": inks
        and {
            "colours": {colour.letter: list(lab) for colour, lab in inks.colours.items()},
            "spreads": {colour.letter: spread for colour, spread in inks.spreads.items()},
            "separation": inks.separation,
            "prints": {colour.letter: list(ink) for colour, ink in inks.prints.items()},
        },
        "enrolment": enrolment
        and {
            "reader": enrolment.reader,
            "near": enrolment.near,
            "faces": [
                {"tile": str(face.tile), "embeddings": [list(look) for look in face.embeddings]}
                for face in enrolment.faces
            ],
        },
    }


def _profile(path: Path, content: Mapping[str, Any]) -> Profile:
    try:
        width, height = (int(side) for side in content["size"])
        return Profile(
            camera=str(content["camera"]),
            size=(width, height),
            intrinsics=_intrinsics(content["intrinsics"], (width, height)),
            table=_table(content["table"]),
            inks=_inks(content["inks"]),
            enrolment=_enrolment(content["enrolment"]),
            locked=_locked(content["locked"] if content["version"] >= VERSION else None),
        )
    except (KeyError, TypeError, ValueError, AttributeError, NotationError) as error:
        raise CalibrationError(
            f"profile {path} does not hold what a profile holds ({type(error).__name__}: {error}); {_AGAIN}"
        ) from None


def _intrinsics(content: Mapping[str, Any] | None, size: tuple[int, int]) -> Intrinsics | None:
    if content is None:
        return None
    return Intrinsics(
        size=size,
        focal=_pair(content["focal"]),
        centre=_pair(content["centre"]),
        distortion=tuple(float(value) for value in content["distortion"]),
        error_px=float(content["error_px"]),
        pictures=int(content["pictures"]),
    )


def _locked(content: Mapping[str, Any] | None) -> Locked | None:
    if content is None:
        return None
    focus, exposure, gain = (
        None if content[name] is None else float(content[name]) for name in ("focus", "exposure", "gain")
    )
    return Locked(focus=focus, exposure=exposure, gain=gain, white=tuple(float(part) for part in content["white"]))


def _table(content: Mapping[str, Any] | None) -> TablePlane | None:
    if content is None:
        return None
    return TablePlane(
        homography=tuple(_triple(row) for row in content["homography"]),
        outline=tuple(_pair(corner) for corner in content["outline"]),
        error_mm=None if content["error_mm"] is None else float(content["error_mm"]),
        source=str(content["source"]),
        tile_mm=None if content["tile_mm"] is None else _pair(content["tile_mm"]),
    )


def _inks(content: Mapping[str, Any] | None) -> Inks | None:
    if content is None:
        return None
    return Inks(
        colours=MappingProxyType({Colour(letter): _triple(lab) for letter, lab in content["colours"].items()}),
        spreads=MappingProxyType({Colour(letter): float(spread) for letter, spread in content["spreads"].items()}),
        separation=float(content["separation"]),
        prints=MappingProxyType({Colour(letter): _triple(ink) for letter, ink in content.get("prints", {}).items()}),
    )


def _enrolment(content: Mapping[str, Any] | None) -> Enrolment | None:
    if content is None:
        return None
    faces = tuple(
        EnrolledFace(
            parse_tile(face["tile"]), tuple(tuple(float(part) for part in look) for look in face["embeddings"])
        )
        for face in content["faces"]
    )
    return Enrolment(reader=str(content["reader"]), faces=faces, near=float(content["near"]))


def _pair(values: Any) -> tuple[float, float]:
    one, two = values
    return (float(one), float(two))


def _triple(values: Any) -> tuple[float, float, float]:
    one, two, three = values
    return (float(one), float(two), float(three))
