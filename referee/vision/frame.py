"""A frame: one picture with a name and a time; and pictures from files, turned the way they were taken."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import ImageError

Image = npt.NDArray[np.uint8]
_HEIF = frozenset({b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif"})  # brands (ISO/IEC 23008-12): what phones save


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


def load_image(path: Path) -> Image:
    """The picture in a file as BGR bytes, its EXIF orientation applied; any depth and number of channels.

    Raises ImageError where the file is missing, empty, no picture or too large to hold.
    """
    try:
        content = np.fromfile(path, np.uint8)
    except FileNotFoundError:
        raise ImageError(f"{path}: there is no such file; check the name") from None
    except IsADirectoryError:
        raise ImageError(f"{path} is a folder; name the pictures in it") from None
    except (OSError, ValueError) as error:
        raise ImageError(
            f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}; check who may read it"
        ) from None
    except MemoryError:
        raise ImageError(f"{path} is too large for this machine's memory; shrink it") from None
    if not content.size:
        raise ImageError(f"{path} is empty (0 bytes); take the picture again")
    try:
        image = cv2.imdecode(content, cv2.IMREAD_COLOR)
    except cv2.error as error:
        if "pixels" in str(error).lower():
            raise ImageError(f"{path} has too many pixels; shrink it below 16384 × 8192") from None
        image = None
    except MemoryError:
        raise ImageError(f"{path} is too large for this machine's memory; shrink it") from None
    if image is None or not image.size:
        raise ImageError(f"{path} {_why_unread(content)}")
    return np.asarray(image, np.uint8)


def _why_unread(content: npt.NDArray[np.uint8]) -> str:
    if content[4:8].tobytes() == b"ftyp" and content[8:12].tobytes() in _HEIF:
        return "is a HEIC picture, which cannot be read; save it as JPEG"
    return "is no picture that can be read, or a damaged one; use JPEG or PNG"
