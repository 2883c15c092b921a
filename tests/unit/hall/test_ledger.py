"""What only the hall knows: entries count once, and what a table said stays."""

from typing import Any

import pytest

from referee.errors import ConfigError
from referee.hall import ledger as entries
from referee.hall.ledger import Ledger, enter, scores_of
from referee.hall.picture import results

RESULT = {
    "journal": "m-1",
    "sha256": "ab",
    "players": [{"name": "Ann", "total": 30}, {"name": "Ben", "total": -30}],
    "ranks": [1, 2],
}
PENALTY = {"key": "k1", "table": "t1", "player": "Ann", "reason": "looked at a rack", "points": 10}
CORRECTION = {"key": "k2", "table": "t1", "journal": "m-1", "scores": [40, -40], "reason": "a tile lay on the floor"}


def with_result() -> Ledger:
    return enter(Ledger(), entries.told_result("t1", RESULT, "12:00"))


def test_a_penalty_entered_twice_with_one_key_counts_once() -> None:
    entry = entries.penalty(PENALTY, "arbiter", "12:00")
    ledger = enter(enter(Ledger(), entry), entry)
    assert [one["number"] for one in ledger.penalties] == [1]
    assert ledger.penalties_of("t1") == ledger.penalties


def test_a_withdrawn_penalty_stays_in_the_list_and_holds_no_more() -> None:
    ledger = enter(Ledger(), entries.penalty(PENALTY, "arbiter", "12:00"))
    ledger = enter(ledger, entries.withdrawal({"number": 1}, ledger, "organiser", "12:05"))
    assert ledger.penalties[0]["withdrawn"] == "organiser"
    assert ledger.penalties_of("t1") == ()
    with pytest.raises(ConfigError, match="no penalty 1 holds"):
        entries.withdrawal({"number": 1}, ledger, "organiser", "12:06")


def test_a_corrected_result_keeps_what_the_table_said() -> None:
    ledger = with_result()
    ledger = enter(ledger, entries.correction(CORRECTION, ledger, "arbiter", "12:10"))
    (shown,) = results(ledger)
    assert (shown["told"], shown["scores"]) == ([30, -30], [40, -40])
    assert scores_of(ledger.results[0]) == (40, -40)
    assert shown["corrections"][0]["by"] == "arbiter"


def test_a_match_told_anew_keeps_its_correction_and_what_was_said_before() -> None:
    ledger = with_result()
    ledger = enter(ledger, entries.correction(CORRECTION, ledger, "arbiter", "12:10"))
    again = {**RESULT, "sha256": "cd", "players": [{"name": "Ann", "total": 35}, {"name": "Ben", "total": -35}]}
    ledger = enter(ledger, entries.told_result("t1", again, "12:20"))
    (shown,) = results(ledger)
    assert (shown["told"], shown["scores"]) == ([35, -35], [40, -40])
    assert ledger.results[0]["earlier"] == (RESULT,)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": [40, -30]}, "sum to 10"),
        ({"scores": [40]}, "a whole number for each of the 2 players"),
        ({"journal": "m-2"}, "told no result of match m-2"),
        ({"reason": " "}, "'reason' is ' '"),
    ],
)
def test_a_correction_that_cannot_be_is_refused_in_one_line(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        entries.correction({**CORRECTION, **change}, with_result(), "arbiter", "12:10")
