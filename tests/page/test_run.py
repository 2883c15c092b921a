"""`referee run --web` as a whole: the page is there, the match goes on beside it, and both end when told to."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee import errors
from referee.errors import ConfigError
from referee.rules.wording import only_english
from referee.server.pin import save_pin
from referee.service import page
from referee.service import safe_mode as safe
from referee.service.stop import POWER_OFF, START_AFRESH, Stop
from referee.settings.config import load_config
from tests.conftest import PATIENCE_SECONDS

AT_A_SIM = ("--camera", "sim", "--signals", "none", "--state")


class Running:
    """A referee in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.events = folder / "events.jsonl"
        command = ["run", "--camera", "sim", "--signals", "none", "--web", str(port), "--state", str(folder / "state")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee", *command, "--events", str(self.events)],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = f"http://127.0.0.1:{port}"
        assert self.process.stderr is not None
        self.said = ""
        while "PIN is" not in self.said:
            line = self.process.stderr.readline()
            assert line, self.said
            self.said += line

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
            return json.load(answer)

    def wait_for(self, holds: Any) -> Any:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            state = self.get("/api/state")
            if holds(state):
                return state
            assert time.monotonic() < end, state
            time.sleep(0.2)


@pytest.fixture
def running(tmp_path: Path, free_port: int) -> Iterator[Running]:
    referee = Running(tmp_path, free_port)
    yield referee
    if referee.process.poll() is None:
        referee.process.kill()
    referee.process.communicate()


@pytest.mark.slow
def test_the_simulated_table_is_followed_on_the_page_and_ends_in_time(running: Running) -> None:
    assert re.search(r"the page is at http://127\.0\.0\.1:\d+/\n", running.said)
    assert re.search(r"PIN is \d{6} ", running.said)
    state = running.wait_for(lambda state: state["match"] and state["match"]["turn"] >= 2)
    assert [player["name"] for player in state["match"]["players"]] == ["Ann", "Ben", "Cem"]
    assert state["match"]["verdict"]["turn"] == state["match"]["turn"] - 1
    turns = running.get("/api/turns")["turns"]
    assert turns[-1]["turn"] == 1
    assert turns[-1]["pictures"]["after"] == "/api/evidence/000001.jpg"
    told = [json.loads(line)["event"] for line in running.events.read_text().splitlines()]
    assert told[:2] == ["game_started", "turn_started"]
    check_export(running)
    settings = urllib.request.Request(running.url + "/api/settings")  # noqa: S310 - our own address
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(settings, timeout=PATIENCE_SECONDS)  # noqa: S310 - our own address
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE_SECONDS) == 0, "it does not wait for the end of the match"


def _organiser(url: str, pin: str) -> tuple[urllib.request.OpenerDirector, dict[str, str]]:
    """Log in; a browser with its cookie, and what it sends with each change."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(f"{url}/api/session", timeout=PATIENCE_SECONDS) as answer:
        token = json.load(answer)["csrf"]
    own = {"Origin": url, "Content-Type": "application/json", "X-CSRF-Token": token}
    login = urllib.request.Request(f"{url}/api/login", json.dumps({"pin": pin}).encode(), own)  # noqa: S310 - ours
    with browser.open(login, timeout=PATIENCE_SECONDS) as answer:
        said = json.load(answer)
    assert said["organiser"] is True
    return browser, {**own, "X-CSRF-Token": said["csrf"]}


def check_export(running: Running) -> None:
    """The organiser takes the match home: record, scores, events, journal and a picture a turn."""
    pin = re.search(r"PIN is (\d{6})", running.said)
    assert pin is not None
    cookies, _ = _organiser(running.url, pin[1])
    with cookies.open(f"{running.url}/api/export/match.zip", timeout=PATIENCE_SECONDS) as answer:
        names = set(zipfile.ZipFile(io.BytesIO(answer.read())).namelist())
    assert {"record.txt", "scores.csv", "events.jsonl", "journal.jsonl"} <= names
    assert any(name.startswith("pictures/") for name in names)
    with cookies.open(f"{running.url}/api/export/record.txt", timeout=PATIENCE_SECONDS) as answer:
        record = answer.read().decode()
    assert record.count("game 1 starts") == 1
    assert re.search(r"^1\.1 1 ", record, re.MULTILINE)
    with cookies.open(f"{running.url}/api/settings", timeout=PATIENCE_SECONDS) as answer:
        shown = {f"{one['section']}.{one['key']}": one for one in json.load(answer)["settings"]}
    assert (shown["signals.volume"]["value"], shown["web.port"]["page"]) == (0.6, False)
    assert shown["signals.volume"]["comment"].startswith("volume of a passive buzzer")
    assert list(Path(tempfile.gettempdir()).glob("referee-*.zip")) == []


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(
        ConfigError, match=r"^the page needs uvicorn; install it, in the checkout: \.venv/bin/pip .* '\.\[web\]'$"
    ):
        page.check_extra()


def test_the_referee_needs_no_server_to_referee() -> None:
    without = "import sys; sys.modules.update(starlette=None, uvicorn=None, segno=None); import referee.service.wiring"
    subprocess.run([sys.executable, "-c", without], check=True)


def test_in_safe_mode_the_page_says_why_and_asks_for_another_start(tmp_path: Path, free_port: int) -> None:
    settings = load_config().web
    config = replace(load_config(), web=replace(settings, enabled=True, port=free_port))
    save_pin(tmp_path, "271828")
    retry = tmp_path / "retry"
    why = only_english("the camera cannot be opened")
    server = page.open_safe_page(config, None, tmp_path, dict, lambda: why, ask_retry=retry.touch, stop=Stop())
    try:
        url = f"http://127.0.0.1:{free_port}"
        with urllib.request.urlopen(f"{url}/api/state", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
            state = json.load(answer)
        assert (state["safe_mode"], state["match"]) == ("the camera cannot be opened", None)
        browser, own = _organiser(url, "271828")
        asked = urllib.request.Request(f"{url}/api/retry", b"{}", own)  # noqa: S310 - our own address
        with browser.open(asked, timeout=PATIENCE_SECONDS) as answer:
            assert json.load(answer) == {"retry": True}
        assert retry.exists()
        with pytest.raises(urllib.error.HTTPError) as refused:
            browser.open(f"{url}/api/calibration", timeout=PATIENCE_SECONDS)
        with refused.value as answer:
            assert (answer.code, json.load(answer)["message_id"]) == (409, "safe.no_camera")
    finally:
        server.close()


@pytest.mark.slow
@pytest.mark.parametrize(("then", "code"), [("restart", START_AFRESH), ("power_off", POWER_OFF)])
def test_a_service_ends_as_the_organiser_asks(then: str, code: int, tmp_path: Path, free_port: int) -> None:
    save_pin(tmp_path, "271828")
    settings = tmp_path / "referee.toml"
    settings.write_text(f'[web]\nenabled = true\nhost = "127.0.0.1"\nport = {free_port}\n')
    own = {"INVOCATION_ID": "1", "STATE_DIRECTORY": str(tmp_path), "RUNTIME_DIRECTORY": str(tmp_path / "run")}
    command = [sys.executable, "-m", "referee", "run", "--config", str(settings), *AT_A_SIM, str(tmp_path)]
    service = subprocess.Popen(command, env={**os.environ, **own}, stderr=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{free_port}"
        end = time.monotonic() + PATIENCE_SECONDS
        state: Any = None
        while not state or not state["match"] or state["match"]["turn"] < 2:
            assert time.monotonic() < end, state
            time.sleep(0.2)
            with suppress(OSError), urllib.request.urlopen(f"{url}/api/state", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - ours
                state = json.load(answer)
        browser, sent = _organiser(url, "271828")
        with browser.open(f"{url}/api/health", timeout=PATIENCE_SECONDS) as answer:
            assert json.load(answer)["can_end"] is True
        asked = urllib.request.Request(f"{url}/api/end", json.dumps({"then": then}).encode(), sent)  # noqa: S310 - ours
        with browser.open(asked, timeout=PATIENCE_SECONDS) as answer:
            assert json.load(answer) == {"then": then}
        _, said = service.communicate(timeout=PATIENCE_SECONDS)
        assert service.returncode == code, said
        assert safe.StartCounter(tmp_path).tally().failed == 0
    finally:
        service.kill()
        service.communicate(timeout=PATIENCE_SECONDS)


def test_safe_mode_tells_what_keeps_it_now_and_is_left_without_a_word_to_the_disk(
    tmp_path: Path, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    monkeypatch.setattr(safe, "TELL_SECONDS", 0.02)
    save_pin(tmp_path, "271828")
    missing = tmp_path / "none.json"
    settings = tmp_path / "referee.toml"
    settings.write_text(f'[web]\nenabled = true\nport = {free_port}\n[vision]\nprofile = "{missing}"\n')
    starts, stop, url = safe.StartCounter(tmp_path), Stop(), f"http://127.0.0.1:{free_port}"
    starts.write(safe.MAX_FAILED, "the camera cannot be opened")
    service = threading.Thread(target=safe.stay_safe, args=(starts, settings, stop, 0.5))
    service.start()
    try:
        said = []
        while not said or str(missing) not in said[-1]:
            with suppress(OSError), urllib.request.urlopen(f"{url}/api/state", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - ours
                state = json.load(answer)
                said.append(state["safe_mode"])
                assert state["safe_mode_message"]["message"] == state["safe_mode"]
            assert len(said) < 200
            time.sleep(0.05)
        assert said[-1] == f"profile {missing} does not exist; check the name, or make it with 'referee calibrate'"
        assert state["safe_mode_message"]["message_id"] == "profile.wrong"
        before = {path.name for path in tmp_path.iterdir()}
        browser, own = _organiser(url, "271828")
        browser.open(urllib.request.Request(f"{url}/api/retry", b"{}", own), timeout=PATIENCE_SECONDS).close()  # noqa: S310 - ours
        service.join(PATIENCE_SECONDS)
        assert not service.is_alive(), "nobody heard that another start was asked for"
        assert {path.name for path in tmp_path.iterdir()} == before | {"sessions"}
    finally:
        stop.set()
        service.join(PATIENCE_SECONDS)


@pytest.mark.slow
def test_a_page_that_the_settings_turn_on_is_for_every_phone_and_says_where(tmp_path: Path, free_port: int) -> None:
    settings = tmp_path / "referee.toml"
    settings.write_text(f"[web]\nenabled = true\nport = {free_port}\n")
    for _ in range(2):  # at every start
        process = subprocess.Popen(
            [sys.executable, "-m", "referee", "run", "--camera", "sim", "--signals", "none", "--config", str(settings)],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            said = ""
            assert process.stderr is not None
            while "PIN is" not in said:
                line = process.stderr.readline()
                assert line, said
                said += line
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_SECONDS)
        (address,) = re.findall(r"the page is at http://(\S+):\d+/\n", said)
        assert address != "127.0.0.1"
        assert "▄▄▄▄▄" in said  # the QR code
