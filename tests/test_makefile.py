"""What `make` does on a machine without a network, and on one whose system brings the drivers of a Raspberry Pi."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def make(*words: str, before: tuple[str, ...] = (), **more: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "MAKE"))}
    return subprocess.run(
        [*before, "make", *words],
        cwd=ROOT,
        env=clean | more,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(("driver", "sees"), [("lgpio", True), ("picamera2", True), ("another", False)])
def test_the_environment_sees_the_drivers_of_the_system(driver: str, sees: bool, tmp_path: Path) -> None:  # noqa: FBT001
    (tmp_path / f"{driver}.py").touch()
    said = make("--dry-run", f"VENV={tmp_path}/venv", f"{tmp_path}/venv/bin/python", PYTHONPATH=str(tmp_path))
    assert said.returncode == 0, said.stderr
    assert ("--system-site-packages" in said.stdout) is sees


@pytest.mark.slow
@pytest.mark.parametrize("target", ["demo", "test"])
def test_offline_it_says_one_clear_line(target: str, tmp_path: Path) -> None:
    alone = ("unshare", "--net")
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no network can be taken away here")
    pip = {"PIP_RETRIES": "0", "PIP_CONFIG_FILE": "/dev/null"}
    done = make(target, f"VENV={tmp_path}/venv", before=alone, **pip)
    assert done.returncode == 2
    told = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(told) == 1
    assert told[0].startswith("No package index was reached, so what referee needs could not be fetched: connect this")
