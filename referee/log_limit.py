"""Limits on logging a fault: once while it lasts, seldom if it comes and goes, because the log wears out the card."""

from typing import Final

_REPEAT_SECONDS: Final = 600.0  # within which a fault that comes back is logged again only if it lasts
_LASTING_SECONDS: Final = 60.0


class LogLimit:
    """Decides which faults of one thing, such as a camera, a pin or a link, are logged."""

    def __init__(self) -> None:
        self._logged_at: dict[str, float] = {}
        self._logged: set[str] = set()  # since the thing failed
        self._failed_at: float | None = None

    def may_log(self, fault: str, now: float) -> bool:
        """Note a fault at a time in seconds; return whether to log it."""
        self._failed_at = now if self._failed_at is None else self._failed_at
        repeats = now - self._logged_at.get(fault, float("-inf")) < _REPEAT_SECONDS
        if fault in self._logged or (repeats and now - self._failed_at < _LASTING_SECONDS):
            return False
        self._logged.add(fault)
        self._logged_at[fault] = now
        return True

    def end(self) -> bool:
        """Note that the thing works; return whether to log that, because its fault was logged."""
        logged = bool(self._logged)
        self._logged, self._failed_at = set(), None
        return logged
