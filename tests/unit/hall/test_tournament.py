"""What may be entered of a tournament, and which result is whose."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from referee.errors import ConfigError
from referee.hall import tournament_entries
from referee.hall.bodies import NewTournament, RoundBody
from referee.hall.entrants import parse_entrants
from referee.hall.ledger import Ledger, apply_entry
from referee.hall.records import HallJournal, read_ledger
from referee.hall.standings import outcome_of
from referee.hall.tournament_files import results_csv, standings_csv, tournament_to_json
from referee.language.catalogue import languages
from referee.rules.declared_fields import read_fields

NEW = {"name": "Open", "entrants": "name\nAnn\nBen\nCem", "rounds": 2, "seats": 2, "edition": "original"}


def new(**change: Any) -> NewTournament:
    return read_fields(NewTournament, {**NEW, "format": "booklet", **change}, "it")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1 has no column 'name'"),
        ("player\nAnn", "line 1 has a column 'player'; use one of name, rating, club"),
        ("name\nAnn", "the list names 1 players"),
        ("name\nAnn\n\nann ", "line 4 repeats the name 'ann'"),
        ("name,rating\nAnn,12a\nBen,", "line 2: the rating of Ann is '12a'"),
        ("name,rating\nAnn,1\n,3", "line 3: the name '' is missing"),
        ("name\nAnn\n" + 41 * "x", "is too long; 40 characters are the most"),
    ],
)
def test_a_list_that_is_wrong_is_told_by_its_line(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_entrants(text)
    assert told in str(refused.value)


def test_a_list_of_any_spreadsheet_is_read() -> None:
    for text in (
        "\ufeffName;Rating\r\nÅsa;1500\r\nBo;\r\n",
        'name,rating,club\n"Åsa",1500,\nBo,,',
        "name\trating\nÅsa\t1500\nBo",
    ):
        assert [(one.name, one.rating) for one in parse_entrants(text)] == [("Åsa", 1500), ("Bo", 0)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rounds": 4}, "'rounds' is 4; after round 3 of 3 players everybody has met everybody; give fewer"),
        ({"seats": 5}, "'seats' is 5; give a whole number from 2 to 4"),
        ({"seats": 2, "format": "open-table"}, "'seats' is 2; format open-table is for 3 and more"),
        ({"seats": 4, "format": "two-player"}, "'seats' is 4; give a whole number from 2 to 2"),
        ({"format": "legue"}, "format 'legue' is not known; did you mean 'league'?"),
        ({"name": " open", "rounds": 1}, "tournament 'Open' exists already; choose another name"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_in_one_line(change: dict[str, Any], told: str) -> None:
    ledger = Ledger()
    if "name" in change:
        ledger = apply_entry(ledger, tournament_entries.tournament_entry(new(), ledger, "o", "12:00"))
    with pytest.raises(ConfigError) as refused:
        tournament_entries.tournament_entry(new(**change), ledger, "o", "12:00")
    assert told in str(refused.value)


def test_a_result_counts_for_a_board_only_from_the_table_at_which_the_board_sits(play: Any) -> None:
    one = play("Ann Ben Cem Dora")
    one.seat("Ann Ben", "Cem Dora")
    forged = one.tell("Dora Cem", [-999, 999], table="t9")
    match = one.tell("dora CEM", [-10, 10], table="t2")
    assert [board.match for board in one.tournament.rounds[0].boards] == ["", match]
    assert [(stray["table"], stray["match"]) for stray in one.tournament.strays] == [("t9", forged)]


def test_another_table_that_tells_first_does_not_take_the_place_of_the_board_s_own(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    forged = one.tell("Ann Ben", [-999, 999], table="t9", began_at=7.0)
    match = one.tell("Ann Ben", [10, -10], began_at=7.0)  # of one match, they say
    assert match == forged
    outcome = outcome_of(one.tournament, 0, 0, one.ledger)
    assert outcome is not None
    assert outcome.scores == (10, -10)


def test_players_without_a_table_of_their_own_play_where_they_like(play: Any) -> None:
    one = play("Ann Ben")
    one.ledger = apply_entry(
        one.ledger,
        {"kind": "round", "key": "r", "tournament": "Open", "boards": [{"table": "", "seats": [0, 1]}], "byes": []},
    )
    match = one.tell("Ann Ben", [10, -10], table="t9")
    assert [board.match for board in one.tournament.rounds[0].boards] == [match]


def test_a_second_result_and_one_of_players_who_were_not_seated_so_are_shown_and_count_nothing(play: Any) -> None:
    one = play("Ann Ben Cem Dora")
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [10, -10])
    one.tell("Ann Ben", [-90, 90])
    one.tell("Ann Cem", [70, -70])
    one.tell("Xaver Yves", [70, -70])  # of another evening
    assert [stray["players"] for stray in one.tournament.strays] == [["Ann", "Ben"], ["Ann", "Cem"]]
    outcome = outcome_of(one.tournament, 0, 0, one.ledger)
    assert outcome is not None
    assert outcome.scores == (10, -10)
    assert outcome_of(one.tournament, 0, 1, one.ledger) is None


def test_a_match_told_anew_with_other_names_or_players_can_still_be_corrected_by_hand(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    one.tell("Ben Ann", [-10, 10], began_at=7.0)
    one.tell("Xaver Yves", [-20, 20], table="t1", began_at=7.0)
    one.tell("Ann", [30], table="t1", began_at=7.0)
    one.tell("Ann Ben Cem", [5, 5, -10], table="t1", began_at=7.0)
    outcome = outcome_of(one.tournament, 0, 0, one.ledger)
    assert outcome is not None
    assert outcome.scores == (20, -20)  # Ann has Yves's seat
    one.say("result", round=1, board=1, scores=[40, -40])
    outcome = outcome_of(one.tournament, 0, 0, one.ledger)
    assert outcome is not None
    assert outcome.scores == (40, -40)
    assert one.ledger.results[0].scores == (-40, 40)


def test_who_is_told_twice_is_no_board_s_result(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    one.tell("Ann Ben Ann", [10, -20, 10], table="t1")
    assert [board.match for board in one.tournament.rounds[0].boards] == [""]
    assert [stray["players"] for stray in one.tournament.strays] == [["Ann", "Ben", "Ann"]]


def test_a_match_that_ended_before_a_game_was_won_is_no_result(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    one.tell("Ann Ben", [0, 0], [0, 0], ranks=None)
    match = one.tell("Ann Ben", [10, -10])
    assert one.tournament.rounds[0].boards[0].match == match


def test_a_signature_falls_away_when_the_result_changes_and_only_then(play: Any) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    with pytest.raises(ConfigError, match="board 1 of round 1 has no result yet"):
        one.say("signature", round=1, board=1)
    one.tell("Ann Ben", [10, -10])
    one.say("signature", round=1, board=1)
    assert one.tournament.rounds[0].boards[0].signed == "arbiter"
    again = replace(one.ledger.results[0].told, sha256="grown")  # the journal went on, the scores did not change
    from referee.hall.ledger import result_entry  # noqa: PLC0415 - beside its one use

    one.ledger = apply_entry(one.ledger, result_entry("t1", again, "14:00"))
    assert one.tournament.rounds[0].boards[0].signed == "arbiter"
    one.say("result", round=1, board=1, scores=[12, -12])
    assert one.tournament.rounds[0].boards[0].signed == ""


def test_the_next_round_waits_for_every_result_and_said_twice_is_seated_once(play: Any) -> None:
    one = play("Ann Ben Cem Dora", seats=4, rounds=2)
    first = tournament_entries.round_entry(RoundBody(round=1), one.ledger, ("t3",), "o", "12:00")
    one.ledger = apply_entry(apply_entry(one.ledger, first), first)
    assert [(board.table, len(board.seats)) for board in one.tournament.rounds[0].boards] == [("t3", 4)]
    assert one.ledger.holds(tournament_entries.round_entry(RoundBody(round=1), one.ledger, (), "o", "12:01")["key"])
    with pytest.raises(ConfigError, match="round 1 waits for the result of board 1; enter what is missing by hand"):
        tournament_entries.round_entry(RoundBody(round=2), one.ledger, (), "o", "12:02")
    with pytest.raises(ConfigError, match="round 3 is not the next round of Open: 1 of 2 rounds are there"):
        tournament_entries.round_entry(RoundBody(round=3), one.ledger, (), "o", "12:02")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"scores": [1, 2, 3]}, "'scores' is [1, 2, 3]; give a whole number for each of Ann, Ben"),
        ({"scores": [1, -1], "won": [1, -1]}, "'won' is [1, -1]; give a list of whole numbers from 0 on, one for each"),
        ({"scores": [1, -1], "round": 2}, "'round' is 2; give a whole number from 1 to 1"),
        ({"scores": [1, -1], "board": 0}, "'board' is 0; give a whole number from 1 to 1000"),
        ({"scores": [1, -1], "tournament": "Opne"}, "tournament 'Opne' does not exist; did you mean 'Open'?"),
    ],
)
def test_a_result_by_hand_that_cannot_be_is_refused_in_one_line(play: Any, said: dict[str, Any], told: str) -> None:
    one = play("Ann Ben")
    one.seat("Ann Ben")
    with pytest.raises(ConfigError) as refused:
        one.say("result", **{"round": 1, "board": 1, **said})
    assert told in str(refused.value)


def test_the_export_says_told_and_held_and_no_cell_is_a_formula(play: Any) -> None:
    one = play("=Ann Ben")
    one.seat("=Ann Ben")
    one.tell("=Ann Ben", [10, -10])
    one.say("result", round=1, board=1, scores=[12, -12])
    one.penalise("Ben", 3)
    plain = json.loads(json.dumps(tournament_to_json(one.tournament, one.ledger)))
    assert results_csv(plain).splitlines()[1:] == ["1,1,t1,'=Ann,10,0,12,1,arbiter,", "1,1,t1,Ben,-10,3,-15,2,arbiter,"]
    assert standings_csv(plain).splitlines()[1] == "1,'=Ann,1.0,0.0,1,12,1"
    assert plain["rounds"][0]["boards"][0]["result"]["told"] == [10, -10]


def test_a_torn_journal_is_read_up_to_the_tear_while_the_hall_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "hall.jsonl"
    one = tournament_entries.tournament_entry(new(), Ledger(), "o", "12:00")
    with HallJournal(path) as journal:
        journal.append(one)
        journal.append(tournament_entries.round_entry(RoundBody(round=1), journal.ledger, (), "o", "12:01"))
    whole = path.read_bytes()
    for end in range(len(whole.splitlines()[0]) + 1, len(whole)):
        path.write_bytes(whole[:end])
        assert len(read_ledger(path).tournaments) == 1
    path.write_bytes(whole)
    assert len(read_ledger(path).tournaments[0].rounds) == 1


@pytest.fixture
def sheets() -> Any:
    pytest.importorskip("fpdf", reason="needs fpdf2: pip install fpdf2")
    return importlib.import_module("referee.hall.sheets")


@pytest.fixture
def half_played(play: Any) -> Any:
    one = play("Ann Ben Cem Dora")
    one.seat("Ann Ben", "Cem Dora")
    one.tell("Ann Ben", [10, -10])
    return tournament_to_json(one.tournament, one.ledger)


def made(sheets: Any, tournament: Any, language: str) -> str:
    """Make both sheets; what they hold, or why they cannot be made."""
    try:
        pages = [
            sheet.count(b"/Type /Page\n")
            for sheet in (sheets.round_sheets(tournament, 1, language), sheets.standings_sheet(tournament, language))
            if sheet.startswith(b"%PDF-") and len(sheet) > 1000
        ]
    except ConfigError as error:
        return str(error)
    return " and ".join(map(str, pages))


def test_sheets_are_pages_of_a_pdf_in_every_language(sheets: Any, half_played: Any) -> None:
    if not (sheets.FONTS / "DejaVuSans-Bold.ttf").exists():
        pytest.skip("Polish needs a font: apt install fonts-dejavu-core")
    assert {code: made(sheets, half_played, code) for code in languages()} == dict.fromkeys(languages(), "2 and 1")
    with pytest.raises(ConfigError, match="round 2 of Open is not seated yet"):
        sheets.round_sheets(half_played, 2)


def test_without_fonts_what_a_pdf_always_has_is_printed_and_the_rest_is_refused(
    sheets: Any, half_played: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sheets, "FONTS", tmp_path)
    needs_font = "the sheet needs a font for its letters: sudo apt install fonts-dejavu-core"
    expected = {code: needs_font if code in {"pl", "tr"} else "2 and 1" for code in languages()}
    assert {code: made(sheets, half_played, code) for code in languages()} == expected
    half_played["rounds"][0]["boards"][0]["players"][0] = "Zoë"
    assert made(sheets, half_played, "en") == "2 and 1"
    half_played["rounds"][0]["boards"][0]["players"][0] = "Łucja"
    assert made(sheets, half_played, "en") == needs_font
