"""A deadline for cached computations."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final, TypeVar

_Thing = TypeVar("_Thing")


class DeadlineError(Exception):
    """The deadline passed before the result was ready."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time limit; all deadlines compare equal, so that they do not split a cache."""

    at: float = field(compare=False)
    """On the monotonic clock."""

    def over(self, things: Iterable[_Thing]) -> Iterator[_Thing]:
        """Yield the items; raise DeadlineError after the deadline."""
        for thing in things:
            if time.monotonic() > self.at:
                raise DeadlineError
            yield thing


NO_DEADLINE: Final = Deadline(inf)
