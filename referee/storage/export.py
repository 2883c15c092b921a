"""A match as one zip file: record, scores, turn events, journal and pictures."""

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.files import refusal, whole_file
from referee.game.endgame.score_sheet import format_sheet
from referee.storage.journal import events_of, read_steps
from referee.storage.plain_values import Plain
from referee.storage.record import format_events, matches_in

_PICTURE: Final = re.compile(r"\d{6,9}\.jpg", re.ASCII)
_PIECE_BYTES: Final = 1 << 20
_Kept = Mapping[tuple[Any, ...], Mapping[str, Any]]
_WHICH: Final = ("game", "turn", "seat", "at", "frame_id", "stands", "table")


def export_match(journal: Path, evidence: Path | None, into: Path, scores: str | None = None) -> int:
    """Write the match of a journal into one file and give the number of its pictures; StorageError if it cannot be.

    The pictures are those that are still kept of its judged turns; `scores` is the sheet of the last match, where
    somebody has written it already.
    """
    head, events, good_bytes = _told(journal)
    shots = {} if evidence is None else dict(_pictures(evidence, events))
    try:
        with (
            whole_file(into) as whole,
            zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as file,
        ):
            file.writestr("record.txt", format_events(head, events))
            file.writestr("scores.csv", format_scores(events, scores))
            file.writestr("events.jsonl", "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events))
            _write_journal(file, journal, good_bytes)
            for name, path in shots.items():
                file.write(path, f"pictures/{name}.jpg", zipfile.ZIP_STORED)
    except OSError as error:
        raise StorageError(f"file {into} cannot be written {refusal(error, into)}") from None
    return len(shots)


def _told(journal: Path) -> tuple[Plain, list[Plain], int]:
    """Return the head of a journal, what was told, and how long its good part is.

    What came in is most of a long match, and left on the disk: the referee may be playing on meanwhile.
    """
    steps = read_steps(journal)
    head = next(steps)
    end, events = head.end, []
    for kept in steps:
        end = kept.end
        events += events_of(journal, kept)
    return head.step, events, end


def _write_journal(file: zipfile.ZipFile, journal: Path, good_bytes: int) -> None:
    info = zipfile.ZipInfo.from_file(journal, "journal.jsonl", strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    with journal.open("rb") as kept, file.open(info, "w") as copy:
        while good_bytes > 0 and (piece := kept.read(min(good_bytes, _PIECE_BYTES))):
            copy.write(piece)
            good_bytes -= len(piece)


def format_scores(events: Sequence[Plain], last: str | None = None) -> str:
    """Write the score sheets of all matches, one below the other; `last` is that of the last one, if it is known."""
    *earlier, newest = matches_in(events)
    return "\r\n".join([*map(_sheet, earlier), _sheet(newest) if last is None else last])


def _sheet(events: Sequence[Plain]) -> str:
    names: Sequence[str] = events[0]["names"] if events else []
    scored = {event["game"]: event["scores"] for event in events if event["event"] == "game_scored"}
    return format_sheet(names, [(game, [scored[game].get(name) for name in names]) for game in sorted(scored)])


# Pictures ---------------------------------------------------------------------------------------------------------


def _pictures(evidence: Path, events: Sequence[Plain]) -> Iterator[tuple[str, Path]]:
    """Name the pictures of the judged turns: `…-0` the table a turn began with, `…-1` and on as it was judged."""
    kept = dict(_kept(evidence))
    for number, match in enumerate(matches_in(events), start=1):
        yield from _pictures_of(evidence, kept, match, "" if number == 1 else f"match-{number}-")


def _pictures_of(evidence: Path, kept: _Kept, events: Iterable[Plain], prefix: str) -> Iterator[tuple[str, Path]]:
    times: dict[str, int] = {}
    for event in events:
        if event["event"] != "judged":
            continue
        turn = f"{prefix}game-{event['game']}-turn-{event['turn']:03d}"
        times[turn] = times.get(turn, 0) + 1
        shown = kept.get(_which(event), {})
        for number, when in ((0, "before"), (times[turn], "after")):
            path = _picture(evidence, shown.get(when))
            if path is not None:
                yield f"{turn}-{number}", path


def _kept(evidence: Path) -> Iterator[tuple[tuple[Any, ...], Mapping[str, Any]]]:
    for path in sorted(evidence.glob("[0-9]*.json")):
        try:
            record = json.loads(path.read_bytes())
            yield _which(record), dict(record["pictures"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # half written, or from another version: it shows no turn of this match


def _which(event: Plain) -> tuple[Any, ...]:
    return tuple(event[key] for key in _WHICH)


def _picture(evidence: Path, name: object) -> Path | None:
    if not isinstance(name, str) or not _PICTURE.fullmatch(name):
        return None
    path = evidence / name
    return path if path.is_file() else None
