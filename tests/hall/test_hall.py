"""The hall itself: `referee hall` as a process before a real broker and real tables, asked as a browser asks."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.game.event_parts import Reason
from referee.game.inputs import CameraLost, MatchEnded, MatchStarted
from referee.reading.inputs import Seconds
from referee.storage.journal import events_in
from tests.conftest import PATIENCE_SECONDS

Await = Callable[[Callable[[], Any]], Any]


def kept(hall: Any, table: Any) -> list[Any]:
    return list(hall.events("t1", table.id))


def test_a_table_on_the_wall_with_players_clock_phase_verdict_and_tiles(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=80)
    arbiter = hall.browser("arbiter")

    def told() -> Any:  # the events come at once, the state once a second
        found = arbiter.tables().get("t1", {})
        return found if (found.get("events"), found.get("turn")) == (table.told, table.match.turn) else None

    shown = await_that(told)
    assert [player["name"] for player in shown["players"]] == list(table.match.setup.names)
    assert [player["tiles"] for player in shown["players"]] == list(table.match.racks)
    await_that(lambda: arbiter.tables()["t1"]["phase"] == table.match.phase.value)
    assert shown["seat"] == table.match.seat
    assert shown["verdict"]["verdict"] == "legal"
    assert shown["clock"]["left"] is not None
    assert kept(hall, table) == list(events_in(table.path))


def test_killed_at_any_moment_the_hall_loses_nothing_and_doubles_nothing(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table, key = make_table(), 0
    while table.play(steps=20):
        arbiter, key = hall.browser("arbiter"), key + 1
        said = {"key": f"k{key}", "table": "t1", "player": "Ann", "reason": "looked", "points": key}
        await_that(lambda said=said, arbiter=arbiter: arbiter.post("/api/penalty", **said)[0] == 200)
        hall.kill()
        hall.start()
        again = hall.browser("arbiter")
        status, answer = again.post("/api/penalty", **said)  # as a page that had no answer
        assert status == 200
        assert [one["points"] for one in answer["penalties"]] == list(range(1, key + 1))
        if key == 5:
            break
    table.play()
    await_that(lambda: len(kept(hall, table)) == table.told)
    assert kept(hall, table) == list(events_in(table.path))
    arbiter = hall.browser("arbiter")
    (result,) = await_that(lambda: arbiter.get("/api/results")[1]["results"])
    hall.kill()
    hall.start()
    assert hall.browser("arbiter").get("/api/results")[1]["results"] == [result]


def test_what_was_told_while_hall_and_broker_were_away_is_asked_for(
    hall: Any, broker: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=40)
    await_that(lambda: len(kept(hall, table)) == table.told)
    hall.kill()
    broker.kill()
    table.play(steps=60)
    broker.start()
    table.play(steps=40)
    hall.start()
    await_that(lambda: len(kept(hall, table)) == table.told)
    assert kept(hall, table) == list(events_in(table.path))


def test_what_a_table_told_before_its_next_match_is_asked_for_once_the_hall_is_back(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    tables = [make_table()]
    tables[0].play(steps=40)
    await_that(lambda: kept(hall, tables[0]) == list(events_in(tables[0].path)))
    hall.kill()
    tables[0].play()
    tables[0].close()
    for number in (2, 3):  # of the second match the hall hears nothing at all
        tables.append(make_table(number=number))
        tables[-1].play(steps=60)
        if number == 2:
            tables[-1].close()
    hall.start()
    for table in tables:
        await_that(lambda table=table: kept(hall, table) == list(events_in(table.path)))
    marks = [hall.folder / "events" / "t1" / f"{table.id}.whole" for table in tables[:2]]
    await_that(lambda: all(mark.exists() for mark in marks))
    hall.kill()
    hall.start()
    arbiter = hall.browser("arbiter")
    await_that(lambda: arbiter.tables().get("t1", {}).get("events") == tables[2].told)
    assert arbiter.tables()["t1"]["match"] == tables[2].id


def test_a_pause_for_all_tables_is_asked_of_each_and_written_with_who_asked(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    tables = [make_table(name=name) for name in ("t1", "t2")]
    for table in tables:
        table.play(steps=40)
    arbiter = hall.browser("arbiter")
    await_that(lambda: len([one for one in arbiter.tables().values() if one["online"]]) == 2)
    answers = asked(arbiter, tables, tables="all", verb="pause", **{"with": {}})
    assert answers == {"t1": {"ok": True}, "t2": {"ok": True}}
    assert all(Reason.PAUSE in table.match.pauses.halted for table in tables)
    assert b"hall: arbiter" in tables[0].path.read_bytes()
    before = tables[0].match.play.clock.left_at(tables[0].match.now)
    answers = asked(arbiter, tables, tables=["t1"], verb="clock", **{"with": {"add": 60}})
    assert answers["t1"] == {"ok": True}
    assert tables[0].match.play.clock.left_at(tables[0].match.now) == pytest.approx(before + 60)


def asked(browser: Any, playing: list[Any], **said: Any) -> Any:
    """Ask, with the tables listening as their loops do."""
    from threading import Thread  # noqa: PLC0415 - beside its one use

    answers: list[Any] = []
    asking = Thread(target=lambda: answers.append(browser.post("/api/ask", **said)[1]["answers"]))
    asking.start()
    while asking.is_alive():
        for table in playing:
            table.listen()
        time.sleep(0.01)
    return answers[0]


def test_guests_and_displays_see_the_tables_and_may_do_nothing(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=40)
    table.enter(CameraLost(Seconds(table.match.now)))
    arbiter, guest, display = hall.browser("arbiter"), hall.browser(), hall.browser("display")
    await_that(lambda: arbiter.tables().get("t1", {}).get("alerts"))
    for looker in (guest, display):
        assert not {"alerts", "sets", "page", "device"} & looker.tables()["t1"].keys()
        assert looker.get("/api/table/t1")[0] == 403
        assert looker.get("/api/results")[0] == 403
        assert looker.post("/api/ask", tables="all", verb="pause", **{"with": {}})[0] == 403
        assert looker.post("/api/penalty", key="k", table="t1", player="A", reason="r", points=1)[0] == 403
    assert arbiter.get("/api/table/t1")[1]["told"]


def test_guests_see_the_wall_late(
    make_hall: Callable[..., Any], make_table: Callable[..., Any], await_that: Await
) -> None:
    hall = make_hall(delay=3.0)
    table = make_table()
    table.play(steps=20)
    display, guest = hall.browser("display"), hall.browser()
    await_that(lambda: display.tables().get("t1", {}).get("events") == table.told)
    early = table.told
    await_that(lambda: guest.tables().get("t1", {}).get("events") == early)
    table.play(steps=40)
    await_that(lambda: display.tables()["t1"]["events"] == table.told)
    assert guest.tables()["t1"]["events"] == early
    await_that(lambda: guest.tables()["t1"]["events"] == table.told)


def test_guests_are_told_that_the_broker_is_there_before_there_is_anything_to_see(
    make_hall: Callable[..., Any], await_that: Await
) -> None:
    guest = make_hall(delay=60.0).browser()
    await_that(lambda: guest.get("/api/wall")[1]["linked"])
    assert guest.get("/api/wall")[1]["tables"] == []


def test_a_result_is_corrected_by_hand_and_what_the_table_said_stays(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play()
    organiser = hall.browser("organiser")
    (result,) = await_that(lambda: organiser.get("/api/results")[1]["results"])
    said = {"key": "k1", "match": result["match"], "reason": "miscounted"}
    assert organiser.post("/api/correct", scores=[1, 1, 1], **said)[0] == 400
    status, answer = organiser.post("/api/correct", scores=[100, -40, -60], **said)
    assert status == 200
    assert (answer["results"][0]["scores"], answer["results"][0]["told"]) == ([100, -40, -60], result["told"])
    assert "miscounted" in organiser.get("/api/results.csv")[1]


def test_two_matches_of_one_journal_are_two_results_whatever_the_table_is_called(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play()
    organiser = hall.browser("organiser")
    (first,) = await_that(lambda: organiser.get("/api/results")[1]["results"])
    organiser.post("/api/correct", key="k1", match=first["match"], reason="miscounted", scores=[100, -40, -60])
    now = table.match.now
    table.enter(MatchStarted(at=Seconds(now + 1), names=("Ann", "Ben", "Cem"), edition="original"))
    table.enter(MatchEnded(Seconds(now + 2)))
    await_that(lambda: len(organiser.get("/api/results")[1]["results"]) == 2)
    table.close()
    shutil.copytree(table.path.parent, table.path.parent.with_name("t9-d1"))
    renamed = make_table(name="t9", device="d1")
    await_that(lambda: organiser.tables().get("t9", {}).get("phase") == "match_over")
    assert renamed.id == table.id
    shown = organiser.get("/api/results")[1]["results"]
    assert [(one["table"], one["scores"]) for one in shown] == [("t1", [100, -40, -60]), ("t1", [0, 0, 0])]


def test_a_table_that_has_gone_is_taken_off_the_wall(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=20)
    organiser = hall.browser("organiser")
    await_that(lambda: organiser.tables().get("t1", {}).get("online"))
    assert organiser.post("/api/forget", table="t1")[0] == 409
    table.close()
    await_that(lambda: not organiser.tables()["t1"]["online"])
    assert organiser.post("/api/forget", table="t1")[0] == 200
    await_that(lambda: not organiser.tables())
    hall.kill()
    hall.start()
    again = hall.browser("organiser")
    await_that(lambda: again.get("/api/wall")[1]["linked"])
    time.sleep(0.5)  # what the broker keeps of it would have come
    assert not again.tables()


def test_prometheus_reads_what_waits_and_which_tables_are_there(
    hall: Any, make_table: Callable[..., Any], await_that: Await
) -> None:
    table = make_table()
    table.play(steps=40)
    table.enter(CameraLost(Seconds(table.match.now)))
    pytest.importorskip("prometheus_client", reason="needs prometheus-client: pip install prometheus-client")
    guest = hall.browser()
    wanted = ['referee_alerts{kind="camera"} 1.0', f'referee_table_events{{table="t1"}} {float(table.told)}']
    said = await_that(lambda: (text := guest.get("/metrics")[1]) and all(one in text for one in wanted) and text)
    assert "referee_broker_linked 1.0" in said
    assert 'referee_table_linked{table="t1"} 1.0' in said


def test_the_hall_ends_by_a_signal_and_says_what_is_not_set(hall: Any, tmp_path: Path) -> None:
    hall.kill()
    process = subprocess.Popen([sys.executable, "-m", "referee", *hall.words])
    hall.await_listening()
    process.terminate()
    assert process.wait(PATIENCE_SECONDS) == 0
    words = [sys.executable, "-m", "referee", "hall", "--state", tmp_path / "other"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert (
        done.stderr
        == 'referee hall: no broker is set; write broker = "mqtt://HOST" under [hall], or name one with --broker\n'
    )
