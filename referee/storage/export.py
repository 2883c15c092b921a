"""A match as one file: its record, scores, turn events, journal and pictures in a zip that any computer opens."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.storage.journal import Recorded, load_journal
from referee.storage.plain import Plain
from referee.storage.record import format_record

_PICTURE: Final = re.compile(r"\d{6,9}\.jpg", re.ASCII)
_WHICH: Final = ("game", "turn", "seat", "at", "frame_id", "stands", "table")


def export_match(journal: Path, evidence: Path | None, into: Path, scores: str | None = None) -> int:
    """Write the match of a journal into one file and give the number of its pictures; StorageError if it cannot be.

    The pictures are those that are still kept of its judged turns; `scores` is a table written already.
    """
    recorded = load_journal(journal)
    events = [event for entry in recorded.entries for event in entry.told]
    shots = {} if evidence is None else dict(_pictures(evidence, events))
    part = into.with_name(f"{into.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("record.txt", format_record(recorded))
            file.writestr("scores.csv", format_scores(events) if scores is None else scores)
            file.writestr("events.jsonl", "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events))
            file.writestr("journal.jsonl", _good_part(journal, recorded))
            for name, path in shots.items():
                file.write(path, f"pictures/{name}.jpg", zipfile.ZIP_STORED)
        part.replace(into)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StorageError(f"file {into} cannot be written: {error.strerror}; name another") from None
    return len(shots)


def _good_part(journal: Path, recorded: Recorded) -> bytes:
    return journal.read_bytes()[: recorded.good_bytes]


def format_scores(events: Sequence[Plain]) -> str:
    """Write what every player scored in each game, and the totals, as comma-separated values."""
    names: Sequence[str] = next((event["names"] for event in events if event["event"] == "game_started"), [])
    scored = {event["game"]: event["scores"] for event in events if event["event"] == "game_scored"}
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\r\n").writerow
    write(["game", *map(_cell, names)])
    for game, scores in sorted(scored.items()):
        write([game, *(scores.get(name, "") for name in names)])
    write(["total", *(sum(scores.get(name, 0) for scores in scored.values()) for name in names)])
    return text.getvalue()


def _cell(name: str) -> str:
    """Keep a spreadsheet from taking a name for a formula."""
    return f"'{name}" if name[:1] in {"=", "+", "-", "@"} else name


# Pictures ---------------------------------------------------------------------------------------------------------


def _pictures(evidence: Path, events: Iterable[Plain]) -> Iterator[tuple[str, Path]]:
    """Name the pictures of the judged turns: `…-0` the table a turn began with, `…-1` and on as it was judged."""
    kept = dict(_kept(evidence))
    times: dict[str, int] = {}
    for event in events:
        if event["event"] != "judged":
            continue
        turn = f"game-{event['game']}-turn-{event['turn']:03d}"
        times[turn] = times.get(turn, 0) + 1
        shown = kept.get(_which(event), {})
        for number, when in ((0, "before"), (times[turn], "after")):
            path = _picture(evidence, shown.get(when))
            if path is not None:
                yield f"{turn}-{number}", path


def _kept(evidence: Path) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    for path in sorted(evidence.glob("[0-9]*.json")):
        try:
            said = json.loads(path.read_bytes())
            yield _which(said), dict(said["pictures"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # half written, or from another version: it shows no turn of this match


def _which(event: Plain) -> tuple[Any, ...]:
    return tuple(event[key] for key in _WHICH)


def _picture(evidence: Path, name: object) -> Path | None:
    if not isinstance(name, str) or not _PICTURE.fullmatch(name):
        return None
    path = evidence / name
    return path if path.is_file() else None
