"""Which tables are asked again for events that the hall misses, and when."""

from referee.hall.tables import (
    MAX_RESENT_MESSAGES,
    MAX_TABLES,
    RESEND_SECONDS,
    UNREADABLE_RESEND_SECONDS,
    HallTable,
    ResendRequest,
    Tables,
    due_requests,
    receive,
    with_request,
    with_silent_tables,
)
from referee.link.topics import MAX_IN_FLIGHT
from tests.hall.payloads import sent

NOW = 100.0
LATER = NOW + RESEND_SECONDS
MOST = MAX_RESENT_MESSAGES // MAX_IN_FLIGHT


def hall(tables: int, *, in_play: frozenset[int] = frozenset()) -> Tables:
    """Tables of which an earlier match is missing, and of some the one in play too."""
    known: Tables = {}
    for number in range(tables):
        name = f"t{number}"
        told = {"journal": "m-2", "seq": 3 if number in in_play else 0, "at": 1.0, "earlier": ["m-1"]}
        known, _ = receive(known, sent(name, "status", {"status": "online"}), NOW)
        known, _ = receive(known, sent(name, "state", told), NOW)
    return known


def ask(tables: Tables, now: float) -> tuple[Tables, list[ResendRequest]]:
    requests = list(due_requests(tables, now))
    for request in requests:
        tables = with_request(tables, request, now)
    return tables, requests


def test_no_more_tables_send_again_at_once_than_a_broker_keeps_messages_for() -> None:
    tables, requests = ask(hall(MOST + 5), LATER)
    assert len(requests) == MOST
    assert not list(due_requests(tables, LATER + 0.1))
    done = {"match": "m-1", "seq": 0, "digest": 0, "end": True}
    tables, _ = receive(tables, sent(requests[0].table, "event", done), LATER + 0.2)
    _, (another,) = ask(tables, LATER + 0.3)
    assert another.table not in {request.table for request in requests}


def test_a_match_in_play_is_asked_for_before_those_that_are_over() -> None:
    last = MOST + 4
    _, requests = ask(hall(last + 1, in_play=frozenset({last})), LATER)
    assert requests[0] == ResendRequest(f"t{last}", "m-2", 0)


def test_a_table_that_does_not_answer_is_asked_again() -> None:
    tables, _ = ask(hall(1), LATER)
    assert not list(due_requests(tables, LATER + RESEND_SECONDS - 0.1))
    assert [request.table for request in due_requests(tables, LATER + RESEND_SECONDS)] == ["t0"]


def test_a_table_whose_events_cannot_be_read_is_not_asked_for_them_every_two_seconds() -> None:
    tables, _ = ask(hall(1), LATER)
    tables, _ = receive(tables, sent("t0", "event", {"match": "m-1", "seq": 0, "event": 7}), LATER)
    assert not list(due_requests(tables, LATER + RESEND_SECONDS))
    assert list(due_requests(tables, LATER + UNREADABLE_RESEND_SECONDS))


def test_a_table_that_no_health_came_from_for_75_seconds_is_silent_unless_the_hall_itself_heard_nothing() -> None:
    tables = hall(2)
    tables, _ = receive(tables, sent("t1", "health", {}), NOW + 30)
    assert with_silent_tables(tables, NOW + 75, NOW) is tables
    tables = with_silent_tables(tables, NOW + 76, NOW)
    assert [table.online for table in tables.values()] == [False, True]
    assert not list(due_requests({"t0": tables["t0"]}, NOW + 76)), "it would not answer"
    heard, _ = receive(tables, sent("t0", "health", {}), NOW + 80)
    assert heard["t0"].online
    assert with_silent_tables(hall(2), NOW + 200, NOW + 150)["t0"].online


def test_no_more_tables_are_taken_than_a_hall_can_show() -> None:
    tables = {f"t{number}": HallTable(name=f"t{number}") for number in range(MAX_TABLES)}
    assert receive(tables, sent("more", "status", {"status": "online"}), NOW)[0] is tables
    assert receive(tables, sent("t0", "status", {"status": "online"}), NOW)[0]["t0"].online


def test_all_tables_that_miss_little_are_asked_at_once() -> None:
    many = MAX_RESENT_MESSAGES // 4  # three events and a state each
    _, requests = ask(hall(many + 1, in_play=frozenset(range(many + 1))), LATER)
    assert len(requests) == many


def test_what_was_told_before_the_hall_was_linked_is_asked_for_at_once() -> None:
    told = {"journal": "m-2", "seq": 3, "at": 1.0}
    tables, _ = receive({}, sent("t1", "status", {"status": "online"}, retained=True), NOW)
    tables, _ = receive(tables, sent("t1", "state", told, retained=True), NOW)
    assert list(due_requests(tables, NOW)) == [ResendRequest("t1", "m-2", 0)]


def test_a_table_that_linked_anew_is_asked_again_without_waiting() -> None:
    tables, _ = ask(hall(1), LATER)
    tables, _ = receive(tables, sent("t0", "status", {"status": "online"}), LATER + 0.1)
    assert [request.table for request in due_requests(tables, LATER + 0.1)] == ["t0"]
