"""Matches from journals: fold them, replay and compare them, and find an unfinished one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final

from referee import __version__
from referee.errors import RefereeError, StorageError
from referee.game.event_parts import Reason
from referee.game.events import TurnEvent
from referee.game.inputs import UNATTENDED_INPUTS, MatchStarted, Paused, Restarted
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.reading.inputs import Input, Seconds
from referee.storage.dataclass_codec import JsonValue
from referee.storage.files import refusal, write_whole
from referee.storage.journal import Entry, RecordedMatch, has_head, newest_journal, read_steps, step_entry
from referee.storage.journal_bytes import BEGINNING, damaged_tail, parse_line
from referee.storage.json_codec import event_to_json
from referee.storage.snapshot import load_snapshot

# A longer run between two inputs means damage: every timed-out turn in it would be played.
MAX_CLOCK_RUN_SECONDS: Final = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """A step whose replay gives other events than the journal has."""

    number: int
    recorded: tuple[JsonValue, ...]
    repeated: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """An interrupted match: its journal, its last state, and the time it had reached."""

    path: Path
    match: Match
    at: Seconds
    good_bytes: int
    attended: bool
    """Whether somebody has started or pressed, or its clock runs; else it only waits for its first press."""


def match_after(inputs: Iterator[Input]) -> Match:
    """Return the match after all inputs."""
    return reduce(lambda match, entered: step(match, entered)[0], inputs, Match())


def _checked_time(match: Match, entered: Input, position: str) -> Input:
    """Return the input; StorageError if the clock would run longer than MAX_CLOCK_RUN_SECONDS before it."""
    if match.play.clock.time_of(0.0) is not None and entered.at - match.now > MAX_CLOCK_RUN_SECONDS:
        raise StorageError(
            f"{position}: at = {entered.at:g} is more than {MAX_CLOCK_RUN_SECONDS / 86_400:.0f} days after the step "
            "before it, and the clock runs; cut a copy before that step to use it"
        )
    return entered


def repeat_steps(entries: tuple[Entry, ...]) -> Iterator[tuple[Match, tuple[TurnEvent, ...]]]:
    """Replay the inputs; yield for each the match after it and its events now."""
    match = Match()
    for number, entry in enumerate(entries, start=1):
        match, events, _ = step(match, _checked_time(match, entry.entered, f"step {number}"))
        yield match, events


def replay_differences(recorded: RecordedMatch) -> tuple[ReplayDifference, ...]:
    """Return the steps whose events differ in a replay; none unless a rule or the program changed.

    Keys that the recorded event lacks are ignored, for an older program did not write them.
    """
    repeated = (tuple(map(event_to_json, events)) for _, events in repeat_steps(recorded.entries))
    return tuple(
        ReplayDifference(number, entry.events, events)
        for number, (entry, events) in enumerate(zip(recorded.entries, repeated, strict=True), start=1)
        if not _is_as_recorded(events, entry.events)
    )


def _is_as_recorded(repeated: tuple[JsonValue, ...], recorded: tuple[JsonValue, ...]) -> bool:
    return len(repeated) == len(recorded) and all(map(_contains, repeated, recorded))


def _contains(repeated: JsonValue, recorded: JsonValue) -> bool:
    """Return whether a replayed object has all keys and values of the recorded one."""
    return all(
        key in repeated and (repeated[key] == value or _values_match(repeated[key], value))
        for key, value in recorded.items()
    )


def _values_match(repeated: object, recorded: object) -> bool:
    if not (isinstance(repeated, list) and isinstance(recorded, list) and len(repeated) == len(recorded)):
        return False
    return all(
        isinstance(value, dict) and isinstance(old, dict) and _contains(value, old)
        for value, old in zip(repeated, recorded, strict=True)
    )


def _set_aside(journal: Path, why: str) -> StorageError:
    """Rename a journal that cannot be continued and return the error; leave one of a newer program as it is."""
    if (newer := _newer_version(journal)) is not None:
        return StorageError(
            f"{why}; referee {newer} wrote it and this is {__version__}: it stays as it is, and a new match begins"
        )
    aside = _name_aside(journal)
    journal.rename(aside)
    return StorageError(f"{why}; it is now {aside.name}, and a new match begins")


def _name_aside(journal: Path) -> Path:
    names = (journal.with_suffix(f".damaged{number}") for number in ("", *range(2, 1000)))
    return next(name for name in names if not name.exists())


def keep_damaged_tail(found: UnfinishedMatch) -> str | None:
    """Copy a journal with a damaged end before it is cut off, and return what was lost; None where nothing was."""
    tail = damaged_tail(found.path, found.good_bytes)
    if not tail:
        return None
    aside = _name_aside(found.path)
    try:
        write_whole(aside, found.path.read_bytes())
    except OSError as error:
        kept = f"{aside.name} cannot be written {refusal(error, aside)}"
    else:
        kept = f"The whole file is kept as {aside.name}"
    return (
        f"the end of journal {found.path.name} is damaged: {len(tail)} bytes after turn {found.match.turn} of game "
        f"{found.match.game} at {found.at:.0f} s are lost, perhaps with a verdict; compare table and seat. {kept}"
    )


def _newer_version(journal: Path) -> str | None:
    """Return the version of the program that wrote the journal, if it is newer than this one."""
    with journal.open("rb") as file:
        head = parse_line(file.readline())
    author = head.get("referee") if isinstance(head, dict) else None
    try:
        return author if isinstance(author, str) and _version(author) > _version(__version__) else None
    except ValueError:  # not a version number: changed by hand
        return None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def find_unfinished(folder: Path) -> UnfinishedMatch | None:
    """Return the unfinished match of the newest journal; None if it was finished or there is none.

    A journal without a head is deleted: its start was interrupted. So is one of a match that still waits for its
    first press: the next one begins as the settings say by then. A journal that is damaged, or that
    this program cannot replay, is renamed `….damaged`, and StorageError reports it: whatever is wrong with
    it, the next match can begin. One of a newer program stays as it is: after an update that match goes on.
    """
    newest = newest_journal(folder)
    if newest is None:
        return None
    if not has_head(newest):
        newest.unlink()
        return None
    try:
        found = _fold_journal(newest)
    except RefereeError as error:
        raise _set_aside(newest, str(error)) from None
    except Exception as error:
        raise _set_aside(newest, f"journal {newest} cannot be replayed ({error!r:.80})") from error
    if found is None or not found.attended:
        newest.unlink()
        return None
    return None if found.match.phase in {Phase.IDLE, Phase.MATCH_OVER} else found


def _fold_journal(journal: Path) -> UnfinishedMatch | None:
    """Fold a journal step by step, from its snapshot on if that is good; None if nothing was written."""
    found, match, waits, after = None, Match(), True, BEGINNING
    if (snapshot := load_snapshot(journal)) is not None:
        match, waits, after = snapshot.match, False, snapshot.mark
        found = UnfinishedMatch(journal, match, snapshot.at, after.length, attended=True)
    for kept in read_steps(journal, after):
        if kept.number:
            entered = step_entry(journal, kept).entered
            match, _, _ = step(match, _checked_time(match, entered, f"journal {journal}, line {kept.line}"))
            waits = waits and _is_unattended(entered)
            attended = not waits or match.turn > 1 or Reason.PAUSE not in match.pauses.halted
            found = UnfinishedMatch(journal, match, entered.at, kept.end, attended)
    return found


def _is_unattended(entered: Input) -> bool:
    """Return whether this input occurs without anybody at the table; a start that the program itself makes does."""
    if isinstance(entered, MatchStarted | Paused):
        return not entered.by
    return isinstance(entered, (Restarted, *UNATTENDED_INPUTS))
