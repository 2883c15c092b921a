"""Messages that no table should send: the wall lives, and what the other tables tell is all there."""

import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import MQTTMessage

from referee.errors import RefereeError
from referee.hall.desk import Desk
from referee.hall.messages import KINDS, Unreadable, read_message
from referee.hall.server import _Serving, run_hall
from referee.hall.wall_stream import WallStream
from referee.link.broker import BrokerClient
from referee.link.topics import digest_of
from referee.plain_json import json_bytes
from referee.server.logins import RolePin
from referee.server.serving import listen
from referee.settings.hall import HallSettings
from referee.settings.page import WebSettings
from referee.storage.journal import events_in

from .conftest import PIN_HASHES, PINS, Browser, await_that
from .payloads import payloads

Await = Callable[[Callable[[], Any]], Any]
SAID: dict[str, list[bytes]] = {
    "event": [
        b'{"match": "m1", "seq": 0, "end": true, "digest": [1]}',
        b'{"match": "m1", "seq": 0, "end": true, "digest": "x"}',
        b'{"match": "m1", "seq": 0, "event": {"event": "judged", "at": NaN}}',
        b'{"match": "m1", "seq": 0, "event": {"event": "judged", "at": Infinity}}',
        b'{"match": "m1", "seq": 0, "event": {"event": "judged", "by": "\\ud800"}}',
        b'{"match": "m1", "seq": 0, "event": {"event": "judged", "faults": 7}}',
        b'{"match": "../../hall", "seq": 0, "event": {"event": "judged"}}',
    ],
    "state": [
        b'{"journal": "m1", "seq": 0, "at": 1.0, "match": [1]}',
        b'{"journal": "m1", "seq": 0, "at": 1.0, "match": {"players": [7], "clock": {"seconds_left": "x"}}}',
    ],
    "alert": [b'{"alerts": [{"kind": "doubt", "since": "x"}]}', b'{"alerts": [{"kind": "\\udfff", "since": 1}]}'],
    "result": [
        b'{"journal": "m1", "players": [{"name": "\\ud800", "total": 1}]}',
        b'{"journal": "m1", "players": [{}]}',
    ],
    "health": [b'{"clock_synchronised": "\\ud800"}', b"[" * 60_000, b'{"celsius": 1e999}'],
    "status": [b'{"status": "online", "device": "\\ud800"}', b'{"status": 1}', b"x" * 70_000],
}


def test_a_table_that_sends_anything_stops_no_other_and_is_told_once(
    hall: Any, listener: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=40)
    arbiter = hall.browser("arbiter")
    await_that(lambda: arbiter.tables().get("t1", {}).get("events") == table.told)
    for kind, said in SAID.items():
        for payload in said:
            listener.say(f"referee/v1/h/t7/{kind}", payload)
        listener.retain(f"referee/v1/h/t7/{kind}", said[0])
    bad = sum(len(said) + 1 for said in SAID.values())
    told = {"message_id": "hall.trouble.unreadable", "values": {"table": "t7", "count": bad}}
    await_that(lambda: told.items() <= trouble(arbiter, "t7", "hall.trouble.unreadable").items())
    table.play(steps=40)
    await_that(lambda: arbiter.tables()["t1"]["events"] == table.told)
    hall.kill()
    hall.start()  # what was retained comes again
    arbiter = hall.browser("arbiter")
    await_that(lambda: arbiter.tables().get("t1", {}).get("events") == table.told)
    assert trouble(arbiter, "t7", "hall.trouble.unreadable")["message"].startswith("t7 sends what I cannot read (6 so")
    assert hall.browser("organiser").post("/api/forget", table="t7")[0] == 200
    await_that(lambda: "t7" not in arbiter.tables())
    assert list(events_in(table.path)) == hall.events("t1", table.id)


def trouble(browser: Any, table: str, kind: str) -> Any:
    """What the wall says of a table."""
    lines = browser.tables().get(table, {}).get("trouble", ())
    return next((line for line in lines if line["message_id"] == kind), {"message": ""})


def test_many_messages_of_every_kind_through_a_broker_leave_the_others_whole(
    hall: Any, listener: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table, arbiter, chance = make_table(), hall.browser("arbiter"), random.Random(7)
    sources = {kind: payloads(chance, kind) for kind in KINDS}
    for number in range(600):
        kind = chance.choice(KINDS)
        say = listener.retain if number % 5 == 0 else listener.say
        say(f"referee/v1/h/t{chance.randrange(2, 6)}/{kind}", next(sources[kind]))
        if number % 20 == 0:
            table.play(steps=4)
            assert arbiter.get("/api/wall")[0] == arbiter.get("/api/results")[0] == 200
    table.play()
    await_that(lambda: hall.events("t1", table.id) == list(events_in(table.path)))
    for role in PINS:
        assert "t1" in hall.browser(role).tables()


# Without a broker -----------------------------------------------------------------------------------------------------


@contextmanager
def open_desk(folder: Path) -> Iterator[tuple[Desk, int]]:
    """A desk that no broker reaches, and the port of its wall."""
    hall, web = settings(1), WebSettings(enabled=True, host="127.0.0.1", names=())
    listening = listen("127.0.0.1", 0)
    desk = Desk(hall, folder, lambda: "12:00")
    locks = {role: RolePin(lambda kept=kept: kept) for role, kept in PIN_HASHES.items()}
    serving = _Serving(desk, hall, web, locks, listening)
    serving.start()
    await_that(lambda: serving._server.started)
    try:
        yield desk, listening.getsockname()[1]
    finally:
        serving.close()
        listening.close()


def settings(port: int) -> HallSettings:
    return HallSettings(broker=f"mqtt://127.0.0.1:{port}", hall="h", table="", public_delay_seconds=0.0)


def message(table: str, kind: str, payload: bytes) -> MQTTMessage:
    one = MQTTMessage(topic=f"referee/v1/h/{table}/{kind}".encode())
    one.payload = payload
    return one


def look(port: int, browsers: dict[str, Browser]) -> None:
    """Ask for all that the messages of tables come to; each answer is as the hall's own document says."""
    for browser in (*browsers.values(), Browser(port)):
        assert browser.get("/api/wall")[0] == 200
    arbiter = browsers["arbiter"]
    for name in arbiter.tables():
        assert arbiter.get(f"/api/table/{name}")[0] == 200
    assert arbiter.get("/api/results")[0] == arbiter.get("/api/results.csv")[0] == 200
    assert arbiter.get("/metrics")[0] in {200, 503}


def test_more_walls_at_once_than_a_hall_can_follow_are_answered_without_a_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_desk(tmp_path) as (_, port), ExitStack() as walls:
        every = [walls.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30)) for _ in range(125)]
        for wall in every:
            wall.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert Counter(wall.recv(12) for wall in every) == {b"HTTP/1.1 200": 120, b"HTTP/1.1 503": 5}
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_any_messages_leave_the_wall_whole_and_the_other_tables_events_all_there(tmp_path: Path, count: int) -> None:
    chance, digest, number = random.Random(count), 0, 0
    sources = {kind: payloads(chance, kind) for kind in KINDS}
    with open_desk(tmp_path) as (desk, port):
        browsers = {role: Browser(port) for role in PINS}
        for role, browser in browsers.items():
            assert browser.post("/api/login", pin=PINS[role])[0] == 200
        desk._take(message("good", "status", b'{"status": "online", "device": "d"}'))
        for at in range(count):
            kind = chance.choice(KINDS)
            desk._take(message(f"t{chance.randrange(4)}", kind, next(sources[kind])))
            if at % 10 == 0:
                told = {"event": "judged", "verdict": "legal", "turn": number}
                desk._take(message("good", "event", json_bytes({"match": "m", "seq": number, "event": told})))
                digest, number = digest_of(told, digest), number + 1
            if at % (count // 20) == 0:
                look(port, browsers)
        state = {"journal": "m", "seq": number, "at": 1.0, "digest": digest}
        desk._take(message("good", "state", json_bytes(state)))
        look(port, browsers)
        good = browsers["arbiter"].tables()["good"]
        assert (good["events"], good["missing"], good["trouble"]) == (number, False, [])
        kept = desk.events.all_events("good", "m")
        assert [event["turn"] for event in kept] == list(range(number))
        assert sum(table.unreadable for table in desk.tables.values()) > 0


def test_messages_as_declared_are_read_and_the_others_are_not() -> None:
    for kind in KINDS:
        source = payloads(random.Random(kind), kind)
        made = [[read_message("h", f"referee/v1/h/t/{kind}", next(source)) for _ in range(3)] for _ in range(200)]
        valid, spoilt, broken = zip(*made, strict=True)
        assert not any(isinstance(one.record, Unreadable) for one in valid)
        assert sum(isinstance(one.record, Unreadable) for one in spoilt) > 60
        assert sum(isinstance(one.record, Unreadable) for one in broken) > 120


def test_a_fault_of_our_own_costs_one_message_and_not_the_desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no such thing")

    with open_desk(tmp_path) as (desk, _):
        monkeypatch.setattr("referee.hall.tables._with_event", fail)
        for _ in range(3):
            desk._take(message("t1", "event", b'{"match": "m", "seq": 0, "event": {"event": "drew"}}'))
        desk._take(message("t1", "status", b'{"status": "offline"}'))
        assert desk.tables["t1"].unreadable == 3
    told = "table t1 sends what the hall cannot read (event: ZeroDivisionError: no such thing; please report this)"
    assert caplog.messages == [told]


@pytest.mark.parametrize(
    ("where", "thread"),
    [
        ((Desk, "_ask_for_missing"), "referee-desk"),
        ((WallStream, "_remember"), "referee-hall-page"),
        ((BrokerClient, "_on_connect"), "paho-mqtt-client"),
    ],
)
def test_a_thread_that_ends_ends_the_hall_with_one_line(
    broker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[type, str], thread: str
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("no such thing")

    monkeypatch.setattr(*where, fail)
    hall = HallSettings(broker=f"mqtt://127.0.0.1:{broker.port}", hall="h", table="", public_delay_seconds=60.0)
    web = WebSettings(enabled=True, host="127.0.0.1", port=0)
    with pytest.raises(RefereeError) as told:
        run_hall(hall, web, tmp_path / "state", threading.Event())
    assert str(told.value).startswith(f"the hall lost its thread {thread}")
    assert str(told.value).endswith("(ZeroDivisionError: no such thing); start it again, and report this")


def test_a_table_that_only_went_silent_is_shown_so_until_it_is_heard_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_desk(tmp_path) as (desk, port):
        desk._take(message("t1", "status", b'{"status": "online", "device": "d1"}'))
        arbiter = Browser(port)
        arbiter.post("/api/login", pin=PINS["arbiter"])
        assert arbiter.tables()["t1"]["online"]
        monkeypatch.setattr("referee.hall.tables.SILENT_SECONDS", 0.0)
        monkeypatch.setattr(BrokerClient, "is_connected", True)
        time.sleep(0.01)
        desk._ask_for_missing()
        shown = arbiter.tables()["t1"]
        assert (shown["online"], shown["silent"]) == (False, True)
        assert trouble(arbiter, "t1", "hall.trouble.silent")["message"]
        desk._take(message("t1", "health", b'{"state": "running"}'))
        shown = arbiter.tables()["t1"]
        assert (shown["online"], shown["silent"]) == (True, False)
