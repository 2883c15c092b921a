"""The journal of a match: an append-only file of steps that outlives a pulled plug.

A step is one line of JSON, `{"crc": "…", "step": {"n": …, "input": …, "told": […]}}`: its number, the input and all it
told, written with one `write`. So a judged turn is either wholly in the journal or not at all, and a cut at any byte
loses at most the line being written. The checksum tells a torn or rotten line from a good one, the number a line that
was lost, doubled or moved. A torn last line is dropped; one that was written whole and is bad now, and zeros at the
end, may have been steps that were told: they are dropped too, and said. A bad line with good ones after it is damage.

When the disk is forced (fsync): for a step that told something that must not be forgotten (a verdict, tiles to draw,
a game won …) before its cue is played, so what the players were told is what the journal knows; and at least every
five seconds otherwise, so that after a cut the clock is at most that far off. Never more often: an SD card writes
whole blocks, and a journal forced at every look would wear one out in a season.

What a disk refuses is kept, and written again from the last byte that was forced: a full disk has room later, a journal
with a hole is of another match, and a card that turned read-only may have stored what it refused. Earlier versions
appended such a step a second time; a reader skips a step that it has already, where the line is the same.

Append-only lines rather than SQLite, because a database rewrites pages in place (more wear, and a cut can hit old
data), while here old lines are never touched, any text tool reads them, and one file is one bug report.
"""

import errno
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from referee.errors import StorageError
from referee.game.events import ClockRuns, ClockStopped, LookingAgain, MeldCounted, TableWatched, TurnEvent, Warned
from referee.reading.inputs import Input, Seconds
from referee.rules.wording import say
from referee.storage.dataclass_codec import JsonValue
from referee.storage.files import (
    CHECK_FOLDER,
    hand_over,
    make_folder,
    reason,
    refusal,
    sync_folder,
    way_out,
    write_whole,
)
from referee.storage.journal_bytes import BEGINNING, LINE_HEAD, Mark, end_of, format_line, parse_line
from referee.storage.json_codec import events_from_json, input_from_json, input_to_json
from referee.storage.match_step import MatchStep

VERSION: Final = 1  # no second one for tracks: which tile is which follows from the readings, in any replay alike
SYNC_SECONDS: Final = 5.0
_TRANSIENT_EVENTS: Final = (ClockRuns, ClockStopped, LookingAgain, MeldCounted, TableWatched, Warned)
_FILE_NAME: Final = re.compile(r"match-\d{5,}\.jsonl", re.ASCII)
_CUT_ADVICE: Final = "copy it up to that line and use the copy"


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded step: the input, and its events as JSON objects."""

    entered: Input
    events: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A journal's content: head, steps, and the length of its valid part in bytes."""

    head: JsonValue
    entries: tuple[Entry, ...]
    good_bytes: int
    torn: bool


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step or the head of a journal: its number, its line in the file, and the line's end in bytes."""

    step: JsonValue
    number: int
    line: int
    end: int


def read_steps(path: Path, after: Mark = BEGINNING) -> Iterator[RecordedStep]:
    """Yield a journal's head and steps one by one, those after a mark; a torn tail is skipped.

    StorageError if the file is missing, no journal, or damaged before its last line.
    """
    seen = [0] * after.steps  # checksums of the lines read so far, by step
    try:
        with path.open("rb") as file:
            end = file.seek(after.length)
            for line, content in enumerate(file, start=after.steps + 1):
                end += len(content)
                step = parse_line(content)
                if step is None:
                    if any(parse_line(following) is not None for following in file):
                        raise StorageError(f"journal {path} is damaged at line {line}; {_CUT_ADVICE}")
                    break
                if not seen:
                    _check_head(path, step)
                elif _is_repeated(step, content, seen):
                    continue
                yield RecordedStep(step, len(seen), line, end)
                seen.append(hash(content))
    except OSError as error:
        raise StorageError(
            f"journal {path} cannot be read: {error.strerror}; {way_out(error, path, 'check the path')}"
        ) from None
    if not seen:
        raise _no_head(path)


def _is_repeated(step: JsonValue, content: bytes, seen: list[int]) -> bool:
    number = step.get("n") if isinstance(step, dict) else None
    return isinstance(number, int) and 0 < number < len(seen) and seen[number] == hash(content)


def _no_head(path: Path) -> StorageError:
    return StorageError(f"journal {path} has no head; it is empty, was changed by hand, or is no referee's journal")


def _check_head(path: Path, step: JsonValue) -> None:
    if not isinstance(step, dict) or "journal" not in step:
        raise _no_head(path)
    if step["journal"] != VERSION:
        raise StorageError(f"journal {path} is of version {step['journal']!r}, not {VERSION}; update the referee")


def load_journal(path: Path) -> RecordedMatch:
    """Load a whole journal; StorageError as from `read_steps`."""
    kept = list(read_steps(path))
    entries = tuple(step_entry(path, line) for line in kept[1:])
    return RecordedMatch(kept[0].step, entries, kept[-1].end, torn=kept[-1].end < path.stat().st_size)


def events_in(path: Path) -> Iterator[JsonValue]:
    """Yield a journal's events, one by one; StorageError as from `read_steps`."""
    for kept in read_steps(path):
        yield from step_events(path, kept) if kept.number else ()


def history_in(path: Path) -> Iterator[TurnEvent]:
    """Yield a journal's events as values, without those of a newer program; StorageError as from `read_steps`."""
    return events_from_json(events_in(path))


def step_events(path: Path, kept: RecordedStep) -> list[JsonValue]:
    """Return the step's events; StorageError if its number is wrong. Old journals have no numbers."""
    position, step = f"journal {path}, line {kept.line}", kept.step
    events = step.get("told") if isinstance(step, dict) else None
    if not isinstance(events, list) or not all(isinstance(event, dict) and "event" in event for event in events):
        raise StorageError(f"{position}: this is not a step; {_CUT_ADVICE}")
    if (numbered := step.get("n", kept.number)) != kept.number:
        raise StorageError(f"{position}: this is step {numbered}, so lines were lost, doubled or moved; {_CUT_ADVICE}")
    return events


def step_entry(path: Path, kept: RecordedStep) -> Entry:
    """Return the step as an Entry; StorageError if its number or its input is wrong."""
    events = step_events(path, kept)
    try:
        return Entry(input_from_json(kept.step.get("input")), tuple(events))
    except StorageError as error:
        raise StorageError(f"journal {path}, line {kept.line}: {error}") from None


def journal_id(path: Path, head: JsonValue) -> str:
    """Return a match's id: the journal's number, and a part that differs between SD cards."""
    return f"{path.stem}-{zlib.crc32(repr(head).encode()):08x}"


def has_head(path: Path) -> bool:
    """Return whether a journal has a head; a power cut in the first write leaves nothing, zeros, or half a line."""
    with path.open("rb") as file:
        first = file.readline().strip(b"\0")
    return bool(first) and not (first.startswith(LINE_HEAD.encode()) and not first.endswith(b"\n"))


class FileJournal:
    """A journal on disk; `with` closes it. A new journal without steps is deleted on closing."""

    def __init__(self, path: Path, *, head: dict[str, Any] | None = None, keep_bytes: int | None = None) -> None:
        """Create a file, or continue an existing one after its first `keep_bytes` bytes; StorageError if it fails."""
        self._path = path
        self._synced_at = Seconds(0.0)
        self._file: int | None = None
        self._unsynced = b""  # lines not yet forced to the disk
        self._synced_bytes = keep_bytes or 0  # their offset in the file
        self._unsynced_written = 0  # how many of their bytes are written
        self._number = 1
        self._checksum = 0  # of all lines, written or not
        self._has_only_head = keep_bytes is None  # without steps: the start failed, or nobody played
        try:
            if keep_bytes is None:
                make_folder(path.parent)
                self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
                self._add(self._file, format_line({"journal": VERSION, **(head or {})}), sync=True)
                hand_over(path)
                sync_folder(path.parent)
            else:
                self._file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
                os.ftruncate(self._file, keep_bytes)
                end = end_of(path)
                self._number, self._checksum = end.steps, end.checksum
                os.fsync(self._file)
        except OSError as error:
            if self._file is not None:
                with suppress(StorageError):  # the first error is the one to report
                    self.close()  # deletes a file without a head
            why = refusal(error, path, CHECK_FOLDER)
            raise StorageError(
                say("journal.unopened", "journal {path} cannot be opened {why}", path=str(path), why=why)
            ) from None

    @property
    def path(self) -> Path:
        """The file's path."""
        return self._path

    def append(self, step: MatchStep) -> None:
        """Write one step, forced to the disk if an event must last; StorageError if the disk refuses it."""
        if self._file is None:
            raise StorageError(f"journal {self._path} is closed")
        must_sync = any(not isinstance(event, _TRANSIENT_EVENTS) for event in step.events)
        is_sync_due = step.entered.at - self._synced_at >= SYNC_SECONDS
        line = format_line({"n": self._number, "input": input_to_json(step.entered), "told": step.told})
        self._number += 1
        try:
            self._add(self._file, line, sync=must_sync or is_sync_due)
        except OSError as error:
            raise self._write_error(error) from None
        finally:
            self._has_only_head = False
        if must_sync or is_sync_due:
            self._synced_at = step.entered.at

    @property
    def mark(self) -> Mark | None:
        """The end of the journal; None while the disk has not taken all of it."""
        if self._unsynced_written < len(self._unsynced):
            return None
        return Mark(self._synced_bytes + len(self._unsynced), self._checksum, self._number)

    def _add(self, file: int, line: bytes, *, sync: bool) -> None:
        self._checksum = zlib.crc32(line, self._checksum)
        self._write(file, line, sync=sync)

    def _write(self, file: int, line: bytes, *, sync: bool) -> None:
        """Write all pending lines, forced to the disk with `sync`; after an OSError they stay pending."""
        self._unsynced += line
        begins, self._unsynced_written = self._synced_bytes + self._unsynced_written, 0
        os.lseek(file, begins, os.SEEK_SET)
        written = os.write(file, self._unsynced[begins - self._synced_bytes :])
        if begins + written < self._synced_bytes + len(self._unsynced):  # a reader drops a torn line
            os.ftruncate(file, begins)
            raise OSError(errno.ENOSPC, "the disk is full")
        if sync:
            if os.fstat(file).st_nlink == 0:
                _undelete(file, self._path)
                raise OSError(errno.ENOENT, "it was deleted in play, and is written again")
            os.fdatasync(file)
            self._synced_bytes += len(self._unsynced)
            self._unsynced = b""
        self._unsynced_written = len(self._unsynced)

    def _write_error(self, error: OSError) -> StorageError:
        return StorageError(
            say(
                "journal.unkept",
                "journal {path} is not kept: {why}; check the disk",
                path=str(self._path),
                why=reason(error),
            )
        )

    def close(self) -> None:
        """Flush to the disk and close the file; delete a journal without steps."""
        if self._file is None:
            return
        try:
            if self._has_only_head:
                self._path.unlink(missing_ok=True)
            with suppress(OSError):  # reported when it was appended
                self._write(self._file, b"", sync=False)
            os.fsync(self._file)
        except OSError as error:
            raise self._write_error(error) from None
        finally:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _undelete(file: int, path: Path) -> None:
    """Write a file that was deleted while it is open to its path again, and let its descriptor be of that one."""
    make_folder(path.parent)
    write_whole(path, Path(f"/proc/self/fd/{file}").read_bytes())
    again = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(again, file, inheritable=False)
    os.close(again)


class NoJournal:
    """A journal that stores nothing."""

    def append(self, step: MatchStep) -> None:
        """Write nothing."""

    def close(self) -> None:
        """Close nothing."""


def list_journals(folder: Path) -> Iterator[Path]:
    """Yield the journals of a folder, newest first, without copies of other names."""
    names = (path.name for path in folder.glob("match-*.jsonl"))
    yield from (folder / name for name in sorted(filter(_FILE_NAME.fullmatch, names), key=_number_of, reverse=True))


def newest_journal(folder: Path) -> Path | None:
    """Return the newest journal of a folder; None if there is none."""
    if not folder.is_dir():
        return None
    with os.scandir(folder) as inside:  # names only: with ten thousand files, twelve times as fast as sorting paths
        name = max((entry.name for entry in inside if _FILE_NAME.fullmatch(entry.name)), key=_number_of, default=None)
    return None if name is None else folder / name


def next_journal_path(folder: Path) -> Path:
    """Return the path of the next journal; numbered, because a Pi without a network does not know the date."""
    newest = newest_journal(folder)
    return folder / f"match-{1 if newest is None else match_number(newest) + 1:05d}.jsonl"


def match_number(journal: Path) -> int:
    """Return the number of a match from its journal's name."""
    return _number_of(journal.name)


def _number_of(name: str) -> int:
    return int(name.removeprefix("match-").removesuffix(".jsonl"))
