"""Every error the referee raises on purpose; a broken rule is a verdict, never one of these.

RefereeError
├── ConfigError        a setting, an option or an edition id is wrong
│   └── FieldError     one field of a form or a request is wrong
├── NotationError      tiles or a table are written wrongly
├── ImageError         a file is no picture, or an empty one
├── ModelError         a model is missing, damaged or of another version
├── CalibrationError   a calibration step or profile cannot be used
├── StorageError       a journal, profile or disk cannot be read or written
└── HardwareError
    ├── CameraError    the camera is missing, stalled or unplugged
    │   └── CameraHeldError   this process holds the camera and cannot free it; only a fresh process can
    └── SignalError    a lamp, buzzer or button cannot be driven

Each message is one line that names the thing, its value and the way out. What can reach a page is a `Message`, which
every catalogue translates; only the command line and the simulated table, which speak English, may raise plain text.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # messages are words of the rules' room, which stands on this one
    from referee.rules.wording import Message


class RefereeError(Exception):
    """Something outside the rules went wrong; the message is fit to show to a person."""

    def __init__(self, message: "Message | str") -> None:
        """Say what is wrong; `str` of the error is its English."""
        super().__init__(message)


class ConfigError(RefereeError):
    """A setting, a command-line option or an edition id is wrong."""


class FieldError(ConfigError):
    """The value of one field is wrong: a form says why beside the field, and a line for programs names the field."""

    def __init__(self, message: "Message", field: str = "", about: str = "") -> None:
        """Say what to give in `field`; the line for programs begins with `about`, as "'first' is 7"."""
        super().__init__(message)
        self.args = (message, field, about)
        self.field = field

    def __str__(self) -> str:
        """Return the line for programs."""
        message, field, about = self.args
        if about == str(message) or not (about or field):
            return str(message)
        return f"{about}; {message}" if about else f"{field!r}: {message}"


class NotationError(RefereeError):
    """Tiles or a table are not written in the notation."""


class ImageError(RefereeError):
    """A file cannot be read as a picture."""


class ModelError(RefereeError):
    """A model is missing, damaged or of another version."""


class CalibrationError(RefereeError):
    """A calibration step failed or a profile does not fit."""

    def __init__(self, message: "Message") -> None:
        """Say why; the page shows it beside the step."""
        super().__init__(message)


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
