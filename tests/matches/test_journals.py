"""Every journal kept here, repeated, tells what it told when it was written."""

from pathlib import Path

import pytest

from referee.game.events import Judged
from referee.game.inputs import Input
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.storage.journal import load_journal
from referee.storage.recall import differences, fold

JOURNALS = sorted(Path(__file__).parent.glob("*.jsonl"))


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_journal_tells_the_same_again(path: Path) -> None:
    recorded = load_journal(path)
    assert differences(recorded) == ()
    assert fold(entry.entered for entry in recorded.entries).phase is Phase.MATCH_OVER


def test_there_are_journals_with_judged_turns() -> None:
    assert JOURNALS
    for path in JOURNALS:
        judged = _told([entry.entered for entry in load_journal(path).entries])
        assert len(judged) >= 10


def _told(inputs: list[Input]) -> list[Judged]:
    match, judged = Match(), []
    for entered in inputs:
        match, told = step(match, entered)
        judged += [event for event in told if isinstance(event, Judged)]
    return judged
