"""Streams of the command line that fail: what is said, and that no exit code says a verdict nobody gave."""

import errno
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import main as command_line

LEGAL = ("judge", "--edition", "original", "--after", "R3 R4 R5")
ILLEGAL = ("judge", "--edition", "original", "--after", "R3 R4 R6")
NAMES = '{"players": ["A", "Żółw"], "games": [{"winner": "A", "racks": {"Żółw": "R5"}}]}'
FULL = Path("/dev/full")


def _referee(words: tuple[str, ...], redirection: str = "", said: str = "", **more: str) -> tuple[int, str, str]:
    """Run a command in a shell with a redirection behind it: exit code, standard output, standard error."""
    run = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "referee", *words],
        input=said,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **more},
        timeout=60,
        check=False,
    )
    return run.returncode, run.stdout, run.stderr


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_one_line(unbuffered: str) -> None:
    code, _, told = _referee(LEGAL, f"> {FULL}", PYTHONUNBUFFERED=unbuffered)
    assert told == (
        "referee judge: standard output cannot be written (No space left on device); "
        "free some space or write elsewhere\n"
    )
    assert code == 2


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("judge", "--edition", "none", "--after", "R3"), 2, id="a wrong call is no illegal table"),
        pytest.param(("replay", "nothing"), 2, id="nor is a missing file"),
        pytest.param(("judge",), 2, id="nor is half a call"),
        pytest.param(LEGAL, 0, id="a legal table stays one"),
        pytest.param(ILLEGAL, 1, id="an illegal one too"),
    ],
)
def test_a_full_disk_behind_standard_error_changes_no_exit_code(words: tuple[str, ...], code: int) -> None:
    assert _referee(words, f"2> {FULL}")[0] == code


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_ends_it_in_silence_and_not_with_all_legal(unbuffered: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as nobody:
        run = subprocess.run(
            [sys.executable, "-m", "referee", *LEGAL],
            stdout=nobody,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            timeout=60,
            check=False,
        )
    assert (run.returncode, run.stderr) == (141, b"")


@pytest.mark.parametrize(("words", "code"), [(LEGAL, 0), (ILLEGAL, 1)])
def test_the_verdict_stands_in_the_exit_code_where_every_stream_is_closed(words: tuple[str, ...], code: int) -> None:
    assert _referee(words, "<&- >&- 2>&-")[0] == code


def test_a_closed_standard_input_holds_nothing() -> None:
    code, out, told = _referee(("score", "--edition", "original"), "<&-")
    assert (code, out) == (2, "")
    assert told.startswith("referee score: not JSON at line 1, column 1")


def test_a_terminal_without_the_letters_is_told_all_the_same() -> None:
    words = ("score", "--edition", "original")
    code, out, told = _referee(words, said=NAMES, PYTHONIOENCODING="ascii:strict")
    assert (code, told) == (0, "")
    assert "Ranking: 1. A, 2. \\u017b\\xf3\\u0142w." in out


def test_a_file_that_may_not_be_looked_at_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "profile.json"

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(kept))

    monkeypatch.setattr("referee.cli.judge.judge_turn", refuse)
    assert command_line.main(LEGAL) == 2
    assert capsys.readouterr().err == (
        f"referee judge: {kept}: Permission denied; check the path, and who may read and write it\n"
    )


def test_a_fault_of_the_program_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("a fault of our own")

    monkeypatch.setattr("referee.cli.judge.judge_turn", fail)
    assert command_line.main(LEGAL) == command_line.INTERNAL_ERROR
    assert command_line.INTERNAL_ERROR not in {0, 1, 2, 3}
    assert "ValueError: a fault of our own" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("score", "--edition", "original"), ("judge", "--jsonl"), ("solve", "--jsonl")])
def test_who_would_have_to_type_the_input_is_told_so(words: tuple[str, ...]) -> None:
    master, slave = pty.openpty()
    try:
        os.write(master, b"\x04")  # Ctrl-D at once
        command = [sys.executable, "-m", "referee", *words]
        run = subprocess.run(command, stdin=slave, capture_output=True, text=True, timeout=60, check=False)
    finally:
        os.close(master)
        os.close(slave)
    assert run.stderr.splitlines()[0].endswith("and end with Ctrl-D; or pass a file: < FILE")
    assert run.stdout == ""
