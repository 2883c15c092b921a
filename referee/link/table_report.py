"""Reports of a table to a hall as JSON values: status, state, events and result."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from msgspec import structs

from referee.errors import StorageError
from referee.game.limits import Limits
from referee.game.state import Phase
from referee.protocol.state import CameraStatus, state_of
from referee.protocol.subject import Moment
from referee.protocol.view_state import ViewState
from referee.storage.journal import events_in

_HIDDEN_KEYS: Final = ("racks", "rack_asked", "asked", "restore", "can", "proposal")
"""Keys that a hall does not get: racks are private, the rest is for the table's own page."""
_RESULT_KEYS: Final = ("began_at", "edition", "format", "players", "results", "ranking", "ranks")

log = logging.getLogger("referee")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """Facts of the table beside its match."""

    device: str
    """Identifies this device, whatever its name."""
    version: str
    journal: Path | None
    journal_id: str
    event_count: int
    """How many events the journal already holds."""
    digest: int
    """The digest of these events."""
    limits: Limits
    now: Callable[[], float]
    camera_status: Callable[[], CameraStatus]
    health: Callable[[], Mapping[str, Any]]
    page: str | None = None
    """The address of the table's own page."""
    run: str = field(default_factory=lambda: token_hex(4))
    """Identifies this run of the device."""

    def status(self, status: str) -> dict[str, Any]:
        """Return the status message: online or offline, device, version and page."""
        return {"status": status, "device": self.device, "version": self.version, "page": self.page}

    def state(self, now: Moment, view_state: ViewState, event_count: int, digest: int) -> dict[str, Any]:
        """Return the page's State without pictures, tile positions and racks, with the number of events."""
        state = state_of(now, view_state, self.camera_status(), None, self.now())
        table, match = state.table, None if state.match is None else structs.asdict(state.match)
        sets = [[table.tiles[index].tile for index in row.tiles] for row in table.sets]
        return {
            "at": max(state.at, 0.0),  # before its first step a match has no time
            "journal": self.journal_id,
            "seq": event_count,
            "run": self.run,
            "digest": digest,
            "match": match and {key: value for key, value in match.items() if key not in _HIDDEN_KEYS},
            "table": {"camera": table.camera, "sets": sets},
        }

    def event(self, number: int, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with its match and its number."""
        return {"match": self.journal_id, "seq": number, "event": event}

    def result(self, now: Moment, view_state: ViewState) -> dict[str, Any] | None:
        """Return the result of a finished match with the journal's checksum; None if it goes on."""
        if now.match.phase is not Phase.MATCH_OVER:
            return None
        match_state = self.state(now, view_state, 0, 0)["match"]
        try:
            checksum = None if self.journal is None else sha256(self.journal.read_bytes()).hexdigest()
        except OSError:
            checksum = None
        names = {"device": self.device, "journal": self.journal_id, "sha256": checksum}
        return {**names, **{key: match_state[key] for key in _RESULT_KEYS}}

    def from_journal(self, first: int, limit: int) -> tuple[Any, ...]:
        """Return at most `limit` events of the journal from number `first` on."""
        if self.journal is None:
            return ()
        try:
            return tuple(islice(events_in(self.journal), first, first + limit))
        except StorageError as error:
            log.warning("%s; the hall misses events from number %d on", error, first)
            return ()
