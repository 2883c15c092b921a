"""What a table tells a real broker, what it does when it is asked, and that nothing is lost or doubled on the way."""

import logging
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from referee.game.event_parts import Reason
from referee.game.inputs import CameraLost
from referee.game.state import Phase
from referee.link.broker import BURST_MESSAGES, MESSAGES_PER_SECOND, BrokerClient
from referee.reading.inputs import Seconds
from referee.settings.hall import HallSettings
from referee.storage.journal import events_in
from tests.conftest import PATIENCE_SECONDS

Await = Callable[[Callable[[], Any]], Any]


def test_a_match_is_told_whole_and_in_order(table: Any, listener: Any, await_that: Await) -> None:
    table.play()
    await_that(lambda: len(listener.events()) == table.told)
    assert [listener.events()[number] for number in range(table.told)] == list(events_in(table.path))
    numbers = [said["seq"] for topic, said in listener.heard if topic.endswith("/event")]
    assert numbers == sorted(set(numbers))


def test_the_state_has_players_and_sets_but_no_racks_and_no_pictures(
    table: Any, listener: Any, await_that: Await
) -> None:
    table.play(steps=80)
    state = await_that(lambda: (found := listener.newest("state")) and found["seq"] == table.told and found)
    assert [player["name"] for player in state["match"]["players"]] == list(table.match.setup.names)
    assert state["match"]["phase"] == table.match.phase.value
    assert "racks" not in state["match"]
    assert set(state["table"]) == {"camera", "sets"}


def test_status_is_online_then_offline_whether_it_says_goodbye_or_dies(
    make_table: Callable[..., Any], listener: Any, await_that: Await
) -> None:
    one = make_table()
    await_that(lambda: (listener.newest("status") or {}).get("status") == "online")
    one.close()
    await_that(lambda: listener.newest("status")["status"] == "offline")


def test_the_result_names_the_checksum_of_the_journal(table: Any, listener: Any, await_that: Await) -> None:
    table.play()
    result = await_that(lambda: listener.newest("result"))
    assert result["sha256"] == sha256(table.path.read_bytes()).hexdigest()
    assert {player["name"] for player in result["players"]} == set(table.match.setup.names)


def test_events_told_while_the_broker_was_dead_arrive_once_it_lives(
    broker: Any, table: Any, listener: Any, await_that: Await
) -> None:
    table.play(steps=60)
    await_that(lambda: len(listener.events()) == table.told)
    broker.kill()
    table.play()
    broker.start()
    asked = {"match": table.id, "from": 0}  # as a hall does after a gap; who is not back yet does not hear it
    await_that(lambda: listener.send_command("resend", asked, patience=2.0))
    await_that(lambda: len(listener.events()) == table.told)
    assert [listener.events()[number] for number in range(table.told)] == list(events_in(table.path))


def test_a_restarted_device_counts_on_and_sends_again_what_it_is_asked_for(
    make_table: Callable[..., Any], listener: Any, await_that: Await
) -> None:
    first = make_table()
    first.play(steps=60)
    first.close()
    second = make_table()
    before = second.told
    assert before == first.told
    second.play(steps=20)
    await_that(lambda: before in listener.events())
    listener.heard.clear()
    assert listener.send_command("resend", {"match": second.id, "from": 0}) == {"table": "t1", "ok": True}
    await_that(lambda: len(listener.events()) == second.told)
    assert [listener.events()[number] for number in range(second.told)] == list(events_in(second.path))


def ask(table: Any, listener: Any, verb: str, said: dict[str, Any]) -> Any:
    """What a table answers to a command, which it takes meanwhile."""
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.append(listener.send_command(verb, said)))
    asking.start()
    while asking.is_alive():
        table.listen()
        time.sleep(0.01)
    return answers[0]


def test_a_pause_that_the_hall_asks_for_is_taken_and_answered_with_what_it_told(
    table: Any, listener: Any, await_that: Await
) -> None:
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    answer = ask(table, listener, "pause", {"by": "Anna"})
    assert answer["ok"] is True
    assert Reason.PAUSE in table.match.pauses.halted
    assert b"hall: Anna" in table.path.read_bytes()  # who said it is in the journal


def test_a_command_meant_for_a_match_that_is_over_is_refused(table: Any, listener: Any, await_that: Await) -> None:
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    shown = listener.newest("state")["match"]
    assert ask(table, listener, "end_match", {"match": f"{shown['id']}0"}) == {
        "table": "t1",
        "ok": False,
        "error_id": "stale",
        "error": "This was meant for a match that is over.",
        "message_id": "stale.match",
        "values": {},
    }
    late = ask(table, listener, "clock", {"add": 30, "match": shown["id"], "game": 1, "turn": table.match.turn + 1})
    assert late["message_id"] == "stale.turn_number"
    assert table.match.phase is not Phase.MATCH_OVER
    assert ask(table, listener, "pause", {"match": shown["id"]})["ok"] is True


def test_a_command_repeated_under_its_id_is_done_once(table: Any, listener: Any, await_that: Await) -> None:
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    first = ask(table, listener, "clock", {"add": 30, "id": "a"})
    assert first["ok"] is True
    assert ask(table, listener, "clock", {"add": 30, "id": "a"}) == first
    assert ask(table, listener, "clock", {"add": 30, "id": "b"})["ok"] is True
    assert table.path.read_bytes().count(b'"TimeAdded"') == 2


@pytest.mark.parametrize(
    "asked",
    [
        ("dance", {}, "'dance' is nothing that can be asked of a table"),
        ("pause", ["x"], "what was sent with 'pause' is no JSON object; send {}"),
        ("clock", {"seconds_left": -1}, "'seconds_left' is -1; give seconds from 0 to 3600"),
        ("resend", {"match": "another", "from": 0}, "and those before it; ask for one, and 'from' a number"),
    ],
)
def test_what_cannot_be_done_is_answered_in_one_line(
    table: Any, listener: Any, asked: tuple[str, Any, str], await_that: Await
) -> None:
    verb, said, told = asked
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    assert told in listener.send_command(verb, said)["error"]


def test_a_table_answers_on_no_topic_but_those_for_replies(table: Any, listener: Any, await_that: Await) -> None:
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    assert listener.send_command("dance", {}, reply="referee/v1/h/t2/state") is None
    assert listener.newest("state", "t2") is None


def test_a_flood_of_commands_waits_at_the_broker(table: Any, listener: Any, await_that: Await) -> None:
    table.play(steps=40)
    await_that(lambda: listener.newest("state"))
    began = time.monotonic()
    for _ in range(BURST_MESSAGES + 5):
        listener.say("referee/v1/h/t1/cmd/dance", "{}")
    assert "error" in listener.send_command("dance", {})
    assert time.monotonic() - began >= 5 / MESSAGES_PER_SECOND


def test_a_lost_camera_is_an_alert_until_it_is_back(table: Any, listener: Any, await_that: Await) -> None:
    table.play(steps=40)
    table.enter(CameraLost(Seconds(table.match.now)))
    alert = await_that(lambda: listener.newest("alert"))
    assert [one["kind"] for one in alert["alerts"]] == ["camera"]
    table.play(steps=0)
    listener.send_command("call", {})
    await_that(lambda: {one["kind"] for one in listener.newest("alert")["alerts"]} == {"camera", "called"})


def test_a_second_device_of_one_name_is_told_and_keeps_silent(
    make_table: Callable[..., Any], listener: Any, await_that: Await, caplog: pytest.LogCaptureFixture
) -> None:
    first = make_table()
    first.play(steps=40)
    await_that(lambda: listener.newest("state"))
    with caplog.at_level(logging.WARNING, "referee"):
        second = make_table(device="d2")
        await_that(lambda: any("is table t1 of hall h already" in line for line in caplog.messages))
        second.play()
        time.sleep(1.5)
    assert max(listener.events()) < first.told
    first.close()
    await_that(lambda: (listener.newest("status") or {}).get("device") == "d2")


def test_a_dead_broker_is_told_once_and_costs_the_table_nothing(
    broker: Any, make_table: Callable[..., Any], caplog: pytest.LogCaptureFixture, await_that: Await
) -> None:
    broker.kill()
    with caplog.at_level(logging.WARNING, "referee"):
        table = make_table()
        told = table.play()
        await_that(lambda: any("does not answer" in line for line in caplog.messages))
        time.sleep(2.5)
    assert len(told) > 30
    assert len([line for line in caplog.messages if "does not answer" in line]) == 1


def test_a_broker_that_comes_and_goes_is_told_six_times_an_hour_at_most(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    monkeypatch.setattr("referee.link.broker.monotonic", lambda: now[0])
    client = BrokerClient(
        HallSettings(broker="mqtt://localhost"), "t1", (), on_message=lambda _: None, on_connected=lambda: None
    )
    connection: Any = SimpleNamespace(subscribe=lambda _: None)
    with caplog.at_level(logging.INFO, "referee"):
        while now[0] < 3600.0:
            client._log("the broker mqtt://localhost does not answer")
            now[0] += 5.0
            client._on_connect(connection, None, None, ReasonCode(PacketTypes.CONNACK))
            now[0] += 5.0
    assert caplog.messages[1::2] == ["the broker mqtt://localhost answers"] * 6
    assert len(caplog.messages) == 12


@pytest.mark.slow
def test_a_simulated_table_is_told_to_the_hall_of_its_settings(
    broker: Any, listener: Any, tmp_path: Path, await_that: Await
) -> None:
    settings = tmp_path / "referee.toml"
    settings.write_text(f'[hall]\nbroker = "mqtt://127.0.0.1:{broker.port}"\nhall = "h"\ntable = "t1"\n')
    words = ["--camera", "sim:2", "--signals", "none", "--until-end", "--config", settings]
    words += ["--state", tmp_path / "kept"]
    subprocess.run([sys.executable, "-m", "referee", "run", *words], check=True, capture_output=True)
    (journal,) = (tmp_path / "kept").glob("match-*.jsonl")
    told = list(events_in(journal))
    assert {said["event"] for said in told} >= {"game_started", "judged", "match_over"}
    await_that(lambda: listener.newest("status")["status"] == "offline")
    assert [listener.events()[number] for number in range(len(told))] == told


def test_home_assistant_finds_the_table_and_its_button_pauses_the_match(
    table: Any, home: Any, await_that: Await
) -> None:
    table.play(steps=40)
    topic = "homeassistant/device/h/t1/config"
    found = await_that(lambda: next((said for on, said in list(home.heard) if on == topic), None))
    assert found["availability"][0]["topic"] == "referee/v1/h/t1/status"
    assert found["state_topic"] == "referee/v1/h/t1/state"
    kinds = {key: one["platform"] for key, one in found["components"].items()}
    sensors, buttons = ("phase", "player", "verdict", "clock"), ("press", "pause", "resume")
    assert kinds == dict.fromkeys(sensors, "sensor") | dict.fromkeys(buttons, "button")
    state = await_that(lambda: (told := home.newest("state")) and told["seq"] == table.told and told)
    shown = {key: rendered(found["components"][key]["value_template"], state) for key in sensors}
    match = state["match"]
    assert (shown["phase"], shown["player"]) == (match["phase"], match["players"][match["seat"]]["name"])
    assert shown["verdict"] == match["verdict"]["verdict"]
    assert float(shown["clock"]) == round(match["clock"]["seconds_left"])
    nothing = {key: rendered(found["components"][key]["value_template"], {"match": None}) for key in sensors}
    assert nothing == {"phase": "no match", "player": "nobody", "verdict": "none", "clock": "0"}
    pause = found["components"]["pause"]
    home.say(pause["command_topic"], pause["payload_press"])
    await_that(lambda: table.listen() or Reason.PAUSE in table.match.pauses.halted)
    assert b"hall: Home Assistant" in table.path.read_bytes()


def rendered(template: str, state: Any) -> str:
    """Write a template's value as Home Assistant does, whose templates are Jinja's."""
    jinja = pytest.importorskip("jinja2", reason="needs jinja2: pip install jinja2")
    return str(jinja.Environment().from_string(template).render(value_json=state))


# Paho leaves the socket of a refused handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_broker_whose_certificate_ran_out_is_told_in_one_line(
    make_broker: Callable[[str], Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, await_that: Await
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: sudo apt install openssl")
    key, cert, old = (str(tmp_path / name) for name in ("key.pem", "cert.pem", "old.pem"))
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=127.0.0.1"
    for words in (
        [*make.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
        ["openssl", "x509", "-in", cert, "-signkey", key, "-days", "-1", "-out", old],
    ):
        subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    broker = make_broker(f"allow_anonymous true\ncertfile {old}\nkeyfile {key}")
    settings = HallSettings(
        broker=f"mqtts://127.0.0.1:{broker.port}",
        hall="h",
        table="t1",
        user="",
        password_file="",
        ca_file=old,
        home_assistant=False,
        public_delay_seconds=0.0,
    )
    client = BrokerClient(settings, "t1", (), on_message=print, on_connected=lambda: None)
    with caplog.at_level(logging.WARNING, "referee"):
        client.start()
        await_that(lambda: caplog.messages)
        client.close()
    said = (
        f"the certificate of the broker {settings.broker} is refused: certificate has expired; renew it, set this "
        "machine's clock, or name who vouches for it as ca_file under [hall]; the tables referee without the hall"
    )
    assert caplog.messages == [said]
