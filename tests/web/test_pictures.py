"""Pictures for the page: made once each, the newest kept, and never more of them than fit the memory set aside."""

import numpy as np

from referee.vision.frame import Frame
from referee.web.pictures import MOST_BYTES_KEPT, Pictures


def noise(number: int) -> Frame:
    """A frame that no JPEG makes small."""
    pixels = np.random.default_rng(number).integers(0, 256, (720, 1280, 3), np.uint8)
    return Frame(f"frame-{number}", float(number), pixels)


def test_a_picture_is_made_once() -> None:
    frame = noise(0)
    pictures = Pictures(lambda: frame, lambda: frame)
    assert pictures.settled("frame-0") is pictures.settled("frame-0")
    assert pictures.settled("frame-1") is None


def test_old_pictures_make_room_for_new_ones() -> None:
    shown = [noise(0)]
    pictures = Pictures(lambda: shown[0], lambda: shown[0])
    one = pictures.settled("frame-0")
    assert one is not None
    most = MOST_BYTES_KEPT // len(one)
    assert 2 < most < 100
    for number in range(1, most + 3):
        shown[0] = noise(number)
        assert pictures.settled(f"frame-{number}") is not None
        assert pictures.settled("frame-1") is not None, "what is asked for again stays"
    assert pictures.settled("frame-0") is None
    assert sum(map(len, pictures._kept.values())) == pictures._bytes_kept <= MOST_BYTES_KEPT
