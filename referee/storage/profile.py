"""Profiles as JSON files: written atomically; damaged, foreign and newer files are refused."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from referee.addresses import showable
from referee.errors import CalibrationError, StorageError
from referee.rules.wording import Message, say
from referee.storage.dataclass_codec import from_json_value, to_json_value
from referee.storage.files import CHECK_NAME, make_folder, refusal, write_whole
from referee.vision.profile import Profile

PROFILE_NAME: Final = "profile.json"
VERSION: Final = 2
_READABLE_VERSIONS: Final = (1, VERSION)  # version 1 has no focus and light
_KIND: Final = "referee profile"
_MAX_BYTES: Final = 4_000_000
_WAY_OUT: Final = say("profile.way_out", "calibrate again, or take back a copy")
_ANOTHER_FILE: Final = say("profile.another_file", "name another file")


def save_profile(profile: Profile, path: Path) -> None:
    """Write the profile atomically, replacing any file at `path`; StorageError if it cannot be written."""
    content = {"kind": _KIND, "version": VERSION, **_profile_to_json(profile)}
    text = json.dumps({**content, "checksum": _checksum(content)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        make_folder(path.parent)
        write_whole(path, text)
    except OSError as error:
        unwritten = say("profile.unwritten", "cannot be written {why}", why=refusal(error, path, _ANOTHER_FILE))
        raise StorageError(_file_error(unwritten, path)) from None


def load_profile(path: Path, camera: str | None = None) -> Profile:
    """Return the profile of a file; CalibrationError if it is missing, damaged, or of another version or camera."""
    profile = _profile(path, _content(path))
    if camera is not None and profile.camera != (camera := showable(camera)):
        raise CalibrationError(
            say(
                "profile.camera",
                "profile {path} is of camera {known}, not {camera}; "
                "plug in that one, or name another profile, or calibrate this camera",
                path=str(path),
                known=repr(profile.camera),
                camera=repr(camera),
            )
        )
    return profile


def _content(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CalibrationError(_file_error(say("profile.large", "is too large to be one; check the name"), path))
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        missing = say("profile.missing", "does not exist; check the name, or make it with 'referee calibrate'")
        raise CalibrationError(_file_error(missing, path)) from None
    except OSError as error:
        unread = say("profile.unread", "cannot be read {why}", why=refusal(error, path, CHECK_NAME))
        raise CalibrationError(_file_error(unread, path)) from None
    except (ValueError, RecursionError):
        damaged = say("profile.incomplete", "is damaged: it is incomplete JSON; {way_out}", way_out=_WAY_OUT)
        raise CalibrationError(_file_error(damaged, path)) from None
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise CalibrationError(say("profile.none", "{path} is not a profile; check the name", path=str(path)))
    if content.get("version") not in _READABLE_VERSIONS:
        newer = say(
            "profile.version",
            "is of version {version}, and this referee reads up to {known}; calibrate again",
            version=f"{content.get('version')!r:.20}",
            known=VERSION,
        )
        raise CalibrationError(_file_error(newer, path))
    if content.get("checksum") != _checksum({key: value for key, value in content.items() if key != "checksum"}):
        changed = say(
            "profile.changed", "is damaged or was changed by hand: its checksum differs; {way_out}", way_out=_WAY_OUT
        )
        raise CalibrationError(_file_error(changed, path))
    return content


def _file_error(wrong: Message, path: Path) -> Message:
    return say("profile.wrong", "profile {path} {wrong}", path=str(path), wrong=wrong)


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
        profile = from_json_value(Profile, sized)
    except (KeyError, TypeError, ValueError) as error:
        contents = say("profile.contents", "has wrong contents ({why}); {way_out}", why=str(error), way_out=_WAY_OUT)
        raise CalibrationError(_file_error(contents, path)) from None
    return replace(profile, camera=showable(profile.camera))  # older ones kept the query
