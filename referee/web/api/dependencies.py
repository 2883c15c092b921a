"""The parts of the page, passed in at the start; nothing here needs a server."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.game.events import TurnEvent
from referee.game.limits import Limits
from referee.game.story import Story
from referee.web.api.bridge import Bridge
from referee.web.settings import WebSettings
from referee.web.view.evidence_pictures import EvidencePictures
from referee.web.view.pictures import Pictures
from referee.web.view.state import Sighting

JsonObject = dict[str, Any]
Sides = tuple[float, float]
"""Width and depth, or height, in millimetres."""


class Admin(Protocol):
    """The organiser's tasks beside the match; called from a thread that may wait."""

    def settings(self) -> JsonObject:
        """Return the settings as `GET /api/settings` does."""

    def change_settings(self, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        """Keep changed settings, all or none; give what is wrong with each, as `Said`."""

    def calibration(self) -> JsonObject:
        """Return the profile and the last check's report."""

    def check(self) -> JsonObject:
        """Check everything now and return the report."""

    def calibrate(self, step: str, table_mm: Sides | None, tile_mm: Sides | None, order: str | None) -> JsonObject:
        """Take a step of the calibration, with measures where they are known; raise RefereeError where it fails.

        `order` says which jokers lie there, row by row from the left.
        """

    def guide(self) -> JsonObject:
        """Return what is wrong with the live picture."""

    def calibration_picture(self) -> bytes | None:
        """Return the newest frame with the profile drawn in, as JPEG."""

    def cues(self) -> Sequence[str]:
        """Name the cues."""

    def test(self, cue: str) -> None:
        """Play a cue."""

    def health(self) -> JsonObject:
        """Return the health of the service."""

    def retry(self) -> bool:
        """Ask a service in safe mode to try again; False where it is not in it."""

    def end(self, *, power_off: bool) -> None:
        """End the service, to restart it or to shut the machine down; raises RefereeError where it cannot."""


class Export(Protocol):
    """Writes the match for other programs; asked from a thread that may wait."""

    def record(self, events: Sequence[JsonObject]) -> str:
        """Return the game record of these turn events."""

    def bundle(self, into: Path, scores: str) -> None:
        """Write one file with everything kept of the match, this score sheet among it."""

    def report(self, into: Path, *, pictures: int) -> None:
        """Write one file for a bug report, with so many of the last pictures."""


class Archive(Protocol):
    """The archive of finished matches; called from a thread that may wait."""

    def evenings(self) -> Mapping[str, Any]:
        """Return the finished matches and the statistics of each player."""

    def story(self, journal: str, number: int) -> Story | None:
        """Return the story of one match of a journal."""

    def csv(self) -> str:
        """Return the statistics for a spreadsheet."""

    def delete(self, player: str) -> int:
        """Remove a player from the statistics and return the number of matches; 0: no such name."""


class Arbiter(Protocol):
    """The hall's arbiter, who may be called to the table."""

    @property
    def called_at(self) -> float | None:
        """The match's time since which a call waits; None where none does."""

    def call(self, *, is_open: bool) -> None:
        """Call, or take the call back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Everything the page needs."""

    settings: WebSettings
    bridge: Bridge
    pictures: Pictures
    album: EvidencePictures
    admin: Admin
    export: Export
    archive: Archive
    limits: Limits
    """Of matches begun on the page."""
    pin_hash: Callable[[], str | None]
    """What is kept of the PIN; asked at each login, so that a new PIN counts at once."""
    set_pin: Callable[[str], None]
    """Keeps another PIN; raises a RefereeError that says what is wrong."""
    now: Callable[[], float]
    """The match's clock."""
    sighting: Callable[[], Sighting]
    plain: Callable[[TurnEvent], JsonObject]
    """Writes a turn event as `referee run --events` does."""
    wall: Callable[[], str]
    past: Iterable[JsonObject] = ()
    """What the match had told before the referee was started again."""
    session_file: Path | None = None
    """Where the organiser's sessions outlast a restart; None where they do not."""
    missed: Callable[[], tuple[Mapping[tuple[int, int], JsonObject], bool]] = lambda: ({}, False)
    """Gives the best plays that were missed, by game and turn, and whether more are being looked for."""
    safe_mode: Callable[[], str | None] = lambda: None
    """Says why the service is in safe mode, where it is."""
    arbiter: Arbiter | None = None
    """None where the table is of no hall."""
