"""TAB completes the command in a real bash; zsh and fish, where they are there, take their files too."""

import argparse
import importlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli.main import COMMANDS, build_parser

ROOT = Path(__file__).parents[3]
TRY = """
source "$1"; shift
for line in "$@"; do
    read -ra COMP_WORDS <<<"$line"
    [ "${line: -1}" != " " ] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _shtab_referee referee "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
done
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "packaging")
        script = importlib.import_module("completion")
    written = script.write_completions(tmp_path_factory.mktemp("completion"))
    return dict(zip(script.PLACES, written, strict=True))


def completed(file: Path, *lines: str) -> list[set[str]]:
    """What bash offers at the end of each line."""
    words = ["bash", "--norc", "-c", TRY, "bash", str(file), *lines]
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60)
    return [set(line.split()) for line in done.stdout.splitlines()]


def options(parser: argparse.ArgumentParser, line: str) -> Iterator[tuple[str, set[str]]]:
    """Each command and its long options."""
    yield line, {word for word in parser._option_string_actions if word.startswith("--")}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options(below, f"{line} {name}")


def test_every_command_completes_its_options(files: dict[str, Path]) -> None:
    wanted = dict(options(build_parser(*COMMANDS), "referee"))
    found = completed(files["bash"], *(f"{line} --" for line in wanted))
    assert dict(zip(wanted, found, strict=True)) == wanted


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("referee rep", {"replay", "report"}),
        ("referee run --edition 3", {"3in1-standard", "3in1-twist", "3in1-expert"}),
        ("referee run --signals ", {"console", "gpio", "none"}),
        ("referee replay tests/matches/dem", {"tests/matches/demo.jsonl"}),
        ("referee read READ", {"README.md"}),
        ("referee simulate --out doc", {"docs"}),
    ],
)
def test_words_and_files_complete(line: str, offered: set[str], files: dict[str, Path]) -> None:
    assert completed(files["bash"], line) == [offered]


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_each_shell_takes_its_file(shell: str, check: str, files: dict[str, Path]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}: apt install {shell}")
    subprocess.run([shell, check, str(files[shell])], check=True, timeout=60)
