"""A tournament at a real broker, from its list to signed sheets, while the hall is killed at any step."""

import json
import time
from collections.abc import Callable
from random import Random
from threading import Thread
from typing import Any

import pytest

from referee.game.inputs import GameEnded, MatchStarted, NextGame, RacksTold
from referee.game.state import Phase
from referee.reading.inputs import Seconds
from tests.conftest import PATIENCE_SECONDS
from tests.support.parsed_record import parse_record

Await = Callable[[Callable[[], Any]], Any]
NAMES = [f"P{number}" for number in range(8)]
NEW = {"name": "Open", "rounds": 2, "seats": 4, "edition": "original", "format": "open-table"}


class Organiser:
    """Decides on the wall, and asks again with the same key where the hall was killed meanwhile, now and then it is."""

    def __init__(self, hall: Any, await_that: Await) -> None:
        self._hall, self._await, self._rng, self.kills = hall, await_that, Random(32), 0
        self._keys = 0
        self.page = hall.browser("organiser")

    def say(self, word: str, **said: Any) -> Any:
        if word in {"result", "sign", "penalty"}:
            self._keys += 1
            said["key"] = f"k{self._keys}"
        path = "/api/penalty" if word == "penalty" else f"/api/tournament/{word}"
        for attempt in range(2):
            status, answer = self.page.post(path, **said)
            if attempt or not self.maybe_kill():
                break
        assert status == 200, answer
        return answer

    def maybe_kill(self) -> bool:
        if self._rng.random() > 0.3:
            return False
        self._hall.kill()
        self._hall.start()
        self.page, self.kills = self._hall.browser("organiser"), self.kills + 1
        return True

    def tournament(self) -> Any:
        return self.page.get("/api/tournament")[1]["tournament"]


def play(table: Any) -> None:
    """Three games in which player Pn is left with n + 1 points."""
    racks = tuple((seat, int(name[1:]) + 1) for seat, name in enumerate(table.match.setup.names))
    while table.match.phase is not Phase.MATCH_OVER:
        now = table.match.now
        table.enter(GameEnded(at=Seconds(now + 5)))
        table.enter(RacksTold(at=Seconds(now + 6), racks=racks))
        table.enter(NextGame(at=Seconds(now + 7)))


def start(organiser: Organiser, tables: list[Any], number: int) -> Any:
    answers: list[Any] = []
    asking = Thread(target=lambda: answers.append(organiser.page.post("/api/tournament/start", round=number)))
    asking.start()
    until = time.monotonic() + PATIENCE_SECONDS
    while asking.is_alive() and time.monotonic() < until:
        for table in tables:
            table.listen()
        time.sleep(0.01)
    return answers[0]


def test_a_tournament_goes_from_its_list_to_signed_sheets_though_the_hall_is_killed_at_any_step(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    pytest.importorskip("fpdf", reason="needs fpdf2: pip install fpdf2")
    tables = [make_table(name=name) for name in ("t1", "t2")]
    organiser = Organiser(hall, await_that)
    assert hall.browser().post("/api/tournament/create", entrants="name\nA\nB", **NEW)[0] == 403
    organiser.say("create", entrants="\n".join(("name", *NAMES)), **NEW)
    for number in (1, 2):
        await_that(lambda: sum(one["online"] for one in organiser.page.tables().values()) == 2)
        organiser.say("seat", round=number)
        seated = organiser.tournament()["rounds"][number - 1]["boards"]
        assert [board["table"] for board in seated] == ["t1", "t2"]
        await_that(lambda: sum(one["online"] for one in organiser.page.tables().values()) == 2)
        assert start(organiser, tables, number) == (200, {"answers": {"t1": {"ok": True}, "t2": {"ok": True}}})
        assert [list(table.match.setup.names) for table in tables] == [board["players"] for board in seated]
        play(tables[0])
        organiser.maybe_kill()
        await_that(lambda number=number: organiser.tournament()["rounds"][number - 1]["boards"][0]["result"])
        refused = organiser.page.post("/api/tournament/seat", round=number + 1)
        assert refused[0] == 400
        guests = hall.browser().get("/api/tournament")[1]["tournament"]
        assert guests["rounds"][number - 1]["boards"][0]["result"] is None
        assert hall.browser().get("/api/tournament/files/sheets.pdf?round=1")[0] == 403
        play(tables[1])
        await_that(lambda: organiser.tournament()["complete"])
        if number == 2:
            organiser.say("penalty", table="t1", player="P0", reason="looked", points=7)
            at = next(at for at, board in enumerate(seated) if "P7" in board["players"])
            scores = [3 * (int(name[1:]) + 1) - 4 * (name == "P7") for name in seated[at]["players"]]
            organiser.say("result", round=2, board=at + 1, scores=scores, reason="a tile lay on the floor")
        for board in (1, 2):
            organiser.say("sign", round=number, board=board)
    last = organiser.tournament()
    assert last["signed"]
    totals = [(line["name"], line["total"]) for line in last["standings"]]
    # Twice three games of n + 1 points each; P0 has 7 more as a penalty, P7 has 4 less by hand.
    assert totals == [("P1", 12), ("P0", 13), *((f"P{number}", 6 * (number + 1)) for number in range(2, 7)), ("P7", 44)]
    assert len(last["strays"]) == 0
    assert organiser.kills >= 3
    files = "/api/tournament/files"
    link = organiser.page
    record = link.get(f"{files}/records.txt")[1]
    tags = [dict(one.tags) for one in parse_record(record)]
    assert [(one["Event"], one["Round"], one["Table"]) for one in tags] == [
        ("Open", round_, table) for round_ in ("1", "2") for table in ("t1", "t2")
    ]
    assert "P7,24,0,20,3,organiser,organiser" in link.get(f"{files}/results.csv")[1]
    assert json.loads(json.dumps(link.get(f"{files}/tournament.json")[1])) == last
    for name in ("sheets.pdf?round=2", "standings.pdf"):
        assert link.get(f"{files}/{name}")[0] == 200


def test_a_table_that_moves_to_another_hall_tells_this_one_no_result_and_is_shown_as_gone(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    organiser = hall.browser("organiser")
    said = {"entrants": "name\n" + "\n".join(NAMES[:4]), **NEW, "rounds": 1}
    table = make_table()
    await_that(lambda: organiser.tables().get("t1", {}).get("online"))
    assert organiser.post("/api/tournament/create", **said)[0] == 200
    assert organiser.post("/api/tournament/seat", round=1)[0] == 200
    table.close()
    moved = make_table(hall="elsewhere", number=2)
    moved.enter(MatchStarted(at=Seconds(0.0), names=tuple(NAMES[:4]), edition="original", format="open-table"))
    play(moved)
    gone = "the table is not linked, or has gone to another hall; it referees on its own"
    await_that(lambda: [one["message"] for one in organiser.tables()["t1"]["trouble"]] == [gone])
    assert organiser.get("/api/results")[1]["results"] == []
    assert organiser.get("/api/tournament")[1]["tournament"]["rounds"][0]["boards"][0]["result"] is None
