"""The motion gate: hands and tiles move, lamps and noise do not."""

import cv2
import numpy as np
import pytest

from referee.vision.watch.motion import MotionGate

SIZE = (1280, 720)


def table(seed: int = 1) -> np.ndarray:
    """Cloth with tiles on it."""
    rng = np.random.default_rng(seed)
    image = np.full((SIZE[1], SIZE[0], 3), (60, 110, 50), np.uint8)
    image += rng.integers(0, 12, image.shape, np.uint8)
    for x in range(200, 1000, 60):
        cv2.rectangle(image, (x, 300), (x + 40, 360), (225, 235, 240), cv2.FILLED)
    return image


def gate_after(image: np.ndarray) -> MotionGate:
    gate = MotionGate()
    assert not gate.moved(image)
    return gate


def noisy(image: np.ndarray, seed: int, sigma: float = 5.0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, sigma, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def test_noise_is_no_motion() -> None:
    assert not gate_after(noisy(table(), 1)).moved(noisy(table(), 2))


@pytest.mark.parametrize("gain", [0.8, 0.95, 1.05, 1.1])
def test_a_lamp_that_dims_is_no_motion(gain: float) -> None:
    assert not gate_after(table()).moved(np.clip(table() * gain, 0, 255).astype(np.uint8))


def test_a_soft_shadow_is_no_motion() -> None:
    across = np.linspace(1.0, 0.75, SIZE[0])[None, :, None]
    assert not gate_after(table()).moved((table() * across).astype(np.uint8))


@pytest.mark.parametrize("cycles", [1.5, 4.5, 9.0])
def test_a_flickering_lamp_is_no_motion_and_a_hand_in_its_light_is(cycles: float) -> None:
    """The bands of a rolling shutter: 14 % up and down, elsewhere in each frame."""
    rows = np.linspace(0, 2 * np.pi * cycles, SIZE[1])[:, None, None]
    hand = table()
    cv2.ellipse(hand, (700, 650), (90, 200), 20, 0, 360, (120, 150, 200), cv2.FILLED)
    gate = gate_after(table())
    for phase in (0.5, 2.1, 3.7, 5.9):
        assert not gate.moved(np.clip(table() * (1 + 0.14 * np.sin(rows + phase)), 0, 255).astype(np.uint8))
    assert gate.moved(np.clip(hand * (1 + 0.14 * np.sin(rows + 1.0)), 0, 255).astype(np.uint8))


@pytest.mark.parametrize("light", [(0.5, 0.5, 0.5), (0.6, 0.85, 1.0)], ids=["half", "tint"])
def test_a_lamp_that_is_switched_is_no_motion(light: tuple[float, float, float]) -> None:
    gate, other = gate_after(noisy(table(), 1)), np.clip(table() * np.array(light), 0, 255).astype(np.uint8)
    assert not gate.moved(noisy(other, 2))
    assert not gate.moved(noisy(table(), 3))


def test_a_row_as_wide_as_the_picture_is_motion() -> None:
    image = table()
    for x in range(0, 1280, 44):
        cv2.rectangle(image, (x, 500), (x + 40, 560), (225, 235, 240), cv2.FILLED)
        cv2.putText(image, "8", (x + 8, 545), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (30, 30, 30), 4)
    assert gate_after(table()).moved(image)


def test_a_hand_is_motion() -> None:
    image = table()
    cv2.ellipse(image, (700, 650), (90, 200), 20, 0, 360, (120, 150, 200), cv2.FILLED)
    assert gate_after(table()).moved(image)


def test_a_tile_laid_down_is_motion() -> None:
    image = table()
    cv2.rectangle(image, (300, 500), (340, 560), (225, 235, 240), cv2.FILLED)
    gate = gate_after(table())
    assert gate.moved(image)
    assert not gate.moved(image)


def test_a_new_size_of_picture_is_motion_once() -> None:
    gate, turned = gate_after(table()), np.zeros((480, 640, 3), np.uint8)
    assert gate.moved(turned)
    assert not gate.moved(turned)
