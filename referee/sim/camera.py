"""A camera, a button and a clock for a simulated match; time advances with the frames, without waiting."""

from collections.abc import Iterable, Iterator
from itertools import islice

from referee.hardware.ports import Button, EndOfFrames, PlannedButton, Press
from referee.reading.inputs import Seconds
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

    def __init__(self, setting: TableSetting, moments: Iterable[SceneMoment], clock: SimClock) -> None:
        self._painter = Painter(setting)
        self._moments = iter(moments)
        self._clock = clock
        self._frame_count = 0

    def capture(self) -> Frame:
        """Return the next frame; EndOfFrames after the last."""
        moment = next(self._moments, None)
        if moment is None:
            raise EndOfFrames
        image = self._painter.paint(moment.laid, moment.hands, noise_index=self._frame_count)
        self._frame_count += 1
        self._clock.advance(moment.at)
        return Frame(f"sim-{self._frame_count:05d}", Seconds(moment.at), image)

    def close(self) -> None:
        """Drop the remaining frames."""
        self._moments = iter(())


def demo_match(turns: int = DEMO_TURN_COUNT) -> tuple[SimCamera, PlannedButton, SimClock]:
    """Return the embedded match of `referee run --camera sim`: three players, the original edition, seat 0 begins."""
    setting = demo_setting()
    scene = demo_scene(setting, turns)
    clock = SimClock()
    return SimCamera(setting, scene.moments, clock), PlannedButton(scene.presses), clock


class MatchButton:
    """The button of a match in progress: presses appear when the camera reaches their turn."""

    faults: tuple[str, ...] = ()
    """Nothing: no pin is read."""

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


def match_source(match: SimulatedMatch, setting: TableSetting, turns: int | None = None) -> tuple[SimCamera, Button]:
    """Return camera and button of a match or its first turns; a turn is played when the camera reaches it."""
    return SimCamera(setting, _moments_of(match, turns), SimClock()), MatchButton(match.scene.presses)


def _moments_of(match: SimulatedMatch, turns: int | None) -> Iterator[SceneMoment]:
    scene = match.scene
    for _ in islice(match.play(), turns):
        moments = tuple(scene.moments)
        scene.moments.clear()
        scene.hand_intervals.clear()
        yield from moments
    scene.add_moments(6)
    yield from scene.moments
