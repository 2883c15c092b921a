"""A report holds what a maintainer asks for, says what it holds, and keeps secrets and pictures to itself."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from referee.cli.main import main

MATCH = Path(__file__).parent.parent.parent / "matches" / "demo.jsonl"
SETTINGS = """
[camera]
source = "url:http://ann:secret@phone:8080/video?user=ann&pwd=secret"
[hall]
broker = "mqtt://broker"
user = "t1"
password_file = "/etc/referee/word"
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder of a referee that has played."""
    folder = tmp_path / "kept"
    (folder / "evidence").mkdir(parents=True)
    for number in (1, 2):
        shutil.copy(MATCH, folder / f"match-{number:05d}.jsonl")
        (folder / "evidence" / f"{number:06d}.jpg").write_bytes(b"picture")
    (folder / "pin").write_text("scrypt$hash")
    (folder / "profile.json").write_text('{"camera": "http://cam/v?pwd=secret", "size": [640, 480]}')
    return folder


def report(tmp_path: Path, kept: Path, *more: str, settings: str = SETTINGS) -> dict[str, bytes]:
    """The files of a report."""
    config, out = tmp_path / "referee.toml", tmp_path / "report.zip"
    config.write_text(settings)
    assert main(["report", "--config", str(config), "--state", str(kept), "--out", str(out), *more]) == 0
    with zipfile.ZipFile(out) as made:
        return {name: made.read(name) for name in made.namelist()}


def test_what_is_in_it_is_listed_first_and_on_the_terminal(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = report(tmp_path, kept)
    assert next(iter(files)) == "contents.txt"
    listed = [line.split()[0] for line in files["contents.txt"].decode().splitlines()]
    assert listed == list(files)[1:]
    told = capsys.readouterr()
    assert files["contents.txt"].decode() in told.err
    assert told.out == f"{tmp_path / 'report.zip'}\n"


def test_it_holds_the_newest_match_and_more_where_asked(tmp_path: Path, kept: Path) -> None:
    files = report(tmp_path, kept)
    assert files["match-00002.jsonl"] == MATCH.read_bytes()
    assert "match-00001.jsonl" not in files
    assert {"match-00001.jsonl", "match-00002.jsonl"} <= set(report(tmp_path, kept, "--journals", "2"))


def test_pictures_are_in_it_only_where_asked(tmp_path: Path, kept: Path) -> None:
    assert not any(name.startswith("evidence/") for name in report(tmp_path, kept))
    assert report(tmp_path, kept, "--pictures", "1")["evidence/000002.jpg"] == b"picture"


def test_no_secret_is_in_it(tmp_path: Path, kept: Path) -> None:
    files = report(tmp_path, kept)
    assert json.loads(files["settings.json"])["camera"]["source"] == "url:http://phone:8080/video"
    assert not any(b"secret" in content or b"scrypt" in content for content in files.values())


def test_the_services_health_is_in_it_whoever_reports(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.service.support.SERVICE_FILE", tmp_path / "health.json")
    (tmp_path / "health.json").write_text('{"state": "running", "camera": "rtsp://ann:word@cam/s?pwd=word"}')
    assert json.loads(report(tmp_path, kept)["health.json"]) == {"state": "running", "camera": "rtsp://cam/s"}


def test_no_password_of_a_mistyped_camera_or_of_the_log_is_in_it(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "journalctl").write_text("#!/bin/sh\necho 'camera http://cam/v?pwd=secret does not answer'\n")
    (tmp_path / "journalctl").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    files = report(tmp_path, kept, settings="[camera]\nsource = 'htp://ann:secret@cam/v?pwd=secret'\n")
    assert files["log.txt"] == b"camera http://cam/v does not answer\n"
    assert b"htp://cam/v" in files["settings.txt"]
    assert not any(b"secret" in content for content in files.values())


def test_wrong_settings_are_reported_as_they_are(tmp_path: Path, kept: Path) -> None:
    files = report(tmp_path, kept, settings="[camera]\nwidth = 'wide'\n")
    assert b"camera.width = 'wide' must be a whole number" in files["settings.txt"]
    assert "match-00002.jsonl" in files


def test_a_folder_that_is_not_there_is_told_with_the_way_out(
    tmp_path: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report", "--state", str(kept), "--out", str(tmp_path / "nowhere" / "report.zip")]
    assert main(words) == 2
    assert "cannot be written" in capsys.readouterr().err
