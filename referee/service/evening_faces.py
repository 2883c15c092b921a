"""Jokers that people named this evening: learnt from the picture they were named in, kept until the box changes."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from referee.errors import RefereeError
from referee.game.correction_events import TileNamed
from referee.game.inputs import MatchStarted
from referee.rules.tiles import Joker
from referee.storage.match_step import MatchStep
from referee.storage.profile import load_profile, save_profile
from referee.vision.classify.enrolment import add_face, training_looks
from referee.vision.geometry.crops import rectify
from referee.vision.pipeline import TableReader
from referee.vision.profile import Enrolment, Profile
from referee.vision.watch.watcher import Watcher

FACES_NAME: Final = "evening-faces.json"
_EVENING_SECONDS: Final = 16 * 3600.0
log = logging.getLogger("referee")


class EveningFaces:
    """Teaches the watcher the box of each match, and each joker that a person names: the referee asks once a face."""

    def __init__(
        self, reader: TableReader, watcher: Watcher, folder: Path | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Learn with this reader; keep the faces in this folder, if there is one."""
        self._reader, self._watcher, self._clock = reader, watcher, clock
        self._path = None if folder is None else folder / FACES_NAME
        self._calibrated = watcher.profile.enrolment if watcher.profile else None
        self._learnt: Enrolment | None = None
        self._edition: str | None = None

    def publish(self, step: MatchStep) -> None:
        """Learn the jokers named in this step; with another edition's box begin anew."""
        if step.events and isinstance(step.entered, MatchStarted):
            self._watcher.use_box(step.match.rules.box)
        if step.match.seated is not None and step.match.rules.edition != self._edition:
            self._begin(step.match.rules.edition, is_new=isinstance(step.entered, MatchStarted))
        for event in step.events:
            if isinstance(event, TileNamed) and isinstance(event.tile, Joker):
                self._learn(event.tile, event)

    def _begin(self, edition: str, *, is_new: bool) -> None:
        """Take up the faces kept of this edition's box; forget those of another."""
        had, self._edition, self._learnt = self._learnt, edition, self._kept(edition)
        if self._learnt is not None or had is not None:
            self._watcher.use_faces(self._learnt or self._calibrated)
        if is_new and self._learnt is None and self._path is not None:
            self._path.unlink(missing_ok=True)

    def _kept(self, edition: str) -> Enrolment | None:
        """Return the faces that were learnt this evening in this edition's box; None without any."""
        path = self._path
        if path is None or not path.exists() or self._clock() - path.stat().st_mtime > _EVENING_SECONDS:
            return None
        try:
            kept = load_profile(path, edition)
            self._reader.check_profile(kept)
        except RefereeError as error:
            log.info("%s", error)
            return None
        return kept.enrolment

    def _learn(self, joker: Joker, event: TileNamed) -> None:
        look = self._watcher.settled
        if look is None or look.reading.frame_id != event.frame_id or event.index >= len(look.reading.tiles):
            return  # the picture in which it was named is gone
        (crop,) = rectify(look.frame.image, np.array([look.reading.tiles[event.index].quad], np.float32))
        looks = self._reader.embeddings(training_looks(crop)).astype(np.float64)
        self._learnt = add_face(self._learnt or self._calibrated, joker, looks, self._reader.reader_id)
        self._watcher.use_faces(self._learnt)
        if self._path is not None:
            self._save(Profile(camera=self._edition or "", size=(1, 1), enrolment=self._learnt), self._path)

    @staticmethod
    def _save(profile: Profile, path: Path) -> None:
        try:
            save_profile(profile, path)
        except RefereeError as error:  # they are known until the power is cut
            log.warning("%s", error)
