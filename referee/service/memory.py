"""The referee's memory: its state folder, the journal of the match, and an unfinished match found there."""

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from referee import __version__
from referee.errors import StorageError
from referee.game.inputs import Ticked
from referee.game.state import Phase
from referee.hardware.ports import Journal
from referee.hardware.system import wall_label
from referee.storage.dataclass_codec import JsonValue
from referee.storage.folder import FolderLock, state_folder
from referee.storage.journal import FileJournal, NoJournal, events_in, journal_id, next_journal_path, read_steps
from referee.storage.match_step import MatchStep
from referee.storage.recovery import UnfinishedMatch, find_unfinished, keep_damaged_tail
from referee.storage.snapshot import Snapshot, forget_snapshot, save_snapshot

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The journal of the match and an unfinished match; no folder if nothing is kept."""

    journal: Journal
    folder: Path | None = None
    unfinished: UnfinishedMatch | None = None
    past: tuple[JsonValue, ...] = ()
    """The events in the journal when it was opened."""

    @property
    def journal_path(self) -> Path | None:
        """The file of the journal; None if nothing is kept."""
        return self.journal.path if isinstance(self.journal, FileJournal) else None

    @property
    def match_name(self) -> str | None:
        """The name of the journal's match, as `journal_id`; None if nothing is kept."""
        return None if self.journal_path is None else journal_id(self.journal_path, self.head())

    def head(self) -> JsonValue:
        """Return the journal's header: which version began it, and when."""
        return _fresh_head() if self.journal_path is None else next(read_steps(self.journal_path)).step


def open_memory(wanted: Path | None, configured: str, parts: ExitStack, *, recorded: bool, new: bool) -> Memory:
    """Open the journal of a match cut short, or a new one; `parts` closes it. Raises StorageError.

    The folder is `wanted`, or else `configured`. A recording is kept only if a folder is wanted.
    """
    if recorded and wanted is None:
        return Memory(journal=NoJournal())
    folder = wanted or state_folder(configured)
    parts.enter_context(FolderLock(folder))
    unfinished = None
    try:
        unfinished = None if new else find_unfinished(folder)
    except StorageError as error:
        log.warning("%s", error)
    if unfinished is not None:
        if (lost := keep_damaged_tail(unfinished)) is not None:
            log.warning("%s", lost)
        journal = FileJournal(unfinished.path, keep_bytes=unfinished.good_bytes)
    else:
        journal = FileJournal(next_journal_path(folder), head=_fresh_head())
    parts.enter_context(journal)
    return Memory(journal=journal, folder=folder, unfinished=unfinished, past=tuple(events_in(journal.path)))


def _fresh_head() -> JsonValue:
    return {"referee": __version__, "begun": wall_label()}


SNAPSHOT_BYTES = 2_000_000  # of a journal, which take seconds to fold


class SnapshotPublisher:
    """Keeps the match beside its journal now and then, so that a long one goes on in seconds."""

    def __init__(self, journal: FileJournal) -> None:
        """Keep the match of this journal."""
        self._journal = journal
        self._kept_at = 0

    def publish(self, step: MatchStep) -> None:
        """Write a snapshot where the journal has grown so much; delete it once the match is over."""
        if step.match.phase is Phase.MATCH_OVER:
            forget_snapshot(self._journal.path)
            return
        mark = None if isinstance(step.entered, Ticked) else self._journal.mark  # a tick may be unwritten
        if mark is not None and mark.length - self._kept_at >= SNAPSHOT_BYTES:
            self._kept_at = mark.length
            save_snapshot(self._journal.path, Snapshot(mark=mark, match=step.match, at=step.entered.at))
