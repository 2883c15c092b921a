"""Choose frames of a simulated evening, and compare what two machines read in them: same tiles, same confidences."""

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

FRAMES = 3
MAX_APART = 1e-3  # of a confidence
MAX_PIXELS = 0.5  # of a tile's corner


def choose(evening: Path, folder: Path) -> None:
    """Copy frames spread over the evening, as PNG: JPEG decoders differ by a grey level."""
    folder.mkdir()
    files = sorted((evening / "frames").glob("*.jpg"))
    for number in range(FRAMES):
        file = files[len(files) * (2 * number + 1) // (2 * FRAMES)]
        cv2.imwrite(str(folder / f"{file.stem}.png"), cv2.imread(str(file)))


def compare(here: Path, there: Path) -> None:
    """Print how far apart the readings are; exit with 1 where they are not the same."""
    ours, theirs = ([json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in (here, there))
    if len(ours) != len(theirs) or not any(one["tiles"] for one in ours):
        sys.exit(f"{len(ours)} and {len(theirs)} readings")
    apart = pixels = 0.0
    tiles = 0
    for one, other in zip(ours, theirs, strict=True):
        if one["sets"] != other["sets"] or len(one["tiles"]) != len(other["tiles"]):
            sys.exit(f"{one['image']} is read differently: {one['sets']} and {other['sets']}")
        for mine in one["tiles"]:  # their order is by certainty
            yours = min(other["tiles"], key=lambda tile: _apart(mine, tile))
            if mine["tile"] != yours["tile"]:
                sys.exit(f"{one['image']}: {mine} and {yours}")
            tiles += 1
            apart = max(apart, abs(mine["confidence"] - yours["confidence"]))
            pixels = max(pixels, _apart(mine, yours))
    print(
        f"{tiles} tiles in {len(ours)} frames are read alike; confidences differ by {apart:.6f} at most "
        f"({MAX_APART:g} allowed), corners by {pixels:.2f} px."
    )
    if apart > MAX_APART or pixels > MAX_PIXELS:
        sys.exit(1)


def _apart(one: dict[str, Any], other: dict[str, Any]) -> float:
    """How far the farthest corner of a tile is from that of another, in pixels."""
    return float(np.abs(np.subtract(one["quad"], other["quad"])).max())


if __name__ == "__main__":
    {"choose": choose, "compare": compare}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
