"""The watcher's state between two frames, and its next zoom."""

from dataclasses import dataclass, field

from referee.reading.consensus import ConsensusState
from referee.vision.detect.detection_scale import SHIFTS, Zoom

_SHIFT_TRIAL_LOOKS = 6  # looks that try every shift; later looks use the shift that showed most faces
_MAX_IDLE_FACTOR = 4  # idle intervals between looks at a table long at rest


@dataclass(frozen=True, slots=True)
class WatchState:
    """The state of a watcher between two frames."""

    settling: ConsensusState = field(default_factory=ConsensusState)
    calm: bool = False
    """Whether the match has received the settled table, and nothing has moved since."""
    moving_since: float | None = None
    moved: int = 0
    """The number of frames with motion since then."""
    reached: bool = False
    """Whether anything that moved since then came in over the table's edge, as large as a hand."""
    read_at: float = float("-inf")
    zoom: Zoom | None = None
    settled_at: float = float("-inf")
    patience_seconds: float = 0.0
    """How long to ignore an apparent change after a false alarm, such as a rack being sorted, in seconds."""
    again: bool = False
    """The looks are fresh ones at a table that was read already."""
    looked: int = 0
    """How many looks at this table there were before the next one; once it has settled, before the last one."""
    fullest: tuple[int, int] = (0, 0)
    """Of those looks the one that showed most faces: how many, and its shift."""

    @property
    def at_rest(self) -> bool:
        """Whether the table has settled, and nothing has moved since."""
        return self.settling.reported and self.moving_since is None

    @property
    def next_zoom(self) -> Zoom | None:
        """The zoom of the next look: a table that came to rest is looked at in more ways than one.

        At rest it is looked at as last, or what one shift shows and another does not would pass for a change.
        """
        if self.zoom is None or self.moving_since is not None:
            return self.zoom
        return self.zoom._replace(
            shift=SHIFTS[self.looked % len(SHIFTS)] if self.looked < _SHIFT_TRIAL_LOOKS else self.fullest[1]
        )

    def fullest_with(self, faces: int) -> tuple[int, int]:
        """Return the face count and shift of the fullest reading of this table, after one more with `faces` faces."""
        shift = 0 if self.next_zoom is None else self.next_zoom.shift
        return (faces, shift) if self.looked == 0 or faces > self.fullest[0] else self.fullest

    def idle_interval(self, idle_seconds: float) -> float:
        """Return how long a table at rest may wait for the next reading, in seconds; it grows up to a limit."""
        return max(idle_seconds, min(self.read_at - self.settled_at, _MAX_IDLE_FACTOR * idle_seconds))
