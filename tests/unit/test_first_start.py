"""The files of a card that is ready: cloud-init accepts them, and their script turns the page on as it says."""

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.server.pin import check_pin
from referee.settings.config import load_config

ROOT = Path(__file__).resolve().parents[2]
CARD = ROOT / "packaging/card"


def script() -> str:
    """The script among the files that user-data writes."""
    lines = (CARD / "user-data").read_text("utf-8").splitlines()
    begin = next(at for at, line in enumerate(lines) if line.endswith("#!/bin/sh"))
    end = lines.index("runcmd:")
    return textwrap.dedent("\n".join(lines[begin:end])) + "\n"


@pytest.mark.skipif(shutil.which("cloud-init") is None, reason="needs cloud-init: apt install cloud-init")
def test_cloud_init_accepts_it() -> None:
    check = ["cloud-init", "schema", "--config-file", str(CARD / "user-data")]
    done = subprocess.run(check, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_script_is_one_of_the_shell(tmp_path: Path) -> None:
    (tmp_path / "set-up").write_text(script(), "utf-8")
    subprocess.run(["sh", "-n", str(tmp_path / "set-up")], check=True)


def test_its_script_turns_the_page_on(tmp_path: Path) -> None:
    settings = tmp_path / "referee.toml"
    shutil.copy(ROOT / "systemd/referee.toml", settings)
    (line,) = (line for line in script().splitlines() if line.startswith("sed "))
    subprocess.run(line.replace("/etc/referee/referee.toml", str(settings)), shell=True, check=True)  # noqa: S602 - our own line
    assert load_config(settings).web.enabled


def test_the_pin_has_to_be_chosen() -> None:
    assert 'content: "CHOOSE" ' in (CARD / "user-data").read_text("utf-8")
    with pytest.raises(ConfigError, match="6 to 12 digits"):
        check_pin("CHOOSE")
