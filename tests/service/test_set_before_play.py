"""Names and edition that are set after the first start count for the match that nobody has begun yet."""

from argparse import Namespace
from pathlib import Path

import pytest

from referee.cli.match_options import with_match_options
from referee.game.inputs import CameraLost, MatchStarted, Paused, Restarted, Resumed, Ticked, TurnEnded
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.service.match_source import other_match_notice
from referee.settings.config import load_config
from referee.storage.journal import FileJournal
from referee.storage.match_step import MatchStep
from referee.storage.recovery import find_unfinished

NOW = Seconds(0.0)
BEGUN = MatchStarted(at=NOW, names=("Ann", "Ben", "Cem"), edition="original")
BY_ORGANISER = MatchStarted(at=NOW, names=("Ann", "Ben", "Cem"), edition="original", by="organiser")


def keep(folder: Path, *entered: Input) -> Path:
    path = folder / "match-00001.jsonl"
    with FileJournal(path) as journal:
        for one in entered:
            journal.append(MatchStep(Match(), one, (), Match()))
    return path


def test_a_match_that_waits_for_its_first_press_begins_as_the_settings_say_by_then(tmp_path: Path) -> None:
    journal = keep(tmp_path, BEGUN, Paused(NOW), CameraLost(NOW), Restarted(NOW), Ticked(Seconds(9.0)))
    assert find_unfinished(tmp_path) is None
    assert not journal.exists()


@pytest.mark.parametrize(
    "entered",
    [
        pytest.param((BEGUN, Paused(NOW), TurnEnded(Seconds(2.0)), Paused(Seconds(3.0))), id="somebody pressed"),
        pytest.param((BEGUN, Paused(NOW), Resumed(Seconds(2.0))), id="the break ended"),
        pytest.param((BEGUN,), id="the clock runs"),
        pytest.param((BY_ORGANISER, Paused(NOW)), id="the organiser began it"),
        pytest.param((BEGUN, Paused(NOW, by="organiser")), id="the organiser stopped it"),
    ],
)
def test_a_match_that_somebody_began_goes_on(tmp_path: Path, entered: tuple[Input, ...]) -> None:
    journal = keep(tmp_path, *entered)
    found = find_unfinished(tmp_path)
    assert found is not None
    assert found.path == journal


def test_settings_other_than_the_match_that_goes_on_are_named_with_the_way_out(tmp_path: Path) -> None:
    (file := tmp_path / "referee.toml").write_text('[match]\nplayers = ["Mia", "Tom"]\nedition = "original"\n')
    config = load_config(file)
    assert other_match_notice(config, BEGUN) == (
        f"the match that goes on (Ann, Ben, Cem; original) began otherwise than match.players in {file}:2; "
        "to begin anew: --new"
    )
    assert other_match_notice(config, BY_ORGANISER) is None, "who starts a match on the page says who plays"
    assert other_match_notice(load_config(None), BEGUN) is None


def test_options_other_than_the_match_that_goes_on_are_named_whoever_began_it() -> None:
    said = Namespace(players="Mia,Tom", edition="twist", format=None, first=None, games=None)
    notice = other_match_notice(with_match_options(load_config(None), said), BY_ORGANISER)
    assert notice is not None
    assert "began otherwise than --players, --edition; to begin anew: --new" in notice
