import io
import json
import sys

import pytest

from referee.cli.main import main
from referee.rules.json_input import MAX_INPUT_BYTES

RUN = "R9 R10 R11"


def judge_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *lines: object
) -> tuple[int, list[dict[str, object]]]:
    raw = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    code = main(["judge", "--jsonl"])
    printed = capsys.readouterr()
    assert printed.err == ""
    return code, [json.loads(line) for line in printed.out.splitlines()]


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (["--after", RUN], 0, "legal"),
        (["--after", RUN, "--not-opened"], 0, "legal"),
        (["--before", RUN, "--after", "R9 R10"], 1, "illegal"),
        (["--after", "K7 K7 K7"], 3, "undecided"),
        (["--after", ""], 0, "legal"),
        (["--after", "R8 R9 R10", "--opened"], 0, "legal"),
        (["--after", "R8 R9 R10", "--not-opened"], 1, "illegal"),
    ],
)
def test_verdicts_and_exit_codes(words: list[str], code: int, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "--edition", "original", *words, "--json"]) == code
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["verdict"], printed.err) == (verdict, "")
    assert list(found) == ["id", "verdict", "outcome", "faults", "played", "meld", "sets"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--edition", "original"], "--after is missing; give --edition ID and --after TABLE, or --jsonl"),
        (["--after", RUN], "--edition is missing; give --edition ID and --after TABLE, or --jsonl"),
        (["--edition", "twits", "--after", RUN], "edition 'twits' is not known; did you mean 'twist'?"),
        (
            ["--edition", "twist", "--after", "R14"],
            (
                "'R14' is no tile; write K, R, B or O and 1 to 13, or a joker: "
                "J, JD, JC, JM, JK, JR, JB, JO, with blanks between tiles"
            ),
        ),
        (["--jsonl", "--not-opened"], "--opened cannot be used with --jsonl; write it into each line"),
        (["--jsonl", "--edition", "twist"], "--edition cannot be used with --jsonl; write it into each line"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", *words]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"referee judge: {complaint}\n")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--after", RUN], ["Legal: R9, R10 and R11 were played."]),
        (["--before", RUN, "--after", f"{RUN} R12"], ["Legal: R12 was played."]),
        (["--before", RUN, "--after", RUN], ["Legal: nothing was played, so the player draws a tile."]),
        (["--after", RUN, "--not-opened"], ["Legal: R9, R10 and R11 were played.", "The opening is worth 30."]),
        (
            ["--after", "R9 R11 R10"],
            ["Legal: R9, R11 and R10 were played.", "R9 R11 R10 is a run, though it is not laid in order."],
        ),
        (["--after", "R4 R5 R7"], ["Illegal: 1 fault.", "- R4 R5 R7: R7 breaks the run: 6 would have to follow 5."]),
        (
            ["--after", "R4 / R8 R9 R10", "--not-opened"],
            [
                "Illegal: 2 faults.",
                "- R4 lies on its own; every tile must be part of a set.",
                "- The sets laid from the rack are worth 27; an opening needs 30.",
            ],
        ),
        (
            ["--after", "K7 R7 B7 / K7 R7 O7 / K7 B7 O7"],
            [
                "Undecided: look again at K7.",
                "- The table cannot be as it was read: 3 × K7 (the box holds 2); look again.",
            ],
        ),
    ],
)
def test_words_for_people(words: list[str], lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "--edition", "original", *words])
    assert capsys.readouterr().out.splitlines() == lines


def test_many_turns_are_answered_in_order(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, answers = judge_lines(
        monkeypatch,
        capsys,
        {"id": "a", "edition": "twist", "before": "", "after": RUN, "opened": False},
        b"",
        {"id": 2, "edition": "original", "after": "R9 R10"},
        {"id": None, "edition": "original", "after": "K7 K7 K7", "note": "a key of another program"},
    )
    assert [(found["id"], found["verdict"], found["meld"]) for found in answers] == [
        ("a", "legal", 30),
        (2, "illegal", None),
        (None, "undecided", None),
    ]
    assert code == 1


@pytest.mark.parametrize(
    ("tables", "code"),
    [((RUN,), 0), ((RUN, "K7 K7 K7"), 3), (("K7 K7 K7", "R9"), 1), (("R9", "X"), 2), ((), 0)],
)
def test_the_worst_line_gives_the_exit_code(
    tables: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge_lines(monkeypatch, capsys, *[{"edition": "original", "after": table} for table in tables])[0] == code


GOOD = {"id": 7, "edition": "original", "after": RUN}


@pytest.mark.parametrize(
    ("line", "identity", "complaint"),
    [
        (
            b"{",
            None,
            "not JSON at line 1, column 2: Expecting property name enclosed in double quotes; write one JSON value",
        ),
        (b"[1]", None, "the line is a list; write an object {…}"),
        (b"5", None, "the line is 5; write an object {…}"),
        (b"\xff{}", None, "byte 0 is not UTF-8; write the JSON in UTF-8"),
        (b'{"id": NaN}', None, "NaN is not JSON; write a number"),
        (b'{"id": 1e999}', None, "1e999 is too large; write a smaller number"),
        (b'{"id": 1, "id": 2}', None, 'the key "id" appears twice in one object; remove one'),
        (b'{"id": ' + b"9" * 5000 + b"}", None, "not JSON: "),
        (b"[" * 100_000, None, "the JSON is nested too deeply"),
        (b"R" * (MAX_INPUT_BYTES + 5), None, f"the line has more than {MAX_INPUT_BYTES} bytes; write one turn a line"),
        ({"id": 7, "edition": "original"}, 7, "the request lacks 'after'; add it"),
        ({"id": 7, "after": RUN}, 7, "the request lacks 'edition'; add it"),
        (GOOD | {"edition": 5}, 7, "edition is 5; write a text in quotes"),
        (GOOD | {"edition": "twits"}, 7, "edition 'twits' is not known; did you mean 'twist'?"),
        (GOOD | {"after": ["R3"]}, 7, "after is a list; write a text in quotes"),
        (GOOD | {"after": "R3 X"}, 7, "after: 'X' is no tile"),
        (GOOD | {"before": None}, 7, "before is null; write a text in quotes"),
        (GOOD | {"opened": 1}, 7, "opened is 1; write true or false"),
        (
            GOOD | {"openned": False},
            7,
            "the request has an unknown key \"openned\"; did you mean 'opened'?",
        ),
        (GOOD | {"id": {"x": [1]}, "after": "/"}, {"x": [1]}, "after: '/' has a '/' with no tiles beside it"),
    ],
)
def test_a_bad_line_is_answered_and_the_rest_judged(
    line: object, identity: object, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answers = judge_lines(monkeypatch, capsys, line, GOOD)
    assert code == 2
    assert set(answers[0]) == {"id", "error"}
    assert answers[0]["id"] == identity
    assert str(answers[0]["error"]).startswith(complaint)
    assert len(str(answers[0]["error"])) < 250
    assert answers[1]["verdict"] == "legal"


def test_a_byte_order_mark_is_no_mistake(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    request = b'\xef\xbb\xbf{"edition": "original", "after": "R3 R4 R5"}\r'
    code, (answer,) = judge_lines(monkeypatch, capsys, request)
    assert (code, answer["verdict"]) == (0, "legal")
