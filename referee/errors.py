"""Every error the referee raises on purpose; a broken rule is a verdict, never one of these.

RefereeError
├── ConfigError        a setting, an option or an edition id is wrong
├── NotationError      tiles or a table are written wrongly
├── ImageError         a file is no picture, or an empty one
├── ModelError         a model is missing, damaged or of another version
├── CalibrationError   a calibration step or profile cannot be used
├── StorageError       a journal, profile or disk cannot be read or written
└── HardwareError
    ├── CameraError    the camera is missing, stalled or unplugged
    │   └── CameraHeldError   this process holds the camera and cannot free it; only a fresh process can
    └── SignalError    a lamp, buzzer or button cannot be driven

Each message is one line that names the thing, its value and the way out.
"""

from importlib.util import find_spec


class RefereeError(Exception):
    """Something outside the rules went wrong; the message is fit to show to a person."""


class ConfigError(RefereeError):
    """A setting, a command-line option or an edition id is wrong."""


class NotationError(RefereeError):
    """Tiles or a table are not written in the notation."""


class ImageError(RefereeError):
    """A file cannot be read as a picture."""


class ModelError(RefereeError):
    """A model is missing, damaged or of another version."""


class CalibrationError(RefereeError):
    """A calibration step failed or a profile does not fit."""


class StorageError(RefereeError):
    """A journal, profile or evidence file cannot be read or written."""


class HardwareError(RefereeError):
    """A device does not answer as it should."""


class CameraError(HardwareError):
    """The camera is missing, stalled or unplugged."""


class CameraHeldError(CameraError):
    """This process holds the camera and cannot free it, so nothing but a fresh process can open it."""


class SignalError(HardwareError):
    """A lamp, buzzer or button cannot be driven."""


def check_installed(needs: str, extra: str, **packages: str) -> None:
    """Raise ConfigError where a package of an extra is missing: module and name of each, and who `needs` it."""
    for module, name in packages.items():
        if find_spec(module) is None:
            raise ConfigError(f"{needs} {name}; install it, in the checkout: .venv/bin/pip install -e '.[{extra}]'")
