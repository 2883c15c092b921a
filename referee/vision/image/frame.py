"""A frame: one picture with a name and a time."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


class Frame:
    """One picture [height, width, BGR] of bytes, its id, and when it was exposed, in seconds of a monotonic clock."""

    __slots__ = ("_image", "_small", "arrived", "at", "frame_id")

    def __init__(
        self,
        frame_id: str,
        at: float,
        image: Image | Callable[[], Image],
        small: Image | None = None,
        *,
        arrived: float | None = None,
    ) -> None:
        """Hold a picture, or a function that fetches it on first use.

        `small` is a downscaled copy, if the camera provides one at no cost; it arrived at once unless said otherwise.
        """
        self.frame_id, self.at = frame_id, at
        self.arrived = at if arrived is None else arrived
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
        """The downscaled copy, enough to detect motion; the whole picture if there is none."""
        return self.image if self._small is None else self._small


def _checked(image: Image) -> Image:
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(f"a frame is bytes of height × width × 3, not {image.dtype} of {image.shape}")
    return image
