"""Profiles are kept whole or not at all; a damaged, foreign or old one is refused with one clear line."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from referee.errors import CalibrationError, StorageError
from referee.rules.notation import parse_tile
from referee.rules.tiles import Colour
from referee.storage.profile import load_profile, save_profile
from referee.vision.geometry.homography import TablePlane
from referee.vision.geometry.optics import Intrinsics
from referee.vision.profile import EnrolledFace, Enrolment, Inks, LockedControls, Profile

FULL = Profile(
    camera="usb:0",
    size=(1920, 1080),
    intrinsics=Intrinsics(
        size=(1920, 1080),
        focal=(1450.5, 1453.25),
        centre=(968.0, 535.0),
        distortion=(-0.12, 0.04, 0.0006, -0.0004),
        error_px=0.05,
        pictures=12,
    ),
    table=TablePlane(
        homography=((1.1, 0.01, -400.0), (-0.02, 1.05, -100.0), (1e-5, -2e-5, 1.0)),
        outline=((0.0, 0.0), (1200.0, 0.0), (1200.0, 900.0), (0.0, 900.0)),
        error_mm=0.07,
        source="markers",
        tile_mm=(26.9, 38.1),
    ),
    inks=Inks(
        colours=MappingProxyType({colour: (40.0 + i, 10.0 * i, -5.0 * i) for i, colour in enumerate(Colour)}),
        spreads=MappingProxyType(dict.fromkeys(Colour, 2.0)),
        separation=5.5,
        prints=MappingProxyType({colour: (-0.5 * i, -1.25, 0.125) for i, colour in enumerate(Colour)}),
    ),
    enrolment=Enrolment(
        reader="0123456789abcdef",
        faces=(EnrolledFace(parse_tile("JD"), ((0.6, 0.8), (0.8, 0.6))), EnrolledFace(parse_tile("JM"), ((1.0, 0.0),))),
        near=0.8,
    ),
    locked=LockedControls(focus=0.82, exposure=10_000.0, gain=2.4, white=(1.8, 1.4)),
)
EMPTY = Profile(camera="pictures", size=(640, 480))


@pytest.mark.parametrize("profile", [FULL, EMPTY], ids=["full", "empty"])
def test_what_is_kept_comes_back(tmp_path: Path, profile: Profile) -> None:
    save_profile(profile, tmp_path / "p.json")
    assert load_profile(tmp_path / "p.json") == profile
    assert load_profile(tmp_path / "p.json", profile.camera) == profile
    assert [file.name for file in tmp_path.iterdir()] == ["p.json"]


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    save_profile(FULL, tmp_path / "p.json")
    content = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert (content["kind"], content["version"], content["camera"]) == ("referee profile", 2, "usb:0")
    assert content["size"] == [1920, 1080]
    assert len(content["checksum"]) == 64


def _changed(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")


def test_another_camera(tmp_path: Path) -> None:
    save_profile(FULL, tmp_path / "p.json")
    with pytest.raises(
        CalibrationError,
        match=r"p\.json is of camera 'usb:0', not 'usb:1'; plug in that one, or",
    ):
        load_profile(tmp_path / "p.json", "usb:1")


@pytest.mark.parametrize("version", [0, 3, None, "one"])
def test_another_version(tmp_path: Path, version: object) -> None:
    save_profile(FULL, tmp_path / "p.json")
    _changed(tmp_path / "p.json", version=version)
    with pytest.raises(CalibrationError, match=r"is of version .*, and this referee reads up to 2; calibrate again"):
        load_profile(tmp_path / "p.json")


def test_a_profile_of_the_version_before_is_read_and_knows_no_focus_and_light(tmp_path: Path) -> None:
    save_profile(FULL, tmp_path / "p.json")
    content = json.loads((tmp_path / "p.json").read_text("utf-8"))
    old = {key: value for key, value in content.items() if key not in {"locked", "checksum"}} | {"version": 1}
    plain = json.dumps(old, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    old["checksum"] = hashlib.sha256(plain.encode()).hexdigest()
    (tmp_path / "p.json").write_text(json.dumps(old), "utf-8")
    assert load_profile(tmp_path / "p.json") == replace(FULL, locked=None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"size": [640]}, r"Expected `array` of length 2, got 1 - at `\$.size`", id="one side"),
        pytest.param({"camera": 7}, r"Expected `str`, got `int` - at `\$.camera`", id="a number for a name"),
        pytest.param({"inks": {"colours": {"X": [1, 2, 3]}}}, "Invalid enum value 'X'", id="a fifth colour"),
        pytest.param(
            {"enrolment": {"reader": "", "near": 1, "faces": [{"tile": "R14", "embeddings": []}]}}, "R14", id="no tile"
        ),
    ],
)
def test_a_whole_file_that_holds_something_else(tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = tmp_path / "p.json"
    save_profile(EMPTY, path)
    content = {**json.loads(path.read_text("utf-8")), **change}
    del content["checksum"]
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    path.write_text(json.dumps({**content, "checksum": hashlib.sha256(plain.encode()).hexdigest()}), "utf-8")
    with pytest.raises(CalibrationError, match=rf"p\.json has wrong contents \(.*{said}.*\); calibrate"):
        load_profile(path)


def test_changed_by_hand(tmp_path: Path) -> None:
    save_profile(FULL, tmp_path / "p.json")
    _changed(tmp_path / "p.json", size=[1280, 720])
    with pytest.raises(CalibrationError, match="damaged or was changed by hand: its checksum differs"):
        load_profile(tmp_path / "p.json")


@pytest.mark.parametrize("part", [0, 1, 100, -2])
def test_cut_short(tmp_path: Path, part: int) -> None:
    save_profile(FULL, tmp_path / "p.json")
    path = tmp_path / "p.json"
    path.write_bytes(path.read_bytes()[:part])
    with pytest.raises(CalibrationError, match="damaged: it is incomplete JSON; calibrate again"):
        load_profile(path)


@pytest.mark.parametrize("content", ["[]", "7", "{}", '{"kind": "something else"}', "null"])
def test_some_other_json(tmp_path: Path, content: str) -> None:
    (tmp_path / "p.json").write_text(content, "utf-8")
    with pytest.raises(CalibrationError, match="is not a profile; check the name"):
        load_profile(tmp_path / "p.json")


def test_no_file_and_no_readable_file(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="does not exist; check the name, or make it"):
        load_profile(tmp_path / "none.json")
    with pytest.raises(CalibrationError, match="cannot be read"):
        load_profile(tmp_path)


def test_a_save_that_fails_leaves_the_old_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.json"
    save_profile(FULL, path)

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(StorageError, match=r"cannot be written .No space left on device.; free some space"):
        save_profile(EMPTY, path)
    assert load_profile(path) == FULL
    assert [file.name for file in tmp_path.iterdir()] == ["p.json"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StorageError, match="cannot be written"):
        save_profile(EMPTY, tmp_path / "file" / "p.json")


def test_optics_of_another_size_are_no_profile() -> None:
    with pytest.raises(ValueError, match="one size"):
        replace(FULL, size=(1280, 720))
