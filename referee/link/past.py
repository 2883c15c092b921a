"""Earlier matches, resent from their journals when a hall missed them."""

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.link.topics import MAX_IN_FLIGHT, digest_of
from referee.storage.journal import events_in, journal_id, list_journals, match_number, read_steps

MAX_MATCHES: Final = 8

log = logging.getLogger("referee")


def match_name(journal: Path) -> str:
    """Return the name of a journal's match, as `journal_id`; StorageError if the journal has no head."""
    return journal_id(journal, next(read_steps(journal)).step)


class PastMatches:
    """The journals of earlier matches, sent one at a time, a few events at once."""

    def __init__(self, journal: Path | None) -> None:
        """Find the last matches before this journal's; none without a journal."""
        self._paths: dict[str, Path] = {}
        numbered = () if journal is None else list_journals(journal.parent)
        before = (path for path in numbered if journal is not None and match_number(path) < match_number(journal))
        for path in reversed(tuple(islice(before, MAX_MATCHES))):
            try:
                self._paths[match_name(path)] = path
            except StorageError:
                continue  # the power was cut before its head was written
        self._sending: Iterator[dict[str, Any]] = iter(())
        self._in_flight = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of these matches, the oldest first."""
        return tuple(self._paths)

    def resend(self, match: str, number: int) -> None:
        """Send the events of this match from a number on, then its end; KeyError if the match is unknown."""
        self._sending, self._in_flight = self._messages(match, self._paths[match], number), 0

    def drop(self) -> None:
        """Stop sending: the link broke, and the hall asks again for what it lacks."""
        self._sending, self._in_flight = iter(()), 0

    def acknowledge(self) -> None:
        """Note that one message arrived."""
        self._in_flight = max(0, self._in_flight - 1)

    def due(self) -> Iterator[dict[str, Any]]:
        """Yield the messages to send now."""
        for message in islice(self._sending, MAX_IN_FLIGHT - self._in_flight):
            self._in_flight += 1
            yield message

    @staticmethod
    def _messages(match: str, path: Path, number: int) -> Iterator[dict[str, Any]]:
        event_count = digest = 0
        try:
            for event in events_in(path):
                if event_count >= number:
                    yield {"match": match, "seq": event_count, "event": event}
                event_count, digest = event_count + 1, digest_of(event, digest)
        except StorageError as error:
            log.warning("%s; the hall gets only %d events of it", error, event_count)
        yield {"match": match, "seq": event_count, "digest": digest, "end": True}
