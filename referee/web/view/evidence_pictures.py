"""The pictures of judged turns, found by what was judged; nothing is read but the files of one folder."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAME: Final = re.compile(r"\d{6,9}\.jpg", re.ASCII)
_MAX_BYTES: Final = 1_000_000
_SETTLED_NS: Final = 2_000_000_000
_Key = tuple[int, int, str, float]
"""Game, turn, frame and time: a referee that is started again counts its frames anew."""


@dataclass(frozen=True, slots=True)
class EvidencePair:
    """The pictures of one judgement by name, None where there is none (any more)."""

    before: str | None
    after: str | None

    def addresses(self) -> dict[str, str | None]:
        """Return where the page has them from."""
        sides = (("before", self.before), ("after", self.after))
        return {side: name and f"/api/evidence/{name}" for side, name in sides}


class EvidencePictures:
    """The evidence of a folder; asks the disk, so it is called from a thread that may wait."""

    def __init__(self, folder: Path | None) -> None:
        """Look there; without a folder there are no pictures."""
        self._folder = folder
        self._known: dict[str, tuple[_Key, EvidencePair]] = {}
        self._newest: dict[_Key, EvidencePair] = {}
        self._looked_at: int | None = None

    def shot(self, game: int, turn: int, frame_id: str, judged_at: float) -> EvidencePair:
        """Find the pictures of the judgement of this turn at this time."""
        self._look()
        shot = self._newest.get((game, turn, frame_id, judged_at), EvidencePair(None, None))
        return EvidencePair(self._there(shot.before), self._there(shot.after))

    def picture(self, name: str) -> bytes | None:
        """Return a picture; None for anything that is no picture of the folder."""
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
        """Read what has come since the last look, and forget what has gone; a folder unchanged since is not looked at.

        All turns of an evening may be asked for at once, by whoever is on the network.
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
            if (read := _read(self._folder / name)) is not None:
                self._known[name] = read
        self._newest = dict(self._known[name] for name in sorted(self._known))
        # A clock of the disk is coarse, and what has just been made may be half written: then it is looked at again.
        self._looked_at = changed if time.time_ns() - changed > _SETTLED_NS else None


def _read(path: Path) -> tuple[_Key, EvidencePair] | None:
    try:
        record = json.loads(path.read_bytes()[:_MAX_BYTES])
        shot = EvidencePair(record["pictures"]["before"], record["pictures"]["after"])
        key = (int(record["game"]), int(record["turn"]), str(record["frame_id"]), float(record["at"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # half written or foreign: it shows no turn
    return key, shot
