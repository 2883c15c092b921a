"""A match as one zip file: record, scores, turn events, journal and pictures."""

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee.errors import StorageError
from referee.game.endgame.score_sheet import format_sheet
from referee.game.events import GameScored, GameStarted, Judged, TurnEvent
from referee.history.evidence_pictures import NO_PICTURES, PICTURE_NAME, TurnPictures, load_evidence
from referee.history.record import format_events, split_matches
from referee.rules.notation import format_table
from referee.rules.wording import say
from referee.storage.dataclass_codec import JsonValue
from referee.storage.files import refusal, whole_file
from referee.storage.journal import read_steps, step_events
from referee.storage.json_codec import events_from_json

_COPY_BYTES: Final = 1 << 20
_JudgementKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class MatchExport:
    """Exports the match of a journal; without one, only what the page remembers."""

    head: Mapping[str, Any]
    journal: Path | None
    evidence: Path | None

    def record(self, events: Sequence[TurnEvent]) -> str:
        """Return the game record of these turn events."""
        return format_events(self.head, events)

    def bundle(self, into: Path, scores: str) -> None:
        """Write one zip file with everything stored of the match and this score sheet."""
        if self.journal is None:
            raise StorageError(
                say("kept.no_match", "nothing is kept of this match; start the referee with --state DIR")
            )
        export_match(self.journal, self.evidence, into, scores)


def export_match(journal: Path, evidence: Path | None, into: Path, scores: str | None = None) -> int:
    """Write the match of a journal into one zip file; return its number of pictures. StorageError if it fails.

    The pictures are those still stored of its judged turns; `scores` is the score sheet of the last match, if the
    caller has it.
    """
    head, told, good_bytes = _recorded_events(journal)
    events = tuple(events_from_json(told))
    pictures = {} if evidence is None else dict(_pictures(evidence, events))
    try:
        with (
            whole_file(into) as output,
            zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as file,
        ):
            file.writestr("record.txt", format_events(head, events))
            file.writestr("scores.csv", format_scores(events, scores))
            file.writestr("events.jsonl", "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in told))
            _write_journal(file, journal, good_bytes)
            for name, path in pictures.items():
                file.write(path, f"pictures/{name}.jpg", zipfile.ZIP_STORED)
    except OSError as error:
        message = say(
            "export.unwritten", "file {path} cannot be written {why}", path=str(into), why=refusal(error, into)
        )
        raise StorageError(message) from None
    return len(pictures)


def _recorded_events(journal: Path) -> tuple[JsonValue, list[JsonValue], int]:
    """Return a journal's head, its turn events, and the length of its valid part in bytes.

    Inputs are most of a journal and are not held in memory; the referee may be writing to it meanwhile.
    """
    steps = read_steps(journal)
    head = next(steps)
    end, events = head.end, []
    for step in steps:
        end = step.end
        events += step_events(journal, step)
    return head.step, events, end


def _write_journal(file: zipfile.ZipFile, journal: Path, good_bytes: int) -> None:
    info = zipfile.ZipInfo.from_file(journal, "journal.jsonl", strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    with journal.open("rb") as source, file.open(info, "w") as copy:
        while good_bytes > 0 and (chunk := source.read(min(good_bytes, _COPY_BYTES))):
            copy.write(chunk)
            good_bytes -= len(chunk)


def format_scores(events: Sequence[TurnEvent], last: str | None = None) -> str:
    """Return the score sheets of all matches as CSV, one below the other; `last` replaces that of the last match."""
    *earlier, newest = split_matches(events)
    return "\r\n".join([*map(_sheet, earlier), _sheet(newest) if last is None else last])


def _sheet(events: Sequence[TurnEvent]) -> str:
    names = events[0].names if events and isinstance(events[0], GameStarted) else ()
    scored = {event.game: event.scores for event in events if isinstance(event, GameScored)}
    return format_sheet(names, [(game, [scored[game].get(name) for name in names]) for game in sorted(scored)])


# Pictures ---------------------------------------------------------------------------------------------------------


def _pictures(evidence: Path, events: Sequence[TurnEvent]) -> Iterator[tuple[str, Path]]:
    """Yield name and path of judged turns' pictures: `…-0` is the table as the turn began, `…-1` and on as judged."""
    kept = dict(_evidence_pictures(evidence))
    for number, match in enumerate(split_matches(events), start=1):
        yield from _pictures_of(evidence, kept, match, "" if number == 1 else f"match-{number}-")


def _pictures_of(
    evidence: Path, pictures: Mapping[_JudgementKey, TurnPictures], events: Iterable[TurnEvent], prefix: str
) -> Iterator[tuple[str, Path]]:
    times: dict[str, int] = {}
    for event in events:
        if not isinstance(event, Judged):
            continue
        turn = f"{prefix}game-{event.game}-turn-{event.turn:03d}"
        times[turn] = times.get(turn, 0) + 1
        key = (event.game, event.turn, event.seat, event.at, event.frame_id, event.stands, format_table(event.table))
        pair = pictures.get(key, NO_PICTURES)
        for number, name in ((0, pair.before), (times[turn], pair.after)):
            path = _picture(evidence, name)
            if path is not None:
                yield f"{turn}-{number}", path


def _evidence_pictures(evidence: Path) -> Iterator[tuple[_JudgementKey, TurnPictures]]:
    for path in sorted(evidence.glob("[0-9]*.json")):
        if (kept := load_evidence(path)) is not None:
            key = (kept.game, kept.turn, kept.seat, kept.at, kept.frame_id, kept.stands, kept.table)
            yield key, kept.pictures


def _picture(evidence: Path, name: str | None) -> Path | None:
    if name is None or not PICTURE_NAME.fullmatch(name):
        return None
    path = evidence / name
    return path if path.is_file() else None
