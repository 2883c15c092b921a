"""How long the referee waits for what, as the settings say it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the referee waits for what; the time for a turn itself comes from the edition."""

    warn_seconds: tuple[float, ...] = (15.0, 5.0)
    undo_seconds: float = 5.0
    double_press_seconds: float = 1.0
    settle_seconds: float = 10.0
    doubt_seconds: float = 15.0
    grace_seconds: float = 1.0
    agreement_seconds: float = 30.0

    def __post_init__(self) -> None:
        """Refuse a wait that is negative."""
        waits = (
            self.undo_seconds,
            self.double_press_seconds,
            self.settle_seconds,
            self.doubt_seconds,
            self.grace_seconds,
            self.agreement_seconds,
            *self.warn_seconds,
        )
        if min(waits) < 0:
            raise ValueError(f"a limit is negative: {self}")
