"""A deadline for results that are kept once made."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final, TypeVar

_Thing = TypeVar("_Thing")


class OutOfTimeError(Exception):
    """The deadline came before the thing was made."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when to go on; all deadlines are equal, so that what is kept is found again whenever it is asked for."""

    at: float = field(compare=False)
    """On the monotonic clock."""

    def over(self, things: Iterable[_Thing]) -> Iterator[_Thing]:
        """Yield the things one by one; raise OutOfTimeError once the deadline has come."""
        for thing in things:
            if time.monotonic() > self.at:
                raise OutOfTimeError
            yield thing


NO_DEADLINE: Final = Deadline(inf)
