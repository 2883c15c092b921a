"""Every command there is, found by walking the parser: called wrongly or with nothing, each answers in one line."""

import argparse
import io
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.cli.examples import EXAMPLES
from referee.cli.main import COMMANDS, build_parser, main

ALONE = {
    "run",
    "photos",
    "hall",
    "stats",
    "status",
    "report",
    "config check",
    "config show",
    "config pin",
    "calibrate signals",
}
"""They need no argument."""
LONG = {"run", "photos", "calibrate signals"}
"""They last for a minute or more."""


def commands(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the words of every command that may stand alone."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not any(action.required for action in below):
        yield words
    for action in below:
        for name, subparser in action.choices.items():
            yield from commands(subparser, (*words, name))


EVERY = [" ".join(words) for words in commands(build_parser(*COMMANDS))]
GROUPS = sorted({command.split()[0] for command in EVERY if " " in command})


@pytest.mark.parametrize("command", [command for command in EVERY if command not in LONG] + GROUPS)
def test_without_arguments_it_works_or_says_in_one_line_what_it_wants(
    command: str, call: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # somebody who types nothing more
    code, out, err = call(*command.split())
    assert "Traceback" not in err
    if code == 0:
        assert command in ALONE
        assert out or err
    else:
        assert code in {1, 2, 3}, err
        assert err.count("\n") == 1 or (command == "status" and not err), err
        assert err.startswith("referee ") or command in ALONE, err


@pytest.mark.parametrize("command", EVERY)
@pytest.mark.parametrize("wrong", ["--confgi", "--nonsense=3", "-Q"])
def test_a_mistyped_option_is_one_line_that_names_it(
    command: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), wrong])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert f"there is no option {wrong.partition('=')[0]}" in err
    assert "--help" in err


@pytest.mark.parametrize("command", EVERY)
def test_its_help_begins_with_how_it_is_called(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    out, err = capsys.readouterr()
    assert (ended.value.code, err) == (0, "")
    assert out.startswith(f"usage: referee {command}")
    _, _, examples = out.partition("\nexamples:\n")
    lines = examples.splitlines()
    assert lines
    for line in lines:
        assert line.startswith(f"  referee {command}")
        words, _, _ = line.partition(" < ")
        build_parser(*COMMANDS).parse_args(shlex.split(words)[1:])  # as it stands there


@pytest.mark.parametrize(("command", "shown"), [("hall", " [tournament ...]\n"), ("calibrate", " STEP ...\n")])
def test_its_help_shows_in_brackets_the_command_below_it_that_may_be_left_out(
    command: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    usage, _, _ = capsys.readouterr().out.partition("\n\n")
    assert f"{usage}\n".endswith(shown)


@pytest.mark.parametrize("command", ["", "calibrate", "config", "hall tournament"])
def test_the_help_of_several_commands_has_an_example_of_each(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    _, _, examples = capsys.readouterr().out.partition("\nexamples:\n")
    below = [name for name in EXAMPLES if name.split()[:-1] == command.split()]
    assert len(below) > 2
    assert examples.splitlines() == [f"  referee {EXAMPLES[name][0]}" for name in below]


def test_no_example_is_of_a_command_that_is_not() -> None:
    assert {*EXAMPLES} == {*EVERY}
