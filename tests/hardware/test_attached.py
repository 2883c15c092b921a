"""Which camera a referee takes: that of its profile, else one that is attached; the same one under another number."""

from pathlib import Path

import pytest

from referee.cli.main import main
from referee.errors import CameraError
from referee.hardware import attached, usb
from referee.hardware.attached import AttachedCamera, attached_cameras
from referee.hardware.usb import UsbCamera
from referee.service.sources import find_camera, live_driver, profiled_camera, waiting_notice
from referee.settings.config import load_config
from referee.settings.hardware import CameraSettings
from referee.storage.profile import save_profile
from referee.vision.profile import Profile

SETTINGS = CameraSettings(
    source="auto",
    width=64,
    height=48,
    looks_per_second=5.0,
    mains_hertz=50,
    limit_seconds=2.0,
    retry_seconds=2.0,
)


class Machine:
    """The video devices of a machine, as /dev and /sys show them; and which of them were opened."""

    def __init__(self, folder: Path) -> None:
        self.devices, self.system = folder / "dev", folder / "sys"
        self.devices.mkdir()
        self.system.mkdir()
        self.opened: list[int] = []

    def plug(self, number: int, name: str, index: int = 0) -> None:
        (self.devices / f"video{number}").touch()
        (self.system / f"video{number}").mkdir()
        (self.system / f"video{number}" / "name").write_text(f"{name}\n")
        (self.system / f"video{number}" / "index").write_text(f"{index}\n")

    def pull(self, number: int) -> None:
        (self.devices / f"video{number}").unlink()
        for file in (self.system / f"video{number}").iterdir():
            file.unlink()
        (self.system / f"video{number}").rmdir()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setattr(usb, "_DEVICES", machine.devices)
    monkeypatch.setattr(attached, "_VIDEO_DEVICES", machine.system)

    class Driver:
        def __init__(self, number: int, *_: object) -> None:
            if not (machine.devices / f"video{number}").exists():
                raise CameraError(f"camera usb:{number} is not there; plug it in")
            machine.opened.append(number)

    monkeypatch.setattr(usb, "UsbDriver", Driver)
    for name in ("INVOCATION_ID", "STATE_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    return machine


def test_a_camera_whose_number_another_device_took_is_found(machine: Machine) -> None:
    machine.plug(0, "HD Webcam")
    camera = UsbCamera(0, SETTINGS)
    camera()
    machine.pull(0)
    machine.plug(0, "Another device")
    machine.plug(1, "HD Webcam")
    camera()
    assert machine.opened == [0, 1]


def test_a_camera_that_comes_back_under_another_number_is_found(machine: Machine) -> None:
    machine.plug(0, "HD Webcam")
    machine.plug(1, "HD Webcam", index=1)
    camera = UsbCamera(0, SETTINGS)
    camera()
    machine.pull(0)
    machine.pull(1)
    with pytest.raises(CameraError, match="usb:0 is not there"):
        camera()
    machine.plug(2, "HD Webcam")
    machine.plug(3, "HD Webcam", index=1)
    camera()
    machine.plug(0, "HD Webcam")
    camera()
    assert machine.opened == [0, 2, 0]


def test_another_camera_is_not_taken_for_it_nor_one_of_two_alike(machine: Machine) -> None:
    machine.plug(0, "HD Webcam")
    camera = UsbCamera(0, SETTINGS)
    camera()
    machine.pull(0)
    machine.plug(2, "Document camera")
    with pytest.raises(CameraError, match="usb:0 is not there"):
        camera()
    machine.plug(4, "HD Webcam")
    machine.plug(6, "HD Webcam")
    with pytest.raises(CameraError, match="usb:0 is not there"):
        camera()


def test_a_camera_never_seen_is_looked_for_under_its_number_alone(machine: Machine) -> None:
    machine.plug(2, "HD Webcam")
    with pytest.raises(CameraError, match="usb:0 is not there"):
        UsbCamera(0, SETTINGS)()


@pytest.mark.usefixtures("machine")
def test_without_a_camera_a_person_gets_the_simulated_table_and_a_service_waits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert find_camera("auto") == "sim"
    monkeypatch.setenv("INVOCATION_ID", "1")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert find_camera("auto") == "auto"


def test_the_camera_of_the_profile_is_waited_for_by_whoever_runs_it(machine: Machine) -> None:
    machine.plug(1, "HD Webcam")
    assert find_camera("auto") == "usb:1"
    assert find_camera("auto", "picamera") == "picamera"
    assert find_camera("usb:3", "picamera") == "usb:3"
    assert find_camera("sim", "picamera") == "sim"
    assert waiting_notice("usb:1") is None
    assert waiting_notice("sim") is None
    assert (said := waiting_notice("usb:3")) is not None
    assert said.startswith("Camera usb:3 is not there: waiting for it.")


def test_a_service_takes_whichever_camera_comes(machine: Machine) -> None:
    opened = live_driver(load_config(None), "auto")
    with pytest.raises(CameraError, match="no camera is attached; plug one in"):
        opened()
    machine.plug(1, "bcm2835-codec-decode")
    machine.plug(5, "HD Webcam")
    opened()
    assert machine.opened == [5]


@pytest.mark.parametrize(
    ("camera", "known"),
    [
        ("picamera", "picamera"),
        ("usb:2", "usb:2"),
        ("url:http://phone:8080/video", "url:http://phone:8080/video"),
        ("kitchen", None),
    ],
)
def test_the_camera_of_the_profile_is_waited_for(tmp_path: Path, camera: str, known: str | None) -> None:
    config = load_config(None)
    assert profiled_camera(config, tmp_path) is None
    save_profile(Profile(camera=camera, size=(64, 48)), tmp_path / "profile.json")
    assert profiled_camera(config, tmp_path) == known
    (tmp_path / "profile.json").write_text("{")
    assert profiled_camera(config, tmp_path) is None


def test_a_path_leads_to_the_camera_under_whatever_number_it_has(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "by-id" / "usb-Maker_HD-video-index0"
    path.parent.mkdir()
    opened = UsbCamera(path, SETTINGS)
    with pytest.raises(CameraError, match="is not there; plug it in, or list what is: referee calibrate camera --list"):
        opened()
    for number in (0, 3):
        machine.plug(number, "HD Webcam")
        path.unlink(missing_ok=True)
        path.symlink_to(machine.devices / f"video{number}")
        opened()
    path.unlink()
    path.symlink_to(tmp_path)
    with pytest.raises(CameraError, match="is no camera; list what is there"):
        opened()
    assert machine.opened == [0, 3]


def test_cameras_are_listed_with_the_paths_that_stay_theirs(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attached, "_DEVICE_LINKS", tmp_path)
    assert main(["calibrate", "camera", "--list"]) == 2
    assert "no camera is attached; plug one in" in capsys.readouterr().err
    machine.plug(0, "bcm2835-codec-decode")
    machine.plug(2, "HD Webcam")
    machine.plug(3, "HD Webcam", index=1)
    machine.plug(10, "Old Webcam")
    path = tmp_path / "by-id" / "usb-Maker_HD-video-index0"
    path.parent.mkdir()
    path.symlink_to(machine.devices / "video2")
    assert attached_cameras() == (AttachedCamera("usb:2", "HD Webcam", path), AttachedCamera("usb:10", "Old Webcam"))
    assert main(["calibrate", "camera", "--list"]) == 0
    first, second, hint = capsys.readouterr().out.splitlines()
    assert first == f"usb:2     HD Webcam  {path}"
    assert second == "usb:10    Old Webcam"
    assert "stays the camera's own" in hint


def test_a_path_is_a_camera_of_the_settings(tmp_path: Path) -> None:
    settings = tmp_path / "referee.toml"
    settings.write_text('[camera]\nsource = "/dev/v4l/by-id/usb-Maker_HD-video-index0"\n')
    source = load_config(settings).camera.source
    assert isinstance(live_driver(load_config(None), source), UsbCamera)
    assert waiting_notice(source) is not None
    assert profiled_camera(load_config(None), tmp_path) is None
    save_profile(Profile(camera=source, size=(64, 48)), tmp_path / "profile.json")
    assert profiled_camera(load_config(None), tmp_path) == source
