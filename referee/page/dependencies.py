"""The interfaces that the page depends on, passed in at the start."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from referee.game.events import TurnEvent
from referee.game.limits import Limits
from referee.history.evidence_pictures import EvidencePictures
from referee.history.history import History
from referee.history.story import Story
from referee.page.pictures import Pictures
from referee.plain_json import JsonObject
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.settings.page import WebSettings

Sides = tuple[float, float]
"""Width and depth, or height, in millimetres."""


class Admin(Protocol):
    """The organiser's tasks beside the match; called on a thread that may block."""

    def settings(self) -> JsonObject:
        """Return the settings as `GET /api/settings` answers them."""

    def change_settings(self, changes: Mapping[str, Any]) -> Mapping[str, JsonObject]:
        """Store changed settings, all or none; return the error of each invalid one, as `Said`."""

    def calibration(self) -> JsonObject:
        """Return the profile and the last check's report."""

    def check(self) -> JsonObject:
        """Run all checks now and return the report."""

    def calibrate(self, step: str, table_mm: Sides | None, tile_mm: Sides | None, order: str | None) -> JsonObject:
        """Run a step of the calibration, with known sizes in mm; RefereeError if it fails.

        `order` names the jokers on the table, row by row from the left.
        """

    def guide(self) -> JsonObject:
        """Return the problems of the live picture; RefereeError if the camera hands over none."""

    def calibration_picture(self) -> bytes | None:
        """Return the newest frame with the profile drawn in, as JPEG; None without a frame."""

    def cues(self) -> Sequence[str]:
        """Return the names of all cues."""

    def play_cue(self, cue: str) -> None:
        """Play a cue."""

    def health(self) -> JsonObject:
        """Return the health of the service."""

    def retry(self) -> bool:
        """Make a service in safe mode try again; False if it is not in safe mode."""

    def end(self, *, power_off: bool) -> None:
        """End the service, to restart it or to power off the machine; RefereeError if that is impossible."""


class Export(Protocol):
    """Exports the match; called on a thread that may block."""

    def record(self, events: Sequence[TurnEvent]) -> str:
        """Return the game record of these turn events."""

    def bundle(self, into: Path, scores: str) -> None:
        """Write one zip file with everything stored of the match and this score sheet."""

    def report(self, into: Path, *, pictures: int) -> None:
        """Write one zip file for a bug report, with this number of last pictures."""


class Archive(Protocol):
    """The archive of finished matches; called on a thread that may block."""

    def evenings(self) -> Mapping[str, Any]:
        """Return the finished matches and the statistics of each player."""

    def story(self, journal: str, number: int) -> Story | None:
        """Return the story of one match of a journal; None if there is none."""

    def csv(self) -> str:
        """Return the statistics as CSV."""

    def delete(self, player: str) -> int:
        """Remove a player from the statistics; return the number of matches, 0 for an unknown name."""


class Arbiter(Protocol):
    """Calls to the hall's arbiter."""

    @property
    def called_at(self) -> float | None:
        """The match's time of the open call; None if there is none."""

    def call(self, *, is_open: bool) -> None:
        """Call the arbiter, or cancel the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The dependencies of the page."""

    settings: WebSettings
    bridge: Bridge
    pictures: Pictures
    album: EvidencePictures
    admin: Admin
    export: Export
    archive: Archive
    limits: Limits
    """The limits of matches started on the page."""
    pin_hash: Callable[[], str | None]
    """Returns the PIN's hash; called at each login, so that a new PIN counts at once."""
    set_pin: Callable[[str], None]
    """Stores a new PIN; raises RefereeError for a bad one."""
    now: Callable[[], float]
    """Returns the match's time in seconds."""
    camera_status: Callable[[], CameraStatus]
    history: History
    """The history of the bridge's match, which takes each step before the bridge does."""
    session_file: Path | None = None
    """Stores the organiser's sessions; None: they end with the process."""
    missed_plays: Callable[[], tuple[Mapping[tuple[int, int], JsonObject], bool]] = lambda: ({}, False)
    """Returns the best missed plays by game and turn, and whether the search continues."""
    safe_mode: Callable[[], str | None] = lambda: None
    """Returns the reason for safe mode; None outside it."""
    arbiter: Arbiter | None = None
    """None without a hall."""
