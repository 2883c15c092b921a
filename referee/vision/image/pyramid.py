"""A picture at its own size and halved again and again, each size made once and only when it is asked for."""

import cv2
import numpy as np

from referee.vision.image.frame import Image


class Pyramid:
    """Level 0 is the picture; each next one has half its width and height (an odd last row or column is left out).

    All but level 0 are [height, width, 4], with a fourth channel that tells nothing: OpenCV interpolates between pixels
    of four channels nearly twice as fast as between those of three.
    """

    def __init__(self, image: Image) -> None:
        """Of a picture [height, width, 3] that is not changed from now on."""
        self._levels = [image]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def level(self, number: int) -> Image:
        """Return the picture halved so often, every pixel the mean of four: the one shrinking OpenCV does fast."""
        while len(self._levels) <= number:
            finer = self._levels[-1]
            height, width = finer.shape[0] // 2, finer.shape[1] // 2
            even = finer[: 2 * height, : 2 * width]
            image = cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA)
            fourth = image if image.shape[2] == 4 else cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
            self._levels.append(np.asarray(fourth, np.uint8))
        return self._levels[number]

    def resized(self, width: int, height: int) -> Image:
        """Return the whole picture [height, width, 3] at a size, from the smallest level that is not smaller."""
        number = 0
        while self._holds(number + 1, width, height):
            number += 1
        image = self.level(number)
        if image.shape[:2] != (height, width):
            # Exact: plain linear differs by a grey level between kinds of processors, and with it what models answer.
            image = np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR_EXACT), np.uint8)
        return without_fourth(image)

    def _holds(self, number: int, width: int, height: int) -> bool:
        return self.size[0] >> number >= width and self.size[1] >> number >= height


def without_fourth(image: Image) -> Image:
    """Return a picture of three channels, which may come from a level that has a fourth."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2BGR), np.uint8) if image.shape[2] == 4 else image
