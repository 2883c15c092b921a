"""What a camera's driver is and gives: pictures, and how old they are as far as their source tells."""

from collections import deque
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from referee.settings.hardware import MAX_DELAY_SECONDS
from referee.vision.image.frame import Image
from referee.vision.profile import LockedControls

_USUAL_SECONDS: Final = 60.0  # within which some picture of a stream comes without waiting


class HeldPicture(Protocol):
    """A picture in the driver's memory: a small copy at once, the full picture on request."""

    @property
    def small(self) -> Image:
        """Return the picture with few pixels."""

    def full(self) -> Image:
        """Return the full picture; after `drop` the small one, enlarged."""

    def drop(self) -> None:
        """Release the driver's memory; a second call does nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class AgedPicture:
    """A picture whose source tells its age: seconds since its exposure, beyond the camera's usual delay."""

    picture: Image | HeldPicture
    age: float


_Picture = TypeVar("_Picture", bound=Image | HeldPicture)


class Driver(Protocol):
    """An open camera whose focus, exposure and white balance can be locked."""

    def read(self) -> Image | HeldPicture | AgedPicture:
        """Return the next picture; CameraError if there is none."""

    def settle(self, keep: LockedControls | None = None) -> LockedControls:
        """Measure, lock and return focus, exposure and white balance; a focus in `keep` is kept."""

    def close(self) -> None:
        """Release the device."""


def dated(picture: _Picture, exposed: float | None, now: float) -> _Picture | AgedPicture:
    """Return the picture with its age, from its exposure by the same clock; as it is if that time cannot be true."""
    age = -1.0 if exposed is None else now - exposed
    return AgedPicture(picture, age) if 0.0 <= age <= MAX_DELAY_SECONDS else picture


class StreamAges:
    """Ages of a stream's pictures by its own clock, which differs from ours: how much later than the promptest."""

    def __init__(self) -> None:
        """Know no picture yet."""
        self._offsets: deque[tuple[float, float]] = deque()  # when it came, and by how much later than its stamp

    def age(self, stamp: float, now: float) -> float:
        """Return by how much a picture with this stamp came later than the promptest of the last minute."""
        offset = now - stamp
        if self._offsets and abs(offset - self._offsets[-1][1]) > MAX_DELAY_SECONDS:
            self._offsets.clear()  # the stream's clock was set
        while self._offsets and self._offsets[0][0] < now - _USUAL_SECONDS:
            self._offsets.popleft()
        self._offsets.append((now, offset))
        return offset - min(offset for _, offset in self._offsets)
