"""Ctrl-C, a hangup and an end by the system while a command starts: no traceback, and nothing half done is left."""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.cli.main import COMMANDS, build_parser
from tests.conftest import PATIENCE_SECONDS

ROOT = Path(__file__).parents[3]
REFEREE = [sys.executable, "-c", "import sys; from referee.__main__ import main; sys.exit(main())"]  # as installed
DELAYS = (0.1, 0.2, 0.35, 0.6, 0.95)
EXAMPLE = str(ROOT / "calibration" / "example-profile.json")
CALLS = {
    "run": ["run", "--camera", "sim", "--signals", "none"],
    "run with a page": ["run", "--camera", "sim", "--signals", "none", "--web", "127.0.0.1:0"],
    "read": ["read", "{picture}", "--annotate", "{out}"],
    "photos": ["photos", "--web", "127.0.0.1:0"],
    "judge": ["judge", "--jsonl"],
    "score": ["score", "--edition", "original"],
    "solve": ["solve", "--jsonl"],
    "simulate": ["simulate", "--out", "{out}"],
    "replay": ["replay", "{pipe}", "--record", "{out}"],
    "calibrate setup": ["calibrate", "setup", "{picture}", "--profile", "{out}"],
    "calibrate camera": ["calibrate", "camera", "{picture}", "--profile", "{out}"],
    "calibrate table": ["calibrate", "table", "{picture}", "--profile", "{out}"],
    "calibrate colours": ["calibrate", "colours", "{picture}", "--profile", "{out}"],
    "calibrate tiles": ["calibrate", "tiles", "{picture}", "--order", "J", "--profile", "{out}"],
    "calibrate signals": ["calibrate", "signals", "--signals", "console"],
    "calibrate check": ["calibrate", "check", "{picture}", "--profile", EXAMPLE],
    "config check": ["config", "check", "{pipe}"],
    "config show": ["config", "show", "{pipe}"],
    "config pin": ["config", "pin", "--state", "{out}"],
    "hall": ["hall", "--broker", "mqtt://127.0.0.1:9", "--web", "127.0.0.1:0", "--state", "{out}"],
    "hall tournament": ["hall", "tournament", "create", "Open", "{pipe}", "--rounds", "2", "--state", "{out}"],
    "status": ["status"],
    "stats": ["stats"],
    "report": ["report", "--out", "{out}"],
    "help": ["calibrate", "--help"],
}


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("picture") / "noise.png"
    noise = np.random.default_rng(1).integers(0, 255, (1500, 2000, 3), np.uint8)
    cv2.imwrite(str(path), noise)
    return path


def stopped(words: list[str], number: int, delay: float, **more: str) -> tuple[int, str]:
    """Run a command, send it a signal after a while: its exit code and all it said to people."""
    process = subprocess.Popen(
        [*REFEREE, *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **more},
    )
    time.sleep(delay)
    process.send_signal(number)
    try:
        process.wait(PATIENCE_SECONDS)
        assert process.stderr is not None
        return process.returncode, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def starts_python(said: str) -> bool:
    """Tell whether the signal came before our first line, while Python itself was starting."""
    return "Traceback" in said and f'"{ROOT}/referee/' not in said


def test_every_command_is_among_the_calls() -> None:
    called = {tuple(words[:2]) for words in CALLS.values()}
    for name, subparser in below(build_parser(*COMMANDS)).items():
        steps = [(name, step) for step in below(subparser)]
        assert {*steps} <= called, name
        assert name in {first for first, *_ in called}


def below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0]) if found else {}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_ctrl_c_in_the_first_second_says_nothing(call: str, picture: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for delay in DELAYS:
        out = tmp_path / f"out-{delay}"
        words = [word.format(picture=picture, out=out, pipe=pipe) for word in CALLS[call]]
        code, said = stopped(words, signal.SIGINT, delay, XDG_STATE_HOME=str(tmp_path))
        if starts_python(said):
            continue
        assert "Traceback" not in said, f"after {delay} s: {said}"
        assert "KeyboardInterrupt" not in said, f"after {delay} s: {said}"
        assert "Error" not in said, f"after {delay} s: {said}"
        assert code in {130, -signal.SIGINT, 0, 1, 2}, f"after {delay} s: {said}"
        assert not list(tmp_path.rglob(".*.part")), f"after {delay} s"


REQUEST = '{"id": 1, "edition": "original", "after": "R3 R4 R5"}\n'


def judging(*before: str) -> subprocess.Popen[str]:
    """Give a judge that has answered once, and waits for more."""
    process = subprocess.Popen(
        [*before, *REFEREE, "judge", "--jsonl"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(REQUEST)
    process.stdin.flush()
    assert '"legal"' in process.stdout.readline()
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_that_waits_ends_with_the_code_of_its_signal(number: int, code: int) -> None:
    process = judging()
    process.send_signal(number)
    assert process.communicate(timeout=PATIENCE_SECONDS) == ("", "")
    assert process.returncode == code


def test_a_hangup_that_is_to_be_ignored_is_ignored() -> None:
    process = judging("nohup")
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(REQUEST, timeout=PATIENCE_SECONDS)
    assert '"verdict": "legal"' in out
    assert process.returncode == 0


HEAR = """
import os, signal, sys, time
from referee.cli import interrupts
interrupts.start_recording()
def hear(number):
    os.kill(os.getpid(), number)
    for _ in range(1000): pass  # Python calls what answers a signal between two steps
"""


def python(lines: str, folder: Path, number: int) -> tuple[int, str]:
    """Run lines that may `hear(number)`: the exit code and all that was said."""
    (folder / "heard.py").write_text(f"{HEAR}\nnumber = {int(number)}\n{lines}")
    done = subprocess.run(
        [sys.executable, "heard.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "number", "code"),
    [
        (["judge", "--jsonl"], signal.SIGINT, 130),
        (["judge", "--jsonl"], signal.SIGTERM, 143),
        (["run", "--camera", "sim:1", "--signals", "none"], signal.SIGINT, 0),
        (["run", "--camera", "sim:1", "--signals", "none"], signal.SIGTERM, 0),
    ],
)
def test_a_signal_before_the_command_is_loaded_is_answered_when_it_is(
    words: list[str], number: int, code: int, tmp_path: Path
) -> None:
    lines = f"hear(number)\nfrom referee.cli.main import main\nsys.exit(main({words}))"
    assert python(lines, tmp_path, number) == (code, "")


ENDS = """
interrupts.raise_from_now_on()
try:
    {}
    time.sleep(20)
except KeyboardInterrupt:
    print("ends")
sys.exit(interrupts.exit_code())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_something_is_loaded_waits_for_it(number: int, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("from __main__ import hear, number\nhear(number)\nprint('loaded')")
    assert python(ENDS.format("import slow"), tmp_path, number) == (128 + number, "loaded\nends\n")


def test_a_second_signal_does_not_wait_for_what_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("from __main__ import hear, number\nhear(number)\nhear(number)\nprint('loaded')")
    assert python(ENDS.format("import slow"), tmp_path, signal.SIGINT) == (130, "ends\n")


def test_a_signal_that_python_drops_in_a_destructor_is_raised_again(tmp_path: Path) -> None:
    thing = "type('Thing', (), {'__del__': lambda _: hear(number)})()"
    assert python(ENDS.format(thing), tmp_path, signal.SIGTERM) == (143, "ends\n")


def test_a_signal_ends_a_program_that_holds_the_lock_of_what_ends_it() -> None:
    """Without a thread of its own, two in three hung."""
    lines = (
        "import threading\nfrom referee.cli import interrupts\nstop = threading.Event()\n"
        "interrupts.call_on_signal(stop.set)\nprint('ready', flush=True)\nwhile not stop.wait(0): pass\n"
    )
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", lines], stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.readline()
            time.sleep(0.05)
            program.send_signal(signal.SIGTERM)
            try:
                assert program.wait(PATIENCE_SECONDS) == 0
            finally:
                program.kill()
