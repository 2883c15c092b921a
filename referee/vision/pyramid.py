"""A picture at its own size and halved again and again, each size made once and only when it is asked for."""

import cv2
import numpy as np

from referee.vision.frame import Image


class Pyramid:
    """Level 0 is the picture; each next one has half its width and height (an odd last row or column is left out)."""

    def __init__(self, image: Image) -> None:
        """Of a picture that is not changed from now on."""
        self._levels = [image]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def level(self, number: int) -> Image:
        """The picture halved so often, every pixel the mean of four: the one shrinking OpenCV does fast."""
        while len(self._levels) <= number:
            image = self._levels[-1]
            height, width = image.shape[0] // 2, image.shape[1] // 2
            even = image[: 2 * height, : 2 * width]
            self._levels.append(np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8))
        return self._levels[number]

    def resized(self, width: int, height: int) -> Image:
        """The whole picture at a size, from the smallest level that is not smaller."""
        number = 0
        while self._holds(number + 1, width, height):
            number += 1
        image = self.level(number)
        if image.shape[:2] == (height, width):
            return image
        # Exact: plain linear differs by a grey level between kinds of processors, and with it what the models answer.
        return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR_EXACT), np.uint8)

    def _holds(self, number: int, width: int, height: int) -> bool:
        return self.size[0] >> number >= width and self.size[1] >> number >= height
