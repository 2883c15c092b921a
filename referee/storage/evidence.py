"""Pictures of judged turns for disputes: JPEGs beside what was read and judged, in a ring bounded by its size."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import cv2

from referee.errors import StorageError
from referee.files import make_folder, refusal, write_whole
from referee.storage.plain_values import Plain
from referee.vision.image.frame import Image

_JPEG_QUALITY: Final = 85
_MEGABYTE: Final = 1_000_000
_Turn = tuple[int, int]  # game and turn
_MAX_REMEMBERED_TURNS: Final = 8  # judged turns whose pictures a later verdict may name


class Evidence:
    """Keeps for each judged turn `NNNNNN.jpg`, the table as it was judged, and `NNNNNN.json`, what was said of it.

    There `pictures` names two files: `before`, the table as the turn began, is the picture with which the turn before
    it ended; `after`, the table as it was judged, may be an earlier one where a verdict was given anew.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Use this folder, and no more of the disk than that; 0 keeps nothing."""
        self._folder = folder
        self._most = megabytes * _MEGABYTE
        self._sizes: dict[Path, int] = {}
        self._number = 0
        self._ended: dict[_Turn, str | None] = {}
        self._shown: dict[str, str] = {}
        if not self._most:
            return
        try:
            make_folder(folder)
            for torn in folder.glob(".*.part"):
                torn.unlink()
            self._sizes = {path: path.stat().st_size for path in sorted(folder.glob("[0-9]*.*"))}
        except OSError as error:
            raise StorageError(
                f"evidence {folder} cannot be used {refusal(error, folder, 'check the folder')}"
            ) from None
        self._number = max((int(path.stem) for path in self._sizes if path.stem.isdecimal()), default=0)
        self._ended, self._shown = _last_turns(sorted(path for path in self._sizes if path.suffix == ".json"))

    def keep(self, image: Image | None, record: Plain) -> None:
        """Keep a judged turn; delete the oldest where the space is used up. StorageError where the disk refuses."""
        if not self._most:
            return
        self._number += 1
        stem = self._folder / f"{self._number:06d}"
        try:
            if image is not None:
                encoded, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
                if encoded:
                    self._write(stem.with_suffix(".jpg"), data.tobytes())
                    self._shown[record["frame_id"]] = f"{stem.name}.jpg"
            pictures = self._pictures(record)
            text = json.dumps({"pictures": pictures, **record}, ensure_ascii=False)
            self._write(stem.with_suffix(".json"), text.encode())
            self._make_room()
        except OSError as error:
            raise StorageError(f"evidence {stem} is not kept: {error.strerror}; check the disk") from None

    def _pictures(self, record: Plain) -> Mapping[str, str | None]:
        turn, after = _turn(record), self._shown.get(record["frame_id"])
        self._shown = dict(list(self._shown.items())[-_MAX_REMEMBERED_TURNS:])
        earlier = [ended for ended in self._ended if ended < turn and ended[0] == turn[0]]
        before = self._ended[max(earlier)] if earlier else None
        self._ended = {ended: self._ended[ended] for ended in sorted(earlier)[-_MAX_REMEMBERED_TURNS:]}
        if record["stands"]:
            self._ended[turn] = after
        return {"before": before, "after": after}

    def _write(self, path: Path, content: bytes) -> None:
        write_whole(path, content, sync=False)  # the match goes on meanwhile
        self._sizes[path] = len(content)

    def _make_room(self) -> None:
        for path in sorted(self._sizes):
            if sum(self._sizes.values()) <= self._most:
                return
            path.unlink(missing_ok=True)
            del self._sizes[path]


def _turn(record: Plain) -> _Turn:
    return int(record["game"]), int(record["turn"])


def _last_turns(kept: Sequence[Path]) -> tuple[dict[_Turn, str | None], dict[str, str]]:
    """Recall how the last turns ended, and what was shown, from before the referee was started again."""
    ended: dict[_Turn, str | None] = {}
    shown: dict[str, str] = {}
    for path in kept[-_MAX_REMEMBERED_TURNS:]:
        try:
            record = json.loads(path.read_bytes())
            turn, stands, after = _turn(record), record["stands"], record["pictures"]["after"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # half written when the plug was pulled
        if after:
            shown[record["frame_id"]] = after
        if stands:
            ended[turn] = after
    return ended, shown
