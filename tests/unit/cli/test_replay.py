"""What `referee replay` says where a match now tells something else than its journal."""

from pathlib import Path

import pytest

from referee.cli.main import main
from referee.cli.replay import difference_text
from referee.storage.journal_bytes import format_line, parse_line
from referee.storage.recovery import ReplayDifference

JOURNAL = Path(__file__).parents[2] / "matches" / "demo.jsonl"


@pytest.mark.parametrize(
    ("recorded", "repeated", "said"),
    [
        pytest.param(
            [{"event": "judged", "at": 3.0, "verdict": "legal"}, {"event": "drew", "at": 3.0}],
            [{"event": "judged", "at": 3.0, "verdict": "legal"}],
            "the journal has judged and drew, repeated it is judged",
            id="other events",
        ),
        pytest.param(
            [], [{"event": "warned", "at": 3.0}], "the journal has nothing, repeated it is warned", id="one more"
        ),
        pytest.param(
            [{"event": "judged", "at": 3.0, "verdict": "legal", "meld": None}],
            [{"event": "judged", "at": 3.0, "verdict": "illegal", "meld": 24}],
            'judged: verdict was "legal", is "illegal"; judged: meld was null, is 24',
            id="the same events, telling something else",
        ),
        pytest.param(
            [{"event": "drew", "by": "x" * 1000}],
            [{"event": "drew"}],
            f'drew: by was "{"x" * 99}…, is null',
            id="what is long is cut",
        ),
    ],
)
def test_a_difference_is_told_in_a_line(
    recorded: list[dict[str, object]], repeated: list[dict[str, object]], said: str
) -> None:
    assert difference_text(ReplayDifference(7, tuple(recorded), tuple(repeated))) == said


def test_a_verdict_that_others_hang_on_is_told_first_and_not_all_that_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = JOURNAL.read_bytes().splitlines(keepends=True)
    begun = parse_line(lines[1])
    begun["input"]["house_rules"] = [["initial_meld", 60]]  # what Ann laid is worth 39: no opening any more
    journal = tmp_path / "match.jsonl"
    journal.write_bytes(b"".join([lines[0], format_line(begun), *lines[2:]]))
    assert main(["replay", "--quiet", str(journal)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 7
    assert said[0].startswith("step 1: game_started: house_rules was {}")
    assert said[-2].endswith("more, which may follow from these")
    assert said[-1].endswith("of 93 steps tell something else.")
    assert max(map(len, said)) < 700
