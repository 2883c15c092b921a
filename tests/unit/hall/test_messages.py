"""What the hall reads of tables: all that real tables send, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from referee.game.events import MatchOver
from referee.game.limits import Limits
from referee.game.state import Match
from referee.hall.messages import Alerts, Health, Result, State, Unreadable
from referee.link.table_report import TableFacts
from referee.protocol.state import CameraStatus
from referee.protocol.subject import Moment
from referee.protocol.view_state import ViewState, next_view_state
from referee.storage.journal import events_in, load_journal
from referee.storage.match_step import MatchStep
from tests.hall.payloads import sent

DEEP: Any = [[[[[[[[[[[[[]]]]]]]]]]]]]
MATCHES = sorted((Path(__file__).parents[2] / "matches").glob("*.jsonl"))


@pytest.mark.parametrize("journal", MATCHES, ids=lambda path: path.stem)
def test_every_event_of_a_recorded_match_is_read_and_kept_as_it_was_sent(journal: Path) -> None:
    for number, event in enumerate(events_in(journal)):
        record: Any = sent("t1", "event", {"match": "m", "seq": number, "event": event}).record
        assert (record.sent, record.event.event) == (event, event["event"])


@pytest.mark.parametrize("journal", MATCHES, ids=lambda path: path.stem)
def test_every_state_and_result_of_a_recorded_match_is_read(journal: Path) -> None:
    match, view, results = Match(), ViewState(), 0
    facts = TableFacts(
        device="d1",
        version="test",
        journal=journal,
        journal_id="m-1",
        event_count=0,
        digest=0,
        limits=Limits(),
        now=lambda: match.now,
        camera_status=CameraStatus,
        health=dict,
    )
    assert isinstance(sent("t1", "state", facts.state(Moment(match, "m"), view, 0, 0)).record, State)
    for number, entry in enumerate(load_journal(journal).entries):
        taken = MatchStep.of(match, entry.entered)
        match, view = taken.match, next_view_state(view, taken)
        is_over = any(isinstance(event, MatchOver) for event in taken.events)
        if number % 20 and not is_over:
            continue
        record: Any = sent("t1", "state", facts.state(Moment(match, "m"), view, number, 7)).record
        assert [player.name for player in record.match.players] == list(match.setup.names)
        if is_over:
            results += 1
            assert isinstance(sent("t1", "result", facts.result(Moment(match, "m"), view)).record, Result)
    assert results or "over" not in journal.read_text()


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        ("state", {"journal": "m", "seq": -1, "at": 0}, ">= 0"),
        ("state", {"journal": "m", "seq": 2**53, "at": 0}, "a number above"),
        ("state", {"journal": "a/b", "seq": 0, "at": 0}, "regex"),
        ("state", {"journal": "m", "seq": True, "at": 0}, "got `bool`"),
        ("state", {"journal": "m", "seq": 0, "at": float("nan")}, "malformed"),
        ("alert", {"alerts": [{"kind": "x" * 201}]}, "length <= 200"),
        ("event", {"match": "m", "seq": 0}, "missing required field `event`"),
        (
            "event",
            {"match": "m", "seq": 0, "event": {"event": "drew", "more": [[[[[[[[[[[[[]]]]]]]]]]]]]}},
            "within more",
        ),
        ("result", {"journal": "m", "players": [{"name": "Ann"}]}, "missing required field `total`"),
        ("health", {"more": "x" * 70_000}, "more than 65536"),
        ("status", ["online"], "Expected `object`"),
    ],
)
def test_what_does_not_fit_is_refused_whole(kind: str, value: Any, why: str) -> None:
    record = sent("t1", kind, value).record
    assert isinstance(record, Unreadable)
    assert why in record.why


def test_what_a_newer_table_adds_is_passed_over() -> None:
    record = sent("t1", "alert", {"alerts": [{"kind": "flood", "since": 3, "room": {"a": [1]}}], "more": None}).record
    assert isinstance(record, Alerts)
    assert (record.alerts[0].kind, record.alerts[0].since) == ("flood", 3.0)


def test_of_a_camera_in_a_table_s_health_no_password_is_kept() -> None:
    record = sent("t1", "health", {"camera": "http://a:secret@cam/v?pwd=secret", "celsius": 50}).record
    assert isinstance(record, Health)
    assert record.report == {"camera": "http://cam/v", "celsius": 50}
