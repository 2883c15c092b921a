"""Where the referee and the page meet: steps of the match go out, the organiser's words come in, nobody waits.

The thread that owns the match calls `publish` and `said`, which hand over references and return at once. The page's
thread calls the rest. Both queues are bounded: if the page hangs, the oldest steps are lost to it, and no more words
are taken.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, fields, replace
from typing import Final

from referee.game.events import TurnEvent
from referee.game.inputs import Input, Seconds
from referee.game.state import Match
from referee.web.view.view_state import Happened

MAX_WAITING_COMMANDS: Final = 16
MAX_STEPS: Final = 1000
_PASSING: Final = frozenset({"now"})
_SHOWN_FIELDS: Final = tuple(field.name for field in fields(Match) if field.name not in _PASSING)


class TooManyWordsError(Exception):
    """The match has not taken what was said before."""


@dataclass(frozen=True, slots=True)
class Entered:
    """What a word led to; not `changed` where the match took no notice."""

    told: tuple[TurnEvent, ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class _Word:
    said: Input
    answer: Future[Entered]


class Bridge:
    """A publisher and an organiser of the loop, and what the page asks of them."""

    def __init__(self, match: Match) -> None:
        """Begin with this match."""
        self.match = match
        self._words: deque[_Word] = deque()
        self._taken: dict[int, _Word] = {}
        self._steps: deque[Happened] = deque(maxlen=MAX_STEPS)
        self._wake = _nobody

    # By the thread of the match ---------------------------------------------------------------------------------------

    def publish(self, entered: Input, told: tuple[TurnEvent, ...], match: Match) -> None:
        """Hand one step over."""
        earlier, self.match = self.match, match
        word = self._taken.pop(id(entered), None)
        changed = bool(told) or differs(earlier, match)
        if told:
            self._steps.append(Happened(earlier, entered, told, match))
        if word is not None:
            word.answer.set_result(Entered(told, changed))
        if changed:
            self._wake()

    def said(self, until: Seconds) -> tuple[Input, ...]:
        """Give the words that wait, as said now; what nobody waits for any more was never said."""
        if not self._words:
            return ()
        words = []
        while self._words:
            word = self._words.popleft()
            if word.answer.set_running_or_notify_cancel():
                entered = replace(word.said, at=until)
                self._taken[id(entered)] = _Word(entered, word.answer)  # kept, so that the id stays its own
                words.append(entered)
        return tuple(words)

    # By the thread of the page ----------------------------------------------------------------------------------------

    def on_change(self, wake: Callable[[], None]) -> None:
        """Call this, from the thread of the match, whenever there is something new to see."""
        self._wake = wake

    def say(self, word: Input) -> Future[Entered]:
        """Put a word on the queue; the answer comes once the match has taken it."""
        if len(self._words) >= MAX_WAITING_COMMANDS:
            raise TooManyWordsError
        answer: Future[Entered] = Future()
        self._words.append(_Word(word, answer))
        return answer

    @property
    def waiting(self) -> bool:
        """Whether there are steps not yet given."""
        return bool(self._steps)

    def steps(self) -> list[Happened]:
        """Give the steps not yet given, oldest first."""
        given = []
        while self._steps:
            given.append(self._steps.popleft())
        return given


def _nobody() -> None:
    """Wake nobody: no page is there yet."""


def differs(one: Match, other: Match) -> bool:
    """Tell whether a step changed anything but the time; told by identity, for most steps change nothing."""
    return one is not other and any(getattr(one, name) is not getattr(other, name) for name in _SHOWN_FIELDS)
