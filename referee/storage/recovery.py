"""Matches from their journals: fold, repeat and compare them, and find an unfinished one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final

from referee import __version__
from referee.errors import RefereeError, StorageError
from referee.game.events import TurnEvent
from referee.game.inputs import Input, Seconds
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.storage.journal import Entry, Recorded, begun, entry_of, newest_journal, parse_line, read_steps
from referee.storage.json_codec import event_to_plain
from referee.storage.plain_values import Plain

LONGEST_RUN: Final = 7 * 86_400.0  # seconds a clock may run between two inputs; each turn that ends by it is played


@dataclass(frozen=True, slots=True)
class Difference:
    """A step whose repetition has other events than the journal."""

    number: int
    recorded: tuple[Plain, ...]
    repeated: tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that was cut short: its journal, the match as it was, and the time it had reached."""

    path: Path
    match: Match
    at: Seconds
    good_bytes: int


def fold(inputs: Iterator[Input]) -> Match:
    """Return the match after all inputs."""
    return reduce(lambda match, entered: step(match, entered)[0], inputs, Match())


def _in_time(match: Match, entered: Input, where: str) -> Input:
    """Return the input; StorageError where the clock would run until it for longer than a referee ever leaves it."""
    if match.play.clock.time_of(0.0) is not None and entered.at - match.now > LONGEST_RUN:
        raise StorageError(
            f"{where}: at = {entered.at:g} is more than {LONGEST_RUN / 86_400:.0f} days after the step before it, and "
            "the clock runs; cut a copy before that step to use it"
        )
    return entered


def repeat(entries: tuple[Entry, ...]) -> Iterator[tuple[Match, tuple[TurnEvent, ...]]]:
    """Go through the inputs once more and give, for each, the match after it and what it tells now."""
    match = Match()
    for number, entry in enumerate(entries, start=1):
        match, events, _ = step(match, _in_time(match, entry.entered, f"step {number}"))
        yield match, events


def differences(recorded: Recorded) -> tuple[Difference, ...]:
    """List the steps that tell something else when repeated; none, unless a rule or the program has changed.

    What an older program had no word for is no difference.
    """
    repeated = (tuple(map(event_to_plain, events)) for _, events in repeat(recorded.entries))
    return tuple(
        Difference(number, entry.events, events)
        for number, (entry, events) in enumerate(zip(recorded.entries, repeated, strict=True), start=1)
        if not _is_as_recorded(events, entry.events)
    )


def _is_as_recorded(repeated: tuple[Plain, ...], recorded: tuple[Plain, ...]) -> bool:
    return len(repeated) == len(recorded) and all(map(_has_all, repeated, recorded))


def _has_all(now: Plain, was: Plain) -> bool:
    """Return whether an event, or a fault in one, says all that the recorded one says."""
    return all(key in now and (now[key] == value or _have_all(now[key], value)) for key, value in was.items())


def _have_all(now: object, was: object) -> bool:
    if not (isinstance(now, list) and isinstance(was, list) and len(now) == len(was)):
        return False
    return all(
        isinstance(one, dict) and isinstance(old, dict) and _has_all(one, old)
        for one, old in zip(now, was, strict=True)
    )


def _refused(journal: Path, why: str) -> StorageError:
    """Leave a newer referee's journal as it is, for that one to go on with; put any other aside."""
    if (newer := _newer_author(journal)) is not None:
        return StorageError(
            f"{why}; referee {newer} wrote it and this is {__version__}: it stays as it is, and a new match begins"
        )
    names = (journal.with_suffix(f".damaged{number}") for number in ("", *range(2, 1000)))
    aside = next(name for name in names if not name.exists())
    journal.rename(aside)
    return StorageError(f"{why}; it lies as {aside.name} now, and a new match begins")


def _newer_author(journal: Path) -> str | None:
    """Return the version of the referee that wrote the journal, if it is newer than this one."""
    with journal.open("rb") as file:
        head = parse_line(file.readline())
    author = head.get("referee") if isinstance(head, dict) else None
    try:
        return author if isinstance(author, str) and _version(author) > _version(__version__) else None
    except ValueError:  # no number: changed by hand
        return None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def find_unfinished(folder: Path) -> Unfinished | None:
    """Return the unfinished match of the newest journal; None where it was over or there is none.

    One in which nothing was written is taken away: its start was cut short. A journal that is damaged inside, or that
    this program cannot go through again, is put aside as `….damaged`, and StorageError says so: whatever is wrong with
    it, the next match can begin. One of a newer program stays as it is: after an update that match goes on.
    """
    newest = newest_journal(folder)
    if newest is None:
        return None
    if not begun(newest):
        newest.unlink()
        return None
    try:
        found = _go_through(newest)
    except RefereeError as error:
        raise _refused(newest, str(error)) from None
    except Exception as error:
        raise _refused(newest, f"journal {newest} cannot be gone through again ({error!r:.80})") from error
    if found is None:
        newest.unlink()
    return None if found is None or found.match.phase in {Phase.IDLE, Phase.MATCH_OVER} else found


def _go_through(journal: Path) -> Unfinished | None:
    """Fold a journal up step by step; None where nothing was written."""
    found = None
    match = Match()
    for kept in read_steps(journal):
        if kept.number:
            entered = entry_of(journal, kept).entered
            match, _, _ = step(match, _in_time(match, entered, f"journal {journal}, line {kept.line}"))
            found = Unfinished(journal, match, entered.at, kept.end)
    return found
