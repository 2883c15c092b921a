"""How fast to learn as training goes on, which ends with its steps or its minutes, whichever come first."""

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from referee.cli.progress import Progress

_Lesson = TypeVar("_Lesson")


class Pace:
    """One cycle of the learning rate: up to its highest in the first part, then down to nearly nothing.

    After Smith and Topin, "Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates" (2018).
    """

    def __init__(self, rate: float, steps: int, minutes: float = math.inf, rise: float = 0.15) -> None:
        self._rate, self._steps, self._minutes, self._rise = rate, steps, minutes, rise
        self._begun, self._step = time.monotonic(), 0

    @property
    def minutes(self) -> float:
        """How long it has gone on."""
        return (time.monotonic() - self._begun) / 60

    @property
    def done(self) -> float:
        """What share of it is done."""
        return max(self._step / self._steps, self.minutes / self._minutes)

    def shown(self, lessons: Iterable[_Lesson], what: str) -> Iterator[_Lesson]:
        """Give the lessons one after the other while a bar shows how much of the training is done."""
        with Progress(what, 1.0) as progress:
            for lesson in lessons:
                yield lesson
                progress.done, progress.note = self.done, f"step {self._step}"

    def next_rate(self) -> float:
        """The rate of the next step."""
        done = min(1.0, self.done)
        self._step += 1
        if done < self._rise:
            return self._rate * (0.04 + 0.96 * (1 - math.cos(math.pi * done / self._rise)) / 2)
        return self._rate * (1e-4 + (1 + math.cos(math.pi * (done - self._rise) / (1 - self._rise))) / 2)
