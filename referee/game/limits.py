"""How long the referee waits for what, as the settings say it."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

_Seconds = Annotated[float, Meta(ge=0, le=600, extra={"unit": "s"})]
_SecondsOrMore = Annotated[float, Meta(ge=1, le=600, extra={"unit": "s"})]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the referee waits for what; the time for a turn itself comes from the edition."""

    warn_seconds: Annotated[tuple[_Seconds, ...], Meta(description="warn when so many seconds are left")] = (15.0, 5.0)
    undo_seconds: Annotated[_Seconds, Meta(description="so long a press can be taken back by holding the button")] = 5.0
    double_press_seconds: Annotated[
        _Seconds, Meta(description="a second press within this time counts as one with the first")
    ] = 1.0
    settle_seconds: Annotated[
        _SecondsOrMore,
        Meta(description="so long hands may stay over the table after a press before the turn goes on"),
    ] = 10.0
    doubt_seconds: Annotated[
        _Seconds,
        Meta(description="so long the clock waits when tiles cannot be told, before the table stands undecided"),
    ] = 15.0
    grace_seconds: Annotated[
        _Seconds, Meta(description="a table still moving so shortly after the time counts as in time")
    ] = 1.0
    agreement_seconds: Annotated[
        _SecondsOrMore,
        Meta(description="so long another player has to agree to a correction, where the players correct by agreement"),
    ] = 30.0
