"""A frame holds one picture, and nothing else passes for one."""

import numpy as np
import pytest

from referee.vision.image.frame import Frame


@pytest.mark.parametrize(
    "image", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((0, 4, 3), np.uint8)]
)
def test_a_frame_holds_bgr_bytes_only(image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="bytes of height"):
        Frame("one", 0.0, image)
