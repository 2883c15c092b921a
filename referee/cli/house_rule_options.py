"""House rules of a single call: `--house-rule NAME=VALUE`, or `"house_rules": {…}` in a line of JSON."""

import argparse
import json
from collections.abc import Mapping

from referee.errors import ConfigError
from referee.rules.editions import RuleSet
from referee.rules.formats import agreed_rules
from referee.rules.json_input import expect_text


def add_house_rules(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--house-rule",
        metavar="NAME=VALUE",
        action="append",
        type=_parse_house_rule,
        help="a house rule, such as rearranging=false; may be given more than once",
    )


def _parse_house_rule(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text} is no house rule; give NAME=VALUE, such as rearranging=false")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def rules_of_call(arguments: argparse.Namespace) -> RuleSet:
    """Return the edition's rules with the house rules of the command line; ConfigError for a wrong one."""
    return agreed_rules(arguments.edition, house_rules=dict(arguments.house_rule or ()))


def rules_of_request(request: Mapping[str, object]) -> RuleSet:
    """Return the same for a line of JSON."""
    given = request.get("house_rules", {})
    if not isinstance(given, dict):
        raise ConfigError(f"'house_rules' is {given!r:.40}; give an object, such as {{\"rearranging\": false}}")
    return agreed_rules(expect_text(request["edition"], "edition"), house_rules=given)
