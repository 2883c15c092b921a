"""What the rulebook tests share: a judge and a reader of sets in notation, under the edition that is asked."""

from collections.abc import Callable

import pytest

from referee.rules.editions import RuleSet, rule_set
from referee.rules.judge import judge_set, judge_turn
from referee.rules.notation import parse_table, parse_tiles
from referee.rules.verdict import JudgedSet
from referee.rules.verdict_json import verdict_to_json


@pytest.fixture
def edition(request: pytest.FixtureRequest) -> str:
    """The edition of a module that is about one; what is asked of several names it in its cases."""
    name: str = request.module.EDITION
    return name


@pytest.fixture
def rules(edition: str) -> RuleSet:
    """The rules of the edition."""
    return rule_set(edition)


@pytest.fixture
def faults(rules: RuleSet) -> Callable[..., list[str]]:
    """Return a function that judges a turn and returns the names of its faults."""

    def judged(before: str, after: str, *, opened: bool = True) -> list[str]:
        verdict = judge_turn(parse_table(before), parse_table(after), opened=opened, rules=rules)
        found = verdict_to_json(verdict)
        names = [violation.fault.value for violation in verdict.violations]
        assert found["verdict"] == ("undecided" if "impossible_tiles" in names else "illegal" if names else "legal")
        return names

    return judged


@pytest.fixture
def read(rules: RuleSet) -> Callable[[str], JudgedSet]:
    """Return a function that reads some tiles as a set."""
    return lambda tiles: judge_set(parse_tiles(tiles), rules)
