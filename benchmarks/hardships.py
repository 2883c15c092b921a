"""Play matches with stress that a season leaves out: an oblique camera, another lamp, pushes and power cuts.

    python -m benchmarks.hardships [--matches 8] [--first 5000] [--turns N] [--leans 15 35] [--out out/hardships]

Matches of two games, of every edition as in `benchmarks.season`, in frames of 2304 × 1296. The camera is tilted by 15
to 35 degrees, or as given; every third turn the lamp changes; every seventh the camera is pushed, by about two degrees;
every eighth the power is cut while a player thinks. The answers are compared with the truth, as in a season.
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

from benchmarks.refereed import ACCUSED, PASSED, GameOptions, RefereedTable, referee_game
from benchmarks.season import CHEATS
from referee.rules.editions import EDITIONS
from referee.sim.render import TableSetting
from referee.sim.simulated_match import TrueTurn

SIZE = (2304, 1296)
GAMES = 2  # in each match
LEANS = (15.0, 35.0)
FIELD_FACTOR = 1.25  # a tilted camera shows the far side small and the near side large
LAMP_EVERY, PUSH_EVERY, CUT_EVERY = 3, 7, 8  # turns
THINKING_SECONDS = 1.0  # into a turn, while nobody has touched the table
LAMPS = ((236, 250, 256), (206, 236, 256), (150, 205, 256), (256, 244, 226))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--matches", type=int, default=8, metavar="N")
    parser.add_argument("--first", type=int, default=5000, metavar="SEED")
    parser.add_argument("--turns", type=int, metavar="N", help="the number of turns of each match")
    parser.add_argument("--leans", type=float, nargs=2, default=LEANS, metavar="DEGREES", help="least and most")
    parser.add_argument("--out", type=Path, default=Path("out/hardships"), metavar="DIR")
    arguments = parser.parse_args(argv)
    cv2.setNumThreads(1)
    editions, sums = list(EDITIONS), Counter[str]()
    for seed in range(arguments.first, arguments.first + arguments.matches):
        edition = editions[(seed - arguments.first) % len(editions)]
        sums += play(edition, seed, arguments.out / f"{edition}-{seed}", arguments.turns, arguments.leans)
    print(", ".join(f"{name} {count}" for name, count in sums.items()))
    return 1 if sums[ACCUSED] or sums[PASSED] else 0


def play(edition: str, seed: int, folder: Path, turns: int | None, leans: Sequence[float] = LEANS) -> Counter[str]:
    """Play a match in its own folder, print its failures and return the counts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lean = TiltedCamera(Random(f"lean {seed}"), (leans[0], leans[1]))
    incidents = LampChange(Random(f"lamp {seed}")), CameraPush(Random(f"push {seed}")), PowerCut()
    how = GameOptions(
        size=SIZE, turns=turns, games=GAMES, keeps_journal=True, adjust_setting=lean.tilted_setting, incidents=incidents
    )
    game = referee_game(edition, seed, cheats=CHEATS, folder=folder, options=how)
    print(
        f"{edition} {seed}, leaning {lean.degrees:.0f}°: {game.turns} turns, {game.judgements} judgements", flush=True
    )
    for one in game.amiss:
        print(f"  turn {one.get('turn')} {one['kind']}: {one.get('true')} said {one.get('said')} {one.get('misread')}")
    kinds = Counter(str(failure["kind"]) for failure in game.amiss)
    return Counter({"matches": 1, "turns": game.turns, "judgements": game.judgements}) + kinds


@dataclass(slots=True)
class TiltedCamera:
    """A camera that stands aside and is tilted toward the table."""

    rng: Random
    tilt_range: tuple[float, float]
    degrees: float = 0.0

    def tilted_setting(self, setting: TableSetting) -> TableSetting:
        """Return the setting seen by a tilted camera."""
        self.degrees, direction = self.rng.uniform(*self.tilt_range), self.rng.uniform(0.0, 360.0)
        tilt = (self.degrees * cos(radians(direction)), self.degrees * sin(radians(direction)))
        return replace(setting, view=replace(setting.view, tilt=tilt, field_factor=FIELD_FACTOR))


@dataclass(slots=True)
class TurnTrigger:
    """Triggers once in every n-th turn of a game, some seconds into it."""

    turns: int
    seconds: float
    last: tuple[int, int] | None = None

    def is_due(self, turn: TrueTurn, seconds: float) -> bool:
        """Return whether it triggers now."""
        now = turn.game, turn.number
        if turn.number % self.turns or now == self.last or seconds < self.seconds:
            return False
        self.last = now
        return True


@dataclass(slots=True)
class LampChange:
    """Changes the lamp in the middle of some turns."""

    rng: Random
    trigger: TurnTrigger = field(default_factory=lambda: TurnTrigger(LAMP_EVERY, 2 * THINKING_SECONDS))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Change the lamp if due."""
        if self.trigger.is_due(turn, seconds):
            table.change_setting(
                replace(table.setting, light=self.rng.uniform(-3.1, 3.1), warmth=self.rng.choice(LAMPS))
            )


@dataclass(slots=True)
class CameraPush:
    """Pushes the camera's stand in some turns."""

    rng: Random
    trigger: TurnTrigger = field(default_factory=lambda: TurnTrigger(PUSH_EVERY, THINKING_SECONDS))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Push the camera if due."""
        if not self.trigger.is_due(turn, seconds):
            return
        view = table.setting.view
        across, down = view.tilt
        tilt = (across + self.rng.gauss(0.0, 0.8), down + self.rng.gauss(0.0, 0.8))
        table.change_setting(
            replace(table.setting, view=replace(view, tilt=tilt, turn=view.turn + self.rng.gauss(0.0, 1.5)))
        )


@dataclass(slots=True)
class PowerCut:
    """Cuts the power in some turns, before anything is laid."""

    trigger: TurnTrigger = field(default_factory=lambda: TurnTrigger(CUT_EVERY, THINKING_SECONDS / 2))

    def happen(self, table: RefereedTable, turn: TrueTurn, seconds: float) -> None:
        """Cut the power if due."""
        if self.trigger.is_due(turn, seconds):
            table.cut_power()


if __name__ == "__main__":
    sys.exit(main())
