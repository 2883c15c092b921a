"""Focus, exposure and white balance of a live camera: measure once, lock and report."""

import argparse

from referee.cli.progress import Progress
from referee.cli.steps.common import check_free, load_settings, print_note, profile_locks
from referee.errors import ConfigError
from referee.service.sources import is_recorded, live_driver
from referee.vision.profile import LockedControls


def lock_controls(arguments: argparse.Namespace) -> LockedControls | None:
    """Let the camera settle, lock and return its controls; `--light` keeps the profile's focus. None for recordings.

    Raises CameraError if the camera is missing or does not settle.
    """
    if is_recorded(arguments.camera):
        return None
    known = profile_locks(arguments)
    if arguments.light and (known is None or known.focus is None):
        print_note("no focus is known of this camera yet, so it is found too")
    check_free(arguments.camera)
    driver = live_driver(load_settings(arguments), arguments.camera)()
    print_note("Finding focus and light: leave the table as in play, tiles on it, lamp on, no hands over it.")
    try:
        with Progress("finding focus and light"):
            locked = driver.settle(known if arguments.light else None)
    finally:
        driver.close()
    print_note(f"Locked: {locks_text(locked)}")
    return locked


def locks_text(locked: LockedControls) -> str:
    """Return the locked controls as text, including those that cannot be set."""
    summary, missing = [], []
    if locked.focus is None:
        missing.append("focus")
    else:
        summary.append(f"focus {locked.focus:g}")
    if locked.exposure is None:
        missing.append("exposure")
    else:
        summary.append(
            f"exposure {locked.exposure / 1000:g} ms" + (f" × gain {locked.gain:.2g}" if locked.gain else "")
        )
    if locked.white:
        summary.append("white balance " + " ".join(f"{value:.4g}" for value in locked.white))
    else:
        missing.append("white balance")
    return ", ".join(summary + ([f"not to be set on this camera: {', '.join(missing)}"] if missing else []))


def require_live_camera(arguments: argparse.Namespace) -> None:
    """Raise ConfigError if `--light` is used without a live camera."""
    if arguments.light and (arguments.camera is None or is_recorded(arguments.camera)):
        raise ConfigError("--light finds exposure and white balance of a live camera; name it with --camera")
