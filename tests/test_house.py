"""What a formatter may spoil: a remark stands beside or above what it speaks of, never behind a closing bracket."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("referee", "benchmarks", "packaging", "tests")
HUNG = re.compile(r"\s*[])}]+,?\s+# (?!fmt:|noqa|type:)")


@pytest.mark.parametrize("room", ROOMS)
def test_no_remark_hangs_behind_a_bracket(room: str) -> None:
    hung = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if HUNG.match(line)
    ]
    assert hung == []


def test_a_remark_behind_a_bracket_is_found() -> None:
    assert HUNG.match(")  # in seconds")
    assert HUNG.match("    ],  # in seconds")
    assert not HUNG.match("    sides = (2, 3)  # in mm")
    assert not HUNG.match(")  # fmt: skip")
