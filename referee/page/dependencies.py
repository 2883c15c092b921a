"""What the page shows and calls, passed in at the start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from referee.game.limits import Limits
from referee.history.archive import ServiceArchive
from referee.history.evidence_pictures import EvidencePictures
from referee.history.export import MatchExport
from referee.history.history import History
from referee.page.pictures import Pictures
from referee.page.setup import Setup
from referee.plain_json import JsonObject
from referee.protocol.bridge import Bridge
from referee.protocol.state import CameraStatus
from referee.reading.observation import TableReading
from referee.rules.editions import RuleSet
from referee.rules.wording import Message
from referee.settings.page import WebSettings
from referee.settings.page_settings import PageSettings
from referee.vision.image.frame import Image


class Arbiter(Protocol):
    """Calls to the hall's arbiter."""

    @property
    def called_at(self) -> float | None:
        """The match's time of the open call; None if there is none."""

    def call(self, *, is_open: bool) -> None:
        """Call the arbiter, or cancel the call."""


class End(Protocol):
    """Ends the service."""

    def __call__(self, *, power_off: bool) -> None:
        """End, then restart or shut the machine down; RefereeError if that is impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The dependencies of the page; what may block is called on a thread of its own."""

    settings: WebSettings
    page_settings: PageSettings
    bridge: Bridge
    history: History
    """The history of the bridge's match, which takes each step before the bridge does."""
    pictures: Pictures
    album: EvidencePictures
    read_photo: Callable[[Image, RuleSet], TableReading] | None = None
    """Reads a photograph, from wherever it was taken; None in safe mode."""
    has_table: bool = True
    """False for a page of photographs alone."""
    setup: Setup | None = None
    """None in safe mode, where camera and models are off."""
    export: MatchExport
    report: Callable[[Path, int], None]
    """Writes a zip file for a bug report, with this number of last pictures."""
    archive: ServiceArchive
    limits: Limits
    """The limits of matches started on the page."""
    pin_hash: Callable[[], str | None]
    """Returns the PIN's hash; called at each login, so that a new PIN counts at once."""
    set_pin: Callable[[str], None]
    """Stores a new PIN; raises RefereeError for a bad one."""
    now: Callable[[], float]
    """Returns the match's time in seconds."""
    camera_status: Callable[[], CameraStatus]
    health: Callable[[], JsonObject]
    """Returns this process's last health report."""
    end: End
    ask_retry: Callable[[], None] | None = None
    """Requests another start of a service in safe mode; None outside it."""
    session_file: Path | None = None
    """Stores the organiser's sessions; None: they end with the process."""
    missed_plays: Callable[[], tuple[Mapping[tuple[int, int], JsonObject], bool]] = lambda: ({}, False)
    """Returns the best missed plays by game and turn, and whether the search continues."""
    safe_mode: Callable[[], Message | None] = lambda: None
    """Returns the reason for safe mode; None outside it."""
    arbiter: Arbiter | None = None
    """None without a hall."""
