"""The hall's picture of a table is the same whatever becomes of the order, the number and the gaps of messages."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from referee.hall.ledger import Ledger
from referee.hall.messages import Received
from referee.hall.tables import EventsReset, NewEvent, Tables, due_requests, receive, with_request
from referee.hall.wall_view import Role, table_view
from referee.link.topics import digest_of
from tests.hall.payloads import sent

EVENTS = 8


def state(number: int, *, match: str = "m-1", run: str = "r1", log: str = "legal") -> Received:
    shown = {"phase": "turn", "turn": number, "players": [{"name": "Ann", "total": number}]}
    digest = 0
    for told in range(number):
        digest = digest_of(judged(told, log), digest)
    value = {"at": float(number), "journal": match, "seq": number, "run": run, "digest": digest, "match": shown}
    return sent("t1", "state", value)


def judged(number: int, verdict: str = "legal") -> dict[str, Any]:
    return {"event": "judged", "verdict": verdict, "turn": number}


def event(number: int, *, match: str = "m-1", log: str = "legal") -> Received:
    return sent("t1", "event", {"match": match, "seq": number, "event": judged(number, log)})


ONLINE = sent("t1", "status", {"status": "online", "device": "d1"})


def told(tables: Tables, messages: list[Received], kept: list[Any], now: float = 0.0) -> Tables:
    for message in messages:
        tables, news = receive(tables, message, now)
        for one in news:
            if isinstance(one, NewEvent):
                kept.append((one.number, one.sent["verdict"]))
            elif isinstance(one, EventsReset):
                kept.clear()
    return tables


def fill(tables: Tables, kept: list[Any], events: int, log: str = "legal") -> Tables:
    """Answer what is asked for, as a table does, until nothing is missing."""
    now = 10.0
    while requests := list(due_requests(tables, now)):
        for request in requests:
            tables = with_request(tables, request, now)
            answer = [event(number, log=log) for number in range(request.number, events)]
            tables = told(tables, answer, kept, now)
        now += 10.0
    return tables


MESSAGES = [ONLINE, *(event(number) for number in range(EVENTS)), *(state(number) for number in range(EVENTS + 1))]


@given(st.lists(st.sampled_from(MESSAGES), max_size=60))
def test_any_order_repeats_and_gaps_give_the_same_picture(heard: list[Received]) -> None:
    kept: list[Any] = []
    tables = told({}, heard, kept)
    tables = told(tables, [ONLINE, state(EVENTS)], kept)
    tables = fill(tables, kept, EVENTS)
    straight: list[Any] = []
    expected = told({}, MESSAGES, straight)
    for role in Role:
        assert table_view(tables["t1"], Ledger(), role) == table_view(expected["t1"], Ledger(), role)
    assert kept == straight == [(number, "legal") for number in range(EVENTS)]
    assert not list(due_requests(tables, 1000.0))


def later(*earlier: str) -> Received:
    return sent("t1", "state", {"at": 1.0, "journal": "m-2", "seq": 0, "run": "r2", "earlier": list(earlier)})


def end(number: int, log: str = "legal") -> Received:
    said = {"match": "m-1", "seq": number, "digest": state(number, log=log).record.digest, "end": True}
    return sent("t1", "event", said)


@given(st.lists(st.sampled_from([*MESSAGES, end(EVENTS), event(0, log="illegal")]), max_size=40))
def test_of_an_earlier_match_all_is_asked_for_until_its_end_is_known(heard: list[Received]) -> None:
    kept: list[Any] = []
    tables = told({}, [ONLINE, *heard, later("m-0", "m-1")], kept)
    tables, _ = receive(tables, sent("t1", "event", {"match": "m-0", "seq": 0, "digest": 0, "end": True}), 1.0)
    now = 10.0
    while requests := list(due_requests(tables, now)):
        (request,) = requests
        assert request.match == "m-1"
        tables = with_request(tables, request, now)
        answer = [*(event(number) for number in range(request.number, EVENTS)), end(EVENTS)]
        tables, now = told(tables, answer, kept, now), now + 10.0
    assert kept == [(number, "legal") for number in range(EVENTS)]
    assert now <= 30.0  # asked twice at the most, where what was kept was another one's


@given(st.lists(st.sampled_from([*MESSAGES, state(3, match="m-2", run="r2"), event(0, match="m-2")]), max_size=40))
def test_a_match_that_is_over_never_comes_back(heard: list[Received]) -> None:
    tables = told({}, [ONLINE, state(EVENTS), state(4, match="m-2", run="r2")], [])
    tables = told(tables, heard, [])
    assert tables["t1"].match == "m-2"


@given(st.integers(0, EVENTS), st.lists(st.sampled_from(MESSAGES), max_size=30))
def test_events_that_a_pulled_plug_took_from_the_journal_are_taken_back(had: int, late: list[Received]) -> None:
    kept: list[Any] = []
    tables = told({}, [ONLINE, *(event(number) for number in range(had)), state(had)], kept)
    tables = told(tables, [state(1, run="r2", log="illegal"), *late], kept)  # other events now stand in the journal
    tables = told(tables, [event(number, log="illegal") for number in range(1, EVENTS)], kept)
    for _ in range(2):
        tables = told(tables, [state(EVENTS, run="r2", log="illegal")], kept)
        tables = fill(tables, kept, EVENTS, "illegal")
    assert tables["t1"].state.run == "r2"
    assert kept == [(number, "illegal") for number in range(EVENTS)]
