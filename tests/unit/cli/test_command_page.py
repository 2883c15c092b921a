"""What docs/commands.md shows of requests and answers is what the commands take and give."""

import io
import json
import re
from pathlib import Path

import pytest

from referee.cli.main import main

PAGE = (Path(__file__).parents[3] / "docs" / "commands.md").read_text(encoding="utf-8")
SHOWN = {(name, kind): text for name, kind, text in re.findall(r"```json (\w+) (\w+)\n(.*?)```", PAGE, re.DOTALL)}
CALLS = {
    "judge": ["judge", "--jsonl"],
    "score": ["score", "--edition", "original", "--json"],
    "solve": ["solve", "--jsonl"],
}


@pytest.mark.parametrize("command", CALLS)
def test_an_example_is_answered_as_the_page_says(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = " ".join(SHOWN[command, "request"].splitlines())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(request.encode() + b"\n")))
    main(CALLS[command])
    assert json.loads(capsys.readouterr().out) == json.loads(SHOWN[command, "answer"])


def test_no_example_stands_there_unread() -> None:
    assert set(SHOWN) == {(command, kind) for command in CALLS for kind in ("request", "answer")}
    assert PAGE.count("```json") == len(SHOWN)
