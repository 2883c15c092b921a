"""Bars of shadow: what the slats of a blind, a chair's back or a window frame cast on a table."""

import cv2
import numpy as np

from models.training.lens import Image, Rng


def blinds(rng: Rng, size: tuple[int, int], pitch: float) -> Image:
    """Where bars `pitch` pixels apart lie (0 or 255) in a picture (width, height), parallel or fanned."""
    width, height = size
    mask = np.zeros((height, width), np.uint8)
    share, turn, fan = rng.uniform(0.25, 0.75), rng.uniform(0, np.pi), rng.normal(0, 0.3)
    reach, middle = float(np.hypot(width, height)), np.array([width, height]) / 2
    across = np.array([-np.sin(turn), np.cos(turn)])
    for place in np.arange(-reach / 2, reach / 2, pitch) + rng.uniform(0, pitch):
        angle = turn + fan * place / reach
        along = np.array([np.cos(angle), np.sin(angle)]) * reach
        near = middle + across * place
        far = near + across * pitch * share
        cv2.fillConvexPoly(mask, np.round([near - along, near + along, far + along, far - along]).astype(np.int32), 255)
    return mask
