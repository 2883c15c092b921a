"""Every journal kept here, repeated, tells what it told when it was written."""

from dataclasses import replace
from pathlib import Path

import pytest

from referee.game.events import Judged
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.reading.inputs import Input, TableSettled, TableStill
from referee.rules.verdict import Legal
from referee.storage.journal import load_journal
from referee.storage.recovery import match_after, replay_differences

JOURNALS = sorted(Path(__file__).parent.glob("*.jsonl"))
SEEN = [path for path in JOURNALS if path.stem != "corrections"]  # which was written in notation: no frame, no time


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_journal_tells_the_same_again(path: Path) -> None:
    recorded = load_journal(path)
    assert replay_differences(recorded) == ()
    assert match_after(entry.entered for entry in recorded.entries).phase is Phase.MATCH_OVER


@pytest.mark.parametrize("path", SEEN, ids=lambda path: path.stem)
def test_a_verdict_rests_on_a_reading_of_a_frame_taken_after_the_press(path: Path) -> None:
    match, judged = Match(), 0
    for entry in load_journal(path).entries:
        before, entered = match, entry.entered
        match, told, _ = step(before, entered)
        old = isinstance(entered, TableStill) and not entered.frame_id  # of programs that did not read such a frame
        for event in told:
            if isinstance(event, Judged) and isinstance(entered, TableSettled | TableStill) and not old:
                assert event.frame_at >= before.judged_from
                judged += 1
    assert judged


@pytest.mark.parametrize("path", SEEN, ids=lambda path: path.stem)
def test_no_verdict_hangs_on_which_track_a_tile_has(path: Path) -> None:
    """Read in another order, tiles have other tracks, and equal ones that change places each other's."""
    inputs = [entry.entered for entry in load_journal(path).entries]
    assert list(map(_summary, _told(list(map(_reversed, inputs))))) == list(map(_summary, _told(inputs)))


def _reversed(entered: Input) -> Input:
    if not isinstance(entered, TableSettled):
        return entered
    reading, last = entered.reading, len(entered.reading.tiles) - 1
    layouts = tuple(
        replace(
            layout,
            sets=tuple(tuple(last - index for index in row) for row in layout.sets),
            loose=tuple(last - index for index in layout.loose),
        )
        for layout in reading.layouts
    )
    return replace(entered, reading=replace(reading, tiles=reading.tiles[::-1], layouts=layouts))


def _summary(judged: Judged) -> object:
    faults = () if isinstance(judged.verdict, Legal) else judged.verdict.violations
    return judged.turn, type(judged.verdict), sorted(str(one.fault) for one in faults), judged.stands, judged.table


def test_there_are_journals_with_judged_turns() -> None:
    assert JOURNALS
    for path in JOURNALS:
        judged = _told([entry.entered for entry in load_journal(path).entries])
        assert len(judged) >= 10


def _told(inputs: list[Input]) -> list[Judged]:
    match, judged = Match(), []
    for entered in inputs:
        match, told, _ = step(match, entered)
        judged += [event for event in told if isinstance(event, Judged)]
    return judged
