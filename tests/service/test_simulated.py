"""The simulated table plays the match of the settings: its edition, players, first player, games, house rules."""

import threading
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.game.events import GameStarted, Judged, TurnEvent, TurnStarted
from referee.game.state import Match
from referee.rules.editions import EDITIONS, rule_set
from referee.rules.verdict import Undecided
from referee.service.loop import Loop
from referee.service.match_source import Source
from referee.service.simulated import plays_demo, simulated_source, simulation_notice
from referee.settings.config import Config, load_config
from referee.sim.camera import MatchButton, match_source
from referee.sim.scenarios import simulated_match
from referee.storage.journal import NoJournal
from referee.storage.match_step import MatchStep
from referee.vision.pipeline import TableReader
from referee.vision.watch.table_region import inside_outline
from referee.vision.watch.watcher import Watcher

NAMES = ("Uwe", "Tia", "Max", "Ida", "Jan", "Eva")
ROOT = Path(__file__).parents[2]
WITH_MODELS = pytest.mark.skipif(not (ROOT / "models/tiles-read.onnx").exists(), reason="the models are not here")
TABLES = [(edition, seats) for edition, rules in EDITIONS.items() for seats in sorted(set(rules.players))]
QUICK = {("xp", 5)}


@pytest.fixture(scope="module")
def reader() -> TableReader:
    return TableReader(threads=1)


def settings(tmp_path: Path, text: str) -> Config:
    (tmp_path / "referee.toml").write_text(text)
    return load_config(tmp_path / "referee.toml")


def match_of(tmp_path: Path, seats: int, more: str = "", house_rules: str = "") -> Config:
    players = ", ".join(f'"{name}"' for name in NAMES[:seats])
    return settings(tmp_path, f"[match]\nplayers = [{players}]\n{more}\n[house_rules]\n{house_rules}\n")


class Ears:
    """Hears what is told."""

    def __init__(self) -> None:
        self.told: list[TurnEvent] = []

    def publish(self, step: MatchStep) -> None:
        self.told += step.events


def refereed(source: Source, reader: TableReader) -> list[TurnEvent]:
    """Referee it to its end with the real models."""
    assert source.match is not None
    assert source.area is not None
    ears = Ears()
    loop = Loop(Match(), NoJournal(), (ears,), pytest.fail)
    loop.enter(source.match)
    profile = source.learn(reader) if source.learn else None
    watcher = Watcher(reader, rule_set(source.match.edition).box, on_table=inside_outline(source.area), profile=profile)
    loop.run_recorded(source.camera, source.button, watcher, threading.Event())
    return ears.told


@WITH_MODELS
@pytest.mark.parametrize(
    ("edition", "seats"), [pytest.param(*one, marks=() if one in QUICK else pytest.mark.slow) for one in TABLES]
)
def test_every_edition_is_played_by_as_many_as_it_allows(
    edition: str, seats: int, tmp_path: Path, reader: TableReader
) -> None:
    config = match_of(tmp_path, seats, f'edition = "{edition}"\nfirst = 2')
    told = refereed(simulated_source(config, 2), reader)
    (begun,) = [event for event in told if isinstance(event, GameStarted)]
    assert (begun.edition, begun.names) == (edition, NAMES[:seats])
    turns = [event for event in told if isinstance(event, TurnStarted)]
    assert [turn.seat for turn in turns] == [(1 + turn) % seats for turn in range(3)]
    judged = [event for event in told if isinstance(event, Judged)]
    assert {event.turn for event in judged} == {1, 2}
    assert not any(isinstance(event.verdict, Undecided) for event in judged)


@pytest.mark.parametrize(
    ("text", "demo"),
    [
        ("", True),
        ('[match]\nplayers = ["Uwe", "Tia", "Max"]', True),
        ("[limits]\nundo_seconds = 7.0", True),
        ('[match]\nplayers = ["Uwe", "Tia"]', False),
        ('[match]\nedition = "twist"', False),
        ("[match]\nfirst = 2", False),
        ("[match]\ngames = 3", False),
        ("[house_rules]\nturn_seconds = 90", False),
    ],
)
def test_the_demo_is_played_where_nothing_but_names_is_set(
    text: str,
    demo: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    config = settings(tmp_path, text)
    assert plays_demo(config) is demo
    assert ("the demo, with your players" in str(simulation_notice(config))) is demo
    match = simulated_source(config, 1).match
    assert match is not None
    assert match.names == config.match.players
    assert match.edition == config.match.edition
    assert match.games == (1 if demo else 3 if "3" in text else len(config.match.players))


@pytest.mark.parametrize(
    ("more", "house_rules", "said"),
    [
        ("", "turn_seconds = 10", "house rule turn_seconds = 10 is too short for simulated players; give at least 25"),
        ("", "pass_draw = 0", "house rule pass_draw = 0 leaves simulated players with nothing to draw"),
        ('edition = "3in1-standard"', "rack_tiles = 20", None),
        ('edition = "xp"', "rack_tiles = 20", None),
    ],
)
def test_what_cannot_be_simulated_is_one_line(more: str, house_rules: str, said: str | None, tmp_path: Path) -> None:
    config = match_of(tmp_path, 6 if "xp" in more else 4, more, house_rules)
    if said is None:
        assert simulated_source(config, 1).match is not None
        return
    with pytest.raises(ConfigError, match=said) as caught:
        simulated_source(config)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("or simulate another match")


def test_a_turn_is_played_only_when_the_camera_comes_to_it() -> None:
    evening, setting = simulated_match(rule_set("original"), seed=5, games=1, cheat_rate=0.0, seats=2, first=1)
    camera, button = match_source(evening, setting, 2)
    assert isinstance(button, MatchButton)
    assert evening.scene.now == 0.0
    frames = 0
    given = []
    while not given:
        at = camera.capture().at
        given = [*button.presses(at)]
        frames += 1
    assert [press.seat for press in given] == [1]
    assert evening.scene.moments == []
    assert evening.scene.presses == []  # nothing is kept of what was shown
    camera.close()
    button.close()
