"""`referee config`: check a settings file, or show the settings in force."""

import argparse
import json
import sys
from pathlib import Path

from referee.config import PARTS, SYSTEM_FILE, Config, check_config, load_config

_WRONG = 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="check|show")
    check = actions.add_parser("check", help="print every mistake in a settings file")
    show = actions.add_parser("show", help="print the settings in force and where each was said")
    for action in (check, show):
        action.add_argument("file", nargs="?", type=Path, metavar="FILE", help=f"instead of {SYSTEM_FILE}")
        action.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Check or show; 2 if there is any mistake."""
    if arguments.action == "show":
        _show(load_config(arguments.file), as_json=arguments.json)
        return 0
    config, mistakes = check_config(arguments.file)
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
    return _WRONG if mistakes else 0


def settings(config: Config) -> dict[str, dict[str, object]]:
    """Give the settings as sections of plain values."""
    shown: dict[str, dict[str, object]] = {
        section: {name: getattr(getattr(config, section), name) for name in part.__annotations__}
        for section, part in PARTS.items()
    }
    return shown | {"house_rules": dict(config.house_rules)}


def _show(config: Config, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(settings(config)))
        return
    for section, keys in settings(config).items():
        print(f"[{section}]")
        for key, value in keys.items():
            plain = list(value) if isinstance(value, tuple) else value
            said = f"{key} = {json.dumps(plain, ensure_ascii=False)}"
            print(f"{said:<40}  # {config.origin[f'{section}.{key}']}")
        print()
