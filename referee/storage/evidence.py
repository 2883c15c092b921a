"""Pictures of judged turns for disputes: JPEGs beside what was read and judged, in a ring bounded by its size."""

import json
from pathlib import Path
from typing import Final

import cv2

from referee.errors import StorageError
from referee.storage.plain import Plain
from referee.vision.frame import Image

_QUALITY: Final = 85
_MEGABYTE: Final = 1_000_000


class Evidence:
    """Keeps for each judged turn `NNNNNN.jpg`, the table as it was judged, and `NNNNNN.json`, what was said of it."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Use this folder, and no more of the disk than that; 0 keeps nothing."""
        self._folder = folder
        self._most = megabytes * _MEGABYTE
        self._sizes: dict[Path, int] = {}
        self._number = 0
        if not self._most:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._sizes = {path: path.stat().st_size for path in sorted(folder.glob("[0-9]*.*"))}
        except OSError as error:
            raise StorageError(f"evidence {folder} cannot be used: {error.strerror}; check the folder") from None
        self._number = max((int(path.stem) for path in self._sizes if path.stem.isdecimal()), default=0)

    def keep(self, image: Image | None, said: Plain) -> None:
        """Keep a turn; its beginning is the picture before it. The oldest turns go where the room is used up."""
        if not self._most:
            return
        before = f"{self._number:06d}.jpg" if self._number else None
        self._number += 1
        stem = self._folder / f"{self._number:06d}"
        try:
            if image is not None:
                encoded, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
                if encoded:
                    self._write(stem.with_suffix(".jpg"), data.tobytes())
            self._write(stem.with_suffix(".json"), json.dumps({"before": before, **said}, ensure_ascii=False).encode())
            self._make_room()
        except OSError as error:
            raise StorageError(f"evidence {stem} is not kept: {error.strerror}; check the disk") from None

    def _write(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        self._sizes[path] = len(content)

    def _make_room(self) -> None:
        for path in sorted(self._sizes):
            if sum(self._sizes.values()) <= self._most:
                return
            path.unlink(missing_ok=True)
            del self._sizes[path]
