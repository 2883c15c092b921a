"""What `import referee` gives, and what it loads for it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import referee

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
HEAVY = ("cv2", "onnxruntime", "highspy", "numpy")


def test_the_examples_of_the_page_hold() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})  # noqa: S102 - our own page


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    said = (
        "import sys; from referee import judge_turn, parse_table, rule_set, score\n"
        "rules = rule_set('original')\n"
        "judge_turn(parse_table(''), parse_table('R1 R2 R3'), opened=True, rules=rules)\n"
        "score({'players': ['A', 'B'], 'games': [{'winner': 'A', 'racks': {'B': 5}}]}, rules)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_rules_and_solver_stand_without_eyes_and_command_line() -> None:
    missing = ("cv2", "onnxruntime", "gpiozero", "referee.cli", "referee.vision")
    said = (
        f"import sys; sys.modules |= dict.fromkeys({missing})\n"
        "import referee.rules.judge, referee.rules.editions, referee.rules.formats, referee.solver\n"
        "from referee import judge_turn, parse_table, rule_set, score, solve\n"
        "rules = rule_set('original')\n"
        "print(judge_turn(parse_table(''), parse_table('R10 R11 R12'), opened=False, rules=rules))\n"
        "games = [{'winner': 'A', 'racks': {'B': 'R1 R2 R3'}}]\n"
        "print(score({'players': ['A', 'B'], 'games': games}, rules)['totals'])\n"
        "print(len(solve(parse_table('R3 R4 R5'), parse_table('R6 K1').tiles, rules).tiles))\n"
    )
    done = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    verdict, totals, played = done.stdout.splitlines()
    assert verdict.startswith("Legal(")
    assert (totals, played) == ("{'A': 6, 'B': -6}", "1")


def test_a_verdict_is_asked_and_not_taken_for_true() -> None:
    rules = referee.rule_set("original")
    verdict = referee.judge_turn(referee.Table(), referee.parse_table("R1 R2 R4"), opened=True, rules=rules)
    assert not verdict.is_legal
    assert referee.judge_turn(referee.Table(), referee.parse_table("R1 R2 R3"), opened=True, rules=rules).is_legal
    with pytest.raises(TypeError, match=r"ask verdict\.is_legal"):
        bool(verdict)


def test_a_text_where_a_table_is_wanted_is_refused() -> None:
    rules: Any = referee.rule_set("original")
    text: Any = "R1 R2 R3"
    with pytest.raises(TypeError, match="after is str 'R1 R2 R3', not a Table; give parse_table"):
        referee.judge_turn(referee.Table(), text, opened=True, rules=rules)
    with pytest.raises(TypeError, match="table is str"):
        referee.solve(text, (), rules)


def test_completion_knows_every_name() -> None:
    assert set(referee.__all__) <= set(dir(referee))


@pytest.mark.parametrize(
    ("edition", "format_", "count"), [("original", "two-player", 3), ("original", "booklet", 5), ("xp", "booklet", 4)]
)
def test_a_score_of_the_wrong_number_of_players_is_refused(edition: str, format_: str, count: int) -> None:
    players = [f"Player {place}" for place in range(count)]
    with pytest.raises(referee.RefereeError, match=f"not {count}"):
        referee.score({"players": players, "games": []}, referee.rule_set(edition, format_))


def test_every_name_is_there_and_no_other() -> None:
    for name in referee.__all__:
        assert callable(getattr(referee, name))
    with pytest.raises(AttributeError, match="no attribute 'judge'"):
        _ = referee.judge
