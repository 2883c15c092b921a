"""A mistyped word gets one line with the nearest right one; addresses and control characters are not passed on."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli.main import COMMANDS, main
from referee.settings.sections import PARTS


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Call with a wrong word: one line on standard error, and exit code 2."""
    try:
        code: object = main(words)
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistyped_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"did you mean '{command}'?" in said([command + command[-1]], capsys)


@pytest.mark.parametrize("step", ["camera", "table", "colours", "tiles", "signals", "check"])
def test_a_mistyped_step(step: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"did you mean '{step}'?" in said(["calibrate", step[:2] + step[3:]], capsys)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["run", "--camra", "sim"], "--camera"),
        (["read", "a.jpg", "--anotate", "out"], "--annotate"),
        (["judge", "--edition", "original", "--aftr", "R3"], "--after"),
        (["score", "--editon", "original"], "--edition"),
        (["solve", "--edition", "original", "--tabel=R3"], "--table"),
        (["simulate", "--uot", "there"], "--out"),
        (["replay", "a.jsonl", "-record", "-"], "--record"),
        (["calibrate", "table", "a.jpg", "--piont", "1,2"], "--points"),
        (["config", "show", "--jsno"], "--json"),
        (["config", "check", "--confg", "a.toml"], "--config"),
        (["status", "--rety"], "--retry"),
        (["--verson"], "--version"),
    ],
)
def test_a_mistyped_option(words: list[str], option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"did you mean '{option}'?" in said(words, capsys)


@pytest.mark.parametrize(
    "words",
    [
        ["judge", "--edition", "twst", "--after", "R3"],
        ["score", "--edition", "twst"],
        ["solve", "--edition", "twst", "--table", "", "--rack", "R3"],
        ["simulate", "--edition", "twst", "--out", "/nowhere/out"],
        ["read", "a.jpg", "--edition", "twst"],
    ],
)
def test_a_mistyped_edition(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "edition 'twst' is not known; did you mean 'twist'?" in said(words, capsys)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "--games", "many"], "--games: 'many' is not a whole number; give one"),
        (["simulate", "--out", "there", "--cheats", "few"], "--cheats: 'few' is not a number; give one"),
        (["simulate", "--out", "/nowhere/out", "--seed", "-1"], "--seed -1 is out of range; use 0 or more"),
        (["run", "--players", "Ann"], "--players 'Ann' must be two to six different names; separate names by commas"),
        (["run", "--first", "4"], "--first 4: there are only 3 players"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_its_option(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in said(words, capsys)


@pytest.mark.parametrize("section", PARTS)
def test_a_mistyped_setting(section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = max(PARTS[section].__annotations__, key=len)
    file = tmp_path / "referee.toml"
    file.write_text(f"[{section}]\n{key[:-2]}{key[-1]} = 1\n")
    assert f"did you mean '{key}'?" in said(["config", "check", "--config", str(file)], capsys)
    file.write_text(f"[{section}x]\n{key} = 1\n")
    assert f"did you mean '{section}'?" in said(["config", "check", str(file)], capsys)


@pytest.mark.parametrize(
    "words",
    [
        ["read", "https://example.org//a/b.jpg"],
        ["calibrate", "table", "https://example.org//a/b.jpg"],
        ["replay", "https://example.org//a/b.jpg"],
        ["run", "--camera", "replay:https://example.org//a/b.jpg"],
        ["config", "check", "https://example.org//a/b.jpg"],
    ],
)
def test_an_address_is_echoed_as_it_was_written(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = said(words, capsys)
    assert "https://example.org//a/b.jpg" in told
    assert "address" in told


@pytest.mark.parametrize("stream", ["out", "err"])
def test_control_characters_do_not_reach_a_terminal(stream: str, tmp_path: Path) -> None:
    name = "evil\x1b]0;owned\x07\x9b31m\u202e.jpg"
    (tmp_path / name).write_text("no picture", encoding="utf-8")
    words = ["read", name] if stream == "err" else ["replay", "--quiet", name]
    master, slave = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-m", "referee", *words], stdout=slave, stderr=slave, check=False, cwd=tmp_path, timeout=60
        )
        told = os.read(master, 10_000).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert "evil\\x1b]0;owned\\x07\\x9b31m\\u202e.jpg" in told
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(told)
