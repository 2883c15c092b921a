"""`referee run` as it is called: the simulated match through the real models, wrong calls, a signal to stop."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.rules.tiles import Joker, JokerKind
from referee.storage.profile import save_profile
from referee.vision.profile import EnrolledFace, Enrolment, Profile
from tests.conftest import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
WITH_MODELS = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")

# What the players of the embedded match do, worked out by hand from its tables.
JUDGED = [
    (1, 0, "legal", "played", 39, []),
    (2, 1, "illegal", "played", 24, ["initial_meld_too_low"]),
    (2, 1, "legal", "played", 51, []),
    (3, 2, "legal", "no_play", 0, []),
    (4, 0, "legal", "played", None, []),
    (5, 1, "illegal", "played", None, ["not_a_set"]),
    (5, 1, "legal", "played", None, []),
    (6, 2, "legal", "played", 36, []),
    (7, 0, "legal", "played", None, []),
    (8, 1, "illegal", "played", None, ["loose_tile", "not_a_set"]),  # and the time runs out over it
    (9, 2, "legal", "played", None, []),
    (10, 0, "legal", "played", None, []),
]


def referee(*words: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "referee", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


@pytest.mark.slow
@WITH_MODELS
def test_the_embedded_match_is_refereed_as_it_was_played(tmp_path: Path) -> None:
    process = referee("run", "--camera", "sim", "--until-end", "--events", "-", "--state", str(tmp_path / "state"))
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err
    events = [json.loads(line) for line in out.splitlines()]
    assert all({"event", "seat", "turn", "game", "at"} <= set(event) for event in events)
    judged = [event for event in events if event["event"] == "judged"]
    assert [
        (
            event["turn"],
            event["seat"],
            event["verdict"],
            event["outcome"],
            event["meld"],
            sorted({fault["fault"] for fault in event["faults"]}),
        )
        for event in judged
    ] == JUDGED
    assert judged[0]["table"] == "K1 K2 K3 / R10 R11 R12"
    assert all(event["frame_id"] for event in judged)
    drew = [event for event in events if event["event"] == "drew"]
    assert [(event["turn"], event["seat"], event["tiles"], event["reason"]) for event in drew] == [
        (3, 2, 1, "no_play"),
        (8, 1, 3, "penalty"),
    ]
    assert [event["seat"] for event in events if event["event"] == "game_won"] == [0]
    assert "Ben draws 3 tiles as the penalty." in err
    assert main(["replay", "--quiet", str(tmp_path / "state/match-00001.jsonl")]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--camera", "webcam"), "camera 'webcam' is not known"),
        (("--camera", "usb:x"), "camera 'usb:x' is not known"),
        (("--camera", "sim:11"), "the demo has 10 turns; use sim:1 to sim:10, or sim"),
        (("--camera", "replay:/nowhere"), "recording /nowhere does not exist"),
        (("--camera", "sim", "--signals", "gpio"), "cannot be driven"),
        (("--config", "/nowhere.toml"), "cannot be read"),
        (("--edition", "twst"), "--edition 'twst' is not known; did you mean 'twist'?"),
        (("--edition", "xp"), "xp is for 5 to 6 players, not 3"),
        (("--players", "Ann,Ann"), "must be two to six different names"),
        (("--first", "Uwe"), "--first 'Uwe' is not a player; name one of Ann, Ben, Cem"),
        (("--first", "4"), "there are only 3 players"),
        (("--games", "-1"), "is out of range; use 0 to 100"),
        (("--camera", "sim", "--events", "/nowhere/events.jsonl"), "cannot be written"),
        (("--camera", "sim", "--state", "/proc/nowhere"), "cannot be used"),
    ],
)
def test_a_wrong_call_is_one_line(words: Any, said: Any, call: Callable[..., Any]) -> None:
    code, out, err = call("run", "--until-end", *words)
    assert code == 2, err
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


@WITH_MODELS
@pytest.mark.parametrize(
    ("camera", "profile", "said"),
    [
        pytest.param("usb:7", "none.json", "none.json does not exist", id="missing"),
        pytest.param("usb:7", "profile.json", "is of camera 'picamera', not 'usb:7'", id="another camera's"),
        pytest.param(
            "picamera", "profile.json", "learnt by reader fedcba9876543210, and this is", id="another reader's"
        ),
    ],
)
def test_a_profile_that_does_not_fit_is_refused_at_the_start(
    tmp_path: Path, camera: str, profile: str, said: str, call: Callable[..., Any]
) -> None:
    face = EnrolledFace(Joker(JokerKind.REGULAR), ((1.0, *[0.0] * 31),))
    enrolment = Enrolment(reader="fedcba9876543210", faces=(face,), near=0.9)
    save_profile(Profile(camera="picamera", size=(1920, 1080), enrolment=enrolment), tmp_path / "profile.json")
    settings = tmp_path / "referee.toml"
    settings.write_text(f'[vision]\nprofile = "{tmp_path / profile}"\n')
    state = str(tmp_path / "state")
    code, out, err = call("run", "--config", str(settings), "--camera", camera, "--signals", "none", "--state", state)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.fixture
def watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[float]]]:
    """When a referee said that it lives, to somebody who listens as systemd does."""
    address, heard = str(tmp_path / "notify"), []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", address)

        def listen() -> None:
            while not stop.wait(0.05):
                with suppress(BlockingIOError):
                    while "WATCHDOG=1" not in systemd.recv(4096).decode():
                        pass
                    heard.append(time.monotonic())

        stop = threading.Event()
        listener = threading.Thread(target=listen)
        listener.start()
        yield lambda: [*heard]
        stop.set()
        listener.join()


@pytest.mark.slow
@WITH_MODELS
def test_the_watchdog_hears_of_a_recording_and_of_the_quiet_after_it(
    tmp_path: Path, watchdog: Callable[[], list[float]]
) -> None:
    process = referee(
        "run", "--camera", "sim:1", "--signals", "none", "--events", "-", "--state", str(tmp_path / "state")
    )
    assert process.stdout is not None
    try:
        next(line for line in process.stdout if '"match_over"' in line)
        ended = time.monotonic()
        while not any(at > ended + 4 for at in watchdog()):
            assert time.monotonic() < ended + PATIENCE_SECONDS, "nothing is said after the end"
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
    assert any(at < ended for at in watchdog()), "nothing is said while it plays"


@WITH_MODELS
def test_a_signal_ends_it_cleanly_before_the_match_does(tmp_path: Path) -> None:
    process = referee("run", "--camera", "sim", "--state", str(tmp_path))
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Turn 1"):
            break
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "match is over" not in out
    assert (process.returncode, err) == (0, "")
    again = referee("run", "--camera", "sim", "--state", str(tmp_path))
    assert again.stdout is not None
    assert again.stdout.readline().startswith("The clock is stopped: the referee was off")
    again.send_signal(signal.SIGTERM)
    assert "resuming the match of match-00001.jsonl" in again.communicate(timeout=PATIENCE_SECONDS)[1]


@WITH_MODELS
def test_systemd_is_told(tmp_path: Path) -> None:
    import socket  # noqa: PLC0415

    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(address)
        listener.settimeout(PATIENCE_SECONDS)
        systemd = {"NOTIFY_SOCKET": address, "INVOCATION_ID": "1", "STATE_DIRECTORY": str(tmp_path)}
        process = referee("run", "--camera", "sim", env={**os.environ, **systemd})
        assert listener.recv(100).splitlines()[0] == b"READY=1"
        process.send_signal(signal.SIGTERM)
        heard = b""
        while heard != b"STOPPING=1":
            heard = listener.recv(100)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        assert (process.returncode, out) == (0, "")
        assert "Game 1 (original): Ann, Ben, Cem. Ann begins.\n" in err  # in the log, for nothing else tells it


@WITH_MODELS
@pytest.mark.parametrize(
    ("match", "said", "begun"),
    [
        ('players = ["Uwe", "Tia", "Max"]', "play the demo", "Game 1 (original): Uwe, Tia, Max. Uwe begins."),
        (
            'edition = "xp"\nplayers = ["A", "B", "C", "D", "E"]\nfirst = 4',
            "of your settings",
            "(xp): A, B, C, D, E. D begins.",
        ),
    ],
)
def test_without_a_camera_the_first_line_says_that_the_table_is_simulated(
    match: str, said: str, begun: str, tmp_path: Path
) -> None:
    settings = tmp_path / "referee.toml"
    settings.write_text(f"[match]\n{match}\n")
    process = referee("run", "--config", str(settings))
    assert process.stdout is not None
    try:
        first, *_, game = (process.stdout.readline() for _ in range(2))
    finally:
        process.send_signal(signal.SIGHUP)  # a hangup ends it as cleanly as any signal
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert first.startswith("No camera was found: this table is SIMULATED")
    assert said in first
    assert begun in game
    assert (process.returncode, err) == (0, "")


@WITH_MODELS
def test_the_camera_of_the_profile_is_waited_for_at_a_terminal_too(tmp_path: Path) -> None:
    save_profile(Profile(camera="usb:97", size=(1920, 1080)), tmp_path / "profile.json")
    process = referee("run", "--state", str(tmp_path), "--signals", "none")
    assert process.stderr is not None
    try:
        said = [process.stderr.readline() for _ in range(3)]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
    assert "Camera usb:97 is not there: waiting for it. To see a simulated table instead: --camera sim.\n" in said


@WITH_MODELS
def test_the_match_is_named_by_options(tmp_path: Path) -> None:
    words = ["--camera", "sim:1", "--edition", "twist", "--players", "Uwe,Tia", "--first", "tia", "--games", "1"]
    process = referee("run", *words, "--state", str(tmp_path))
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Game 1 (twist): Uwe, Tia. Tia begins.")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, err) == (0, "")


def test_a_state_folder_that_does_not_answer_is_told_and_leaves_the_signal_to_stop(tmp_path: Path) -> None:
    """A call to a dead network folder does not return, as opening a pipe that nobody writes to."""
    os.mkfifo(tmp_path / "match-00001.jsonl")
    begun = time.monotonic()
    process = referee("run", "--camera", "sim", "--state", str(tmp_path))
    assert process.stderr is not None
    assert process.stderr.readline().startswith(f"folder {tmp_path} does not answer for 10 s; the referee waits for it")
    assert time.monotonic() - begun >= 10.0
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=PATIENCE_SECONDS) == ("", "")
    assert process.returncode == 0
