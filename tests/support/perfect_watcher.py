"""A watcher without errors: inputs of a match from the tiles' true positions."""

import math
from collections.abc import Iterator

from referee.game.state import Match
from referee.reading.inputs import Input, Seconds, TableMoving, TableSettled, TableStill
from referee.reading.observation import Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.sim.scene import SceneMoment
from referee.sim.view import LaidTile

FRAMES_TO_SETTLE = 4
FRESH_FRAME = 2  # the first of three more looks
CORNERS = ((-13.5, -19.0), (13.5, -19.0), (13.5, 19.0), (-13.5, 19.0))


def true_reading(moment: SceneMoment) -> TableReading:
    """Return the error-free reading of a moment."""
    tiles = tuple(
        TileReading(quad=_quad(laid), tile=laid.tile, confidence=1.0) for laid in moment.laid if laid.tile is not None
    )
    return TableReading(frame_id=f"shot at {moment.at}", at=moment.at, tiles=tiles, layouts=lay_out_tiles(tiles))


def _quad(laid: LaidTile) -> Quad:
    cosine, sine = math.cos(laid.angle), math.sin(laid.angle)
    a, b, c, d = ((laid.x + x * cosine - y * sine, laid.y + x * sine + y * cosine) for x, y in CORNERS)
    return (a, b, c, d)


class PerfectWatcher:
    """Turns the moments of a scene into inputs."""

    def __init__(self) -> None:
        """Begin before the first moment."""
        self.still_frames = 0
        self.still_since = Seconds(0.0)
        self.had_fresh_look = False

    def watch(self, moment: SceneMoment, match: Match) -> Iterator[Input]:
        """Yield the inputs that a moment causes in this match."""
        at = Seconds(moment.at)
        if moment.hands:
            if self.still_frames:
                yield TableMoving(at, reached=True)
            self.still_frames = 0
            return
        starts_fresh_look, self.had_fresh_look = (
            match.wants_fresh_look and not self.had_fresh_look,
            match.wants_fresh_look,
        )
        self.still_frames = FRESH_FRAME if starts_fresh_look else self.still_frames + 1
        if self.still_frames == 1:
            self.still_since = at
        if self.still_frames == FRAMES_TO_SETTLE:
            yield TableSettled(at, self.still_since, true_reading(moment))
        elif self.still_frames > FRAMES_TO_SETTLE and match.look_due is not None:
            yield TableStill(at, f"shot at {moment.at}")
