"""Safe mode: three starts that fail in a row bring it, what it says, and the three ways out of it."""

import errno
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from referee.cli.main import main
from referee.errors import ModelError
from referee.hardware import system
from referee.hardware.system import Notifier
from referee.language.catalogue import catalogue, languages
from referee.rules.wording import Message
from referee.service import safe_mode as safe
from referee.service.safe_mode import MAX_FAILED, StartCounter, Tally, serve
from referee.settings.config import PAGE_FILE
from referee.vision import pipeline
from tests.conftest import PATIENCE_SECONDS

from ..conftest import comes_true  # isort: skip

AMBER, RED, GREEN, BUTTON = 27, 22, 17, 23


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setattr(safe, "TELL_SECONDS", 0.02)
    monkeypatch.setattr(safe, "FIRST_TRY_SECONDS", 600.0)
    return tmp_path / "state"


def settings(state: Path, text: str = "") -> Path:
    path = state.parent / "referee.toml"
    path.write_text(text, "utf-8")
    return path


def failing(reason: str = "model tiles-read is damaged; install the package again") -> Callable[[], int]:
    def referee() -> int:
        raise ModelError(reason)

    return referee


class Service:
    """A service whose starts fail until `mended`; it runs in a thread, as systemd runs it in a process."""

    def __init__(self, config: Path) -> None:
        self.mended = False
        self.begun = 0
        self.stop = threading.Event()
        self.code: int | None = None
        self._thread = threading.Thread(target=self._run, args=(config,))

    def _run(self, config: Path) -> None:
        self.code = serve(self._referee, config, self.stop)

    def _referee(self) -> int:
        self.begun += 1
        if not self.mended:
            raise ModelError("model tiles-read is damaged; install the package again")
        self.stop.wait(PATIENCE_SECONDS)
        return 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()


def fail_three_times(state: Path) -> None:
    for _ in range(MAX_FAILED):
        with pytest.raises(ModelError):
            serve(failing(), settings(state), threading.Event())


def test_a_failed_start_is_counted_with_its_reason_and_one_that_ends_well_forgotten(state: Path) -> None:
    with pytest.raises(ModelError):
        serve(failing("the lamp on pin 17 cannot be driven"), settings(state), threading.Event())
    assert StartCounter(state).tally() == Tally(1, "the lamp on pin 17 cannot be driven")
    assert serve(lambda: 0, settings(state), threading.Event()) == 0
    assert StartCounter(state).tally().failed == 0


def test_a_start_that_dies_without_a_word_is_counted(state: Path) -> None:
    def killed() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(killed, settings(state), threading.Event())
    assert StartCounter(state).tally() == Tally(1, "it ended without a word: it was killed")


class Machine:
    """The boots of a machine: a new one each time the plug was pulled."""

    def __init__(self, file: Path) -> None:
        self._file, self._boots = file, 0
        self.boot()

    def boot(self) -> None:
        self._boots += 1
        self._file.write_text(f"{self._boots:08x}-0000-4000-8000-000000000000\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(system, "_BOOT_ID", tmp_path / "boot_id")
    return Machine(tmp_path / "boot_id")


def die(state: Path) -> None:
    """A start that ends without a word, soon."""

    def killed() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(killed, settings(state), threading.Event())


@pytest.mark.fault("the plug is pulled again and again")
def test_a_start_that_ended_with_the_machine_is_not_counted(state: Path, machine: Machine) -> None:
    for _ in range(11):
        die(state)
        machine.boot()
        assert StartCounter(state).tally().failed == 0


def test_failures_before_a_power_cut_stay_counted_with_their_reason(state: Path, machine: Machine) -> None:
    for _ in range(2):
        with pytest.raises(ModelError):
            serve(failing(), settings(state), threading.Event())
        machine.boot()
    die(state)
    machine.boot()
    assert StartCounter(state).tally() == Tally(2, "model tiles-read is damaged; install the package again")
    die(state)
    assert StartCounter(state).tally() == Tally(3, "it ended without a word: it was killed")


def test_the_tally_of_an_earlier_version_is_read(state: Path) -> None:
    (state / "starts").write_bytes(b"2\nmodel tiles-read is damaged".ljust(511) + b"\n")
    assert StartCounter(state).tally() == Tally(2, "model tiles-read is damaged")
    die(state)
    assert StartCounter(state).tally().failed == 3


@pytest.mark.fault("the service is killed again and again")
def test_killed_ten_times_it_is_up_in_safe_mode_and_a_long_press_starts_it(
    state: Path, machine: Machine, pins: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    del machine
    monkeypatch.setattr(safe, "UNKNOWN_TRY_SECONDS", 600.0)
    for _ in range(MAX_FAILED):
        die(state)
    for _ in range(7):  # in safe mode too
        stop = threading.Event()
        killed = threading.Thread(target=serve, args=(failing(), settings(state), stop))
        before = (state / "starts").read_bytes()
        killed.start()
        assert comes_true(lambda: pins.pin(AMBER).state)
        stop.set()
        killed.join(PATIENCE_SECONDS)
        (state / "starts").write_bytes(before)  # a process that is killed writes nothing
    with Service(settings(state, "[button]\nhold_seconds = 0.3\nlong_hold_seconds = 0.5\n")) as service:
        service.mended = True
        assert comes_true(lambda: pins.pin(RED).state)
        button = pins.pin(BUTTON)
        button.drive_low()
        time.sleep(0.01)
        button.drive_high()  # a short one asks for nothing
        time.sleep(0.3)
        assert service.begun == 0
        button.drive_low()
        time.sleep(0.6)
        button.drive_high()
        assert comes_true(lambda: service.begun == 1)


def test_a_start_that_was_killed_is_not_tried_again_as_soon_as_one_whose_obstacle_is_gone(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe, "FIRST_TRY_SECONDS", 0.05)
    monkeypatch.setattr(safe, "obstacle", lambda *_, **__: None)
    for _ in range(MAX_FAILED):
        die(state)
    with Service(settings(state)) as service:
        assert comes_true(lambda: _is_safe(state))
        time.sleep(0.3)
        assert service.begun == 0
    StartCounter(state).write(MAX_FAILED, "model tiles-read is damaged")
    with Service(settings(state)) as service:
        service.mended = True
        assert comes_true(lambda: service.begun == 1)


def test_tries_are_ever_rarer_also_where_each_ends_its_process(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def stay_safe(_starts: StartCounter, _config: Path, stop: threading.Event, wait: float) -> None:
        waits.append(wait)
        stop.set()

    monkeypatch.setattr(safe, "FIRST_TRY_SECONDS", 30.0)
    monkeypatch.setattr(safe, "stay_safe", stay_safe)
    for failed, reason in ((3, "pins"), (4, "pins"), (5, "pins"), (99, "pins"), (3, ""), (4, ""), (10**9, "")):
        StartCounter(state).write(failed, reason)
        serve(failing(), settings(state), threading.Event())
    assert waits == [30.0, 60.0, 120.0, 1800.0, 600.0, 1200.0, 1800.0]


def test_a_start_that_lasts_is_a_good_one(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe, "LASTED_SECONDS", 0.05)
    StartCounter(state).write(2)

    def lasts() -> int:
        assert comes_true(lambda: StartCounter(state).tally().failed == 0)
        raise KeyboardInterrupt  # and is killed much later

    with pytest.raises(KeyboardInterrupt):
        serve(lasts, settings(state), threading.Event())
    assert StartCounter(state).tally().failed == 0


def test_the_third_failure_brings_safe_mode_which_says_why_and_leaves_journals_alone(
    state: Path, pins: MockFactory, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / "match-00001.jsonl").write_text("a match")
    fail_three_times(state)
    caplog.clear()
    with Service(settings(state)) as service:
        assert comes_true((state.parent / "run" / "health.json").exists)
        assert comes_true(lambda: pins.pin(RED).state)
        assert comes_true(lambda: pins.pin(AMBER).state and not pins.pin(RED).state)
        assert not pins.pin(GREEN).state
        assert main(["status", "--json"]) == 1
        told = json.loads(capsys.readouterr().out)
        assert (told["state"], told["starts"], told["pid"]) == ("safe", 3, os.getpid())
        assert told["reason"] == "model tiles-read is damaged; install the package again"
        assert main(["status"]) == 1
        assert "SAFE MODE after 3 failed starts" in capsys.readouterr().out
        assert service.begun == 0
    assert service.code == 0
    assert caplog.messages[0] == (
        "safe mode: 3 starts in a row failed; camera and models stay off. "
        "Last reason: model tiles-read is damaged; install the package again"
    )
    assert not pins.pin(AMBER).state
    assert not pins.pin(RED).state
    assert (state / "match-00001.jsonl").read_text() == "a match"
    assert not (state.parent / "run" / "health.json").exists()


def test_once_systemd_is_told_that_it_is_up_it_can_be_asked_and_its_button_held(
    state: Path, pins: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_three_times(state)
    there: list[tuple[bool, bool]] = []
    health, button = state.parent / "run" / "health.json", pins.pin(BUTTON)
    monkeypatch.setattr(Notifier, "ready", lambda _: there.append((health.exists(), bool(button.when_changed))))
    with Service(settings(state)):
        assert comes_true(lambda: there)
    assert there == [(True, True)]


def test_a_person_asks_for_another_start(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fail_three_times(state)
    with Service(settings(state)) as service:
        assert comes_true((state.parent / "run" / "health.json").exists)
        assert main(["status", "--retry"]) == 0
        assert comes_true(lambda: service.begun == 1)
        assert comes_true((state.parent / "run" / "health.json").exists)  # it failed again: safe mode again
        service.mended = True
        assert main(["status", "--retry"]) == 0
        assert comes_true(lambda: service.begun == 2)
        assert comes_true(lambda: not (state.parent / "run" / "health.json").exists())
        assert main(["status", "--retry"]) == 1
        assert "not in safe mode" in capsys.readouterr().err


def test_it_ends_by_itself_when_the_cause_is_gone(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe, "FIRST_TRY_SECONDS", 0.05)
    fail_three_times(state)
    config = settings(state, '[match]\nedition = "orignal"\n')
    with Service(config) as service:
        service.mended = True
        health = state.parent / "run" / "health.json"
        assert comes_true(lambda: health.exists() and "orignal" in json.loads(health.read_text())["reason"])
        assert service.begun == 0
        config.write_text("")
        assert comes_true(lambda: service.begun == 1)
    assert StartCounter(state).tally().failed == 0


def test_stopping_and_starting_it_again_tries_again(state: Path) -> None:
    fail_three_times(state)
    with Service(settings(state)) as service:
        time.sleep(0.1)
    assert service.begun == 0
    with pytest.raises(ModelError):
        serve(failing(), settings(state), threading.Event())
    with Service(settings(state)) as service:
        time.sleep(0.1)
    assert service.begun == 0


def test_the_tally_needs_no_room_on_the_disk_once_it_is_there(state: Path) -> None:
    StartCounter(state).write(1, "x" * 2000)
    before = (state / "starts").stat()
    StartCounter(state).write(2, "the disk is full")
    after = (state / "starts").stat()
    assert (before.st_ino, before.st_size, before.st_blocks) == (after.st_ino, after.st_size, after.st_blocks)
    assert StartCounter(state).tally() == Tally(2, "the disk is full")


@pytest.mark.parametrize("content", [b"", b"many\nwhy", b"\xff\xfe"])
def test_a_damaged_tally_is_none(state: Path, content: bytes) -> None:
    (state / "starts").write_bytes(content)
    assert StartCounter(state).tally().failed == 0


def test_a_reason_that_is_too_long_says_that_there_is_more(state: Path) -> None:
    StartCounter(state).write(1, "ä" * 2000)
    reason = StartCounter(state).tally().reason
    assert reason.startswith("ääää")
    assert reason.endswith("ä…")


def test_a_start_out_of_safe_mode_has_its_time_and_leaves_no_word_of_it(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is up already: systemd's watchdog runs while models are loaded and a long match is taken up."""
    fail_three_times(state)
    address = str(state.parent / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        monkeypatch.setenv("WATCHDOG_USEC", "30000000")
        with Service(settings(state)) as service:
            service.mended = True
            StartCounter(state).retry.touch()
            assert comes_true(lambda: service.begun > 0 or StartCounter(state).retry.touch())
        Notifier().ready()  # as the referee says it
        systemd.setblocking(False)
        told = []
        with suppress(BlockingIOError):
            while True:
                told += systemd.recv(4096).decode().split("\n")
    said = [line for line in told if line != "WATCHDOG=1"]
    reason = "STATUS=safe mode: model tiles-read is damaged; install the package again"
    up = ["READY=1", "STATUS=", "WATCHDOG_USEC=30000000"]
    assert said == [*up, reason, "STATUS=starting", "WATCHDOG_USEC=180000000", *up]


def test_a_disk_that_takes_nothing_at_all_brings_safe_mode_too(state: Path) -> None:
    (state / "starts").mkdir()  # nor can it be read
    fail_three_times(state)
    with Service(settings(state)):
        assert comes_true(lambda: _is_safe(state))
    (state / "starts").rmdir()
    assert StartCounter(state).tally().failed == MAX_FAILED - 1  # stopped by somebody: the next start is tried
    StartCounter(state).write(0)
    assert not (state.parent / "run" / "starts").exists()
    assert StartCounter(state).tally().failed == 0


def _is_safe(state: Path) -> bool:
    health = state.parent / "run" / "health.json"
    return health.exists() and json.loads(health.read_text("utf-8"))["state"] == "safe"


def test_a_tally_that_can_be_written_nowhere_is_told_and_the_start_goes_on(
    state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (state / "starts").mkdir()
    (state.parent / "run").write_text("no folder")
    assert serve(lambda: 0, settings(state), threading.Event()) == 0
    assert "failed starts are not counted" in caplog.text


@pytest.mark.usefixtures("pins")
def test_what_a_start_needs_is_tried_one_after_the_other(state: Path) -> None:
    assert safe.obstacle(settings(state), pins_are_ours=False) is None
    profile = state / "profile.json"
    profile.write_text("{")
    assert "profile.json is damaged" in str(safe.obstacle(settings(state), pins_are_ours=False))
    profile.unlink()
    busy = gpiozero.LED(AMBER)
    assert "amber lamp on pin 27 cannot be driven" in str(safe.obstacle(settings(state), pins_are_ours=False))
    busy.close()
    assert safe.obstacle(settings(state, "[match]\nplayers = 3\n"), pins_are_ours=True) is not None


@pytest.mark.usefixtures("pins")
def test_while_a_start_lacks_anything_else_trying_writes_nothing_to_the_card(state: Path) -> None:
    with safe.FolderLock(state):
        pass
    (state / "profile.json").write_text("{")
    busy = gpiozero.LED(AMBER)
    for said in ("profile.json is damaged", "amber lamp on pin 27"):
        before = state.stat().st_mtime_ns
        assert said in str(safe.obstacle(settings(state), pins_are_ours=False))
        assert state.stat().st_mtime_ns == before
        (state / "profile.json").unlink(missing_ok=True)
    busy.close()
    assert safe.obstacle(settings(state), pins_are_ours=False) is None


def test_a_folder_without_room_is_an_obstacle(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    said = f"folder {state} cannot be written: No space left on device; free some space"
    assert str(safe.obstacle(settings(state), pins_are_ours=True)) == said


def test_settings_that_cannot_be_read_still_light_the_lamps(state: Path, pins: MockFactory) -> None:
    StartCounter(state).write(MAX_FAILED, "settings")
    with Service(settings(state, "[signals]\ngreen_pin = 99\n")):
        assert comes_true(lambda: pins.pin(AMBER).state)


def test_lamps_light_on_the_pins_that_were_set_on_the_page(state: Path, pins: MockFactory) -> None:
    StartCounter(state).write(MAX_FAILED, "settings")
    (state / PAGE_FILE).write_text("[signals]\namber_pin = 5\n")
    with Service(settings(state)):
        assert comes_true(lambda: pins.pin(5).state)
        assert not pins.pin(AMBER).state


def test_lamps_that_cannot_be_had_do_not_stop_safe_mode(
    state: Path, pins: MockFactory, caplog: pytest.LogCaptureFixture
) -> None:
    StartCounter(state).write(MAX_FAILED, "pins")
    busy = gpiozero.LED(AMBER)
    with Service(settings(state)):
        assert comes_true((state.parent / "run" / "health.json").exists)
    assert "amber lamp on pin 27 cannot be driven" in caplog.text
    busy.close()
    assert not pins.pin(GREEN).state


def spoil_profile(state: Path) -> None:
    (state / "profile.json").write_text("{")


def spoil_folder(state: Path) -> None:
    state.rmdir()
    state.write_text("")


OBSTACLES = {
    "settings": lambda state: settings(state, '[match]\nplayers = 3\n[signals]\nvolume = "loud"\n'),
    "no toml": lambda state: settings(state, "[match\n"),
    "profile": spoil_profile,
    "folder": spoil_folder,
    "hall": lambda state: settings(state, '[hall]\nbroker = "somewhere"\n'),
}


def words_of(value: object) -> Iterator[str]:
    """The ids of a message and of those within it."""
    if isinstance(value, Message):
        yield value.id
        for _, part in value.values:
            yield from words_of(part)


@pytest.mark.usefixtures("pins")
@pytest.mark.parametrize("name", OBSTACLES)
def test_whatever_is_in_the_way_of_a_start_is_said_in_every_language(state: Path, name: str) -> None:
    file = settings(state)
    OBSTACLES[name](state)
    said = safe.obstacle(file, pins_are_ours=False)
    assert said is not None
    ids = [*words_of(said)]
    assert "refused.in_english" not in ids
    for language in languages():
        assert not {*ids} - {*catalogue(language).texts}


@pytest.mark.usefixtures("pins")
def test_a_busy_pin_and_a_damaged_model_are_said_in_every_language(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = gpiozero.LED(AMBER)
    pin = safe.obstacle(settings(state), pins_are_ours=False)
    busy.close()
    models = tmp_path / "models"
    models.mkdir()
    monkeypatch.setattr(pipeline, "find_models", lambda: models)
    model = safe.obstacle(settings(state), pins_are_ours=True)
    assert pin is not None
    assert model is not None
    assert catalogue("de").say(pin).startswith("die gelbe Lampe an Pin 27 lässt sich nicht ansteuern (")
    assert catalogue("de").say(model).endswith("installiere das Paket neu oder hole die Modelle dieser Version")


def test_a_folder_of_another_referee_is_an_obstacle(state: Path) -> None:
    with safe.FolderLock(state):
        assert "in use by another referee" in str(safe.obstacle(settings(state), pins_are_ours=True))
