"""A bar for long work: on a terminal alone, after two seconds, and gone at the end."""

import io
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from referee.cli.progress import Countdown, Progress

ROOT = Path(__file__).parents[3]
WORK = """
import time
from referee.cli.progress import Progress
from referee.cli.streams import prepare_streams
prepare_streams()
with Progress("working", 4) as progress:
    progress.done, progress.note = 1, "the first"
    time.sleep({seconds})
    if {fails}:
        raise SystemExit("it failed")
print("done")
"""

LINES = """
import sys, time
from referee.cli.progress import Progress, with_progress, print_line
from referee.cli.streams import prepare_streams
prepare_streams()
for name, seconds in with_progress([("the first", 2.5), ("the second", 1.0)], "outer"):
    with Progress("inner"):
        time.sleep(seconds)
    print_line(name, sys.stdout)
"""


def shown(seconds: float, *, fails: bool = False) -> str:
    """What a terminal gets while something works so long."""
    return on_terminal(WORK.format(seconds=seconds, fails=fails))


def on_terminal(code: str) -> str:
    """What a terminal gets from a program."""
    master, slave = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=slave, stdout=slave, stderr=slave):
        os.close(slave)
        said = b""
        with suppress(OSError):
            while more := os.read(master, 4096):
                said += more
    os.close(master)
    return said.decode()


def test_a_bar_comes_after_two_seconds_and_leaves_nothing_behind() -> None:
    said = shown(3.0)
    assert "\rworking [######..................] 25%, the first, 2 s\x1b[K" in said
    assert said.endswith("\r\x1b[Kdone\r\n")
    assert "\n" not in said.removesuffix("done\r\n")


def test_what_is_quick_shows_none() -> None:
    assert shown(0.1) == "done\r\n"


def test_a_failure_takes_the_bar_away_too() -> None:
    assert shown(2.6, fails=True).endswith("\r\x1b[Kit failed\r\n")


def test_a_pipe_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.progress._SHOW_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO()))
    with Progress("working") as progress:
        assert progress.line(3.0) == "working, 3 s"
    assert sys.stderr.buffer.getvalue() == b""


def test_a_search_shows_its_time() -> None:
    assert Countdown("searching", 10.0).line(5.0) == "searching [############............] 50%, 5 s"


def test_lines_stand_above_one_bar_for_what_is_within_another() -> None:
    said = on_terminal(LINES)
    first, _, rest = said.partition("\r\x1b[Kthe first\r\n")
    assert f"\router [{'.' * 24}] 0%, number 1, " in first
    assert f"\router [{'#' * 12}{'.' * 12}] 50%, number 2, " in rest
    assert "\r\x1b[Kthe second\r\n" in rest
    assert "inner" not in said


def test_a_name_that_is_no_text_is_shown_all_the_same() -> None:
    quickly = "import referee.cli.progress\nreferee.cli.progress._SHOW_AFTER_SECONDS = 0.0\n"
    said = on_terminal(quickly + WORK.format(seconds=0.5, fails=False).replace("the first", "\\udcff\\x1b[2J"))
    assert "25%, \\udcff\\x1b[2J, 0 s\x1b[K" in said
    assert said.endswith("\r\x1b[Kdone\r\n")
