"""Every command that writes, on a disk that is full: one line, and every file is whole or as it was."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from .conftest import short_match, write_journal  # isort: skip

ROOT = Path(__file__).parents[2]
WITH_MODELS = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")
TOO_LITTLE = 4096


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system on which 4 KB are left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", str(disk)], check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    (disk / "filling").write_bytes(bytes(1024 * 1024 - 2 * TOO_LITTLE))
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def limit() -> None:
    """No file may grow beyond this: without root, what comes nearest to a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (TOO_LITTLE, TOO_LITTLE))


def referee(*words: object, said: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)],
        input=said,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=ROOT,
        **more,
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture that cannot be drawn on within the room there is: noise."""
    path = tmp_path_factory.mktemp("table") / "table.png"
    cv2.imwrite(str(path), np.random.default_rng(1).integers(0, 255, (700, 900, 3), np.uint8))
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return write_journal(tmp_path / "match-00001.jsonl", short_match())


def check_whole(folder: Path, old: dict[str, bytes]) -> None:
    """Every file there can be read to its end, and none is new and empty."""
    for file in folder.rglob("*"):
        if file.name == "filling" or not file.is_file():
            continue
        content = file.read_bytes()
        if old.get(file.name) == content:
            continue
        assert not file.name.endswith(".part"), file
        match file.suffix:
            case ".png" | ".jpg":
                assert cv2.imread(str(file)) is not None, file
            case ".jsonl":
                assert content.endswith(b"\n") or not content, file
                assert all(json.loads(line) for line in content.splitlines()), file
            case ".sqlite":  # an empty file is a database without tables
                with closing(sqlite3.connect(file)) as database:
                    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",), file
            case ".zip":
                assert zipfile.ZipFile(file).testzip() is None, file
            case _:
                pytest.fail(f"{file} is neither whole nor as it was: {content[:80]!r}")


@WITH_MODELS
@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["read", "{table}", "--annotate", "{disk}"], "table.png"),
        (["replay", "{journal}", "--quiet", "--events", "{disk}/events.jsonl"], "events.jsonl"),
        (["replay", "{journal}", "--quiet", "--export", "{disk}/all.zip"], "all.zip"),
        (["replay", "{journal}", "--quiet", "--record", "{disk}/record.txt"], "record.txt"),
        (["calibrate", "table", "{table}", "--points", "10,10 890,10 890,690 10,690", "--size", "900x700",
          "--profile", "{disk}/profile.json", "--annotate", "{disk}"], "table.png"),
        (["simulate", "--out", "{disk}/out", "--size", "640x480"], "timeline.jsonl"),
        (["config", "pin", "--state", "{disk}"], "pin"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else value,
)  # fmt: skip
def test_a_command_that_writes(words: list[str], file: str, full_disk: Path, table: Path, journal: Path) -> None:
    old = {file: b"as it was\n"}
    (full_disk / file).write_bytes(old[file])
    with suppress(OSError), (full_disk / "filling").open("ab", buffering=0) as filling:
        while True:
            filling.write(bytes(512))
    done = referee(*(word.format(disk=full_disk, table=table, journal=journal) for word in words), said="4711081\n")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert any("No space left on device" in line and "; free some space" in line for line in done.stderr.splitlines())
    assert (full_disk / file).read_bytes() == old[file]
    check_whole(full_disk, old)


@WITH_MODELS
def test_a_drawing_that_may_not_grow_so_large_is_not_there(tmp_path: Path, table: Path) -> None:
    done = referee("read", table, "--annotate", tmp_path / "out", preexec_fn=limit)
    assert done.returncode == 2
    assert "table.png cannot be written (File too large); free some space or name another folder" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


@WITH_MODELS
def test_a_simulation_whose_disk_fills_up_leaves_whole_lines(full_disk: Path) -> None:
    os.truncate(full_disk / "filling", 500_000)
    done = referee("simulate", "--out", full_disk / "out", "--size", "640x480")
    assert done.returncode == 2
    assert "free some space" in done.stderr
    check_whole(full_disk, {})


@pytest.mark.parametrize("where", ["file/out", "/proc/nowhere/out"])
def test_a_simulation_that_may_not_write_is_not_told_to_free_space(where: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = referee("simulate", "--out", tmp_path / where)
    assert done.returncode == 2
    assert "free some space" not in done.stderr
    assert "name another folder" in done.stderr


@WITH_MODELS
@pytest.mark.slow
def test_a_match_on_a_full_disk_is_played_and_every_line_is_whole(full_disk: Path) -> None:
    done = referee(
        "run", "--camera", "sim:3", "--until-end", "--signals", "none", "--state", full_disk / "state",
        "--events", full_disk / "events.jsonl",
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "is not kept" in done.stderr or "cannot be written" in done.stderr
    check_whole(full_disk, {"lock": b""})
