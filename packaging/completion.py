"""Write what completes the `referee` command by TAB in bash, zsh and fish, from its own parser; needs shtab.

    python packaging/completion.py FOLDER

The files lie below FOLDER where Debian's shells look for them below /usr/share.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import shtab

from referee.cli.main import COMMANDS, build_parser
from referee.rules.editions import EDITIONS
from referee.rules.formats import FORMATS

PLACES: Final = {
    "bash": "bash-completion/completions/referee",
    "zsh": "zsh/vendor-completions/_referee",
    "fish": "fish/vendor_completions.d/referee.fish",
}
_ARGUMENT_CHOICES: Final = {
    "edition": tuple(EDITIONS),
    "format": tuple(FORMATS),
    "camera": ("auto", "picamera", "replay:", "rtsp://", "sim", "url:http://", "usb:0"),
}
"""What an option takes whose parser leaves the check to those who know better."""


def main() -> None:
    """Write the three files and name them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    for path in write_completions(parser.parse_args().folder):
        print(path)


def write_completions(folder: Path) -> Iterator[Path]:
    """Write a file a shell below this folder, and give each; files complete where a file is meant."""
    for shell, place in PLACES.items():
        parser = build_parser(*COMMANDS)
        for action in _actions(parser):
            words = _ARGUMENT_CHOICES.get(action.dest)
            if words and action.choices is None and action.nargs != 0:
                action.choices = words
            elif action.type is Path or action.metavar in {"FILE", "DIR", "IMAGE"}:
                action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE  # type: ignore[attr-defined]
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shtab.complete(parser, shell=shell), encoding="utf-8")
        yield path


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse offers no other way to walk a parser
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in action.choices.values():
                yield from _actions(below)


if __name__ == "__main__":
    main()
