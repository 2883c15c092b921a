"""A camera, a button and a clock that play a simulated match: time passes with the frames, never by waiting."""

from collections.abc import Sequence

from referee.game.inputs import Seconds
from referee.ports import EndOfFrames, PlannedButton
from referee.sim.demo import TURNS, demo_setting, demo_stage
from referee.sim.render import Painter, Setting
from referee.sim.stage import Shot
from referee.vision.frame import Frame


class SimClock:
    """Shows the time of the newest frame."""

    def __init__(self) -> None:
        self._now = Seconds(0.0)

    def now(self) -> Seconds:
        """Seconds since the simulated match began."""
        return self._now

    def advance(self, to: float) -> None:
        """Move on; a time already past changes nothing."""
        self._now = Seconds(max(self._now, to))


class SimCamera:
    """Renders the next shot of a match each time it is asked, and moves the clock to it."""

    def __init__(self, setting: Setting, shots: Sequence[Shot], clock: SimClock) -> None:
        self._painter = Painter(setting)
        self._shots = shots
        self._clock = clock
        self._next = 0

    def capture(self) -> Frame:
        """Give the next frame; EndOfFrames after the last."""
        if self._next >= len(self._shots):
            raise EndOfFrames
        shot = self._shots[self._next]
        image = self._painter.paint(shot.laid, shot.hands, shot=self._next)
        self._next += 1
        self._clock.advance(shot.at)
        return Frame(f"sim-{self._next:05d}", Seconds(shot.at), image)

    def close(self) -> None:
        """Show nothing more."""
        self._next = len(self._shots)


def demo_match(turns: int = TURNS) -> tuple[SimCamera, PlannedButton, SimClock]:
    """The embedded match of `referee run --camera sim`: three players, the original edition, seat 0 begins."""
    setting = demo_setting()
    stage = demo_stage(setting, turns)
    clock = SimClock()
    return SimCamera(setting, stage.shots, clock), PlannedButton(stage.presses), clock
