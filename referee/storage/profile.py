"""Profiles as JSON files: written atomically; damaged, foreign and newer files are refused."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from referee.addresses import showable
from referee.errors import CalibrationError, StorageError
from referee.files import make_folder, refusal, write_whole
from referee.storage.dataclass_codec import from_json_value, to_json_value
from referee.vision.profile import Profile

PROFILE_NAME: Final = "profile.json"
VERSION: Final = 2
_READABLE_VERSIONS: Final = (1, VERSION)  # version 1 has no focus and light
_KIND: Final = "referee profile"
_MAX_BYTES: Final = 4_000_000
_WAY_OUT: Final = "calibrate again, or take back a copy"


def save_profile(profile: Profile, path: Path) -> None:
    """Write the profile atomically, replacing any file at `path`; StorageError if it cannot be written."""
    content = {"kind": _KIND, "version": VERSION, **_profile_to_json(profile)}
    text = json.dumps({**content, "checksum": _checksum(content)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        make_folder(path.parent)
        write_whole(path, text)
    except OSError as error:
        raise StorageError(f"profile {path} cannot be written {refusal(error, path, 'name another file')}") from None


def load_profile(path: Path, camera: str | None = None) -> Profile:
    """Return the profile of a file; CalibrationError if it is missing, damaged, or of another version or camera."""
    profile = _profile(path, _content(path))
    if camera is not None and profile.camera != (camera := showable(camera)):
        raise CalibrationError(
            f"profile {path} is of camera {profile.camera!r}, not {camera!r}; "
            "plug in that one, or name another profile, or calibrate this camera"
        )
    return profile


def _content(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CalibrationError(f"profile {path} is too large to be one; check the name")
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CalibrationError(
            f"profile {path} does not exist; check the name, or make it with 'referee calibrate'"
        ) from None
    except OSError as error:
        raise CalibrationError(f"profile {path} cannot be read {refusal(error, path, 'check the name')}") from None
    except (ValueError, RecursionError):
        raise CalibrationError(f"profile {path} is damaged: it is incomplete JSON; {_WAY_OUT}") from None
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise CalibrationError(f"{path} is not a profile; check the name")
    if content.get("version") not in _READABLE_VERSIONS:
        raise CalibrationError(
            f"profile {path} is of version {content.get('version')!r:.20}, and this referee reads up to {VERSION}; "
            "calibrate again"
        )
    if content.get("checksum") != _checksum({key: value for key, value in content.items() if key != "checksum"}):
        raise CalibrationError(f"profile {path} is damaged or was changed by hand: its checksum differs; {_WAY_OUT}")
    return content


def _checksum(content: Mapping[str, Any]) -> str:
    to_json_value = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(to_json_value.encode()).hexdigest()


def _profile_to_json(profile: Profile) -> dict[str, Any]:
    content: dict[str, Any] = to_json_value(profile)
    if content["intrinsics"]:
        del content["intrinsics"]["size"]  # stored once, as the profile's size
    return content


def _profile(path: Path, content: dict[str, Any]) -> Profile:
    try:
        optics = content["intrinsics"]
        sized = {**content, "intrinsics": optics and {**optics, "size": content["size"]}}
        return from_json_value(Profile, {**sized, "camera": showable(sized["camera"])})  # older ones kept the query
    except (KeyError, TypeError, ValueError) as error:
        raise CalibrationError(f"profile {path} has wrong contents ({error}); {_WAY_OUT}") from None
