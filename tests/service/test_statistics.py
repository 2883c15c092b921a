"""Statistics over evenings: written once a match, made again from the journals, and a player's name taken out."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.errors import StorageError
from referee.game.state import Match
from referee.history.archive import ServiceArchive
from referee.history.history import History
from referee.history.statistics import STATISTICS_FILE, Statistics, format_csv
from referee.service.publishers import StatisticsPublisher
from referee.storage.journal import FileJournal, history_in, load_journal
from referee.storage.journal_bytes import format_line
from referee.storage.match_step import MatchStep

DEMO = Path(__file__).parents[1] / "matches" / "demo.jsonl"


def play(folder: Path, *, cut_at: int | None = None) -> tuple[Path, list[int]]:
    """Play the demo match into a folder; give its journal and the steps after which the statistics were written."""
    path, statistics, match = folder / "match-00001.jsonl", Statistics(folder), Match()
    entries = load_journal(DEMO).entries
    written: list[int] = []
    with FileJournal(path, head={"begun": "2026-11-21T20:00:00+01:00"}) as journal:
        history = History()
        publisher = StatisticsPublisher(statistics, path, history, pytest.fail)
        for number, entry in enumerate(entries):
            taken = MatchStep.of(match, entry.entered)
            match = taken.match
            journal.append(taken)
            if number == cut_at:  # the referee is started again
                history = History(history_in(path))
                publisher = StatisticsPublisher(statistics, path, history, pytest.fail)
            else:
                before = _stamp(folder)
                history.publish(taken)
                publisher.publish(taken)
                written += [number] if _stamp(folder) != before else []
    return path, written


def _stamp(folder: Path) -> int:
    path = folder / STATISTICS_FILE
    return path.stat().st_mtime_ns if path.exists() else 0


def test_a_match_is_written_once_when_it_is_over(tmp_path: Path) -> None:
    _, written = play(tmp_path)
    assert len(written) == 1
    ann, ben, cem = Statistics(tmp_path).players()
    assert (ann["player"], ann["matches_won"], ann["games_won"], ann["score"]) == ("Ann", 1, 1, 120)
    assert (ann["turns"], ann["tiles"], ann["longest_run"], ann["mean_opening"]) == (4, 14, 4, 39.0)
    assert (ben["score"], ben["penalties"], cem["score"]) == (-45, 1, -75)
    assert ann["last_played"] == "2026-11-21T20:00:00+01:00"


def test_a_restart_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "cut").mkdir()
    play(tmp_path / "whole")
    play(tmp_path / "cut", cut_at=60)
    assert Statistics(tmp_path / "cut").players() == Statistics(tmp_path / "whole").players()


def test_they_are_made_again_from_the_journals(tmp_path: Path) -> None:
    play(tmp_path)
    shutil.copy(DEMO, tmp_path / "match-00002.jsonl")
    (tmp_path / "match-00003.jsonl").write_text("damaged\n")
    statistics = Statistics(tmp_path)
    known = statistics.players()
    (tmp_path / STATISTICS_FILE).unlink()
    assert statistics.rebuild() == 2
    again = statistics.players()
    assert [row["matches"] for row in again] == [2, 2, 2]
    assert [row["tiles"] for row in again] == [2 * row["tiles"] for row in known]
    assert statistics.rebuild() == 2
    assert statistics.players() == again


def test_a_deleted_player_stays_deleted(tmp_path: Path) -> None:
    play(tmp_path)
    statistics = Statistics(tmp_path)
    assert statistics.delete(" ann ") == 1
    assert statistics.delete("Ann") == 0
    statistics.rebuild()
    assert [row["player"] for row in statistics.players()] == ["Ben", "Cem"]
    assert b"Ann" not in _texts(tmp_path / STATISTICS_FILE)
    (evening,) = statistics.evenings()
    assert (evening.players, evening.winners) == ((None, "Ben", "Cem"), ())


def _texts(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database, database:
        return "\n".join(database.iterdump()).encode()


def test_names_written_otherwise_are_one_player(tmp_path: Path) -> None:
    for number, name in enumerate(("Ann", "ANN"), start=1):
        text = (DEMO.read_text("utf-8")).replace('"Ann"', f'"{name}"')
        _with_checksums(tmp_path / f"match-0000{number}.jsonl", text)
    statistics = Statistics(tmp_path)
    assert statistics.rebuild() == 2
    best = statistics.players()[0]
    assert (best["player"].casefold(), best["matches"], best["score"]) == ("ann", 2, 240)


def _with_checksums(path: Path, text: str) -> None:
    path.write_bytes(b"".join(format_line(json.loads(line)["step"]) for line in text.splitlines()))


def test_an_evening_is_listed_as_long_as_its_journal_is_kept(tmp_path: Path) -> None:
    journal, _ = play(tmp_path)
    statistics = Statistics(tmp_path)
    (evening,) = statistics.evenings()
    assert (evening.journal, evening.number, evening.winners) == (journal.name, 1, ("Ann",))
    journal.unlink()
    assert statistics.evenings() == []
    assert statistics.players()


def test_a_damaged_file_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / STATISTICS_FILE).write_bytes(b"no database" * 200)
    with pytest.raises(StorageError, match=r"move the file away, then: referee stats --rebuild"):
        Statistics(tmp_path).players()


def test_switched_off_they_are_neither_shown_nor_exported(tmp_path: Path) -> None:
    play(tmp_path)
    off = ServiceArchive(tmp_path, kept=False)
    assert off.evenings() == {"kept": False, "evenings": [], "players": []}
    assert off.csv() == format_csv(())
    assert ServiceArchive(tmp_path, kept=True).csv() != off.csv()


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    row = {"player": "=1+1"} | dict.fromkeys(
        [column for column in format_csv([]).strip().split(",") if column != "player"], 0
    )
    assert "\r\n'=1+1,0" in format_csv([row])


def test_the_command_lists_writes_and_deletes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play(tmp_path)
    call = ["stats", "--state", str(tmp_path)]
    assert main(call) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:5] == ["Ann", "1", "1", "1", "120"]
    assert main([*call, "--csv", str(tmp_path / "all.csv")]) == 0
    assert (tmp_path / "all.csv").read_text().count("\n") == 4
    assert main([*call, "--delete", "Ben"]) == 0
    assert "Ben is removed from 1 match;" in capsys.readouterr().out
    assert main([*call, "--delete", "Ben"]) == 2
    assert "`referee stats` lists the players" in capsys.readouterr().err
