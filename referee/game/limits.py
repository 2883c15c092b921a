"""Waiting times of the referee, from the settings."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

_Seconds = Annotated[float, Meta(ge=0, le=600, extra={"unit": "s"})]
_SecondsOrMore = Annotated[float, Meta(ge=1, le=600, extra={"unit": "s"})]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the referee waits; the time for a turn comes from the edition."""

    warn_seconds: Annotated[
        tuple[_Seconds, ...],
        Meta(title="Warn before the time is over", description="warn when this many seconds are left"),
    ] = (
        15.0,
        5.0,
    )
    undo_seconds: Annotated[
        _Seconds,
        Meta(title="Time to take a press back", description="how long a press can be taken back by holding the button"),
    ] = 5.0
    double_press_seconds: Annotated[
        _Seconds, Meta(title="Double presses", description="two presses within this time count as one")
    ] = 1.0
    settle_seconds: Annotated[
        _SecondsOrMore,
        Meta(
            title="Wait for hands to go",
            description="how long hands may stay over the table after a press before the clock runs again",
        ),
    ] = 10.0
    doubt_seconds: Annotated[
        _Seconds,
        Meta(
            title="Wait for tiles in doubt",
            description="time the clock waits for tiles that cannot be read; then the table stands undecided",
        ),
    ] = 15.0
    grace_seconds: Annotated[
        _Seconds,
        Meta(
            title="Grace after the time is over",
            description="a table still moving this soon after the time limit counts as in time",
        ),
    ] = 1.0
    agreement_seconds: Annotated[
        _SecondsOrMore,
        Meta(
            title="Time to agree to a correction",
            description="time another player has to agree to a correction, where players correct in agreement",
        ),
    ] = 30.0
