"""`referee config`: check a settings file, show the settings in force, or set the organiser's PIN."""

import argparse
import json
import sys
from getpass import getpass
from pathlib import Path

from referee.errors import ConfigError
from referee.hall.wall_view import ROLES_WITH_PIN
from referee.server.pin import PIN_FILE, save_pin
from referee.settings.config import SYSTEM_FILE, Config, check_config, load_config, plain_settings, settings_in_force
from referee.storage.folder import state_folder

_EXIT_MISTAKES = 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="check|show|pin")
    check = actions.add_parser("check", help="print every mistake in a settings file")
    show = actions.add_parser("show", help="print the settings in force and where each was set")
    for action in (check, show):
        action.add_argument(
            "file", nargs="?", type=Path, metavar="FILE", help=f"settings file (default: {SYSTEM_FILE})"
        )
        action.add_argument("--config", type=Path, metavar="FILE", help="same as FILE")
        action.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    show.add_argument("--state", type=Path, metavar="DIR", help="state folder of the referee")
    pin = actions.add_parser("pin", help="set the organiser's PIN for the page, read from standard input")
    pin.add_argument("--state", type=Path, metavar="DIR", help="state folder of the referee")
    pin.add_argument("--config", type=Path, metavar="FILE", help=f"settings file (default: {SYSTEM_FILE})")
    pin.add_argument(
        "--hall",
        choices=tuple(role.value for role in ROLES_WITH_PIN),
        help="set the PIN of this role for the wall of `referee hall`",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action; return 2 if the file has mistakes."""
    if arguments.action == "pin":
        folder = arguments.state or state_folder(load_config(arguments.config).storage.folder)
        _set_pin(folder / "hall" / arguments.hall if arguments.hall else folder)
        return 0
    if arguments.file and arguments.config:
        raise ConfigError(f"two settings files are named, {arguments.file} and {arguments.config}; name one")
    file = arguments.file or arguments.config
    if arguments.action == "show":
        in_force = settings_in_force(file, arguments.state, lambda line: print(line, file=sys.stderr))
        _show(in_force, as_json=arguments.json)
        return 0
    config, mistakes = check_config(file)
    if arguments.json:
        print(
            json.dumps(
                {
                    "mistakes": [
                        {"file": mistake.file, "line": mistake.line or None, "message": mistake.message}
                        for mistake in mistakes
                    ]
                }
            )
        )
    else:
        for mistake in mistakes:
            print(mistake, file=sys.stderr)
        if config is not None:
            print("No mistakes.")
    return _EXIT_MISTAKES if mistakes else 0


def _set_pin(folder: Path) -> None:
    """Read a PIN, twice at a terminal, and store its hash; it takes effect at once."""
    if sys.stdin.isatty():
        pin = getpass("PIN: ")
        if getpass("once more: ") != pin:
            raise ConfigError("the two PINs differ; try again")
    else:
        pin = sys.stdin.readline().strip()
    save_pin(folder, pin)
    print(f"The PIN is set; its hash is in {folder / PIN_FILE}.", file=sys.stderr)


def _show(config: Config, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(plain_settings(config)))
        return
    for section, keys in plain_settings(config).items():
        print(f"[{section}]")
        for key, value in keys.items():
            plain = list(value) if isinstance(value, tuple) else value
            text = f"{key} = {json.dumps(plain, ensure_ascii=False)}"
            print(f"{text:<40}  # {config.origin[f'{section}.{key}']}")
        print()
