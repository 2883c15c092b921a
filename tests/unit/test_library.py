"""What `import referee` gives, and what it loads for it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import referee

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
HEAVY = ("cv2", "onnxruntime", "highspy", "numpy")


def test_the_examples_of_the_page_hold() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})  # noqa: S102 - our own page


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    said = (
        "import sys; from referee import judge_turn, parse_table, rule_set, read_table, score\n"
        "rules = rule_set('original')\n"
        "judge_turn(parse_table(''), parse_table('R1 R2 R3'), opened=True, rules=rules)\n"
        "score({'players': ['A', 'B'], 'games': [{'winner': 'A', 'racks': {'B': 5}}]}, rules)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there_and_no_other() -> None:
    for name in referee.__all__:
        assert callable(getattr(referee, name))
    with pytest.raises(AttributeError, match="no attribute 'judge'"):
        _ = referee.judge
