"""A camera, a button and a clock for a simulated match; time advances with the frames, without waiting."""

from collections.abc import Iterable, Iterator
from itertools import islice

from referee.game.inputs import Seconds
from referee.ports import Button, EndOfFrames, PlannedButton, Press
from referee.sim.demo import DEMO_TURN_COUNT, demo_scene, demo_setting
from referee.sim.render import Painter, TableSetting
from referee.sim.scene import SceneMoment
from referee.sim.simulated_match import SimulatedMatch
from referee.vision.image.frame import Frame


class SimClock:
    """A clock that shows the time of the newest frame."""

    def __init__(self) -> None:
        self._now = Seconds(0.0)

    def now(self) -> Seconds:
        """Return seconds since the simulated match began."""
        return self._now

    def advance(self, to: float) -> None:
        """Advance to this time; an earlier time changes nothing."""
        self._now = Seconds(max(self._now, to))


class SimCamera:
    """A camera that renders a match's next moment at each capture and advances the clock to it."""

    def __init__(self, setting: TableSetting, shots: Iterable[SceneMoment], clock: SimClock) -> None:
        self._painter = Painter(setting)
        self._coming = iter(shots)
        self._clock = clock
        self._shown = 0

    def capture(self) -> Frame:
        """Return the next frame; EndOfFrames after the last."""
        shot = next(self._coming, None)
        if shot is None:
            raise EndOfFrames
        image = self._painter.paint(shot.laid, shot.hands, shot=self._shown)
        self._shown += 1
        self._clock.advance(shot.at)
        return Frame(f"sim-{self._shown:05d}", Seconds(shot.at), image)

    def close(self) -> None:
        """Drop the remaining frames."""
        self._coming = iter(())


def demo_match(turns: int = DEMO_TURN_COUNT) -> tuple[SimCamera, PlannedButton, SimClock]:
    """Return the embedded match of `referee run --camera sim`: three players, the original edition, seat 0 begins."""
    setting = demo_setting()
    scene = demo_scene(setting, turns)
    clock = SimClock()
    return SimCamera(setting, scene.moments, clock), PlannedButton(scene.presses), clock


class MatchButton:
    """The button of a match in progress: presses appear when the camera reaches their turn."""

    def __init__(self, presses: list[Press]) -> None:
        self._presses = presses

    def presses(self, until: Seconds) -> tuple[Press, ...]:
        """Return the presses up to `until` that were not given yet."""
        due = tuple(press for press in self._presses if press.at <= until)
        del self._presses[: len(due)]
        return due

    def close(self) -> None:
        """Drop the remaining presses."""
        self._presses.clear()


def match_source(evening: SimulatedMatch, setting: TableSetting, turns: int | None = None) -> tuple[SimCamera, Button]:
    """Return camera and button of a match or its first turns; a turn is played when the camera reaches it."""
    return SimCamera(setting, _moments_of(evening, turns), SimClock()), MatchButton(evening.scene.presses)


def _moments_of(evening: SimulatedMatch, turns: int | None) -> Iterator[SceneMoment]:
    scene = evening.scene
    for _ in islice(evening.play(), turns):
        shots = tuple(scene.moments)
        scene.moments.clear()
        scene.hands_over.clear()
        yield from shots
    scene.look(6)
    yield from scene.moments
