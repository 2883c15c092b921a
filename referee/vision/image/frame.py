"""A frame: one picture with a name and a time."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


class Frame:
    """One picture (height × width × BGR, bytes), its name and when it was taken, in seconds of a monotonic clock."""

    __slots__ = ("_image", "_small", "at", "frame_id")

    def __init__(
        self, frame_id: str, at: float, image: Image | Callable[[], Image], small: Image | None = None
    ) -> None:
        """Show this picture; where fetching it costs something, it is given as a function and fetched when asked for.

        `small` is the same picture with fewer pixels, where the camera gives one for nothing.
        """
        self.frame_id, self.at = frame_id, at
        self._image = image if callable(image) else _checked(image)
        self._small = small

    @property
    def image(self) -> Image:
        """The whole picture."""
        if callable(self._image):
            self._image = _checked(self._image())
        return self._image

    @property
    def small(self) -> Image:
        """What is enough to see whether something moves: the small picture, or the whole one where there is none."""
        return self.image if self._small is None else self._small


def _checked(image: Image) -> Image:
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(f"a frame is bytes of height × width × 3, not {image.dtype} of {image.shape}")
    return image
