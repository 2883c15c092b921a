"""Settings of files and disk space."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from referee.rules.wording import say

LocalPath = Annotated[
    str,
    Meta(
        pattern="^(?!.*://)",
        extra={"way_out": say("setting.local", "{value} is an address; name a place on this machine")},
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """The state folder, the disk space for pictures, and whether statistics are stored."""

    folder: Annotated[
        LocalPath,
        Meta(
            title="Folder",
            description='folder for journals and pictures; "": the one of systemd, else ~/.local/state/referee',
        ),
    ] = ""
    evidence_megabytes: Annotated[
        int,
        Meta(
            title="Space for pictures",
            ge=0,
            le=1_000_000,
            description="disk space for pictures of judged turns; the oldest are deleted first",
            extra={"unit": "MB"},
        ),
    ] = 500
    statistics: Annotated[
        bool, Meta(title="Statistics over evenings", description="keep each player's results over evenings")
    ] = True
