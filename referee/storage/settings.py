"""What can be set of the memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """Where journals and pictures go, and how much disk the pictures may take, and whether statistics are kept."""

    folder: str
    evidence_megabytes: int
    statistics: bool
