"""A match for other programs: the record read back says what the journal says, and all of it goes into one file."""

import io
import json
import resource
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.cli.main import main
from referee.errors import StorageError
from referee.game.correction_types import RowParted, SetMissed, TileIs
from referee.game.events import GameStarted, Judged, RackRead
from referee.game.inputs import (
    ClockSet,
    GameEnded,
    LetStand,
    MatchEnded,
    MatchStarted,
    PlayerLeft,
    PlayersRenamed,
    PlayersReseated,
    RacksTold,
    Seat,
    TableCorrected,
)
from referee.game.state import Match
from referee.history.evidence import Evidence
from referee.history.export import export_match, format_scores
from referee.history.record import format_events, format_record
from referee.reading.inputs import Input, Seconds, TableSettled
from referee.reading.observation import Layout, Quad, TableReading, TileReading
from referee.rules.notation import format_table, parse_table, parse_tile, parse_tiles
from referee.storage.journal import FileJournal, history_in, load_journal
from referee.storage.json_codec import event_from_json, event_to_json
from referee.storage.match_step import MatchStep
from referee.storage.recovery import repeat_steps
from tests.support.parsed_record import ParsedRecord, parse_record
from tests.support.record_lines import (
    AddedLine,
    AddedSetLine,
    ClockLine,
    CorrectionLine,
    DrawLine,
    GameLine,
    LeaveLine,
    ProposalLine,
    PutBackLine,
    RackLine,
    RankingLine,
    RanksLine,
    RowsLine,
    ScoresLine,
    SeatsLine,
    StandsLine,
    TurnId,
    TurnLine,
    WonLine,
)

RUNS = parse_tiles("R10 R11 R12 B1 B2 B3")
DEMO = Path(__file__).parent.parent / "matches/demo.jsonl"
CORRECTIONS = DEMO.with_stem("corrections")
PICTURE = np.random.default_rng(1).integers(0, 255, (24, 32, 3), np.uint8)


def write(path: Path, inputs: list[Input]) -> Path:
    match = Match()
    with FileJournal(path, head={"referee": "0.1.0", "begun": 'a "label"'}) as file:
        for entered in inputs:
            taken = MatchStep.of(match, entered)
            match = taken.match
            file.append(taken)
    return path


@pytest.fixture
def evening(tmp_path: Path, inputs: list[Input]) -> Path:
    """A match with everything a record can say."""
    names = ("Ann, the first", "Ben", "Cem")
    rules = (("turn_seconds", 90), ("joker_penalty", 50))
    begun = MatchStarted(at=Seconds(0.0), names=names, edition="original", house_rules=rules)
    more: list[Input] = [
        TableCorrected(Seconds(18.0), TileIs(2, parse_tile("J")), "organiser"),
        TableCorrected(Seconds(18.1), TileIs(2, parse_tile("R12")), "organiser"),
        LetStand(Seconds(18.3), "organiser"),
        ClockSet(Seconds(18.5), 12.5, "players"),
        PlayerLeft(Seconds(19.0), Seat(1)),
        GameEnded(Seconds(20.0)),
        RacksTold(Seconds(21.0), ((Seat(0), parse_tiles("R1 R2")), (Seat(2), 20))),
        MatchEnded(Seconds(22.0)),
    ]
    return write(tmp_path / "match-00007.jsonl", [begun, *inputs[1:], *more])


def place(column: int) -> Quad:
    x = 30.0 * column
    return ((x, 0.0), (x + 27.0, 0.0), (x + 27.0, 38.0), (x, 38.0))


def parsed(path: Path) -> ParsedRecord:
    (record,) = parse_record(format_record(load_journal(path)))
    return record


def test_the_record_says_every_judged_turn(evening: Path) -> None:
    told = [event for entry in load_journal(evening).entries for event in entry.events]
    judged = [event for event in told if event["event"] == "judged"]
    turns = [line for line in parsed(evening).lines if isinstance(line, TurnLine)]
    assert len(turns) == len(judged) == 8
    for line, event in zip(turns, judged, strict=True):
        assert (line.at.game, line.at.turn, line.at.player) == (event["game"], event["turn"], event["seat"] + 1)
        assert (line.verdict, line.stands, line.outcome) == (event["verdict"], event["stands"], event["outcome"])
        assert line.table == parse_table(event["table"])
        assert line.played == parse_tiles(" ".join(event["played"]))
        assert (line.meld, line.faults) == (event["meld"], tuple(fault["fault"] for fault in event["faults"]))


def test_the_record_says_what_else_happened(evening: Path) -> None:
    record = parsed(evening)
    assert record.players == ("Ann, the first", "Ben", "Cem")
    assert dict(record.tags)["House"] == "joker_penalty 50"  # the last of several
    assert ("House", "turn_seconds 90") in record.tags
    kinds = {type(line): line for line in record.lines}
    assert kinds[GameLine] == GameLine(1, 1)
    assert (kinds[DrawLine].tiles, kinds[DrawLine].reason) == (1, "no_play")
    assert (kinds[CorrectionLine].was, kinds[CorrectionLine].by) == (parse_tile("J"), "organiser")
    assert (kinds[ClockLine].seconds_left, kinds[ClockLine].by) == (12.5, "players")
    assert kinds[StandsLine].by == "organiser"
    assert kinds[LeaveLine] == LeaveLine(2)
    assert kinds[WonLine] == WonLine(1, None, "blocked")
    assert kinds[ScoresLine] == ScoresLine(1, ((1, 17), (3, -17)))
    assert kinds[RankingLine] == RankingLine((1, 3, 2))
    assert kinds[RanksLine] == RanksLine(((1, 1), (3, 2), (2, 3)))


def test_the_record_of_a_simulated_match_reads_back() -> None:
    recorded = load_journal(DEMO)
    record = parsed(DEMO)
    lines = [line for line in format_record(recorded).splitlines() if line and not line.startswith("[")]
    assert len(record.lines) == len(lines)  # no line is skipped
    judged = [event for _, told in repeat_steps(recorded.entries) for event in told if isinstance(event, Judged)]
    tables = [format_table(line.table) for line in record.lines if isinstance(line, TurnLine)]
    assert tables == [format_table(event.table) for event in judged]


def test_the_record_says_what_people_said_of_tiles_and_rows() -> None:
    """Added, parted, agreed, refused, put back: every line of the corrected evening reads back."""
    recorded = load_journal(CORRECTIONS)
    record = parsed(CORRECTIONS)
    lines = [line for line in format_record(recorded).splitlines() if line and not line.startswith("[")]
    assert len(record.lines) == len(lines)
    added = [line for line in record.lines if isinstance(line, AddedLine)]
    assert [(line.at.turn, str(line.tile), line.by) for line in added] == [
        (4, "K3", "organiser"),
        (7, "K4", "organiser"),
    ]
    (rows,) = (line for line in record.lines if isinstance(line, RowsLine))
    assert (format_table(rows.was), format_table(rows.rows)) == ("B1 B2 B3 O1 O2 O3", "B1 B2 B3 / O1 O2 O3")
    assert rows.by == "Ben, Cem"
    ended = [(line.proposer, line.reason, line.answerer) for line in record.lines if isinstance(line, ProposalLine)]
    assert ended == [(2, "agreed", 3), (2, "refused", 1), (1, "time_over", None)]
    assert [line for line in record.lines if isinstance(line, PutBackLine)] == [PutBackLine(TurnId(1, 12, 3), 1)]


def test_one_evening_may_hold_several_matches(tmp_path: Path, inputs: list[Input]) -> None:
    again = MatchStarted(at=Seconds(31.0), names=("Dora", "Emil"), edition="twist")
    path = write(tmp_path / "match-00001.jsonl", [*inputs, MatchEnded(Seconds(30.0)), cleared(30.5), again])
    first, second = parse_record(format_record(load_journal(path)))
    assert (first.players, second.players) == (("Ann", "Ben"), ("Dora", "Emil"))
    assert second.lines == (GameLine(1, 1),)


def test_racks_that_were_read_are_in_the_record() -> None:
    at: Any = {"at": Seconds(0.0), "seat": Seat(0), "turn": 1, "game": 1}
    told = [
        GameStarted(edition="original", names=("Ann", "Ben"), **at),
        RackRead(owner=Seat(1), tiles=parse_tiles("R4 J"), value=34, **at),
    ]
    (record,) = parse_record(format_events({}, told))
    assert record.lines[1] == RackLine(1, 2, 34, parse_tiles("R4 J"))


def test_unknown_lines_are_skipped() -> None:
    (record,) = parse_record('[Record "1"]\n[Player1 "Ann"]\n\n1.1 1 sneezed\ngame 1 starts 1\n')
    assert record.lines == (GameLine(1, 1),)


def test_a_renamed_player_has_the_last_name_in_record_and_sheet(inputs: list[Input], tmp_path: Path) -> None:
    at = Seconds(40.0)
    more = [
        GameEnded(at),
        PlayersReseated(at, (Seat(0), Seat(2), Seat(1)), "organiser"),
        RacksTold(at, ((Seat(0), 10), (Seat(1), 20), (Seat(2), 30))),
        PlayersRenamed(at, ("Ben", "Ann", "Cem"), "organiser"),
        MatchEnded(at),
    ]
    begun = MatchStarted(at=Seconds(0.0), names=("Ann", "Ben", "Cem"), edition="original")
    journal = write(tmp_path / "match-00007.jsonl", [begun, *inputs[1:], *more])
    record = parsed(journal)
    assert record.players == ("Ben", "Ann", "Cem")
    assert SeatsLine((1, 3, 2), "organiser") in record.lines
    assert ScoresLine(1, ((1, 30), (2, -10), (3, -20))) in record.lines
    assert RankingLine((1, 2, 3)) in record.lines
    scores = format_scores(tuple(history_in(journal)))
    assert scores.splitlines() == [
        "game,Ben,Ann,Cem,sum",
        "1,30,-10,-20,0",
        "total,30,-10,-20,0",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param('[Record "2"]\n', "line 1: record version 2 is not known", id="a newer version"),
        pytest.param("game 1 starts 1\n", "line 1: a record begins with", id="no head"),
        pytest.param('[Record "1"]\n1.1 1 legal played - - | Q4 | R1\n', "line 2: ", id="a tile that is none"),
    ],
)
def test_what_is_no_record_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(StorageError, match=said):
        parse_record(text)


# Everything in one file -------------------------------------------------------------------------------------------


def cleared(at: float) -> TableSettled:
    """The table without a tile, before the next match."""
    return TableSettled(
        Seconds(at), Seconds(at), TableReading(frame_id="bare", at=at, tiles=(), layouts=(Layout((), (), 1.0),))
    )


def keep_pictures(folder: Path, journal: Path) -> None:
    evidence = Evidence(folder, 10)
    for entry in load_journal(journal).entries:
        for event in entry.events:
            if isinstance(judged := event_from_json(event), Judged):
                evidence.keep(judged, PICTURE, {**event, "reading": None})


def test_a_match_goes_into_one_file(evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_pictures(tmp_path / "evidence", evening)
    assert main(["replay", "--quiet", "--export", str(tmp_path / "match.zip"), str(evening)]) == 0
    assert "the whole match with" in capsys.readouterr().err
    with zipfile.ZipFile(tmp_path / "match.zip") as file:
        assert file.testzip() is None
        recorded = load_journal(evening)
        assert file.read("record.txt").decode() == format_record(recorded)
        assert file.read("journal.jsonl") == evening.read_bytes()
        events = [json.loads(line) for line in io.TextIOWrapper(file.open("events.jsonl"), "utf-8")]
        assert events == [event for entry in recorded.entries for event in entry.events]
        assert file.read("scores.csv").decode().splitlines() == [
            'game,"Ann, the first",Ben,Cem,sum',
            "1,17,,-17,0",
            "total,17,,-17,0",
        ]
        shown = {name for name in file.namelist() if name.startswith("pictures/")}
    assert "pictures/game-1-turn-001-1.jpg" in shown
    assert "pictures/game-1-turn-001-0.jpg" not in shown  # it began with an empty table
    assert {"pictures/game-1-turn-002-0.jpg", "pictures/game-1-turn-002-1.jpg"} <= shown


def test_a_set_that_was_not_seen_is_in_the_record(inputs: list[Input], tmp_path: Path) -> None:
    added = TableCorrected(Seconds(5.5), SetMissed(parse_tiles("J K2 K3")), "Ann, Ben")
    record = parsed(write(tmp_path / "match-00001.jsonl", [*inputs[:7], added]))
    (line,) = [line for line in record.lines if isinstance(line, AddedSetLine)]
    assert (line.tiles, line.by) == (parse_tiles("J K2 K3"), "Ann, Ben")


def test_no_name_breaks_the_record(tmp_path: Path) -> None:
    """Names hold what parts lines in other programs, and what parts a line of the record."""
    begun = MatchStarted(at=Seconds(0.0), names=("A\u2028n\x0bn", "B|n", 'C"\\d'), edition="original")
    row = TableReading(
        frame_id="f",
        at=1.0,
        tiles=tuple(TileReading(quad=place(column), tile=tile, confidence=1.0) for column, tile in enumerate(RUNS)),
        layouts=(Layout((tuple(range(6)),), (), 1.0),),
    )
    seen = TableSettled(Seconds(1.0), Seconds(0.5), row)
    parted = TableCorrected(Seconds(2.0), RowParted(2), "A\u2028n\x0bn, B|n")
    record = parsed(write(tmp_path / "match-00001.jsonl", [begun, seen, parted]))
    assert record.players == ("A\u2028n\x0bn", "B|n", "C'/d")
    (line,) = [line for line in record.lines if isinstance(line, RowsLine)]
    assert (format_table(line.rows), line.by) == ("R10 R11 R12 / B1 B2 B3", "A\u2028n\x0bn, B/n")


def test_two_matches_of_one_evening_keep_their_scores_and_pictures_apart(inputs: list[Input], tmp_path: Path) -> None:
    def match(names: tuple[str, ...], at: float) -> list[Input]:
        begun = MatchStarted(at=Seconds(at), names=names, edition="original")
        turns = [replace(entered, at=Seconds(entered.at + at)) for entered in inputs[1:]]
        racks = RacksTold(Seconds(at + 21.0), tuple((Seat(seat), seat) for seat in range(len(names))))
        return [begun, *turns, GameEnded(Seconds(at + 20.0)), racks, MatchEnded(Seconds(at + 22.0)), cleared(at + 23.0)]

    journal = write(tmp_path / "match-00001.jsonl", [*match(("Ann", "Ben"), 0.0), *match(("=Cem", "Dan", "Eve"), 50.0)])
    keep_pictures(tmp_path / "evidence", journal)
    export_match(journal, tmp_path / "evidence", tmp_path / "match.zip")
    with zipfile.ZipFile(tmp_path / "match.zip") as file:
        assert file.read("scores.csv").decode().splitlines() == [
            "game,Ann,Ben,sum",
            "1,1,-1,0",
            "total,1,-1,0",
            "",
            "game,'=Cem,Dan,Eve,sum",
            "1,3,-1,-2,0",
            "total,3,-1,-2,0",
        ]
        assert {"pictures/game-1-turn-001-1.jpg", "pictures/match-2-game-1-turn-001-1.jpg"} <= set(file.namelist())


def test_pictures_of_another_match_stay_out(evening: Path, tmp_path: Path) -> None:
    keep_pictures(tmp_path / "evidence", DEMO)
    assert export_match(evening, tmp_path / "evidence", tmp_path / "match.zip") == 0


def test_a_full_disk_leaves_no_empty_picture(tmp_path: Path) -> None:
    judged = next(event for event in history_in(DEMO) if isinstance(event, Judged))
    evidence = Evidence(tmp_path / "evidence", 5)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # no file grows beyond 100 bytes
    try:
        with pytest.raises(StorageError, match="is not kept: File too large; check the disk"):
            evidence.keep(judged, PICTURE, event_to_json(judged))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list((tmp_path / "evidence").iterdir()) == []


def test_a_match_without_pictures_is_written_too(evening: Path, tmp_path: Path) -> None:
    assert export_match(evening, None, tmp_path / "match.zip", scores="a,b\r\n") == 0
    with zipfile.ZipFile(tmp_path / "match.zip") as file:
        assert file.namelist() == ["record.txt", "scores.csv", "events.jsonl", "journal.jsonl"]
        assert file.read("scores.csv") == b"a,b\r\n"


def test_only_the_good_part_of_a_journal_is_written(evening: Path, tmp_path: Path) -> None:
    good = evening.read_bytes()
    evening.write_bytes(good + good.splitlines(keepends=True)[-1][:-9])
    export_match(evening, None, tmp_path / "match.zip")
    with zipfile.ZipFile(tmp_path / "match.zip") as file:
        assert file.read("journal.jsonl") == good
    head, *steps = good.splitlines(keepends=True)
    evening.write_bytes(head + b"".join(steps[1:]))
    with pytest.raises(StorageError, match="line 2: this is step 2, so lines were lost"):
        export_match(evening, None, tmp_path / "other.zip")
    assert not list(tmp_path.glob("other.zip*"))


def test_half_written_evidence_is_left_out(evening: Path, tmp_path: Path) -> None:
    keep_pictures(tmp_path / "evidence", evening)
    whole = export_match(evening, tmp_path / "evidence", tmp_path / "match.zip")
    (tmp_path / "evidence/000001.json").write_text('{"pictures"')
    assert export_match(evening, tmp_path / "evidence", tmp_path / "match.zip") == whole - 1


def test_a_file_that_cannot_be_written_is_one_line(evening: Path, capsys: Any) -> None:
    assert main(["replay", "--quiet", "--export", "/nowhere/match.zip", str(evening)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_events_are_written_as_they_were_told(evening: Path) -> None:
    entries = load_journal(evening).entries
    for entry, (_, told) in zip(entries, repeat_steps(entries), strict=True):
        assert tuple(map(event_to_json, told)) == entry.events


def test_the_record_in_the_documents_is_one() -> None:
    page = (Path(__file__).parent.parent.parent / "docs/game-record.md").read_text(encoding="utf-8")
    example = page.split("```")[1].lstrip("\n")
    (record,) = parse_record(example)
    said = [line for line in example.splitlines() if line and not line.startswith("[")]
    assert len(record.lines) == len(said)
