"""The service's interfaces to the outside: Protocols of one to three methods, and useful defaults."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from referee.game.cues import Cue
from referee.game.inputs import Seat
from referee.reading.inputs import Input, Seconds
from referee.storage.match_step import MatchStep
from referee.vision.image.frame import Frame


class EndOfFrames(Exception):  # noqa: N818 - the end of a recording is no error
    """A recorded or simulated camera has shown its last frame."""


class PressKind(StrEnum):
    """How long the button was held."""

    PRESS = "press"
    HOLD = "hold"
    LONG_HOLD = "long_hold"


@dataclass(frozen=True, slots=True)
class Press:
    """One press of a button: when it began, how long it was held, and whose it is (None: the common button)."""

    at: Seconds
    kind: PressKind = PressKind.PRESS
    seat: Seat | None = None


class Camera(Protocol):
    """Shows the table."""

    def capture(self) -> Frame:
        """Return the next frame, `frame.at` in the seconds of the service's clock.

        A live camera gives the newest frame it can, a recorded or simulated one the next in its timeline.
        Raises CameraError when no frame comes within the adapter's time limit, EndOfFrames after the last one.
        """

    def close(self) -> None:
        """Release the device; a second call does nothing."""


class Signals(Protocol):
    """Shows and sounds cues."""

    @property
    def faults(self) -> tuple[str, ...]:
        """A line for each lamp or buzzer that fails now; each is retried."""

    def play(self, cue: Cue) -> None:
        """Begin a cue and return at once; it replaces what was playing on the same lamp or buzzer."""

    def close(self) -> None:
        """Switch lights and sound off, then release the pins."""


class Button(Protocol):
    """Reports players' presses."""

    @property
    def faults(self) -> tuple[str, ...]:
        """A line for each button that cannot be read now."""

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses not yet given that began before or at `until`, oldest first, without waiting."""

    def close(self) -> None:
        """Release the pin; a second call does nothing."""


class PlannedButton:
    """A button with known presses, from a recording or a simulated match."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is read."""

    def __init__(self, presses: Iterable[Press]) -> None:
        """Report these presses when they are due."""
        self._waiting = sorted(presses, key=lambda press: press.at)

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses up to `until` that were not given yet."""
        due = tuple(press for press in self._waiting if press.at <= until)
        self._waiting = self._waiting[len(due) :]
        return due

    def close(self) -> None:
        """Drop the presses that are left."""
        self._waiting = []


class Organiser(Protocol):
    """Provides the organiser's commands from the page, the keyboard or a hall: the only way in besides the button."""

    def poll(self, until: Seconds) -> Iterable[Input]:
        """Give new commands, oldest first and dated `until`, without waiting.

        Each is entered before the next is asked for.
        """


class NoOrganiser:
    """An organiser without commands."""

    def poll(self, until: Seconds) -> tuple[Input, ...]:  # noqa: ARG002 - there is nothing to say at any time
        """Give no command."""
        return ()


class Organisers:
    """Several organisers as one."""

    def __init__(self, organisers: Iterable[Organiser]) -> None:
        """Ask these, in this order."""
        self._organisers = tuple(organisers)

    def poll(self, until: Seconds) -> Iterable[Input]:
        """Give the new commands of all of them."""
        return (command for organiser in self._organisers for command in organiser.poll(until))


class Publisher(Protocol):
    """Follows the match from outside: cues, event lines, evidence, the page and the hall; the only way out."""

    def publish(self, step: MatchStep) -> None:
        """Take one step; most have no events.

        Called after every input by the thread that owns the match; it must return quickly.
        """


class Clock(Protocol):
    """The clock of the match."""

    def now(self) -> Seconds:
        """Return seconds since the service started, never running backwards."""


class Journal(Protocol):
    """Keeps the steps of a match."""

    def append(self, step: MatchStep) -> None:
        """Write one step of the match; it is on the disk on return if the events include a judgement."""

    def close(self) -> None:
        """Flush everything to the disk and close the file."""
