"""What of a table is shown to whom, and in which order."""

import pytest

from referee.hall.ledger import Ledger
from referee.hall.messages import Received
from referee.hall.tables import Tables, receive
from referee.hall.wall_view import Role, natural_key, table_view, wall_view
from tests.hall.payloads import sent


def hall(*messages: Received) -> Tables:
    tables: Tables = {}
    for at, message in enumerate(messages):
        tables, _ = receive(tables, message, 100.0 + at)
    return tables


def state(table: str, at: float = 50.0) -> Received:
    shown = {"phase": "turn", "seat": 0, "players": [{"name": "Ann", "rack": 7, "total": 0}], "halted": []}
    value = {
        "at": at,
        "journal": "m-1",
        "seq": 0,
        "match": shown,
        "table": {"camera": "ok", "sets": [["R1", "R2", "R3"]]},
    }
    return sent(table, "state", value)


def alert(table: str, since: float) -> Received:
    return sent(table, "alert", {"at": since, "alerts": [{"kind": "doubt", "since": since}]})


def test_alerts_come_first_and_who_waits_longest_is_first() -> None:
    tables = hall(state("t10"), state("t2"), state("t1"), alert("t10", 45.0), alert("t1", 30.0))
    assert [shown["name"] for shown in wall_view(tables, Ledger(), Role.ARBITER)] == ["t1", "t10", "t2"]


def test_an_alert_is_told_in_the_hall_s_own_time() -> None:
    (shown,) = wall_view(hall(state("t1", at=50.0), alert("t1", 45.0)), Ledger(), Role.ARBITER)
    assert shown["alerts"] == [{"kind": "doubt", "since": 95.0}]


@pytest.mark.parametrize("role", [Role.GUEST, Role.DISPLAY])
def test_those_who_only_look_see_no_sets_alerts_or_addresses(role: Role) -> None:
    tables = hall(
        sent("t1", "status", {"status": "online", "page": "http://10.0.0.7/"}), state("t1"), alert("t1", 45.0)
    )
    shown = table_view(tables["t1"], Ledger(), role)
    assert not {"sets", "alerts", "page", "device", "penalties"} & shown.keys()
    assert shown["players"][0]["tiles"] == 7


def test_a_rival_of_one_name_is_told_to_the_staff() -> None:
    one, other = ({"status": "online", "device": name} for name in ("d1", "d2"))
    tables = hall(sent("t1", "status", one), state("t1"), sent("t1", "status", other))
    (said,) = table_view(tables["t1"], Ledger(), Role.ARBITER)["trouble"]
    assert said["message"] == "another device used this table's name: d1; give one of them another name"
    assert (said["message_id"], said["values"]) == ("hall.trouble.rival", {"device": "d1"})


def test_names_are_sorted_as_people_do() -> None:
    assert sorted(["t10", "t2", "b"], key=natural_key) == ["b", "t2", "t10"]


def test_the_wall_leads_to_no_address_that_is_none_of_the_web() -> None:
    for told, leads in (("http://10.0.0.7/", True), ("javascript:alert(1)", False), (7, False), (None, False)):
        tables = hall(sent("t1", "status", {"status": "online", "page": told}), state("t1"))
        shown = table_view(tables["t1"], Ledger(), Role.ORGANISER)
        assert shown["page"] == (told if leads else None)


def test_a_clock_that_is_not_set_is_told_to_the_staff() -> None:
    tables = hall(sent("t1", "status", {"status": "online"}), sent("t1", "health", {"clock_synchronised": False}))
    (said,) = table_view(tables["t1"], Ledger(), Role.ARBITER)["trouble"]
    assert said["message"] == "the table's clock is not set: the dates in its journals are wrong, its results are not"
    assert "trouble" not in table_view(tables["t1"], Ledger(), Role.GUEST)
