"""The page trusts nothing old, and comes back by itself: over links that are dead, silent, slow or refuse."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conftest import expect

from .conftest import WIDTHS

BUSY = b'{"error": "the referee is busy; try again", "error_id": "busy", "seconds": 1}'
REFUSED = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(BUSY), BUSY)
)


class Link:
    """What lies between a phone and the referee: it may be `through`, `busy` (503), `silent` or `dead`."""

    def __init__(self, port: int) -> None:
        self.state = "through"
        self._port = port
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def become(self, state: str) -> None:
        """Change; whatever is open stays open but for a dead link."""
        self.state = state
        if state in {"dead", "busy"}:
            for one in list(self._open):
                self._drop(one)

    def close(self) -> None:
        self.become("dead")
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                phone, _ = self._listening.accept()
            except OSError:
                return
            self._open.add(phone)
            threading.Thread(target=self._serve, args=(phone,), daemon=True).start()

    def _serve(self, phone: socket.socket) -> None:
        try:
            if self.state == "dead":
                return self._drop(phone)
            if self.state == "busy":
                phone.recv(65536)
                phone.sendall(REFUSED)
                return self._drop(phone)
            referee = socket.create_connection(("127.0.0.1", self._port))
            self._open.add(referee)
            threading.Thread(target=self._pump, args=(phone, referee), daemon=True).start()
            self._pump(referee, phone)
        except OSError:
            self._drop(phone)

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                if self.state == "silent":
                    continue  # swallowed: nobody ever answers
                other.sendall(data)
        except OSError:
            pass
        self._drop(one)
        self._drop(other)

    def _drop(self, one: socket.socket) -> None:
        self._open.discard(one)
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@pytest.fixture
def link(page: Any) -> Iterator[Link]:
    between = Link(page.server.port)
    yield between
    between.close()


def live(device: Any) -> None:
    device.view.locator(".link.up").wait_for(state="attached")


def lost(device: Any) -> None:
    device.view.locator(".unlinked").wait_for()
    expect(device.view.locator(".link.up")).to_have_count(0)


@pytest.mark.slow
def test_a_silent_referee_is_not_live_and_its_clock_stands(
    page: Any, link: Link, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    device = open_device(link.url)
    link.become("silent")
    device.view.wait_for_timeout(15_000)
    lost(device)
    digits = device.view.locator(".clock .digits")
    digits.get_by_text("–", exact=True).wait_for()
    device.must_say("No connection", ".clock")
    for width in WIDTHS:
        device.turn_to(width)
        assert device.overflow() == 0
        device.picture(f"lost-{width}")
    link.become("through")
    live(device)
    expect(digits).to_have_text(re.compile("[1-9]"))
    expect(device.view.locator(".unlinked")).to_have_count(0)
    device.faults.clear()


@pytest.mark.parametrize("state", ["busy", "dead"])
def test_a_link_that_was_refused_comes_back(state: str, page: Any, link: Link, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    device = open_device(link.url)
    link.become(state)
    lost(device)
    at = device.view.locator(".clock .digits").inner_text()
    device.view.wait_for_timeout(2500)
    assert device.view.locator(".clock .digits").inner_text() in {at, "–"}, "the clock must not count on"
    for tab in ("turns", "score"):
        device.tab(tab)
        device.view.get_by_role("button", name="Try again").wait_for()
    for part in device.parts():
        part.click()
    device.view.locator("#health-line").wait_for()
    device.tab("turns")
    link.become("through")
    live(device)
    device.view.locator(".turn-line").first.wait_for()
    device.tab("score")
    device.view.locator("table.sheet").wait_for()
    device.faults.clear()


def test_a_page_that_was_refused_at_first_comes_all_the_same(link: Link, open_device: Callable[..., Any]) -> None:
    """Its first file comes, then everything is refused for a while: scripts, words and all."""
    device = open_device(link.url)
    device.view.route("**/page/text/*.json", lambda route: route.fulfill(status=503, body="{}"))
    device.view.reload()
    device.must_say("The referee does not answer.")
    device.view.unroute("**/page/text/*.json")
    live(device)
    device.view.route("**/page/main.js", lambda route: route.abort())
    device.view.goto(f"{link.url}?anew")
    device.view.wait_for_timeout(1000)
    expect(device.view.locator(".link")).to_have_count(0)
    device.view.unroute("**/page/main.js")
    live(device)
    device.faults.clear()


SAFE = """
import sys, time, pathlib
from dataclasses import replace
from referee.settings.config import load_config
from referee.rules.wording import only_english
from referee.service.page import open_safe_page
from referee.service.stop import Stop
folder = pathlib.Path(sys.argv[1])
config = load_config()
config = replace(config, web=replace(config.web, enabled=True, port=int(sys.argv[2])))
why = only_english("no camera")
health = {"reason": "no camera"}
server = open_safe_page(config, None, folder, lambda: health, lambda: why, ask_retry=lambda: None, stop=Stop())
print("up", flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_a_stopped_process_is_seen_and_one_that_goes_on_again_too(
    tmp_path: Any, free_port: int, open_device: Callable[..., Any]
) -> None:
    command = [sys.executable, "-c", SAFE, str(tmp_path), str(free_port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            device = open_device(f"http://127.0.0.1:{free_port}/")
            os.kill(process.pid, signal.SIGSTOP)
            lost(device)
            device.tab("setup")
            device.view.locator(".parts").get_by_role("button", name="Health").click()
            device.view.get_by_role("button", name="Try again").wait_for()
            os.kill(process.pid, signal.SIGCONT)
            live(device)
            device.view.locator("dl.figures dd").first.wait_for()
            device.faults.clear()
        finally:
            process.kill()
