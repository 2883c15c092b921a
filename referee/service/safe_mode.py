"""Safe mode: after several failed starts the service stays up without camera and models, and says why.

Otherwise a service that cannot start would be restarted again and again, dark and silent. After three short-lived
starts in a row, the lamps ask for help, the log and `referee status` say what failed, and journals are left alone. Safe
mode ends by itself: the start's requirements are checked now and then, and once all are met the referee starts. People
end it by holding the button, by `referee status --retry`, or by restarting the service.
"""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

from referee import __version__
from referee.errors import CameraHeldError, RefereeError, SignalError, StorageError
from referee.game.cues import Blink, Cue, Lamp, Tone
from referee.hardware.ports import Button, PressKind
from referee.hardware.system import Notifier, SystemClock
from referee.reading.inputs import Seconds
from referee.rules.wording import Message, message_of, only_english, say
from referee.service.health import forget_health, write_health
from referee.service.page import check_extra, open_safe_page
from referee.service.sources import on_pi, open_button, open_signals
from referee.service.starts import UNKNOWN, StartCounter, Tally
from referee.service.stop import START_AFRESH, Stop
from referee.settings.config import Config, settings_in_force
from referee.storage.dataclass_codec import JsonValue
from referee.storage.files import reason
from referee.storage.folder import FolderLock, state_folder
from referee.storage.profile import PROFILE_NAME, load_profile
from referee.vision.pipeline import TableReader

MAX_FAILED: Final = 3
START_SECONDS: Final = 180.0  # TimeoutStartSec of the unit
LASTED_SECONDS: Final = 210.0  # after which a start has not failed
FIRST_TRY_SECONDS: Final = 30.0
UNKNOWN_TRY_SECONDS: Final = 600.0  # if the cause is unknown, only a full start can show it
LONGEST_TRY_SECONDS: Final = 1800.0
TELL_SECONDS: Final = 1.0
_MAX_DOUBLINGS: Final = 10
_TRIAL_BYTES: Final = 1_000_000  # room for a journal and a few pictures
CUE: Final = Cue(
    name="safe_mode",
    blinks=(
        Blink(Lamp.AMBER, (0.3, 0.9), forever=True),
        Blink(Lamp.RED, (0.0, 0.6, 0.3, 0.3), forever=True),
    ),
    tones=(Tone(247, 0.4), Tone(0, 0.2), Tone(247, 0.4)),
    text=(say("console.safe_mode", "Safe mode: the referee could not start. 'referee status' says why."),),
)
_KILLED: Final = say("start.killed", "it ended without a word: it was killed")
log = logging.getLogger("referee")


def serve(referee: Callable[[], int], config_file: Path | None, stop: Stop) -> int:
    """Run the referee as a service; enter safe mode after too many failed starts. Returns the exit code."""
    starts = StartCounter(state_folder(""))
    while True:
        before = starts.tally()
        if before.failed >= MAX_FAILED:
            stay_safe(starts, config_file, stop, _wait_after(before))
            if stop.is_set():
                starts.write(MAX_FAILED - 1, before.reason)  # a manual restart is a request to try again
                return 0
            Notifier().starting(START_SECONDS)
        starts.begin()
        lasted = threading.Timer(LASTED_SECONDS, starts.write, (0,))
        lasted.daemon = True
        lasted.start()
        try:
            code = referee()
        except CameraHeldError as error:
            log.warning("%s; this process restarts, and the match goes on in the next one", error)
            starts.note_camera_exit()
            return START_AFRESH
        except RefereeError as error:
            starts.write(before.failed + 1, str(error).replace("\n", "; "))
            if before.failed < MAX_FAILED:
                raise
            log.warning("%s", error)  # this process is in safe mode already
        else:
            starts.write(0)
            return code
        finally:
            lasted.cancel()


def _wait_after(tally: Tally) -> float:
    """Return the seconds until the next try: twice as many after each, also where the try ended its process."""
    first = UNKNOWN_TRY_SECONDS if tally.reason == UNKNOWN else FIRST_TRY_SECONDS
    return min(first * 2.0 ** min(tally.failed - MAX_FAILED, _MAX_DOUBLINGS), LONGEST_TRY_SECONDS)


def stay_safe(starts: StartCounter, config_file: Path | None, stop: Stop, wait: float) -> None:
    """Ask for help until stopped, asked to retry, or no obstacle is found; the first check is after `wait` seconds."""
    tally, begun = starts.tally(), monotonic()
    starts.take_retry()  # from before
    notifier = Notifier()
    log.error("safe mode: %d starts in a row failed; camera and models stay off. Last reason: %s", *_said(tally))
    asked = threading.Event()

    def health() -> JsonValue:
        return _health(starts, tally, monotonic() - begun)

    with ExitStack() as parts:
        parts.callback(forget_health)
        shown = _show(config_file, parts)
        button = _open_button(config_file, parts)
        write_health(health())
        notifier.ready()  # only now do button and health file work
        notifier.send(f"STATUS=safe mode: {tally.reason}")
        why = _in_words(tally.reason, obstacle(config_file, pins_are_ours=shown, button_is_ours=button is not None))
        _open_page(config_file, health, lambda: why, parts, ask_retry=asked.set, stop=stop)
        next_try = begun + wait
        while not stop.is_set():
            notifier.alive()
            write_health(health())
            if starts.take_retry() or asked.is_set() or _held_long(button):
                log.info("safe mode ends: a new start was requested")
                return
            if monotonic() >= next_try:
                found = obstacle(config_file, pins_are_ours=shown, button_is_ours=button is not None)
                if found is None:
                    log.info("safe mode ends: everything a start needs is back")
                    return
                if (line := _line(found)) != tally.reason:
                    log.warning("still in safe mode: %s", line)
                    tally, why = Tally(tally.failed, line), found
                    notifier.send(f"STATUS=safe mode: {line}")
                next_try = monotonic() + wait
            stop.wait(TELL_SECONDS)


def _in_words(reason: str, found: Message | None) -> Message:
    """Return the reason of the last start as a message: what is found now if it is that, or else its English."""
    if found is not None and reason in {_line(found), UNKNOWN}:
        return found
    return _KILLED if reason == UNKNOWN else only_english(reason)


def _said(tally: Tally) -> tuple[int, str]:
    return tally.failed, tally.reason


def _health(starts: StartCounter, tally: Tally, seconds: float) -> JsonValue:
    return {
        "version": __version__,
        "pid": os.getpid(),
        "state": "safe",
        "reason": tally.reason,
        "starts": tally.failed,
        "seconds": round(seconds, 1),
        "retry": str(starts.retry),
    }


def _lamps_and_button(config_file: Path | None) -> Config:
    try:
        return settings_in_force(config_file)
    except RefereeError:
        return settings_in_force(_no_settings())  # lamps and button are usually wired as in the manual


def _show(config_file: Path | None, parts: ExitStack) -> bool:
    """Play the safe-mode cue; return False if there are no lamps, or they cannot be driven."""
    try:
        signals = open_signals(_lamps_and_button(config_file), "auto", "picamera", None)
    except SignalError as error:
        log.warning("%s", error)
        return False
    parts.callback(signals.close)
    signals.play(CUE)
    return on_pi()


def _open_button(config_file: Path | None, parts: ExitStack) -> Button | None:
    """Return the button, whose hold requests another start; None if there is none or it cannot be opened."""
    if not on_pi():
        return None
    try:
        button = open_button(_lamps_and_button(config_file), SystemClock())
    except SignalError as error:
        log.warning("%s", error)
        return None
    parts.callback(button.close)
    return button


def _held_long(button: Button | None) -> bool:
    presses = () if button is None else button.presses(Seconds(inf))
    return any(press.kind is not PressKind.PRESS for press in presses)


def _open_page(
    config_file: Path | None,
    health: Callable[[], JsonValue],
    why: Callable[[], Message],
    parts: ExitStack,
    *,
    ask_retry: Callable[[], None],
    stop: Stop,
) -> None:
    """Serve the page, if enabled, to show the reason on phones too."""
    try:
        config = settings_in_force(config_file)
        if config.web.enabled:
            check_extra()
            folder = state_folder(config.storage.folder)
            parts.callback(
                open_safe_page(config, config_file, folder, health, why, ask_retry=ask_retry, stop=stop).close
            )
    except RefereeError as error:
        log.warning("no page in safe mode: %s", error)


def _no_settings() -> Path:
    return Path(os.devnull)


def obstacle(config_file: Path | None, *, pins_are_ours: bool, button_is_ours: bool = False) -> Message | None:
    """Check a start's requirements in order; return the first failure, or None."""
    try:
        config = settings_in_force(config_file)
        folder = state_folder(config.storage.folder)
        FolderLock(folder).close()
        reader = TableReader(threads=config.vision.threads)
        profile = Path(config.vision.profile) if config.vision.profile else folder / PROFILE_NAME
        if config.vision.profile or profile.exists():
            reader.check_profile(load_profile(profile))
        if on_pi():
            _check_pins(config, lamps=not pins_are_ours, button=not button_is_ours)
        _check_room(folder)  # last: it writes to the card
    except RefereeError as error:
        return message_of(error)
    return None


def _line(reason: Message) -> str:
    """Return a reason as one line of the log."""
    return str(reason).replace("\n", "; ")


def _check_room(folder: Path) -> None:
    """Raise StorageError if the folder cannot be written."""
    trial = folder / "room"
    try:
        trial.write_bytes(bytes(_TRIAL_BYTES))
    except OSError as error:
        message = say(
            "folder.unwritten",
            "folder {folder} cannot be written: {why}; free some space",
            folder=str(folder),
            why=reason(error),
        )
        raise StorageError(message) from None
    finally:
        trial.unlink(missing_ok=True)


def _check_pins(config: Config, *, lamps: bool, button: bool) -> None:
    if button:
        open_button(config, SystemClock()).close()
    if lamps:
        open_signals(config, "gpio", "picamera", None).close()
