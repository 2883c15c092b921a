"""`referee solve`: what it prints, and how it refuses what is wrong."""

import io
import json
import subprocess
import sys

import pytest

from referee.cli.main import main


def solve(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["solve", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = solve(capsys, "--edition", "original", "--table", "R3 R4 R5", "--rack", "R6 K1", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer == {
        "tiles_played": 1,
        "worth": 6,
        "table": "R3 R4 R5 R6",
        "played": ["R6"],
        "optimal": True,
        "tiles_proven": True,
    }


def test_json_alone_is_printed_by_whatever_solver() -> None:
    """HiGHS 1.16 prints a banner from C, which Python's own standard output knows nothing of."""
    rack = "R6 J K13 B13 O13 R1 R2 K2 B2 O2 K1"
    words = ["solve", "--edition", "original", "--table", "R3 R4 R5", "--rack", rack, "--json"]
    said = subprocess.run([sys.executable, "-m", "referee", *words], capture_output=True, check=True, text=True)
    assert json.loads(said.stdout)["tiles_played"] == 11
    assert said.stderr == ""


def test_nothing_to_play(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--edition", "original", "--table", "R3 R4 R5", "--rack", "R6", "--not-opened")
    assert solve(capsys, *words, "--json") == (0, '{"tiles_played": 0, "tiles_proven": true}\n', "")
    assert solve(capsys, *words) == (0, "Nothing can be played.\n", "")


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = solve(capsys, "--edition", "original", "--table", "R3 R4 R5", "--rack", "R6 K1")
    assert out == "1 tile worth 6: R6.\nR3 R4 R5 R6\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        pytest.param(["--rack", "R3"], "--edition is missing", id="no edition"),
        pytest.param(["--edition", "original"], "--rack is missing", id="no rack"),
        pytest.param(["--edition", "orignal", "--rack", "R3"], "did you mean 'original'", id="unknown edition"),
        pytest.param(["--edition", "original", "--rack", "R14"], "'R14' is no tile", id="no tile"),
        pytest.param(["--edition", "original", "--rack", "R3 R3 R3"], "3 × R3 is more than the 2", id="beyond the box"),
        pytest.param(["--edition", "original", "--rack", "R3 " * 9000], "characters", id="a rack of 9000 tiles"),
        pytest.param(["--edition", "original", "--rack", "R3", "--table", "/ /"], "'/'", id="empty sets"),
        pytest.param(["--jsonl", "--edition", "original"], "cannot be used with --jsonl", id="option beside lines"),
    ],
)
def test_wrong_calls_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], complaint: str) -> None:
    code, out, err = solve(capsys, *words)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {"id": 1, "edition": "original", "table": "R3 R4 R5", "rack": "R6"},
        {"id": "two", "edition": "original", "table": "R3 R4 R5", "rack": "R6", "opened": False},
        {"id": 3, "edition": "original", "table": 5, "rack": "R6"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines) + "not json\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, _ = solve(capsys, "--jsonl")
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert answers[0] == {
        "id": 1,
        "tiles_played": 1,
        "worth": 6,
        "table": "R3 R4 R5 R6",
        "played": ["R6"],
        "optimal": True,
        "tiles_proven": True,
    }
    assert answers[1] == {"id": "two", "tiles_played": 0, "tiles_proven": True}
    assert answers[2]["id"] == 3
    assert "table is 5" in answers[2]["error"]
    assert answers[3]["id"] is None
    assert "not JSON" in answers[3]["error"]


@pytest.mark.parametrize("text", ["0", "-3", "inf", "nan", "soon"])
def test_a_time_to_search_is_some_seconds(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["solve", "--edition", "xp", "--rack", "R3 R4 R5", f"--seconds={text}"])
    assert refused.value.code == 2
    assert f"{text} is not a search time; give a number of seconds above 0" in capsys.readouterr().err


def test_who_has_no_time_is_told_that_nothing_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    rack = "JD J JC JM R3 R4 R5 R9 B9 K9 O12 O13 K1 B1"
    code, out, _ = solve(capsys, "--edition", "twist", "--rack", rack, "--seconds", "0.000001")
    assert code == 0
    assert "The search ran out of time; there may be a play that lays more." in out
