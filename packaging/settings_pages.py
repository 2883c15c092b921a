"""Write `referee/defaults.toml` from the declared settings.

python packaging/settings_pages.py
"""

import argparse
import json
from pathlib import Path
from typing import Any, Final

from referee.declared import Declared
from referee.protocol.editions import house_rule_value
from referee.rules.editions import rule_set
from referee.rules.house_rules import HOUSE_RULES
from referee.settings.sections import SETTINGS, default_values

ROOT: Final = Path(__file__).resolve().parent.parent
DEFAULTS: Final = ROOT / "referee" / "defaults.toml"
_HEAD: Final = """\
# Every setting of the referee and its default. Copy what you change into /etc/referee/referee.toml;
# `referee config check` finds mistakes, `referee config show` prints what is in force.
# Written from the declared settings by `make settings`.
"""


def main() -> None:
    """Write it."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0]).parse_args()
    DEFAULTS.write_text(defaults_toml(), encoding="utf-8")


def defaults_toml() -> str:
    """Give every setting with its default and what it means, as TOML."""
    text = _HEAD
    original = rule_set("original")
    for section, values in default_values().items():
        if section == "house_rules":
            text += (
                "\n[house_rules]                  # what you agreed on instead; the values here are those of original\n"
            )
            for key, rule in HOUSE_RULES.items():
                text += f"# {_line(key, house_rule_value(original, key), rule)}"
        else:
            text += f"\n[{section}]\n"
            text += "".join(_line(key, value, SETTINGS[section][key]) for key, value in values.items())
    return text


def _line(key: str, value: Any, declared: Declared) -> str:
    said = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    is_said = declared.least is None and all(word in declared.description for word in declared.choices)
    allowed = "" if is_said else f" ({_allowed(declared)})"
    return f"{said:<30} # {declared.description}{allowed}\n"


def _allowed(declared: Declared) -> str:
    if declared.choices:
        return ", ".join(declared.choices)
    return "true, false" if declared.least is None else f"{declared.least:.9g} to {declared.most:.9g}"


if __name__ == "__main__":
    main()
