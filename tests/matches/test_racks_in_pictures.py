"""Racks laid before a real camera's picture: rendered, read by the models, told apart from the table, scored."""

import threading
from collections import Counter
from random import Random

import pytest

from referee.game.events import GameScored, GameWon, RackAsked, RackRead, TurnEvent
from referee.game.inputs import MatchStarted, RummikubCalled, TurnEnded
from referee.game.state import Match
from referee.hardware.ports import PlannedButton, PressKind
from referee.reading.inputs import Seconds, TableMoving, TableSettled
from referee.rules.editions import rule_set
from referee.rules.notation import parse_table, parse_tiles
from referee.service.loop import Loop
from referee.sim.camera import SimCamera, SimClock
from referee.sim.demo import demo_setting
from referee.sim.layout import PhysicalTile, arrange
from referee.sim.render import Painter, TableSetting
from referee.sim.scene import Scene, play_area
from referee.storage.journal import NoJournal
from referee.storage.match_step import MatchStep
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader
from referee.vision.watch.watcher import Watcher

WON = "R10 R11 R12 / B10 K10 O10"
BEN, CEM = "R1 R2 K5 K6 O9", "J B1 B3 O7 K12"


class Ears:
    """Hears what is told."""

    def __init__(self) -> None:
        self.told: list[TurnEvent] = []

    def publish(self, step: MatchStep) -> None:
        self.told += step.events


def lay(stage: Scene, seat: int, text: str) -> None:
    after = parse_table(text)
    new = after.counts() - Counter(stage.arrangement.table.tiles)
    pieces = [PhysicalTile(tile, copy) for tile, count in new.items() for copy in range(count)]
    stage.rearrange(
        seat, arrange(stage.arrangement, after.sets, pieces, side=seat, area=play_area(stage.view), rng=stage.rng)
    )
    stage.add_moments(6)


def played(setting: TableSetting) -> Scene:
    """Ann lays all she has and calls; then Ben shows his rack, and Cem his."""
    stage = Scene(view=setting.view, thickness=setting.style.thickness, rng=Random(20), pool=80)
    stage.add_moments(6)
    lay(stage, 0, WON)
    stage.press(0, PressKind.HOLD)
    stage.wait(8.0)
    for seat, text in ((1, f"{WON} / {BEN}"), (2, f"{WON} / {BEN} / {CEM}")):
        lay(stage, seat, text)
        stage.press(seat)
        stage.add_moments(8)
    return stage


def test_a_rack_in_one_picture_is_read_and_scored() -> None:
    setting, ears = demo_setting(), Ears()
    stage = Scene(view=setting.view, thickness=setting.style.thickness, rng=Random(20), pool=80)
    painter, reader = Painter(setting), TableReader(threads=1)
    loop = Loop(Match(), NoJournal(), (ears,), pytest.fail)
    rules = (("rack_tiles", 5),)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original", house_rules=rules, games=1))
    for at, table, pressed in ((3.0, WON, RummikubCalled), (20.0, f"{WON} / {BEN}", TurnEnded)):
        lay(stage, 0, table)
        frame = Frame(f"at {at}", at, painter.paint(stage.moments[-1].laid))
        seen = reader.read_table(frame, box=rule_set("original").box)
        for entered in (
            TableMoving(Seconds(at - 2.0)),
            TableSettled(Seconds(at), Seconds(at - 1.0), seen),
            pressed(Seconds(at + 1.0)),
            TableSettled(Seconds(at + 2.0), Seconds(at - 1.0), seen),
        ):
            loop.enter(entered)
    (rack,) = (event for event in ears.told if isinstance(event, RackRead))
    assert (rack.owner, Counter(rack.tiles), rack.value) == (1, Counter(parse_tiles(BEN)), 23)
    (scored,) = (event for event in ears.told if isinstance(event, GameScored))
    assert scored.scores == {"Ann": 23, "Ben": -23}


@pytest.mark.slow
def test_racks_shown_in_pictures_are_read_and_scored() -> None:
    setting = demo_setting()
    stage = played(setting)
    ears = Ears()
    loop = Loop(Match(), NoJournal(), (ears,), pytest.fail)
    rules = (("rack_tiles", 5),)
    loop.enter(
        MatchStarted(at=Seconds(0.0), names=("Ann", "Ben", "Cem"), edition="original", house_rules=rules, games=1)
    )
    watcher = Watcher(TableReader(threads=1), rule_set("original").box)
    camera = SimCamera(setting, stage.moments, SimClock())
    loop.run_recorded(camera, PlannedButton(stage.presses), watcher, threading.Event())
    assert [type(event) for event in ears.told if isinstance(event, GameWon | RackAsked)] == [GameWon]
    read = [(event.owner, Counter(event.tiles), event.value) for event in ears.told if isinstance(event, RackRead)]
    assert read == [(1, Counter(parse_tiles(BEN)), 23), (2, Counter(parse_tiles(CEM)), 53)]
    (scored,) = (event for event in ears.told if isinstance(event, GameScored))
    assert scored.scores == {"Ann": 76, "Ben": -23, "Cem": -53}
