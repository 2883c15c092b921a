"""Pictures of judged turns for disputes: JPEGs beside readings and verdicts, in a ring of bounded size."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import cv2

from referee.errors import StorageError
from referee.game.events import Judged
from referee.history.evidence_pictures import load_evidence
from referee.history.story import TurnKey, turn_key
from referee.rules.wording import say
from referee.storage.dataclass_codec import JsonValue
from referee.storage.files import CHECK_FOLDER, make_folder, reason, refusal, write_whole
from referee.vision.image.frame import Image

_JPEG_QUALITY: Final = 85
_MEGABYTE: Final = 1_000_000
_MAX_REMEMBERED_TURNS: Final = 8  # turns whose pictures a later verdict may refer to


class Evidence:
    """Stores for each judged turn `NNNNNN.jpg`, the table as judged, and `NNNNNN.json`, the reading and the verdict.

    In the JSON file, `pictures` names two files: `before`, the table as the turn began, is the last picture of the
    turn before; `after`, the table as judged, is an earlier picture if a verdict was given again.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Store files in this folder, at most `megabytes` in all; 0 stores nothing."""
        self._folder = folder
        self._most = megabytes * _MEGABYTE
        self._sizes: dict[Path, int] = {}
        self._number = 0
        self._ended: dict[TurnKey, str | None] = {}
        self._shown: dict[str, str] = {}
        if not self._most:
            return
        try:
            make_folder(folder)
            for torn in folder.glob(".*.part"):
                torn.unlink()
            self._sizes = {path: path.stat().st_size for path in sorted(folder.glob("[0-9]*.*"))}
        except OSError as error:
            why = refusal(error, folder, CHECK_FOLDER)
            raise StorageError(
                say("evidence.unusable", "evidence {folder} cannot be used {why}", folder=str(folder), why=why)
            ) from None
        self._number = max((int(path.stem) for path in self._sizes if path.stem.isdecimal()), default=0)
        self._ended, self._shown = _last_turns(sorted(path for path in self._sizes if path.suffix == ".json"))

    def keep(self, event: Judged, image: Image | None, record: JsonValue) -> None:
        """Store a judged turn and delete the oldest ones beyond the limit; StorageError if the disk refuses."""
        if not self._most:
            return
        self._number += 1
        stem = self._folder / f"{self._number:06d}"
        try:
            make_folder(self._folder)  # somebody may have deleted it in play
            if image is not None:
                encoded, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
                if encoded:
                    self._write(stem.with_suffix(".jpg"), data.tobytes())
                    self._shown[event.frame_id] = f"{stem.name}.jpg"
            pictures = self._pictures(event)
            text = json.dumps({"pictures": pictures, **record}, ensure_ascii=False)
            self._write(stem.with_suffix(".json"), text.encode())
            self._make_room()
        except OSError as error:
            raise StorageError(
                say(
                    "evidence.unkept",
                    "evidence {path} is not kept: {why}; check the disk",
                    path=str(stem),
                    why=reason(error),
                )
            ) from None

    def _pictures(self, event: Judged) -> Mapping[str, str | None]:
        turn, after = turn_key(event), self._shown.get(event.frame_id)
        self._shown = dict(list(self._shown.items())[-_MAX_REMEMBERED_TURNS:])
        earlier = [ended for ended in self._ended if ended < turn and ended[0] == turn[0]]
        before = self._ended[max(earlier)] if earlier else None
        self._ended = {ended: self._ended[ended] for ended in sorted(earlier)[-_MAX_REMEMBERED_TURNS:]}
        if event.stands:
            self._ended[turn] = after
        return {"before": before, "after": after}

    def _write(self, path: Path, content: bytes) -> None:
        write_whole(path, content, sync=False)  # not forced: the match must not wait
        self._sizes[path] = len(content)

    def _make_room(self) -> None:
        for path in sorted(self._sizes):
            if sum(self._sizes.values()) <= self._most:
                return
            path.unlink(missing_ok=True)
            del self._sizes[path]


def _last_turns(paths: Sequence[Path]) -> tuple[dict[TurnKey, str | None], dict[str, str]]:
    """Return the pictures of the last turns, stored before the referee restarted."""
    ended: dict[TurnKey, str | None] = {}
    shown: dict[str, str] = {}
    for path in paths[-_MAX_REMEMBERED_TURNS:]:
        kept = load_evidence(path)
        if kept is not None and kept.pictures.after:
            shown[kept.frame_id] = kept.pictures.after
        if kept is not None and kept.stands:
            ended[kept.game, kept.turn] = kept.pictures.after
    return ended, shown
