"""What only the hall knows: entries count once, and what a table said stays."""

from typing import Any

import pytest
from msgspec import convert

from referee.errors import ConfigError
from referee.hall import ledger as entries
from referee.hall.bodies import CorrectionBody, PenaltyBody, WithdrawalBody
from referee.hall.ledger import Ledger, apply_entry
from referee.hall.messages import Result
from referee.hall.wall_view import result_views
from referee.rules.declared_fields import read_fields

RESULT = {
    "device": "d1",
    "journal": "m-1",
    "began_at": 3.5,
    "sha256": "ab",
    "players": [{"name": "Ann", "total": 30}, {"name": "Ben", "total": -30}],
    "ranks": [1, 2],
}
PENALTY = PenaltyBody(key="k1", table="t1", player="Ann", reason="looked at a rack", points=10)
CORRECTION = {"key": "k2", "match": "d1/m-1/3.5", "scores": [40, -40], "reason": "a tile lay on the floor"}


def corrected(**change: Any) -> CorrectionBody:
    return read_fields(CorrectionBody, {**CORRECTION, **change}, "it")


def result_entry(table: str, result: dict[str, Any], wall: str) -> dict[str, Any]:
    return entries.result_entry(table, convert(result, Result), wall)


def with_result() -> Ledger:
    return apply_entry(Ledger(), result_entry("t1", RESULT, "12:00"))


def test_a_penalty_entered_twice_with_one_key_counts_once() -> None:
    entry = entries.penalty_entry(PENALTY, Ledger(), "arbiter", "12:00")
    ledger = apply_entry(apply_entry(Ledger(), entry), entry)
    assert [one["number"] for one in ledger.penalties] == [1]
    assert ledger.penalties_of("t1") == ledger.penalties


def test_a_withdrawn_penalty_stays_in_the_list_and_holds_no_more() -> None:
    ledger = apply_entry(Ledger(), entries.penalty_entry(PENALTY, Ledger(), "arbiter", "12:00"))
    ledger = apply_entry(ledger, entries.withdrawal_entry(WithdrawalBody(number=1), ledger, "organiser", "12:05"))
    assert ledger.penalties[0]["withdrawn"] == "organiser"
    assert ledger.penalties_of("t1") == ()
    with pytest.raises(ConfigError, match="penalty 1 is unknown or withdrawn"):
        entries.withdrawal_entry(WithdrawalBody(number=1), ledger, "organiser", "12:06")


def test_a_corrected_result_keeps_what_the_table_said() -> None:
    ledger = with_result()
    ledger = apply_entry(ledger, entries.correction_entry(corrected(), ledger, "arbiter", "12:10"))
    (shown,) = result_views(ledger)
    assert (shown["told"], shown["scores"]) == ([30, -30], [40, -40])
    assert ledger.results[0].scores == (40, -40)
    assert shown["corrections"][0]["by"] == "arbiter"


def test_a_match_told_anew_keeps_its_correction_and_what_was_said_before() -> None:
    ledger = with_result()
    ledger = apply_entry(ledger, entries.correction_entry(corrected(), ledger, "arbiter", "12:10"))
    again = {**RESULT, "sha256": "cd", "players": [{"name": "Ann", "total": 35}, {"name": "Ben", "total": -35}]}
    ledger = apply_entry(ledger, result_entry("t1", again, "12:20"))
    (shown,) = result_views(ledger)
    assert (shown["told"], shown["scores"]) == ([35, -35], [40, -40])
    assert ledger.results[0].earlier == (convert(RESULT, Result),)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": [40, -30]}, "sum to 10; they must sum to 0"),
        ({"scores": [40]}, "a whole number for each of the 2 players"),
        ({"match": "m-2"}, "reported a result of match m-2"),
        ({"reason": " "}, "'reason' is ' '"),
    ],
)
def test_a_correction_that_cannot_be_is_refused_in_one_line(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        entries.correction_entry(corrected(**change), with_result(), "arbiter", "12:10")


def test_two_matches_in_one_journal_are_two_results_and_a_renamed_table_tells_neither_again() -> None:
    first, second = RESULT, {**RESULT, "sha256": "cd", "began_at": 900.0}
    ledger = apply_entry(with_result(), result_entry("t1", second, "12:30"))
    ledger = apply_entry(ledger, entries.correction_entry(corrected(), ledger, "arbiter", "12:31"))
    for again in (first, second, {**second, "sha256": "ef"}):  # its journal went on, or it was called t9 meanwhile
        ledger = apply_entry(ledger, result_entry("t9", again, "12:40"))
    assert [(shown["table"], shown["told"], shown["scores"]) for shown in result_views(ledger)] == [
        ("t1", [30, -30], [40, -40]),
        ("t1", [30, -30], [30, -30]),
    ]


def test_no_table_replaces_what_another_one_told_of_a_match() -> None:
    forged = {**RESULT, "sha256": "cd", "players": [{"name": "Ann", "total": -99}, {"name": "Ben", "total": 99}]}
    ledger = apply_entry(with_result(), result_entry("t9", forged, "12:30"))
    assert [(one["table"], one["match"], one["scores"]) for one in result_views(ledger)] == [
        ("t1", "d1/m-1/3.5", [30, -30]),
        ("t9", "d1/m-1/3.5/t9", [-99, 99]),
    ]


def test_what_an_older_hall_kept_and_cannot_be_a_result_is_passed_over() -> None:
    entry = {
        "kind": "result",
        "key": "k",
        "table": "t1",
        "wall": "12:00",
        "result": {**RESULT, "began_at": float("nan")},
    }
    assert apply_entry(Ledger(), entry).results == ()


def test_tables_whose_cards_begin_alike_tell_two_results() -> None:
    ledger = apply_entry(with_result(), result_entry("t2", {**RESULT, "device": "d2"}, "12:30"))
    assert [shown["table"] for shown in result_views(ledger)] == ["t1", "t2"]


def test_scores_that_did_not_sum_to_zero_at_the_table_need_not_when_corrected() -> None:
    result = {**RESULT, "players": [{"name": "Ann", "total": 65}, {"name": "Ben", "total": -25}]}  # the league's bonus
    ledger = apply_entry(Ledger(), result_entry("t1", result, "12:00"))
    ledger = apply_entry(ledger, entries.correction_entry(corrected(scores=[70, -25]), ledger, "arbiter", "12:10"))
    assert ledger.results[0].scores == (70, -25)
