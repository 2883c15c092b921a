"""Health, status and evidence: what a running referee tells of itself, and what it keeps of a turn."""

import errno
import json
import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.cli import status
from referee.cli.main import main
from referee.errors import StorageError
from referee.game.events import Judged
from referee.game.inputs import MatchStarted, Paused, Seat
from referee.game.state import Match
from referee.hardware.console import NoButton
from referee.hardware.health import _is_network_time_set, free_megabytes, throttling
from referee.hardware.live import LiveCamera
from referee.hardware.system import SystemClock, wall_label
from referee.history.evidence import Evidence
from referee.reading.inputs import Seconds
from referee.rules.editions import rule_set
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Legal, Outcome
from referee.service.health import Health, camera_in_use, health_file, write_health
from referee.service.loop import Loop
from referee.service.match_source import Source
from referee.settings.config import load_config
from referee.storage.journal import NoJournal
from referee.storage.json_codec import event_to_json
from referee.vision.image.frame import Image
from referee.vision.watch.watcher import Watcher
from tests.conftest import PATIENCE_SECONDS

from ..conftest import comes_true  # isort: skip


class Blind:
    """A reader that is never asked."""

    def read_table(self, *_: Any) -> Any:
        raise AssertionError


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    loop = Loop(Match(), NoJournal(), (), print)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="twist"))
    return loop


def begin(loop: Loop, folder: Path) -> Health:
    watcher = Watcher(Blind(), rule_set("twist").box)
    health = Health(loop, watcher, SystemClock(), {"camera": "usb:0"}, folder)
    health.start()
    end = time.monotonic() + PATIENCE_SECONDS
    while not health_file().exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    return health


def test_status_of_a_running_referee(
    loop: Loop, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    health = begin(loop, tmp_path)
    assert main(["status", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["running"], told["stale"], told["pid"], told["camera"]) == (True, False, os.getpid(), "usb:0")
    assert told["disk_free_mb"] > 0
    assert told["match"] == {
        "phase": "turn",
        "halted": [],
        "edition": "twist",
        "players": ["Ann", "Ben"],
        "game": 1,
        "turn": 1,
        "to_move": "Ann",
        "seconds_left": 60.0,
        "racks_missing": {},
    }
    assert main(["status"]) == 0
    out = capsys.readouterr().out
    assert "last report" in out
    assert "game 1 (twist), turn 1, Ann to move\n" in out
    assert "no frame yet: is the camera plugged in?" in out
    assert " MB of disk free" in out
    health.close()
    monkeypatch.setattr(status, "INSTALLED", tmp_path)
    assert main(["status"]) == 1
    assert capsys.readouterr().out.startswith("The referee is not running; start it: sudo systemctl start referee (why")
    monkeypatch.setattr(status, "INSTALLED", tmp_path / "none")
    assert main(["status"]) == 1
    assert capsys.readouterr().out == "The referee is not running; start it: referee run\n"


class ReadOnly(NoJournal):
    """A journal on a card that takes nothing."""

    def append(self, *_: Any) -> None:
        raise StorageError("journal /x is not kept: Read-only file system; check the disk")


def test_status_says_that_a_match_is_not_kept(loop: Loop, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unkept = Loop(loop.match, ReadOnly(), (), lambda _: None)
    unkept.enter(Paused(Seconds(1.0)))
    health = begin(unkept, tmp_path)
    assert main(["status"]) == 0
    assert "NOT KEPT: journal /x is not kept: Read-only file system; check the disk" in capsys.readouterr().out
    health.close()


@pytest.mark.parametrize("model", ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware"])
def test_what_holds_a_pi_back_is_read_where_each_model_tells_it(tmp_path: Path, model: str) -> None:
    assert throttling(tmp_path) is None
    (tmp_path / model).mkdir(parents=True)
    (tmp_path / model / "get_throttled").write_text("50001\n")
    assert throttling(tmp_path) == ("under-voltage", "throttled since boot")


def test_a_card_that_no_longer_answers_leaves_the_health_without_its_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> bool:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "exists", fails)
    assert free_megabytes(tmp_path) is None


@pytest.mark.parametrize(("answer", "mark"), [("no", " (not synchronised)"), ("yes", "")])
def test_the_time_service_is_not_asked_for_each_label(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, mark: str
) -> None:
    asked = tmp_path / "asked"
    service = tmp_path / "timedatectl"
    service.write_text(f"#!/bin/sh\necho once >>{asked}\necho {answer}\n")
    service.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("referee.hardware.health._SYNCHRONISED", tmp_path / "none")
    _is_network_time_set.cache_clear()
    labels = {wall_label()[25:] for _ in range(20)}
    _is_network_time_set.cache_clear()  # what was answered here is not so elsewhere
    assert labels == {mark}
    assert len(asked.read_text().splitlines()) <= 2, "a minute may have begun between"


@pytest.mark.fault("the supply is weak")
def test_a_machine_held_back_looks_less_often_and_says_so(
    loop: Loop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "referee")
    found = ["under-voltage", "throttled since boot"]
    monkeypatch.setattr("referee.service.health.throttling", lambda: tuple(found))
    monkeypatch.setattr("referee.service.health.MACHINE_SECONDS", 0.0)
    monkeypatch.setattr("referee.service.health.EVERY_SECONDS", 0.02)
    monkeypatch.setattr("referee.service.health.SPARING_SECONDS", 0.2)
    camera = LiveCamera("usb:0", Blind, load_config(None).camera, SystemClock())  # type: ignore[arg-type]
    source = Source(camera=camera, button=NoButton(), recorded=False)
    watcher = Watcher(Blind(), rule_set("twist").box)
    health = Health(loop, watcher, SystemClock(), {}, tmp_path, spare=source.spare)
    health.start()
    assert comes_true(lambda: camera.sparing)
    assert comes_true(lambda: main(["status"]) == 0 and "since boot; looks half as often" in capsys.readouterr().out)
    found.remove("under-voltage")  # what was is no reason
    assert comes_true(lambda: not camera.sparing)
    health.close()
    assert caplog.messages == [
        "the machine is throttled (under-voltage): looking half as often; use the official power supply and cool it",
        "the machine runs at full speed again: looking as often as set",
    ]


def test_whoever_logs_in_may_ask_how_the_service_is(loop: Loop, tmp_path: Path) -> None:
    mask = os.umask(0o077)
    try:
        health = begin(loop, tmp_path)
        mode = stat.S_IMODE(health_file().stat().st_mode)
        health.close()
    finally:
        os.umask(mask)
    assert oct(mode) == "0o644"


def test_a_referee_that_hangs_is_said_to(loop: Loop, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    health = begin(loop, tmp_path)
    told = json.loads(health_file().read_text())
    health.close()
    health_file().write_text(json.dumps(told | {"told_at": told["told_at"] - 60}))
    assert main(["status"]) == 1
    assert "it hangs or was killed" in capsys.readouterr().out


def test_a_wall_clock_that_is_set_makes_no_status_old(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    health = begin(loop, tmp_path)
    yesterday = time.time() - 86400
    os.utime(health_file(), (yesterday, yesterday))
    monkeypatch.setattr(time, "time", lambda: yesterday)
    assert main(["status"]) == 0
    assert "it hangs" not in capsys.readouterr().out
    health.close()


@pytest.fixture
def health_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))

    def says(text: str) -> None:
        (tmp_path / "health.json").write_text(text)

    return says


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("{", "is damaged (Expecting property name", id="half a file"),
        pytest.param("[]", "is damaged (list indices", id="no object"),
        pytest.param("{}", "is damaged ('told_at')", id="no time"),
        pytest.param('{"told_at": NOW, "temperature": "hot"}', "has an unexpected value", id="another kind of value"),
    ],
)
def test_a_damaged_health_file_is_one_line(
    text: str, why: str, health_says: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    health_says(text.replace("NOW", str(time.monotonic())))
    assert main(["status"]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert "the service rewrites it within 5 s; if not: sudo systemctl restart referee" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("state", ["running", "safe"])
def test_whatever_a_health_file_leaves_out_is_left_out(
    state: str, loop: Loop, tmp_path: Path, health_says: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """An update may leave the file of an older or a newer referee behind."""
    health = begin(loop, tmp_path)
    whole = json.loads(health_file().read_text()) | {"temperature": 50.0, "state": state}
    health.close()
    for key in whole.keys() - {"told_at", "state"}:
        health_says(json.dumps({one: value for one, value in whole.items() if one != key}))
        assert main(["status"]) == (1 if state == "safe" else 0)
        assert len(capsys.readouterr().out.splitlines()) >= 4
    health_says(json.dumps({"told_at": time.monotonic(), "state": state}))
    main(["status"])
    assert capsys.readouterr().out.startswith("referee of unknown version, process unknown, ")
    assert main(["status", "--retry"]) == (2 if state == "safe" else 1)


PICTURE = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)


def said(turn: int, *, stands: bool = True, frame_id: str = "") -> Judged:
    return Judged(
        verdict=Legal(outcome=Outcome.NO_PLAY, played=(), meld=None, sets=()),
        before=EMPTY_TABLE,
        table=EMPTY_TABLE,
        frame_id=frame_id or f"frame {turn}",
        frame_at=Seconds(0.0),
        stands=stands,
        at=Seconds(0.0),
        seat=Seat(0),
        turn=turn,
        game=1,
    )


def keep(evidence: Evidence, picture: Image | None, judged: Judged) -> None:
    evidence.keep(judged, picture, event_to_json(judged))


def pictures(folder: Path, number: int) -> Any:
    return json.loads((folder / f"{number:06d}.json").read_text())["pictures"]


def test_evidence_of_a_turn_is_its_pictures_and_what_was_said(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, 10)
    keep(evidence, PICTURE, said(1))
    keep(evidence, PICTURE, said(2))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "000001.jpg",
        "000001.json",
        "000002.jpg",
        "000002.json",
    ]
    shown = {"before": "000001.jpg", "after": "000002.jpg"}
    assert json.loads((tmp_path / "000002.json").read_text()) == {"pictures": shown, **event_to_json(said(2))}
    again = Evidence(tmp_path, 10)
    keep(again, None, said(3))
    assert pictures(tmp_path, 3) == {"before": "000002.jpg", "after": None}


def test_an_evidence_folder_that_is_deleted_in_play_is_made_again(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path / "evidence", 10)
    keep(evidence, PICTURE, said(1))
    shutil.rmtree(tmp_path / "evidence")
    keep(evidence, PICTURE, said(2))
    assert pictures(tmp_path / "evidence", 2)["after"] == "000002.jpg"


def test_a_turn_judged_several_times_began_with_one_table(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, 10)
    keep(evidence, PICTURE, said(1))
    keep(evidence, PICTURE, said(2, stands=False, frame_id="sent back"))
    keep(evidence, PICTURE, said(2))
    assert pictures(tmp_path, 3) == {"before": "000001.jpg", "after": "000003.jpg"}
    keep(evidence, None, said(2, frame_id="sent back"))  # judged again, on the picture of then
    assert pictures(tmp_path, 4) == {"before": "000001.jpg", "after": "000002.jpg"}


def test_evidence_takes_no_more_than_its_share_of_the_disk(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, 1)
    for turn in range(40):
        keep(evidence, PICTURE, said(turn))
    assert 500_000 < sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1_000_000
    assert (tmp_path / "000040.jpg").exists()
    assert not (tmp_path / "000001.jpg").exists()


def test_evidence_may_be_switched_off_or_fail(tmp_path: Path) -> None:
    keep(Evidence(tmp_path / "off", 0), PICTURE, said(1))
    assert not (tmp_path / "off").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used"):
        Evidence(tmp_path / "file" / "evidence", 1)


@pytest.mark.parametrize("step", ["check", "camera"])
def test_a_camera_that_the_service_has_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str
) -> None:
    """And not as one that may not be opened."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    write_health({"state": "running", "camera": "usb:0", "pid": 812})
    code = main(["calibrate", step, "--camera", "usb:0", "--profile", str(tmp_path / "profile.json")])
    assert code == (1 if step == "check" else 2)
    said = capsys.readouterr()
    told = "camera usb:0 is in use by the referee's service (process 812); stop it first, and start it again afterwards"
    assert told in said.out + said.err
    assert "group video" not in said.out + said.err
    health = json.loads(health_file().read_text("utf-8"))
    health_file().write_text(json.dumps(health | {"told_at": time.monotonic() - 60}))
    assert camera_in_use() is None  # it was killed
