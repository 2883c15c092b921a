"""The evidence pictures of judged turns, found by judgement; only files of one folder are read."""

import re
import time
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

PICTURE_NAME: Final = re.compile(r"\d{6,9}\.jpg", re.ASCII)
_MIN_FOLDER_AGE_NS: Final = 2_000_000_000
_JudgementKey = tuple[int, int, str, float]
"""Game, turn, frame and time, because a restarted referee counts its frames from 0."""


class TurnPictures(Struct, frozen=True):
    """The pictures of a turn."""

    before: str | None
    after: str | None

    def urls(self) -> "TurnPictures":
        """Return the pictures' URLs on the page."""
        return TurnPictures(*(name and f"/api/evidence/{name}" for name in (self.before, self.after)))


NO_PICTURES: Final = TurnPictures(None, None)


class KeptEvidence(Struct, frozen=True):
    """What is stored of one judgement, as far as its pictures are looked for by it."""

    pictures: TurnPictures
    game: int
    turn: int
    seat: int
    at: float
    frame_id: str
    stands: bool
    table: str


def load_evidence(path: Path) -> KeptEvidence | None:
    """Return one file's content; None if it was cut off by a power failure, or is no judgement's."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeptEvidence)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


class EvidencePictures:
    """The evidence of a folder; reads the disk, so call it on a thread that may block."""

    def __init__(self, folder: Path | None) -> None:
        """Read this folder; without one there are no pictures."""
        self._folder = folder
        self._known: dict[str, tuple[_JudgementKey, TurnPictures]] = {}
        self._newest: dict[_JudgementKey, TurnPictures] = {}
        self._looked_at: int | None = None

    def find(self, game: int, turn: int, frame_id: str, judged_at: float) -> TurnPictures:
        """Return the pictures of this turn's judgement at this time."""
        self._refresh()
        shot = self._newest.get((game, turn, frame_id, judged_at), NO_PICTURES)
        return TurnPictures(self._existing(shot.before), self._existing(shot.after))

    def picture(self, name: str) -> bytes | None:
        """Return a picture's bytes; None if the folder has no such picture."""
        if self._folder is None or not PICTURE_NAME.fullmatch(name):
            return None
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def _existing(self, name: str | None) -> str | None:
        if self._folder is None or name is None or not PICTURE_NAME.fullmatch(name):
            return None
        return name if (self._folder / name).exists() else None

    def _refresh(self) -> None:
        """Index new files and drop deleted ones; an unchanged folder is not read again.

        Any visitor may request all turns of an evening at once.
        """
        if self._folder is None:
            return
        try:
            changed = self._folder.stat().st_mtime_ns
            if changed == self._looked_at:
                return
            names = {path.name for path in self._folder.glob("*.json")}
        except OSError:
            return
        for gone in self._known.keys() - names:
            del self._known[gone]
        for name in names - self._known.keys():
            if (kept := load_evidence(self._folder / name)) is not None:
                self._known[name] = ((kept.game, kept.turn, kept.frame_id, kept.at), kept.pictures)
        self._newest = dict(self._known[name] for name in sorted(self._known))
        # File times are coarse, and a new file may be incomplete: a recently changed folder is read again.
        self._looked_at = changed if time.time_ns() - changed > _MIN_FOLDER_AGE_NS else None
