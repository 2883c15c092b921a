"""Focus and light of a live camera: found once, locked and reported."""

import argparse

from referee.cli.progress import Progress
from referee.cli.steps.common import check_free, known_locks, note, settings_of
from referee.errors import CalibrationError
from referee.service.sources import is_recorded, live_driver
from referee.vision.profile import LockedControls


def settle(arguments: argparse.Namespace) -> LockedControls | None:
    """Let the camera find what it has to and lock it; with `--light` the profile's focus is kept. None for recordings.

    Raises CameraError where the camera is not there or cannot come to rest.
    """
    if is_recorded(arguments.camera):
        return None
    known = known_locks(arguments)
    if arguments.light and (known is None or known.focus is None):
        note("no focus is known of this camera yet, so it is found too")
    check_free(arguments.camera)
    driver = live_driver(settings_of(arguments), arguments.camera)()
    note("Finding focus and light: leave the table as in play, tiles on it, lamp on, no hands over it.")
    try:
        with Progress("finding focus and light"):
            locked = driver.settle(known if arguments.light else None)
    finally:
        driver.close()
    note(f"Locked: {words_of(locked)}")
    return locked


def words_of(locked: LockedControls) -> str:
    """Return what was locked, for a person to read; what cannot be set is said too."""
    said, missing = [], []
    if locked.focus is None:
        missing.append("focus")
    else:
        said.append(f"focus {locked.focus:g}")
    if locked.exposure is None:
        missing.append("exposure")
    else:
        said.append(f"exposure {locked.exposure / 1000:g} ms" + (f" × gain {locked.gain:.2g}" if locked.gain else ""))
    if locked.white:
        said.append("white balance " + " ".join(f"{value:.4g}" for value in locked.white))
    else:
        missing.append("white balance")
    return ", ".join(said + ([f"not to be set on this camera: {', '.join(missing)}"] if missing else []))


def need_camera(arguments: argparse.Namespace) -> None:
    """Raise CalibrationError where light is to be found without a live camera."""
    if arguments.light and (arguments.camera is None or is_recorded(arguments.camera)):
        raise CalibrationError("--light finds exposure and white balance of a live camera; name it with --camera")
