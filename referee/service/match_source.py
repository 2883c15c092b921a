"""The source of a match: its camera and button, and the match it may define."""

from collections.abc import Callable
from dataclasses import dataclass

from referee.errors import CalibrationError
from referee.game.inputs import MatchStarted, Seat
from referee.game.player_names import tidy_name
from referee.hardware.live import LiveCamera
from referee.hardware.ports import Button, Camera, Organiser
from referee.hardware.system import is_service
from referee.reading.inputs import Seconds
from referee.reading.observation import Point
from referee.rules.wording import say
from referee.settings.config import Config
from referee.vision.pipeline import TableReader
from referee.vision.profile import LockedControls, Profile

_MATCH_FIELDS = {"players": "names", "edition": "edition", "format": "format", "first": "first", "games": "games"}
RECORDED_DOUBT_SECONDS = 1.5  # the players of a recording do not wait to be asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where frames and presses come from; a recorded source has its own time and may define its match."""

    camera: Camera
    button: Button
    recorded: bool
    match: MatchStarted | None = None
    area: tuple[Point, ...] | None = None
    """The outline of the table in pixels, if the source knows it."""
    pressable: bool = False
    """Whether there is a button or a key to press."""
    organiser: Organiser | None = None
    """The keyboard, which has more commands than a button."""
    learn: Callable[[TableReader], Profile] | None = None
    """Teaches a reader the faces of the box, if the source can show them."""

    def spare(self, sparing: bool) -> None:  # noqa: FBT001 - a callback
        """Halve the frame rate of a live camera, or restore it."""
        if isinstance(self.camera, LiveCamera):
            self.camera.sparing = sparing

    def lock(self) -> LockedControls:
        """Find focus and exposure of a live camera again and lock them; raises CameraError or CalibrationError."""
        if not isinstance(self.camera, LiveCamera):
            raise CalibrationError(
                say("light.recording", "a recording has neither focus nor light; name a live camera")
            )
        return self.camera.settle()


def match_of(config: Config) -> MatchStarted:
    """Return the match of the settings, beginning at time 0."""
    settings = config.match
    return MatchStarted(
        at=Seconds(0.0),
        names=tuple(map(tidy_name, settings.players)),
        edition=settings.edition,
        format=settings.format,
        house_rules=config.house_rules,
        first=Seat(settings.first - 1),
        games=settings.games or None,
        limits=config.limits,
    )


def other_match_notice(config: Config, going_on: MatchStarted) -> str | None:
    """Return which options or settings name another match than the unfinished one; None if none do.

    Settings are compared with a match that the settings began, options with any.
    """
    wanted = match_of(config)
    other = [
        origin if origin.startswith("--") else f"match.{key} in {origin}"
        for key, field in _MATCH_FIELDS.items()
        if (origin := config.origin.get(f"match.{key}", "default")) != "default"
        and (origin.startswith("--") or not going_on.by)
        and getattr(wanted, field) != getattr(going_on, field)
    ]
    if not other:
        return None
    begun = f"{', '.join(going_on.names)}; {going_on.edition}"
    way_out = "clear the table and hold the button for 4 s" if is_service() else "--new"
    return f"the match that goes on ({begun}) began otherwise than {', '.join(other)}; to begin anew: {way_out}"
