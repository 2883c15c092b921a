"""Which tables are asked again for events that the hall misses, and when."""

from referee.hall.tables import MAX_ANSWERING, RESEND_SECONDS, Resend, Tables, asked, due, hear
from referee.link.topics import Received

NOW = 100.0
LATER = NOW + RESEND_SECONDS


def hall(tables: int, *, in_play: frozenset[int] = frozenset()) -> Tables:
    """Tables of which an earlier match is missing, and of some the one in play too."""
    known: Tables = {}
    for number in range(tables):
        name = f"t{number}"
        told = {"journal": "m-2", "seq": 3 if number in in_play else 0, "at": 1.0, "earlier": ["m-1"]}
        known, _ = hear(known, Received(name, "status", {"status": "online"}), NOW)
        known, _ = hear(known, Received(name, "state", told), NOW)
    return known


def ask(tables: Tables, now: float) -> tuple[Tables, list[Resend]]:
    requests = list(due(tables, now))
    for request in requests:
        tables = asked(tables, request, now)
    return tables, requests


def test_no_more_tables_send_again_at_once_than_a_broker_keeps_messages_for() -> None:
    tables, requests = ask(hall(MAX_ANSWERING + 5), LATER)
    assert len(requests) == MAX_ANSWERING
    assert not list(due(tables, LATER + 0.1))
    done = {"match": "m-1", "seq": 0, "digest": 0, "end": True}
    tables, _ = hear(tables, Received(requests[0].table, "event", done), LATER + 0.2)
    _, (another,) = ask(tables, LATER + 0.3)
    assert another.table not in {request.table for request in requests}


def test_a_match_in_play_is_asked_for_before_those_that_are_over() -> None:
    last = MAX_ANSWERING + 4
    _, requests = ask(hall(last + 1, in_play=frozenset({last})), LATER)
    assert requests[0] == Resend(f"t{last}", "m-2", 0)


def test_a_table_that_does_not_answer_is_asked_again() -> None:
    tables, _ = ask(hall(1), LATER)
    assert not list(due(tables, LATER + RESEND_SECONDS - 0.1))
    assert [request.table for request in due(tables, LATER + RESEND_SECONDS)] == ["t0"]
