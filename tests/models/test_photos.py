"""Crops of labelled photographs, as they are or changed first."""

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

from models.training.data.photos import Photo, real_crops


def test_changes_take_turns_among_photographs(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), np.full((200, 200, 3), 40, np.uint8))
    quad = np.array([[60, 50], [100, 50], [100, 106], [60, 106]], np.float64)
    photos = [Photo(tmp_path / "table.png", str(number), "train", (("R7", quad),)) for number in range(3)]
    brighter, darker = (lambda image, quads: (image + 60, quads)), (lambda image, quads: (image - 30, quads))
    assert real_crops(photos).crops.mean(axis=(1, 2, 3)).tolist() == [40, 40, 40]
    changed = real_crops(photos, [brighter, darker])
    assert changed.crops.mean(axis=(1, 2, 3)).tolist() == [100, 10, 100]
    assert changed.labels.tolist() == [[6, 1]] * 3
