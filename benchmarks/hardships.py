"""What a season leaves out: a camera far aslant, another lamp, a camera that is pushed, a plug that is pulled.

    python -m benchmarks.hardships [--matches 8] [--first 5000] [--turns N] [--leans 15 35] [--out out/hardships]

Matches of two games, of every edition as in `benchmarks.season`, in frames of 2304 × 1296. In each of them the camera
leans by 15 to 35 degrees, or as told; every third turn another lamp is lit; every seventh the camera is pushed, by
about two degrees; every eighth the power is cut while somebody thinks. The answers are held against the truth as there.
"""

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import cos, radians, sin
from pathlib import Path
from random import Random

import cv2

from benchmarks.refereed import ACCUSED, PASSED, How, RefereedTable, referee_game
from benchmarks.season import CHEATS
from referee.rules.editions import EDITIONS
from referee.sim.render import TableSetting
from referee.sim.simulated_match import TrueTurn

SIZE = (2304, 1296)
GAMES = 2  # in each match
LEANS = (15.0, 35.0)
ROOM = 1.25  # a camera that leans shows the far side small and the near side large
LAMP_EVERY, PUSH_EVERY, CUT_EVERY = 3, 7, 8  # turns
THINKS = 1.0  # seconds into a turn: nobody has touched the table yet
LAMPS = ((236, 250, 256), (206, 236, 256), (150, 205, 256), (256, 244, 226))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--matches", type=int, default=8, metavar="N")
    parser.add_argument("--first", type=int, default=5000, metavar="SEED")
    parser.add_argument("--turns", type=int, metavar="N", help="of each match only so many turns")
    parser.add_argument("--leans", type=float, nargs=2, default=LEANS, metavar="DEGREES", help="least and most")
    parser.add_argument("--out", type=Path, default=Path("out/hardships"), metavar="DIR")
    words = parser.parse_args(argv)
    cv2.setNumThreads(1)
    editions, sums = list(EDITIONS), Counter[str]()
    for seed in range(words.first, words.first + words.matches):
        edition = editions[(seed - words.first) % len(editions)]
        sums += play(edition, seed, words.out / f"{edition}-{seed}", words.turns, words.leans)
    print(", ".join(f"{name} {count}" for name, count in sums.items()))
    return 1 if sums[ACCUSED] or sums[PASSED] else 0


def play(edition: str, seed: int, folder: Path, turns: int | None, leans: Sequence[float] = LEANS) -> Counter[str]:
    """Play a match in a folder of its own, and tell what went amiss."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lean = Lean(Random(f"lean {seed}"), (leans[0], leans[1]))
    all_of_it = Lamp(Random(f"lamp {seed}")), Push(Random(f"push {seed}")), PowerCut()
    how = How(size=SIZE, turns=turns, games=GAMES, journal=True, hung=lean.hang, incidents=all_of_it)
    game = referee_game(edition, seed, cheats=CHEATS, folder=folder, how=how)
    print(
        f"{edition} {seed}, leaning {lean.degrees:.0f}°: {game.turns} turns, {game.judgements} judgements", flush=True
    )
    for one in game.amiss:
        print(f"  turn {one.get('turn')} {one['kind']}: {one.get('true')} said {one.get('said')} {one.get('misread')}")
    kinds = Counter(str(one["kind"]) for one in game.amiss)
    return Counter({"matches": 1, "turns": game.turns, "judgements": game.judgements}) + kinds


@dataclass(slots=True)
class Lean:
    """A camera that stands aside and leans toward the table."""

    rng: Random
    leans: tuple[float, float]
    degrees: float = 0.0

    def hang(self, setting: TableSetting) -> TableSetting:
        """Hang it so."""
        self.degrees, way = self.rng.uniform(*self.leans), self.rng.uniform(0.0, 360.0)
        tilt = (self.degrees * cos(radians(way)), self.degrees * sin(radians(way)))
        return replace(setting, view=replace(setting.view, tilt=tilt, field_factor=ROOM))


@dataclass(slots=True)
class Every:
    """Every so many turns of a game, once in each of them, so many seconds into it."""

    turns: int
    seconds: float
    last: tuple[int, int] | None = None

    def comes(self, turn: TrueTurn, seconds: float) -> bool:
        """Whether its time has come."""
        now = turn.game, turn.number
        if turn.number % self.turns or now == self.last or seconds < self.seconds:
            return False
        self.last = now
        return True


@dataclass(slots=True)
class Lamp:
    """Now and then another lamp is lit, in the middle of the turn."""

    rng: Random
    when: Every = field(default_factory=lambda: Every(LAMP_EVERY, 2 * THINKS))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Switch it in its turns."""
        if self.when.comes(turn, seconds):
            table.change(replace(table.setting, light=self.rng.uniform(-3.1, 3.1), warmth=self.rng.choice(LAMPS)))


@dataclass(slots=True)
class Push:
    """Now and then somebody runs into the camera's stand."""

    rng: Random
    when: Every = field(default_factory=lambda: Every(PUSH_EVERY, THINKS))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Push it in its turns."""
        if not self.when.comes(turn, seconds):
            return
        view = table.setting.view
        across, down = view.tilt
        tilt = (across + self.rng.gauss(0.0, 0.8), down + self.rng.gauss(0.0, 0.8))
        table.change(replace(table.setting, view=replace(view, tilt=tilt, turn=view.turn + self.rng.gauss(0.0, 1.5))))


@dataclass(slots=True)
class PowerCut:
    """Now and then the plug is pulled before anything is laid."""

    when: Every = field(default_factory=lambda: Every(CUT_EVERY, THINKS / 2))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Pull it in its turns."""
        if self.when.comes(turn, seconds):
            table.cut_power()


if __name__ == "__main__":
    sys.exit(main())
