"""The keyboard as the button, at a real terminal: what keys do, and that the terminal is left as it was."""

import os
import pty
import re
import select
import shutil
import signal
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.hardware.keyboard import KEYS
from tests.conftest import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")
COOKED = termios.ICANON | termios.ECHO


@cache
def pictures() -> list[bytes]:
    """Give ten pictures of it, as JPEG."""
    rng = np.random.default_rng(1)
    images = (rng.normal(120, 3, (480, 640, 3)).clip(0, 255).astype(np.uint8) for _ in range(10))
    return [cv2.imencode(".jpg", image)[1].tobytes() for image in images]


class BareTable(BaseHTTPRequestHandler):
    """A phone over a table on which nothing lies: MJPEG, with a sensor's noise."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=shot")
        self.end_headers()
        with suppress(OSError):
            for data in cycle(pictures()):
                self.wfile.write(b"--shot\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data))
                self.wfile.write(data + b"\r\n")
                time.sleep(0.1)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def camera() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), BareTable) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"url:http://127.0.0.1:{server.server_address[1]}/video"
        server.shutdown()


class Terminal:
    """A program in a terminal of its own, as somebody sees it."""

    def __init__(self, *words: str) -> None:
        self.id, self.screen = pty.fork()
        if not self.id:
            os.chdir(ROOT)
            os.environ.pop("GPIOZERO_PIN_FACTORY", None)
            os.execvp(words[0], words)  # noqa: S606 - as a shell does
        self.seen = ""

    def expect(self, text: str) -> None:
        """Wait until this is shown, from where the last one was."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not (found := re.search(text, self.seen)):
            assert time.monotonic() < until, f"{text!r} did not come: {self.seen}"
            if select.select([self.screen], [], [], 0.1)[0]:
                self.seen += os.read(self.screen, 4096).decode(errors="replace")
        self.seen = self.seen[found.end() :]

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def modes(self) -> int:
        return int(termios.tcgetattr(self.screen)[3]) & COOKED

    def becomes(self, modes: int) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while self.modes() != modes:
            assert time.monotonic() < until, f"the terminal's modes are {self.modes()}, not {modes}"
            time.sleep(0.02)

    def exit_code(self) -> int:
        """Read on until it has ended."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not (ended := os.waitpid(self.id, os.WNOHANG))[0]:
            assert time.monotonic() < until, f"it does not end: {self.seen}"
            with suppress(OSError):
                if select.select([self.screen], [], [], 0.1)[0]:
                    self.seen += os.read(self.screen, 4096).decode(errors="replace")
        return os.waitstatus_to_exitcode(ended[1])


def words(camera: str, folder: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "referee", "run", "--camera", camera, "--state", str(folder))


def test_keys_play_a_match(camera: str, tmp_path: Path) -> None:
    terminal = Terminal(*words(camera, tmp_path))
    terminal.expect(re.escape(KEYS))
    terminal.expect("the match begins when Enter is pressed")
    terminal.becomes(0)
    time.sleep(2.0)  # a few pictures
    terminal.type("\r")
    terminal.expect(r"Ann, not opened yet|The clock runs")
    time.sleep(2.0)
    terminal.type("\n")
    terminal.expect("Ann plays nothing")
    terminal.expect("Turn 2, Ben")
    terminal.type("u")
    terminal.expect("Taken back: Ann goes on")
    terminal.type("p")
    terminal.expect("The clock is stopped for a break")
    terminal.type("\x1b[A")  # an arrow key means nothing
    terminal.type("p")
    terminal.expect("The clock runs")
    terminal.type("?")
    terminal.expect(re.escape(KEYS))
    terminal.type("q")
    assert terminal.exit_code() == 0
    assert terminal.modes() == COOKED
    assert "Traceback" not in terminal.seen


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP))]
)
def test_the_terminal_is_as_it_was_after_a_signal(camera: str, tmp_path: Path, number: signal.Signals) -> None:
    terminal = Terminal(*words(camera, tmp_path))
    terminal.expect("Keys:")
    terminal.becomes(0)
    if number is signal.SIGINT:
        terminal.type("\x03")
    else:
        os.kill(terminal.id, number)
    assert terminal.exit_code() == 0
    assert terminal.modes() == COOKED
    assert "Traceback" not in terminal.seen


def test_a_terminal_that_is_closed_ends_it(camera: str, tmp_path: Path) -> None:
    terminal = Terminal(*words(camera, tmp_path))
    terminal.expect("Keys:")
    terminal.becomes(0)
    os.close(terminal.screen)
    until = time.monotonic() + PATIENCE_SECONDS
    while not (ended := os.waitpid(terminal.id, os.WNOHANG))[0]:
        assert time.monotonic() < until, "it does not end with its terminal"
        time.sleep(0.05)
    assert os.waitstatus_to_exitcode(ended[1]) == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash, which has job control")
def test_it_can_be_stopped_and_sent_to_the_background(camera: str, tmp_path: Path) -> None:
    terminal = Terminal("bash", "--norc", "--noprofile", "--noediting", "-i")
    terminal.type(f"PS1='ready> '; {' '.join(words(camera, tmp_path))}\n")
    terminal.expect("Keys:")
    terminal.becomes(0)
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.becomes(COOKED)
    terminal.type("fg\n")
    terminal.becomes(0)
    terminal.type("?")
    terminal.expect("Keys:")
    terminal.type("\x1a")
    terminal.expect("Stopped")
    terminal.type("bg\n")
    terminal.expect("ready> ")
    time.sleep(1.0)
    terminal.becomes(COOKED)
    terminal.type("jobs\n")
    terminal.expect("Running")
    terminal.type("fg\n")
    terminal.becomes(0)
    terminal.type("q")
    terminal.expect("ready> ")
    terminal.becomes(COOKED)
    terminal.type("exit\n")
    assert terminal.exit_code() == 0
