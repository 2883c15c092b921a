"""The systemd unit is well formed and tightly shut, and `make install` lays out what it promises."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from referee.service.safe_mode import LASTED_SECONDS, START_SECONDS
from referee.service.stop import POWER_OFF, START_AFRESH
from referee.settings.config import load_config
from referee.settings.sections import wrong_with

ROOT = Path(__file__).parent.parent.parent
UNIT = ROOT / "systemd" / "referee.service"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@needs_systemd
def test_systemd_finds_nothing_wrong_in_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/referee/bin/referee", shutil.which("true") or "true"), encoding="utf-8")
    verify = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (verify.returncode, verify.stdout + verify.stderr) == (0, "")


@needs_systemd
def test_exposure_is_at_most_1_5() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", str(UNIT)]
    security = subprocess.run(command, capture_output=True, text=True, check=False)
    assert security.returncode == 0, security.stdout[-300:]


def test_a_start_is_waited_for_as_long_as_the_program_thinks() -> None:
    (line,) = (line for line in UNIT.read_text("utf-8").splitlines() if line.startswith("TimeoutStartSec="))
    assert float(line.partition("=")[2]) == START_SECONDS < LASTED_SECONDS


def test_a_camera_that_is_tried_again_keeps_the_watchdog_quiet() -> None:
    """A driver that hangs is given up, left alone and tried again; only then is anything said to the watchdog."""
    (line,) = (line for line in UNIT.read_text("utf-8").splitlines() if line.startswith("WatchdogSec="))
    reading_seconds = 5.0
    slowest = {"limit_seconds": 10.0, "retry_seconds": 10.0, "looks_per_second": 0.5}
    assert all(wrong_with("camera", key, value) is None for key, value in slowest.items())
    assert all(wrong_with("camera", key, slowest[key] + 0.1) is not None for key in ("limit_seconds", "retry_seconds"))
    first = replace(load_config().camera, limit_seconds=slowest["limit_seconds"]).first_seconds
    longest = first + slowest["retry_seconds"] + 1 / slowest["looks_per_second"] + reading_seconds
    assert longest < float(line.partition("=")[2])


def test_however_often_it_is_killed_it_is_started_again() -> None:
    """Safe mode looks after starts that fail; a limit of systemd's would end in dark lamps."""
    assert "StartLimitIntervalSec=0" in UNIT.read_text("utf-8").splitlines()


def test_the_unit_gives_what_was_measured_and_a_pi_cameras_library_takes_and_kills_late() -> None:
    lines = dict(line.split("=", 1) for line in UNIT.read_text("utf-8").splitlines() if line.startswith("Memory"))
    high, most = (int(lines[name].removesuffix("M")) for name in ("MemoryHigh", "MemoryMax"))
    measured = (ROOT / "benchmarks/results/memory.md").read_text("utf-8")
    held = max(map(int, re.findall(r"(\d+) MB at most", measured)))
    (peak,) = map(int, re.findall(r"(\d+) for a moment", measured))
    assert held < 256
    assert peak + 60 < high < 400  # of 512 MB
    assert most > 1.5 * high


def test_uninstall_keeps_settings_and_matches(tmp_path: Path) -> None:
    kept = [tmp_path / "etc/referee/referee.toml", tmp_path / "var/lib/referee/journal.jsonl"]
    gone = [tmp_path / "opt/referee/bin/referee", tmp_path / "etc/systemd/system/referee.service"]
    for path in kept + gone:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    subprocess.run(["make", "-C", str(ROOT), "uninstall", f"DESTDIR={tmp_path}"], check=True, capture_output=True)
    assert [path.exists() for path in kept] == [True, True]
    assert [path.exists() for path in gone] == [False, False]


def test_an_end_asked_for_on_the_page_is_followed_by_what_was_asked() -> None:
    lines = UNIT.read_text("utf-8").splitlines()
    assert f"RestartPreventExitStatus={POWER_OFF}" in lines
    (after,) = (line for line in lines if line.startswith("ExecStopPost="))
    script = after.partition("'")[2].removesuffix("'").replace("$$", "$").replace("systemctl poweroff", "echo off")
    for code, said in ((POWER_OFF, "off\n"), (START_AFRESH, ""), (0, "")):
        run = subprocess.run(
            ["/bin/sh", "-c", script], env={"EXIT_STATUS": str(code)}, capture_output=True, text=True, check=True
        )
        assert run.stdout == said
