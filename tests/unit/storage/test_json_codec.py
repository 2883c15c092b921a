"""Inputs and events as JSON objects: what was written is read again, whichever version wrote it."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.errors import StorageError
from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.events import Judged, MatchOver
from referee.game.inputs import TableCorrected
from referee.game.state import Match
from referee.reading.inputs import Seconds
from referee.rules.notation import parse_tile, parse_tiles
from referee.storage.journal import events_in, load_journal
from referee.storage.json_codec import (
    event_from_json,
    event_to_json,
    events_from_json,
    input_from_json,
    input_to_json,
)
from referee.storage.match_step import MatchStep
from referee.storage.recovery import repeat_steps

ROOT = Path(__file__).parents[3]
JOURNALS = sorted((ROOT / "tests" / "matches").glob("*.jsonl"))
CODEC = {"storage/json_codec.py", "storage/journal.py"}
CORRECTIONS = [
    TileIs(3, parse_tile("R7")),
    TileIs(3, None),
    TileMissed(2, parse_tile("JD"), after=False),
    SetMissed(parse_tiles("K3 K4 K5")),
    RowsJoined(1, 8),
    RowParted(4),
]


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)
def test_an_event_that_was_written_is_read_as_what_it_was(journal: Path) -> None:
    for recorded in events_in(journal):
        assert _holds(event_to_json(event_from_json(recorded)), recorded)


def _holds(value: Any, old: Any) -> bool:
    """Whether a value says all that an older program wrote, which knew fewer keys."""
    if isinstance(old, dict):
        return all(key in value and _holds(value[key], part) for key, part in old.items())
    if isinstance(old, list):
        return len(value) == len(old) and all(map(_holds, value, old))
    return bool(value == old)


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: path.stem)
def test_an_event_reads_as_the_one_that_the_match_told(journal: Path) -> None:
    for _, told in repeat_steps(load_journal(journal).entries):
        for event in told:
            plain = json.loads(json.dumps(event_to_json(event)))
            assert json.loads(json.dumps(event_to_json(event_from_json(plain)))) == plain


@pytest.mark.parametrize("said", CORRECTIONS, ids=repr)
def test_a_correction_is_told_apart_by_its_name_and_in_old_journals_by_its_fields(said: StatedCorrection) -> None:
    entered = TableCorrected(Seconds(1.0), said, "Ann")
    plain: Any = json.loads(json.dumps(input_to_json(entered)))
    assert plain["said"].pop("correction") == type(said).__name__
    assert input_from_json(plain) == entered
    assert input_from_json(json.loads(json.dumps(input_to_json(entered)))) == entered


def test_events_of_the_first_versions_are_read() -> None:
    """They told of no ranks, no frame's time and no sets, and of faults in English alone."""
    head = {"at": 9.0, "seat": 1, "turn": 2, "game": 1}
    over = event_from_json({"event": "match_over", **head, "ranking": ["Ann", "Ben"]})
    assert isinstance(over, MatchOver)
    assert over.ranks == {}
    fault = {"fault": "not_a_set", "set": 0, "tiles": ["R3"], "message": "R3 is {odd}"}
    verdict = {"verdict": "illegal", "outcome": "played", "faults": [fault], "played": ["R3"], "meld": None}
    where = {"before": "", "table": "R3", "frame_id": "f", "stands": False}
    judged = event_from_json({"event": "judged", **head, **verdict, **where})
    assert isinstance(judged, Judged)
    assert (judged.frame_at, judged.verdict.sets) == (9.0, ())
    assert [violation.message for violation in judged.verdict.violations] == ["R3 is {odd}"]


def test_an_event_of_a_newer_version_is_left_out_of_the_history() -> None:
    odd = {"event": "tea_served", "at": 1.0, "seat": 0, "turn": 1, "game": 1}
    over = {"event": "time_over", "at": 2.0, "seat": 0, "turn": 1, "game": 1}
    assert [event.name for event in events_from_json([odd, over, {}])] == ["time_over"]
    with pytest.raises(StorageError, match=r"this event is unknown \('tea_served'\)"):
        event_from_json(odd)


def test_a_step_is_encoded_once_for_all() -> None:
    begun = MatchStep.of(Match(), load_journal(JOURNALS[0]).entries[0].entered)
    assert [told["event"] for told in begun.told] == [event.name for event in begun.events]
    assert begun.told is begun.told


def test_no_module_but_the_codec_reads_an_event_by_a_key() -> None:
    found = [
        f"{name}:{line}: {expression}"
        for path in sorted((ROOT / "referee").rglob("*.py"))
        if (name := path.relative_to(ROOT / "referee").as_posix()) not in CODEC
        for line, expression in _keyed(path)
    ]
    assert found == []


def _keyed(path: Path) -> Iterator[tuple[int, str]]:
    """Yield where a module reads `event["…"]` or `event.get("…")`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Subscript(value=ast.Name(id="event" | "told"), slice=ast.Constant(value=str())):
                yield node.lineno, ast.unparse(node)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="event" | "told"), attr="get"), args=[ast.Constant(), *_]
            ):
                yield node.lineno, ast.unparse(node)
