"""A tournament from the command line: from the list of players to signed sheets."""

import json
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.storage.folder import FolderLock

LIST = "name\nAnn\nBen\nCem\nDora\nEli\nFay\nGus\nHal\n"


def test_a_tournament_from_its_list_to_its_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fpdf", reason="needs fpdf2: pip install fpdf2")
    (tmp_path / "players.csv").write_text(LIST)
    kept = ["--state", str(tmp_path / "kept")]

    def say(*words: str) -> str:
        assert main(["hall", "tournament", *words, *kept]) == 0
        return capsys.readouterr().out

    say("create", "Open", str(tmp_path / "players.csv"), "--rounds", "2", "--seats", "4")
    assert "board 1 at t1: Ann, Dora, Eli, Hal" in say("seat", "1", "--tables", "t1,t2")
    for board in ("1", "2"):
        say("result", "1", board, "--scores", "30,-10,-10,-10", "--won", "1,0,0,0", "--reason", "on paper")
        say("sign", "1", board)
    say("leave", "Hal")
    assert "round 2" in say("seat", "2")
    assert "signed" not in say("show")
    plain = json.loads(say("show", "--json"))
    assert [line["name"] for line in plain["standings"][:2]] == ["Ann", "Ben"]
    assert sorted(len(board["players"]) for board in plain["rounds"][1]["boards"]) == [3, 4]
    say("sheets", str(tmp_path / "round.pdf"), "--round", "1")
    assert (tmp_path / "round.pdf").read_bytes().startswith(b"%PDF-")
    say("export", str(tmp_path / "out"))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"standings.csv", "results.csv", "records.txt", "tournament.json"}


def test_while_the_hall_runs_its_tournament_is_shown_and_not_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "players.csv").write_text(LIST)
    words = ["hall", "tournament", "create", "Open", str(tmp_path / "players.csv"), "--rounds", "2", "--seats", "4"]
    kept = ["--state", str(tmp_path / "kept")]
    assert main([*words, *kept]) == 0
    capsys.readouterr()
    with FolderLock(tmp_path / "kept" / "hall"):
        assert main(["hall", "tournament", "show", *kept]) == 0
        assert main(["hall", "tournament", "seat", "1", *kept]) == 2
    told = "the running hall holds the tournament's journal; use its wall, or stop it first"
    assert capsys.readouterr().err == f"referee hall: {told}\n"


def test_a_list_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["hall", "tournament", "create", "Open", str(tmp_path / "none.csv"), "--rounds", "2"]
    assert main([*words, "--state", str(tmp_path / "kept")]) == 2
    assert "none.csv cannot be read: No such file or directory; name a CSV file\n" in capsys.readouterr().err
