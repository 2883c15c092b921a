"""Safe mode: after starts that failed in a row the service stays up without camera and models, and says why.

A service that cannot start would be started again and again, dark and silent. Three starts in a row that did not last
are enough: then the lamps tell that help is needed, the log and `referee status` tell what failed, and journals are
not touched. Safe mode ends by itself: what a start needs is tried now and then, and where nothing fails any more the
referee starts. A person ends it by `referee status --retry`, or by restarting the service.
"""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

from referee import __version__
from referee.config import Config, settings_in_force
from referee.errors import RefereeError, SignalError, StorageError
from referee.game.cues import Blink, Cue, Lamp, Tone
from referee.hardware.system import Notifier, SystemClock
from referee.service.health import forget_health, health_file, write_health
from referee.service.page import check_extra, open_safe_page
from referee.service.sources import on_pi, open_signals
from referee.storage.folder import FolderLock, state_folder
from referee.storage.profile import PROFILE_NAME, load_profile
from referee.vision.pipeline import TableReader

MOST_FAILED: Final = 3
START_SECONDS: Final = 180.0  # as long as systemd waits for one, TimeoutStartSec of the unit
LASTED_SECONDS: Final = 210.0  # what stands longer was no start that failed
FIRST_TRY_SECONDS: Final = 30.0
UNKNOWN_TRY_SECONDS: Final = 600.0  # where nobody knows why it died, nothing can be tried but a start
LONGEST_TRY_SECONDS: Final = 1800.0
TELL_SECONDS: Final = 5.0
_BYTES: Final = 512
_ROOM_BYTES: Final = 1_000_000  # a journal and a few pictures
_UNKNOWN: Final = "it ended without a word: killed, or the power was cut"
CUE: Final = Cue(
    name="safe_mode",
    blinks=(
        Blink(Lamp.AMBER, (0.3, 0.9), forever=True),
        Blink(Lamp.RED, (0.0, 0.6, 0.3, 0.3), forever=True),
    ),
    tones=(Tone(247, 0.4), Tone(0, 0.2), Tone(247, 0.4)),
    words="Safe mode: the referee could not start. 'referee status' says why.",
)
log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True)
class Tally:
    """How many starts in a row did not last, and why the last one did not."""

    failed: int
    reason: str


class Starts:
    """The tally on the disk, in a file that keeps its size: written in place, it can be written on a full disk too.

    Where the disk takes nothing at all, a spare one in memory is kept; systemd keeps that from one start to the next.
    """

    def __init__(self, folder: Path) -> None:
        """Keep it in this folder."""
        self._path, self._spare = folder / "starts", health_file().with_name("starts")
        self.retry = folder / "retry"

    def tally(self) -> Tally:
        """What is known; nothing where there is no file, or only damaged ones."""
        for path in (self._spare, self._path):
            try:
                number, _, reason = path.read_text("utf-8").partition("\n")
                return Tally(int(number), reason.strip() or _UNKNOWN)
            except (OSError, ValueError):
                continue
        return Tally(0, _UNKNOWN)

    def write(self, failed: int, reason: str = "") -> None:
        """Write it; a disk that refuses is not worth a match."""
        content = _cut(f"{failed}\n{reason}")
        try:
            _write_in_place(self._path, content)
            self._spare.unlink(missing_ok=True)
        except OSError as error:
            try:
                self._spare.parent.mkdir(parents=True, exist_ok=True)
                _write_in_place(self._spare, content)
            except OSError:
                log.warning("%s cannot be written (%s); failed starts are not counted", self._path, error.strerror)

    def take_retry(self) -> bool:
        """Whether somebody asked for another start; asked once, it is granted once."""
        try:
            self.retry.unlink()
        except OSError:
            return False
        return True


def _cut(text: str) -> bytes:
    """The text at its length on the disk, marked where it was longer."""
    whole = text.encode()
    if len(whole) >= _BYTES:
        whole = whole[: _BYTES - 4].decode(errors="ignore").encode() + "…".encode()
    return whole.ljust(_BYTES - 1) + b"\n"


def _write_in_place(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.pwrite(descriptor, content, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def serve(referee: Callable[[], int], config_file: Path | None, stop: threading.Event) -> int:
    """Run the referee as a service: count starts that do not last, and stay in safe mode after too many of them."""
    starts = Starts(state_folder(""))
    wait = 0.0
    while True:
        before = starts.tally()
        if before.failed >= MOST_FAILED:
            wait = min(2 * wait, LONGEST_TRY_SECONDS) if wait else _first_wait(before)
            stay_safe(starts, config_file, stop, wait)
            if stop.is_set():
                starts.write(MOST_FAILED - 1, before.reason)  # whoever stops it and starts it again wants it tried
                return 0
            Notifier().starting(START_SECONDS)
        starts.write(before.failed + 1)
        lasted = threading.Timer(LASTED_SECONDS, starts.write, (0,))
        lasted.daemon = True
        lasted.start()
        try:
            code = referee()
        except RefereeError as error:
            starts.write(before.failed + 1, str(error).replace("\n", "; "))
            if before.failed < MOST_FAILED:
                raise
            log.warning("%s", error)  # this process is up and in safe mode already: no need for another
        else:
            starts.write(0)
            return code
        finally:
            lasted.cancel()


def _first_wait(tally: Tally) -> float:
    return UNKNOWN_TRY_SECONDS if tally.reason == _UNKNOWN else FIRST_TRY_SECONDS


def stay_safe(starts: Starts, config_file: Path | None, stop: threading.Event, wait: float) -> None:
    """Show and tell that help is needed until told to stop, asked to try again, or a try after `wait` looks good."""
    tally, begun = starts.tally(), monotonic()
    starts.take_retry()  # an old wish
    notifier = Notifier()
    log.error("safe mode: %d starts in a row failed; camera and models stay off. The last: %s", *_said(tally))
    notifier.ready()
    notifier.send(f"STATUS=safe mode: {tally.reason}")
    asked = threading.Event()
    with ExitStack() as parts:
        parts.callback(forget_health)
        shown = _show(config_file, parts)
        _open_page(config_file, lambda: tally.reason, asked.set, parts)
        next_try = begun + wait
        while not stop.is_set():
            notifier.alive()
            write_health(_health(starts, tally, monotonic() - begun))
            if starts.take_retry() or asked.is_set():
                log.info("safe mode ends: another start was asked for")
                return
            if monotonic() >= next_try:
                found = obstacle(config_file, pins_are_ours=shown)
                if found is None:
                    log.info("safe mode ends: what a start needs is there again")
                    return
                if found != tally.reason:
                    log.warning("still in safe mode: %s", found)
                    tally = Tally(tally.failed, found)
                    notifier.send(f"STATUS=safe mode: {found}")
                next_try = monotonic() + wait
            stop.wait(TELL_SECONDS)


def _said(tally: Tally) -> tuple[int, str]:
    return tally.failed, tally.reason


def _health(starts: Starts, tally: Tally, seconds: float) -> dict[str, Any]:
    return {
        "version": __version__,
        "pid": os.getpid(),
        "state": "safe",
        "reason": tally.reason,
        "starts": tally.failed,
        "seconds": round(seconds, 1),
        "retry": str(starts.retry),
    }


def _show(config_file: Path | None, parts: ExitStack) -> bool:
    """Play the pattern on the pins of the settings; False where there are no lamps, or they cannot be had."""
    try:
        config = settings_in_force(config_file)
    except RefereeError:
        config = settings_in_force(_no_settings())  # lamps are usually wired as the manual says, or the page
    try:
        signals = open_signals(config, "auto", "picamera", None)
    except SignalError as error:
        log.warning("%s", error)
        return False
    parts.callback(signals.close)
    signals.play(CUE)
    return on_pi()


def _open_page(
    config_file: Path | None, reason: Callable[[], str], ask_retry: Callable[[], None], parts: ExitStack
) -> None:
    """Serve the page, where one is set and can be had, so that the reason is read on a phone too."""
    try:
        config = settings_in_force(config_file)
        if config.web.enabled:
            check_extra()
            folder = state_folder(config.storage.folder)
            parts.callback(open_safe_page(config, config_file, folder, reason, ask_retry).close)
    except RefereeError as error:
        log.warning("no page in safe mode: %s", error)


def _no_settings() -> Path:
    return Path(os.devnull)


def obstacle(config_file: Path | None, *, pins_are_ours: bool) -> str | None:
    """Try what a start needs, one after the other, and say what fails first; None where all is there."""
    try:
        config = settings_in_force(config_file)
        folder = state_folder(config.storage.folder)
        _check_folder(folder)
        reader = TableReader(threads=config.vision.threads)
        profile = Path(config.vision.profile) if config.vision.profile else folder / PROFILE_NAME
        if config.vision.profile or profile.exists():
            reader.check_profile(load_profile(profile))
        if on_pi():
            _check_pins(config, lamps=not pins_are_ours)
    except RefereeError as error:
        return str(error).replace("\n", "; ")
    return None


def _check_folder(folder: Path) -> None:
    """Raise StorageError where another referee has the folder, or nothing more can be written there."""
    FolderLock(folder).close()
    trial = folder / "room"
    try:
        trial.write_bytes(bytes(_ROOM_BYTES))
    except OSError as error:
        raise StorageError(f"folder {folder} cannot be written: {error.strerror}; free some space") from None
    finally:
        trial.unlink(missing_ok=True)


def _check_pins(config: Config, *, lamps: bool) -> None:
    from referee.hardware.button import GpioButton  # noqa: PLC0415 - only where there are pins

    GpioButton(config.button, SystemClock()).close()
    if lamps:
        open_signals(config, "gpio", "picamera", None).close()
