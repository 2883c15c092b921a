import io
import json
import sys

import pytest

from referee.cli.main import main

GAME = {"winner": "A", "racks": {"B": "R5 J", "C": 7}}
MATCH = {"players": ["A", "B", "C"], "games": [GAME]}


def score(monkeypatch: pytest.MonkeyPatch, value: object, edition: str = "original", *, as_json: bool = True) -> int:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    return main(["score", "--edition", edition, *(["--json"] if as_json else [])])


def test_scores(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    games = [GAME, {"winner": None, "racks": {"A": 1, "B": 5, "C": "R10"}}]
    assert score(monkeypatch, MATCH | {"games": games}) == 0
    assert json.loads(capsys.readouterr().out) == {
        "games": [{"A": 42, "B": -35, "C": -7}, {"A": 13, "B": -4, "C": -9}],
        "totals": {"A": 55, "B": -39, "C": -16},
        "games_won": {"A": 2, "B": 0, "C": 0},
        "ranking": ["A", "C", "B"],
        "ranks": {"A": 1, "B": 3, "C": 2},
    }


@pytest.mark.parametrize(
    ("rack", "spared", "lost"),
    [
        pytest.param("K10 R10 B10 O2", [], 200, id="the rack held an opening"),
        pytest.param("K10 R10 O1 O2", [], 100, id="the rack held none"),
        pytest.param("K10 R10 B10 O2", ["B"], 100, id="announced"),
    ],
)
def test_the_rack_is_searched_for_an_opening(
    rack: str, spared: list[str], lost: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = {"winner": "A", "racks": {"B": rack, "C": 7}, "unopened": ["B"], "announced": spared}
    assert score(monkeypatch, MATCH | {"games": [game]}, "3in1-standard") == 0
    assert json.loads(capsys.readouterr().out)["games"] == [{"A": lost + 7, "B": -lost, "C": -7}]


def test_where_only_the_value_is_known(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    game = {"winner": "A", "racks": {"B": 60, "C": 60}, "unopened": ["B", "C"], "could_open": ["C"]}
    assert score(monkeypatch, MATCH | {"games": [game]}, "3in1-twist") == 0
    assert json.loads(capsys.readouterr().out)["games"] == [{"A": 300, "B": -100, "C": -200}]


def test_table_for_people(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(monkeypatch, MATCH, as_json=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "                A      B      C",
        "Game 1        +42    -35     -7",
        "Total         +42    -35     -7",
        "Games won       1      0      0",
        "Ranking: 1. A, 2. C, 3. B.",
        "A wins.",
    ]


def test_players_who_are_level_share_the_win_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = {"players": ["Ann", "Ben", "Cem"], "games": [{"winner": None, "racks": {"Ann": 4, "Ben": 4, "Cem": 9}}]}
    assert score(monkeypatch, match, as_json=False) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "Ranking: 1. Ann, 1. Ben, 3. Cem.",
        "Ann and Ben share the win.",
    ]


def with_game(**changes: object) -> dict[str, object]:
    return MATCH | {"games": [GAME, GAME | changes]}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (b"", "not JSON at line 1, column 1: Expecting value; write one JSON value"),
        (b"[]", "the input is []; write an object {…}"),
        (b" " * 1_000_001, "standard input has more than 1000000 bytes; give one match"),
        ({"games": []}, "the input lacks 'players'; add it"),
        ({"players": [], "game": []}, "the input has an unknown key \"game\"; did you mean 'games'?"),
        (MATCH | {"players": "ABC"}, 'players is "ABC"; write a list […]'),
        (MATCH | {"players": ["A"]}, "original is for 2 to 4 players, not 1"),
        (
            MATCH | {"players": ["A", "B\n"]},
            r'players[1] is "B\n", which has a character that cannot be shown; leave it out',
        ),
        (MATCH | {"players": ["A", "B\u202e"]}, r'players[1] is "B\u202e", which has a character'),
        (MATCH | {"players": ["A", " "]}, 'players[1] is " ", which shows nothing; give a name'),
        (MATCH | {"players": ["A", "B" * 41]}, 'players[1] is "BBBBBBBBBBBBBBBBBBBBBBBBBBBBB…, which is too long; 40'),
        (MATCH | {"players": ["A", 5]}, "players[1] is 5; write a text in quotes"),
        (MATCH | {"players": ["A", "B", "B"]}, 'players lists "B" twice; give each player a different name'),
        (MATCH | {"games": [GAME, 5]}, "games[1] is 5; write an object {…}"),
        (MATCH | {"games": [{"racks": {}}]}, "games[0] lacks 'winner'; add it"),
        (with_game(winner="Z"), 'games[1].winner is "Z", who is not a player; use one of A, B, C'),
        (with_game(winner=0), "games[1].winner is 0; write a text in quotes"),
        (with_game(racks=[1]), "games[1].racks is a list; write an object {…}"),
        (
            with_game(racks={"B": 1}),
            "games[1].racks.C is missing; write the tiles left for each player except the winner",
        ),
        (
            with_game(racks={"B": 1, "C": ""}),
            "games[1].racks.C is empty; write the tiles left for each player except the winner",
        ),
        (with_game(winner=None), "games[1].racks.A is missing; write the tiles left for each player except the winner"),
        (
            with_game(racks={"A": 3, "B": 1, "C": 2}),
            'games[1].racks has tiles for the winner "A"; leave the winner\'s rack out',
        ),
        (
            with_game(racks={"B": True, "C": 2}),
            "games[1].racks.B is true; write the tiles as a text, or their value from 0 to 788",
        ),
        (
            with_game(racks={"B": 789, "C": 2}),
            "games[1].racks.B is 789; write the tiles as a text, or their value from 0 to 788",
        ),
        (
            with_game(racks={"B": -1, "C": 2}),
            "games[1].racks.B is -1; write the tiles as a text, or their value from 0 to 788",
        ),
        (
            with_game(racks={"B": 1.5, "C": 2}),
            "games[1].racks.B is 1.5; write the tiles as a text, or their value from 0 to 788",
        ),
        (with_game(racks={"B": "R5 X", "C": 2}), "games[1].racks.B: 'X' is no tile; write K, R, B or O and 1 to 13"),
        (
            with_game(racks={"B": "JD", "C": 2}),
            "games[1].racks.B has 1 × JD, and the box of original holds 0; count again",
        ),
        (
            with_game(racks={"B": "R5 R5", "C": "R5"}),
            "games[1].racks has 3 × R5, and the box of original holds 2; count again",
        ),
        (
            with_game(racks={"B": 1, "C": 2, "D": 3}),
            'games[1].racks: a player is "D", who is not a player; use one of A, B, C',
        ),
        (with_game(unopened="B"), 'games[1].unopened is "B"; write a list […]'),
        (with_game(unopened=["b"]), 'games[1].unopened[0] is "b", who is not a player; use one of A, B, C'),
        (with_game(unopened=["A"]), 'games[1].unopened lists the winner "A"; a winner has opened, so remove the name'),
        (with_game(could_open=["B"]), 'games[1].could_open lists "B", who is not in unopened; add the name there'),
        (with_game(unopend=["B"]), "games[1] has an unknown key \"unopend\"; did you mean 'unopened'?"),
    ],
)
def test_wrong_input_is_told_in_one_line(
    value: object, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(monkeypatch, value) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"referee score: {complaint}")
    assert printed.err.count("\n") == 1
