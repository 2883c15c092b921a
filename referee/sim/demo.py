"""The match of `make demo`: three players, ten turns, two corrected mistakes, one timeout."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from random import Random

from referee.hardware.ports import PressKind
from referee.rules.notation import parse_table
from referee.rules.tiles import Tile
from referee.sim.layout import Arrangement, PhysicalTile, arrange
from referee.sim.render import TableSetting
from referee.sim.scene import Scene, play_area
from referee.sim.view import View

DEMO_PLAYERS = 3
DEMO_EDITION = "original"
DEMO_SIZE = (1600, 1200)
_SEED = 20
_POOL = 106 - 14 * DEMO_PLAYERS


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTurn:
    """One turn: thinking time, the new table (None: unchanged), whether the player presses, and drawn tiles."""

    seat: int
    thinking_seconds: float
    table: str | None = None
    press: bool = True
    draw: int = 0


_OPENED = "R10 R11 R12 / K1 K2 K3"
_BLUFF = f"{_OPENED} / B7 B8 B9"
_MELD = f"{_BLUFF} / K9 R9 O9"
_GROWN = "R10 R11 R12 R13 / K1 K2 K3 K4 / B7 B8 B9 / K9 R9 O9 / O6 K6 R6"
_TWICE = f"{_GROWN} / K12 B12 K12"
_MENDED = f"{_GROWN} / K12 B12 O12"
_JOKER = f"{_MENDED} / O11 O12 J"
_TURNED = "R11 R12 R13 / K1 K2 K3 K4 / B7 B8 B9 / K9 R9 O9 / O6 K6 R6 / K12 B12 O12 / O11 O12 J / B10 K10 R10"
_BROKEN = "R11 R12 R13 / K2 K3 K4 / B7 B8 B9 / K9 R9 / O6 K6 R6 / K12 B12 O12 / O11 O12 J / B10 K10 R10 / K1 / O9 O8"
_FREED = (
    "R11 R12 R13 / K1 K2 K3 K4 / B7 B8 B9 / K9 R9 O9 / O6 K6 R6 / K12 B12 O12 / O11 O12 O13 / B10 K10 R10 / R1 B1 J"
)
_WON = _FREED.replace("O6 K6 R6", "O6 K6 R6 B6")

DEMO_TURNS: Sequence[DemoTurn] = (
    DemoTurn(seat=0, thinking_seconds=9, table=_OPENED),
    DemoTurn(seat=1, thinking_seconds=7, table=_BLUFF),  # 24 points are too few
    DemoTurn(seat=1, thinking_seconds=4, table=_MELD),
    DemoTurn(seat=2, thinking_seconds=8, draw=1),
    DemoTurn(seat=0, thinking_seconds=12, table=_GROWN),
    DemoTurn(seat=1, thinking_seconds=9, table=_TWICE),  # black twice in a group
    DemoTurn(seat=1, thinking_seconds=5, table=_MENDED),
    DemoTurn(seat=2, thinking_seconds=11, table=_JOKER),
    DemoTurn(seat=0, thinking_seconds=10, table=_TURNED),  # the red 10 changes sets
    DemoTurn(seat=1, thinking_seconds=14, table=_BROKEN, press=False),  # and there the time runs out
    DemoTurn(seat=1, thinking_seconds=50, table=_TURNED, press=False, draw=3),
    DemoTurn(seat=2, thinking_seconds=12, table=_FREED),  # orange 13 frees the joker
    DemoTurn(seat=0, thinking_seconds=6, table=_WON),
)

_BEN = "K12 O8 R2 / R4 B3 B5 / K7 O4"
_CEM = "J B4 B12 / K5 K8 O1 / O2 R5 R8"
DEMO_RACKS: Sequence[DemoTurn] = (
    DemoTurn(seat=1, thinking_seconds=8, table=f"{_WON} / {_BEN}"),
    DemoTurn(seat=2, thinking_seconds=5, table=f"{_WON} / {_BEN} / {_CEM}"),
)
"""The losers lay their racks beside the sets."""


def demo_setting() -> TableSetting:
    """Return the table of the demo: walnut, a classic box, a lamp at the upper left."""
    return TableSetting(view=View(size=DEMO_SIZE, width_mm=980.0), surface="wood", seed=_SEED, seats=(0, 1, 2))


DEMO_TURN_COUNT = sum(1 for _ in groupby(DEMO_TURNS, key=lambda turn: turn.seat))
"""How many turns the demo has: one ends where another player acts."""


def demo_scene(setting: TableSetting, turns: int = DEMO_TURN_COUNT) -> Scene:
    """Play the demo or its first turns; return the scene with its moments and presses."""
    rng = Random(_SEED)
    scene = Scene(view=setting.view, thickness=setting.style.thickness, rng=rng, pool=_POOL)
    box: Counter[Tile] = Counter()
    scene.add_moments(6)
    chosen_turns = (turns_of_player for _, turns_of_player in groupby(DEMO_TURNS, key=lambda turn: turn.seat))
    racks = DEMO_RACKS if turns >= DEMO_TURN_COUNT else ()
    for turn in chain(chain.from_iterable(islice(chosen_turns, turns)), racks):
        scene.wait(turn.thinking_seconds)
        if turn.table is not None:
            scene.rearrange(turn.seat, _arrangement(scene, turn, box))
            scene.add_moments(5)
        if turn.press:
            scene.press(turn.seat, PressKind.PRESS)
        if turn.draw:
            scene.draw(turn.seat, turn.draw)
            scene.add_moments(3)
    scene.add_moments(6)
    return scene


def _arrangement(scene: Scene, turn: DemoTurn, used: Counter[Tile]) -> Arrangement:
    """Return the arrangement for an act; tiles new to the table come from the rack, each its next copy."""
    after = parse_table(turn.table or "")
    on_table = Counter(scene.arrangement.table.tiles)
    added = []
    for tile, count in (after.counts() - on_table).items():
        copies = {piece.copy for piece in scene.arrangement.pieces if piece.tile == tile}
        free_copies = [copy for copy in range(used[tile] + count + 2) if copy not in copies]
        added += [PhysicalTile(tile, copy) for copy in free_copies[:count]]
    return arrange(scene.arrangement, after.sets, added, side=turn.seat, area=play_area(scene.view), rng=scene.rng)
