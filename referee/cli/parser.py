"""The command-line parser: its errors are one line, with the wrong word and a suggestion."""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn

from referee.cli.examples import EXAMPLES
from referee.rules.wording import way_out

USAGE_ERROR = 2
_MAX_CHARACTERS = 60
_NUMBERS: Final[Mapping[Any, str]] = MappingProxyType({int: "a whole number", float: "a number"})
_RUN_ADVICE, _SETTINGS_ADVICE = (
    "'referee run'",
    "the file /etc/referee/referee.toml; 'referee config show' names every setting",
)
_SYNONYMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("start", "play", "go", "match", "game", "watch"), _RUN_ADVICE),
        "demo": "'referee run --camera sim --until-end'",
        "help": "'referee --help', or 'referee COMMAND --help'",
        **dict.fromkeys(("version", "-v"), "'referee --version'"),
        "stop": "Ctrl-C, or 'sudo systemctl stop referee' for the service",
        "restart": "'sudo systemctl restart referee'",
        "pin": "'referee config pin'",
        **dict.fromkeys(("web", "page", "serve", "server", "--port", "--host"), "'referee run --web HOST:PORT'"),
        **dict.fromkeys(("log", "logs"), "'journalctl --unit referee'"),
        **dict.fromkeys(("setup", "init", "calibration"), "'referee calibrate setup'"),
        **dict.fromkeys(("test", "doctor"), "'referee calibrate check'"),
        **dict.fromkeys(("set", "edit", "settings"), _SETTINGS_ADVICE),
        **dict.fromkeys(("editions", "rules", "formats"), "'referee run --help', which lists editions and formats"),
        **dict.fromkeys(("board", "lens"), "'referee calibrate camera'"),
        **dict.fromkeys(("markers", "corners"), "'referee calibrate table'"),
        "--lang": "--language",
    }
)
"""What people guess, and what they mean by it; the nearest spelling would mislead them."""


class _Formatter(argparse.HelpFormatter):
    """Shows optional commands in brackets, which argparse does only for options."""

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        shown = super()._format_args(action, default_metavar)
        return f"[{shown}]" if action.nargs == argparse.PARSER and not action.required else shown


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose error is one line that names the way out."""

    def __init__(self, *words: Any, **more: Any) -> None:
        """Take argparse's arguments."""
        super().__init__(*words, **{"formatter_class": _Formatter, **more})
        self.set_defaults(parser=self)  # the innermost one wins, and knows its options
        self._words: tuple[str, ...] = ()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; raise SystemExit after an error."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parsed.parser.refuse(unknown[0])
        return parsed

    def refuse(self, word: str) -> NoReturn:
        """Print the error of a word that no command takes, as this innermost command's; exit with 2."""
        option = word.partition("=")[0]
        if self.takes(option):
            self.error(_comes_after(option, self))
        if option.startswith("--"):
            self.error(self._no_option(option))
        self.error(f"{word[:_MAX_CHARACTERS]!r} is unexpected; options begin with --")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and keep the words for an error message."""
        self._words = () if args is None else tuple(args)
        return super().parse_known_args(None if args is None else _with_negative_values(args), namespace)

    @property
    def commands(self) -> Mapping[str, Any]:
        """The parsers of the commands below this one, by their names."""
        return next((action.choices for action in self._actions if isinstance(action.choices, dict)), {})

    def takes(self, option: str) -> bool:
        """Return whether this command has the option."""
        return option in self._option_string_actions

    def format_help(self) -> str:
        """Return the help with examples."""
        command = self.prog.split()[1:]
        own = EXAMPLES.get(" ".join(command))
        below = (each for name, (each, *_) in EXAMPLES.items() if name.split()[:-1] == command)
        lines = [f"  referee {line}\n" for line in own or below]
        return "".join((super().format_help(), *(("\nexamples:\n", *lines) if lines else ())))

    def error(self, message: str) -> NoReturn:
        """Print a one-line error, unknown options first; exit with 2."""
        below = [action.choices for action in self._actions if action.required and isinstance(action.choices, dict)]
        if below and not self._words:
            message = f"name one of {', '.join(below[0])}"
        if (option := self._unknown_option()) is not None:
            message = self._misplaced(option) or self._no_option(option)
        parting = " See" if message.endswith("?") else "; see"
        more = "" if message.endswith(tuple(_SYNONYMS.values())) else f"{parting} '{self.prog} --help'"
        self.exit(USAGE_ERROR, f"{self.prog}: {message}{more}\n")

    def _no_option(self, option: str) -> str:
        names = [name for name in self._option_string_actions if name.startswith("--")]
        return f"there is no option {option[:_MAX_CHARACTERS]}; {_way_out(option, names)}"

    def _misplaced(self, option: str) -> str | None:
        """Return the message for an option that was written before the command it belongs to; None if none takes it."""
        parser: OneLineParser = self
        for word in self._words:
            parser = parser.commands.get(word, parser)
        return None if parser is self or not parser.takes(option) else _comes_after(option, parser)

    def _unknown_option(self) -> str | None:
        for word in self._words:
            option = word.partition("=")[0]
            if option == "--" or (self._subparsers is not None and not option.startswith("-")):
                return None  # the rest are no options of this parser
            known = any(name.startswith(option) for name in self._option_string_actions)
            if re.match(r"--?[a-zA-Z]", option) and not known:
                return option
        return None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            find = way_out if action.option_strings else _way_out  # of commands
            found = find(str(value), map(str, action.choices))
            raise argparse.ArgumentError(action, f"{str(value)[:_MAX_CHARACTERS]!r} is not known; {found}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.type is Path and "://" in arg_string:
            raise argparse.ArgumentError(action, f"{arg_string[:200]!r} is an address; save it here and name the file")
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            wrong = f"{arg_string[:_MAX_CHARACTERS]!r} is not {_NUMBERS[action.type]}; give one"
            raise argparse.ArgumentError(action, wrong) from None


def _comes_after(option: str, parser: OneLineParser) -> str:
    return f"option {option} comes after its command: {parser.prog} {option} …"


def _way_out(word: str, known: Iterable[str]) -> str:
    """Return the suggestion for an unknown command or option: a known synonym, else the most similar one."""
    meant = _SYNONYMS.get(word)
    return str(way_out(word, known)) if meant is None else f"use {meant}"


def _with_negative_values(words: Sequence[str]) -> list[str]:
    """Return the words with values such as `-40,40` joined to their options, for argparse takes them for options."""
    joined: list[str] = []
    for word in words:
        if _NEGATIVE_VALUE.fullmatch(word) and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


_NEGATIVE_VALUE: Final = re.compile(r"-\d[\d,-]*")
