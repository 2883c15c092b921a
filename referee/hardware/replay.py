"""Recordings as cameras: a folder from `referee simulate` with presses, a folder of pictures, or a video."""

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from referee.errors import CameraError
from referee.game.inputs import Seat
from referee.hardware.ports import EndOfFrames, Press, PressKind
from referee.reading.inputs import Seconds
from referee.vision.image.frame import Frame, Image
from referee.vision.image.picture_file import load_image

TIMELINE_FILE: Final = "timeline.jsonl"
FRAMES_PER_SECOND: Final = 5.0
FRAMES_PER_PICTURE: Final = 6  # enough for a table to settle
_PICTURE_SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})
_CACHE_BYTES: Final = 16_000_000  # of decoded pictures: a quiet table alternates between a few files


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """A recorded frame: its time in seconds and its file."""

    at: float
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recording: frames, presses, and its match if it is stored."""

    looks: Sequence[RecordedFrame]
    presses: Sequence[Press] = ()
    match: dict[str, Any] | None = None


class RecordedCamera:
    """Replays the frames of a recording at their own times."""

    def __init__(self, looks: Sequence[RecordedFrame]) -> None:
        """Replay these frames."""
        self._coming = iter(looks)
        self._kept: OrderedDict[Path, Image] = OrderedDict()

    def capture(self) -> Frame:
        """Return the next frame; EndOfFrames after the last, ImageError if its file is no picture."""
        look = next(self._coming, None)
        if look is None:
            raise EndOfFrames
        image = self._kept.get(look.file)
        if image is None:
            image = self._kept[look.file] = load_image(look.file)
            while sum(kept.nbytes for kept in self._kept.values()) > _CACHE_BYTES and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return Frame(f"{look.file.name}@{look.at:.3f}", look.at, image)

    def close(self) -> None:
        """Show nothing more."""
        self._coming = iter(())
        self._kept.clear()


class VideoCamera:
    """Replays a video at FRAMES_PER_SECOND."""

    def __init__(self, path: Path) -> None:
        """Open the video; CameraError if it cannot be read."""
        self._path = path
        self._video = cv2.VideoCapture(str(path))
        self._seconds = 1 / (self._video.get(cv2.CAP_PROP_FPS) or 25.0)
        self._number = -1
        if not self._video.isOpened():
            raise CameraError(f"recording {path} is no video that can be read; use MP4 or MJPEG, or a folder")

    def capture(self) -> Frame:
        """Return the next frame that is due; EndOfFrames at the end."""
        due = (self._number * self._seconds if self._number >= 0 else -1.0) + 1 / FRAMES_PER_SECOND
        while True:
            grabbed = self._video.grab()
            self._number += 1
            if not grabbed:
                raise EndOfFrames
            if self._number == 0 or self._number * self._seconds >= due - 1e-6:
                break
        fine, image = self._video.retrieve()
        if not fine:
            raise EndOfFrames
        at = self._number * self._seconds
        return Frame(f"{self._path.name}@{at:.3f}", at, np.asarray(image, np.uint8))

    def close(self) -> None:
        """Close the file."""
        self._video.release()


def open_recording(path: Path) -> Recording | VideoCamera:
    """Open a recording; CameraError if there is none."""
    if not path.exists():
        raise CameraError(f"recording {path} does not exist; name a folder of 'referee simulate', pictures or a video")
    if path.is_file() and path.suffix.lower() not in _PICTURE_SUFFIXES:
        return VideoCamera(path)
    if (path / TIMELINE_FILE).is_file():
        return _load_timeline(path)
    files = (
        [path]
        if path.is_file()
        else sorted(file for file in path.iterdir() if file.suffix.lower() in _PICTURE_SUFFIXES)
    )
    if not files:
        raise CameraError(f"recording {path} holds neither {TIMELINE_FILE} nor pictures; name another folder")
    return Recording(
        looks=[
            RecordedFrame((number * FRAMES_PER_PICTURE + look) / FRAMES_PER_SECOND, file)
            for number, file in enumerate(files)
            for look in range(FRAMES_PER_PICTURE)
        ]
    )


def _load_timeline(folder: Path) -> Recording:
    looks: list[RecordedFrame] = []
    presses: list[Press] = []
    match: dict[str, Any] | None = None
    for number, line in _timeline_lines(folder / TIMELINE_FILE):
        try:
            moment = json.loads(line)
            match moment["event"]:
                case "frame" if not moment.get("repeat"):  # a picture sent again is no look
                    looks.append(RecordedFrame(float(moment["at"]), folder / moment["file"]))
                case "press":
                    seat = moment.get("seat")
                    presses.append(
                        Press(
                            Seconds(float(moment["at"])),
                            PressKind(moment.get("kind", PressKind.PRESS)),
                            None if seat is None else Seat(int(seat)),
                        )
                    )
                case "match":
                    match = moment
                case _:
                    pass
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise CameraError(
                f"{folder / TIMELINE_FILE} line {number} is no event ({reason:.60}): {line.strip():.60}; "
                "mend or take out that line, or record the folder anew"
            ) from None
    return Recording(looks=looks, presses=presses, match=match)


def _timeline_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CameraError(f"{path} cannot be read ({error!s:.60}); record it anew") from None
    return enumerate((line for line in text.splitlines() if line.strip()), start=1)
