"""Focus and light of a live camera are found and locked by `calibrate camera`, kept in the profile, told by `check`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.cli.steps import lens
from referee.errors import CameraError
from referee.service import sources
from referee.settings.config import Config
from referee.storage.profile import load_profile, save_profile
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls, Profile

FOUND = LockedControls(focus=0.82, exposure=10_000.0, gain=2.4, white=(1.8, 1.4))


class Camera:
    """A driver that shows pictures in turn, with noise like a sensor; every opening is remembered with its lock."""

    def __init__(self, pictures: Sequence[Image], found: LockedControls | None = FOUND) -> None:
        self.pictures = pictures
        self.found = found
        self.opened: list[LockedControls | None] = []
        self.kept: LockedControls | None = None
        self.looks = 0

    def open(self, _config: Config, _camera: str, locked: LockedControls | None = None) -> Callable[[], "Camera"]:
        self.opened.append(locked)
        return lambda: self

    def read(self) -> Image:
        self.looks += 1
        picture = self.pictures[self.looks // 3 % len(self.pictures)].copy()
        picture[0, 0] = self.looks % 256  # or a busy machine would take it for a driver that stands
        return picture

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        self.kept = keep
        if self.found is None:
            raise CameraError("the Pi camera finds no focus; lay some tiles on the table, add light, try again")
        return self.found

    def close(self) -> None:
        return None


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch, board_pictures: Sequence[Image]) -> Camera:
    camera = Camera(board_pictures)
    monkeypatch.setattr(lens, "live_driver", camera.open)
    monkeypatch.setattr(sources, "live_driver", camera.open)
    return camera


def calibrate(profile: Path, *words: str) -> int:
    settings = profile.with_name("referee.toml")
    settings.write_text("[camera]\nlooks_per_second = 30.0\n")
    return main(["calibrate", *words, "--camera", "picamera", "--profile", str(profile), "--config", str(settings)])


def test_the_board_is_shown_to_a_camera_that_is_locked_already(tmp_path: Path, camera: Camera) -> None:
    path = tmp_path / "profile.json"
    assert calibrate(path, "camera", "--pictures", "9") == 0
    profile = load_profile(path, "picamera")
    assert profile.locked == FOUND
    assert profile.intrinsics is not None
    assert camera.opened == [None, FOUND]
    assert camera.kept is None


def test_light_alone_leaves_the_rest_of_the_profile(
    tmp_path: Path, camera: Camera, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "profile.json"
    before = Profile(
        camera="picamera", size=(2304, 1296), locked=LockedControls(focus=1.5, exposure=20_000.0, gain=1.0)
    )
    save_profile(before, path)
    assert calibrate(path, "camera", "--light", "--json") == 0
    assert camera.kept == before.locked
    assert load_profile(path) == Profile(camera="picamera", size=(2304, 1296), locked=FOUND)
    said = capsys.readouterr()
    assert json.loads(said.out)["locked"]["exposure"] == 10_000
    assert "Locked: focus 0.82, exposure 10 ms × gain 2.4, white balance 1.8 1.4" in said.err


def test_no_focus_is_one_line_and_nothing_is_written(
    tmp_path: Path, camera: Camera, capsys: pytest.CaptureFixture[str]
) -> None:
    camera.found = None
    assert calibrate(tmp_path / "profile.json", "camera") == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("referee calibrate: the Pi camera finds no focus")
    assert not (tmp_path / "profile.json").exists()


def test_light_needs_a_live_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "camera", str(tmp_path), "--light"]) == 2
    assert "name it with --camera" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("locked", "said"),
    [
        pytest.param(FOUND, "focus 0.82, exposure 10 ms × gain 2.4, white balance 1.8 1.4", id="all"),
        pytest.param(LockedControls(), "not to be set on this camera: focus, exposure, white balance", id="nothing"),
        pytest.param(
            LockedControls(exposure=31_200.0, white=(4200.0,)),
            "exposure 31.2 ms, white balance 4200, not to be set on this camera: focus",
            id="no focus",
        ),
    ],
)
def test_what_is_locked_in_words(locked: LockedControls, said: str) -> None:
    assert lens.locks_text(locked) == said


def test_check_reports_the_locks(tmp_path: Path, camera: Camera, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "profile.json"
    for locked in (FOUND, None):
        save_profile(Profile(camera="picamera", size=camera.pictures[0].shape[1::-1], locked=locked), path)
        calibrate(path, "check", "--json")
        (told,) = [one for one in json.loads(capsys.readouterr().out)["checks"] if one["check"] == "locks"]
        assert told["passed"] is (locked is not None)
    assert "calibrate camera --light" in told["message"]
    assert camera.opened == [FOUND, None]
