"""What pages are sent while they look on: every turn event, the newest State, and nothing twice."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game.events import TurnEvent
from referee.game.inputs import MatchStarted, Ticked
from referee.game.match import step
from referee.game.state import Match
from referee.history.history import MAX_RECORDED_EVENTS, MAX_TURNS, History
from referee.history.record import format_events
from referee.reading.inputs import Seconds
from referee.storage.journal import history_in
from referee.storage.json_codec import event_from_json
from referee.storage.match_step import MatchStep
from tests.conftest import PATIENCE_SECONDS

RECORDED = sorted((Path(__file__).parent.parent / "matches").glob("*.jsonl"))


class Follower:
    """One page that follows."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.connection.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.lines = self.connection.makefile("rb")

    def messages(self) -> Iterator[tuple[str, int, Any]]:
        kind, number = "", 0
        while line := self.lines.readline():
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: "):
                yield kind, number, json.loads(line[6:])

    def until(self, wanted: str, holds: Any = lambda _value: True) -> tuple[Any, list[tuple[str, int, Any]]]:
        """Read on to a message of this kind of which something holds; and what came before it."""
        passed = []
        for kind, number, value in self.messages():
            if kind == wanted and holds(value):
                return value, passed
            passed.append((kind, number, value))
        raise AssertionError(passed)

    def close(self) -> None:
        self.lines.close()
        self.connection.close()


@pytest.fixture
def follower(page: Any) -> Iterator[Follower]:
    one = Follower(page.server.port)
    yield one
    one.close()


def test_a_page_is_told_each_event_once_and_in_order(page: Any, follower: Follower) -> None:
    first, _ = follower.until("state")
    assert first["match"] is None
    page.start()
    page.play("R10 R11 R12")
    _, before = follower.until("told", lambda told: told["event"] == "turn_started" and told["turn"] == 2)
    told = [(number, value["event"]) for kind, number, value in before if kind == "told"]
    assert [event for _, event in told] == ["game_started", "turn_started", "meld_counted", "judged"]
    assert [number for number, _ in told] == [1, 2, 3, 4]
    judged = next(value for kind, _, value in before if kind == "told" and value["event"] == "judged")
    assert judged["words"].startswith("  Ann plays R10 R11 R12: LEGAL")
    state, _ = follower.until("state", lambda state: state["match"]["turn"] == 2)
    assert (state["match"]["seat"], state["match"]["verdict"]["meld"]) == (1, 33)


def test_who_said_it_stands_beside_what_followed(page: Any, follower: Follower) -> None:
    page.start()
    page.organiser().say("pause")
    stopped, _ = follower.until("told", lambda told: told["event"] == "clock_stopped")
    assert (stopped["by"], stopped["reason"]) == ("organiser", "pause")


def test_states_come_ten_times_a_second_at_most_and_the_last_one_always(page: Any, follower: Follower) -> None:
    page.start()
    began = time.monotonic()
    tables = ["R1 R2 R3", "R1 R2 R3 R4", "R1 R2 R3 R4 R5"] * 20
    for table in tables:
        page.settle(table)
    lasted = time.monotonic() - began
    page.settle("K1 K2 K3")
    _, before = follower.until("state", lambda state: state["match"] and state["table"]["frame_id"] == "frame-061")
    states = [value for kind, _, value in before if kind == "state"]
    assert len(states) <= lasted * 10 + 3
    assert [state["rev"] for state in states] == sorted({state["rev"] for state in states})


def test_a_state_is_the_same_for_all_and_changes_only_when_something_has(page: Any) -> None:
    page.start(house_rules=(("turn_seconds", 0),))
    page.settle("R1 R2 R3")
    browser = page.browser()
    page.wait_for(lambda state: state["table"]["frame_id"])
    first = browser.state()
    time.sleep(1.2)
    later = browser.state()
    assert later["rev"] == first["rev"]
    assert later["at"] > first["at"]


def test_a_page_that_leaves_is_forgotten(page: Any) -> None:
    followers = [Follower(page.server.port) for _ in range(5)]
    for one in followers:
        one.until("state")
    assert page.server.stream.pages == 5
    for one in followers:
        one.close()
    end = time.monotonic() + PATIENCE_SECONDS
    page.start()
    while page.server.stream.pages and time.monotonic() < end:
        time.sleep(0.02)
    assert page.server.stream.pages == 0


# Turns ----------------------------------------------------------------------------------------------------------------


def judged(game: int, turn: int, at: float = 1.0) -> TurnEvent:
    verdict = {"verdict": "legal", "outcome": "played", "stands": True, "late": False, "faults": [], "played": []}
    where = {"meld": None, "before": "", "table": "", "frame_id": f"{game}-{turn}"}
    return event_from_json({"event": "judged", "at": at, "seat": 0, "game": game, "turn": turn, **verdict, **where})


def take(history: History, *events: TurnEvent) -> None:
    history.publish(MatchStep(Match(), Ticked(Seconds(0.0)), events, Match()))


def test_a_new_match_forgets_the_turns_of_the_last() -> None:
    begun = MatchStarted(at=Seconds(0.0), names=("A", "B"), edition="original")
    events = step(Match(), begun)[1]
    history = History([*events, judged(1, 1), judged(1, 2)])
    assert [turn["turn"] for turn in history.turns()] == [2, 1]
    take(history, *events)
    assert (history.turns(), [event.name for event in history.events]) == ([], ["game_started"])


def test_the_history_is_bounded() -> None:
    history = History(judged(1, turn) for turn in range(MAX_TURNS + 500))
    assert len(history.turns()) == MAX_TURNS
    assert history.turns()[-1]["turn"] == 500
    take(history, *(judged(1, 9999, float(number)) for number in range(100)))
    kept = history.turn(1, 9999)
    assert kept is not None
    assert [one["judged_at"] for one in kept["judgements"]] == list(range(80, 100))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_a_page_remembers_gives_the_same_record_as_all_that_was_told(path: Path) -> None:
    told = tuple(history_in(path))
    history = History(told)
    assert format_events({}, history.events) == format_events({}, told)
    assert len(history.events) < len(told)


def test_a_match_too_long_to_remember_loses_its_oldest_turns_and_never_its_newest() -> None:
    begun = MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original")
    turns = (judged(1 + turn // 200, turn % 200) for turn in range(MAX_RECORDED_EVENTS + 50))
    history = History([*step(Match(), begun)[1], *turns])
    record = format_events({}, history.events).splitlines()
    assert record[1:4] == ['[Edition "original"]', '[Player1 "Ann"]', '[Player2 "Ben"]']
    turns = [line.split()[0] for line in record if " legal " in line]
    assert (len(turns), turns[0], turns[-1]) == (MAX_RECORDED_EVENTS, "1.50", "101.49")
