"""The hall's files: its own journal, written before an answer is sent, and the tables' events.

The journal is forced to the disk entry by entry, for nobody else knows them. The events need no such care: a table has
them in its own journal and sends what is missing again, so a torn last line is cut off and asked for.
"""

import errno
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from referee.errors import StorageError
from referee.hall.ledger import Ledger, apply_entry
from referee.hall.messages import MATCH_NAME
from referee.hall.tables import NO_EVENTS, StoredEvents
from referee.plain_json import JsonObject, json_bytes
from referee.rules.wording import Message, only_english, say
from referee.storage.files import make_folder, refusal, sync_folder
from referee.storage.journal_bytes import format_line, parse_line

_TAIL_BYTES: Final = 65_536
_COMPLETE_SUFFIX: Final = ".whole"


class HallJournal:
    """The hall's own journal and the ledger that its entries give."""

    def __init__(self, path: Path) -> None:
        """Open or create this file; StorageError if it cannot be opened or a line before the last is damaged."""
        self.ledger = Ledger()
        self._path = path
        try:
            make_folder(path.parent)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._restore()
            sync_folder(path.parent)
        except OSError as error:
            raise _journal_error(
                say("hall_file.unopened", "cannot be opened {why}", why=refusal(error, path)), path
            ) from None

    def _restore(self) -> None:
        good = 0
        lines = self._path.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            entry = parse_line(line)
            if entry is None:
                if number < len(lines):
                    damaged = say(
                        "hall_file.damaged",
                        "hall journal {path} is damaged at line {line}; use a copy up to that line",
                        path=str(self._path),
                        line=number,
                    )
                    raise StorageError(damaged)
                break
            self.ledger = apply_entry(self.ledger, entry)
            good += len(line)
        os.ftruncate(self._file, good)
        os.lseek(self._file, good, os.SEEK_SET)

    def append(self, entry: JsonObject) -> Ledger:
        """Append an entry, fsync, and return the new ledger; StorageError if the disk refuses it.

        An entry whose key is known is not written again.
        """
        if self.ledger.holds(str(entry["key"])):
            return self.ledger
        end = os.lseek(self._file, 0, os.SEEK_CUR)
        line = format_line(entry)
        try:
            _write(self._file, line)
        except OSError as error:
            with suppress(OSError):  # the first error is the one to report
                os.ftruncate(self._file, end)
            os.lseek(self._file, end, os.SEEK_SET)
            raise _journal_error(
                say("hall_file.unkept", "is not kept {why}", why=refusal(error, self._path)), self._path
            ) from None
        self.ledger = apply_entry(self.ledger, entry)
        return self.ledger

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _write(file: int, line: bytes) -> None:
    if os.write(file, line) < len(line):
        raise OSError(errno.ENOSPC, "the disk is full")
    os.fsync(file)


def read_ledger(path: Path) -> Ledger:
    """Return the ledger of a journal that a hall may be writing; StorageError if it cannot be read."""
    ledger = Ledger()
    try:
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    except OSError as error:
        raise _journal_error(say("hall_file.unread", "cannot be read {why}", why=refusal(error, path)), path) from None
    for line in lines:
        entry = parse_line(line)
        if entry is not None:  # the last line may be half written
            ledger = apply_entry(ledger, entry)
    return ledger


class EventStore:
    """The events of all tables: one file per match, one line per event."""

    def __init__(self, folder: Path) -> None:
        """Store the files in this folder."""
        self._folder = folder

    def stored_events(self, table: str, match: str) -> StoredEvents:
        """Return count and digest of a match's stored events; cut off a torn last line."""
        path, stored, good = self._path(table, match), NO_EVENTS, 0
        if (finished := _finished(path)) is not None:
            return finished
        try:
            with path.open("rb") as file:
                for line in file:
                    event = _parsed(line) if line.endswith(b"\n") else None
                    if not isinstance(event, dict):
                        break
                    stored, good = stored.followed_by(event), good + len(line)
            if good < path.stat().st_size:
                os.truncate(path, good)
        except FileNotFoundError:
            return NO_EVENTS
        except OSError as error:
            raise _unread_events(error, path) from None
        return stored

    def finish(self, table: str, match: str, stored: StoredEvents) -> None:
        """Mark a match's events as complete, so that they are not counted or requested again."""
        path = self._path(table, match)
        try:
            if path.exists():
                with path.open("rb") as file:
                    os.fsync(file)
            elif not path.parent.is_dir():
                make_folder(path.parent)
            path.with_suffix(_COMPLETE_SUFFIX).write_text(f"{stored.count} {stored.digest}\n")
        except OSError as error:
            raise _unkept_events(error, path) from None

    def append(self, table: str, match: str, event: Mapping[str, Any]) -> None:
        """Append an event of a match; StorageError if the disk refuses it."""
        path = self._path(table, match)
        try:
            if not path.parent.is_dir():
                make_folder(path.parent)
            with path.open("ab") as file:
                file.write(json_bytes(event) + b"\n")
        except OSError as error:
            raise _unkept_events(error, path) from None

    def reset_events(self, table: str, match: str) -> None:
        """Begin the events of a match again; the old file is kept with the suffix .differs."""
        path = self._path(table, match)
        path.with_suffix(_COMPLETE_SUFFIX).unlink(missing_ok=True)
        if path.exists():
            path.replace(path.with_suffix(".differs"))

    def newest(self, table: str, match: str, limit: int) -> list[dict[str, Any]]:
        """Return up to `limit` last events of a match, newest first."""
        path = self._path(table, match)
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
                lines = file.read().splitlines()[-limit:]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unread_events(error, path) from None
        return [event for line in reversed(lines) if isinstance(event := _parsed(line), dict)]

    def all_events(self, table: str, match: str) -> list[dict[str, Any]]:
        """Return all stored events of a match; StorageError if they cannot be read."""
        path = self._path(table, match)
        try:
            lines = path.read_bytes().splitlines() if path.exists() else []
        except OSError as error:
            raise _unread_events(error, path) from None
        return [event for line in lines if isinstance(event := _parsed(line), dict)]

    def _path(self, table: str, match: str) -> Path:
        if not MATCH_NAME.fullmatch(match):
            text = f"table {table} reports a match {match!r:.60}, which cannot be a file name"
            raise StorageError(only_english(text))
        return self._folder / table / f"{match}.jsonl"


def _journal_error(wrong: Message, path: Path) -> StorageError:
    return StorageError(say("hall_file.wrong", "hall journal {path} {wrong}", path=str(path), wrong=wrong))


def _unread_events(error: OSError, path: Path) -> StorageError:
    why = refusal(error, path)
    return StorageError(say("hall_events.unread", "events {path} cannot be read {why}", path=str(path), why=why))


def _unkept_events(error: OSError, path: Path) -> StorageError:
    why = refusal(error, path)
    return StorageError(say("hall_events.unkept", "events {path} are not kept {why}", path=str(path), why=why))


def _finished(path: Path) -> StoredEvents | None:
    """Return the counts of a match marked complete, else None."""
    try:
        count, digest = map(int, path.with_suffix(_COMPLETE_SUFFIX).read_text().split())
    except (OSError, ValueError):
        return None
    return StoredEvents(count, digest, is_complete=True) if count == 0 or path.exists() else None


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None  # the first line of the tail is cut
