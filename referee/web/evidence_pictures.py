"""The pictures of judged turns, found by what was judged; nothing is read but the files of one folder."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAME: Final = re.compile(r"\d{6,9}\.jpg", re.ASCII)
_MOST_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Shot:
    """The pictures of one judgement by name, None where there is none (any more)."""

    before: str | None
    after: str | None


class EvidencePictures:
    """The evidence of a folder; asks the disk, so it is called from a thread that may wait."""

    def __init__(self, folder: Path | None) -> None:
        """Look there; without a folder there are no pictures."""
        self._folder = folder
        self._known: dict[str, tuple[tuple[object, ...], Shot]] = {}

    def shot(self, game: int, turn: int, frame_id: str) -> Shot:
        """Find the pictures of the newest judgement of this turn on this frame."""
        self._look()
        for name in sorted(self._known, reverse=True):
            key, shot = self._known[name]
            if key == (game, turn, frame_id):
                return Shot(self._there(shot.before), self._there(shot.after))
        return Shot(None, None)

    def picture(self, name: str) -> bytes | None:
        """Give a picture; None for anything that is no picture of the folder."""
        if self._folder is None or not NAME.fullmatch(name):
            return None
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def _there(self, name: str | None) -> str | None:
        if self._folder is None or not isinstance(name, str) or not NAME.fullmatch(name):
            return None
        return name if (self._folder / name).exists() else None

    def _look(self) -> None:
        """Read what has come since the last look, and forget what has gone."""
        if self._folder is None:
            return
        try:
            names = {path.name for path in self._folder.glob("*.json")}
        except OSError:
            return
        for gone in self._known.keys() - names:
            del self._known[gone]
        for name in names - self._known.keys():
            self._known[name] = _read(self._folder / name)


def _read(path: Path) -> tuple[tuple[object, ...], Shot]:
    try:
        said = json.loads(path.read_bytes()[:_MOST_BYTES])
        shot = Shot(said["pictures"]["before"], said["pictures"]["after"])
        return (said["game"], said["turn"], said["frame_id"]), shot
    except (OSError, ValueError, KeyError, TypeError):
        return (), Shot(None, None)  # half written or foreign: it shows no turn
