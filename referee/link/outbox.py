"""The turn events that a table still has to send to the hall, in order.

Nothing here blocks or grows: the journal keeps the events that an absent hall misses. Events are numbered from the
journal's first; unacknowledged ones are sent again.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from referee.link.topics import MAX_IN_FLIGHT

MAX_EVENTS: Final = 500

Events = Callable[[int, int], Iterable[Any]]
"""Returns the events of the journal from a number on, at most so many."""


class Outbox:
    """The events of one journal on their way to the hall."""

    def __init__(self, event_count: int, journal: Events) -> None:
        """Begin after `event_count` events; `journal` returns those that memory no longer holds."""
        self._events: deque[Any] = deque(maxlen=MAX_EVENTS)
        self._journal = journal
        self._acknowledged: set[int] = set()
        self.event_count = event_count
        """How many events the match has had: the number of the next one."""
        self.acknowledged = event_count
        """All events before this one are known to have arrived, or precede this start."""
        self._next = event_count

    def add(self, events: Iterable[Any]) -> None:
        """Add the events of one step."""
        for event in events:
            self._events.append(event)
            self.event_count += 1

    def resend(self, number: int) -> None:
        """Send the events from this number on once more."""
        self._next = self.acknowledged = max(0, min(number, self.event_count))
        self._acknowledged.clear()

    def reconnected(self) -> None:
        """Send unacknowledged events again, as they may be lost."""
        self.resend(self.acknowledged)

    def acknowledge(self, number: int) -> None:
        """Note that an event arrived."""
        self._acknowledged.add(number)
        while self.acknowledged in self._acknowledged:
            self._acknowledged.remove(self.acknowledged)
            self.acknowledged += 1

    def due(self) -> Iterator[tuple[int, Any]]:
        """Yield the events to send now with their numbers, at most as many as may be in flight."""
        free_slots = MAX_IN_FLIGHT - (self._next - self.acknowledged)
        if free_slots <= 0 or self._next >= self.event_count:
            return
        first = self.event_count - len(self._events)
        events = (
            islice(self._events, self._next - first, self._next - first + free_slots)
            if self._next >= first
            else self._journal(self._next, free_slots)
        )
        for event in tuple(events):
            yield self._next, event
            self._next += 1
