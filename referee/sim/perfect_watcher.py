"""A watcher without errors: inputs of a match from the tiles' true positions."""

import math
from collections.abc import Iterator

from referee.game.inputs import Input, Seconds, TableMoving, TableSettled, TableStill
from referee.game.state import Match
from referee.reading.observation import Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.sim.scene import SceneMoment
from referee.sim.view import LaidTile

FRAMES_TO_SETTLE = 4
FRESH_FRAME = 2  # the first of three more looks
CORNERS = ((-13.5, -19.0), (13.5, -19.0), (13.5, 19.0), (-13.5, 19.0))


def true_reading(shot: SceneMoment) -> TableReading:
    """Return the error-free reading of a moment."""
    tiles = tuple(
        TileReading(quad=_quad(laid), tile=laid.tile, confidence=1.0) for laid in shot.laid if laid.tile is not None
    )
    return TableReading(frame_id=f"shot at {shot.at}", at=shot.at, tiles=tiles, layouts=lay_out_tiles(tiles))


def _quad(laid: LaidTile) -> Quad:
    cosine, sine = math.cos(laid.angle), math.sin(laid.angle)
    a, b, c, d = ((laid.x + x * cosine - y * sine, laid.y + x * sine + y * cosine) for x, y in CORNERS)
    return (a, b, c, d)


class PerfectWatcher:
    """Turns the moments of a scene into inputs."""

    def __init__(self) -> None:
        """Begin before the first shot."""
        self.still = 0
        self.since = Seconds(0.0)
        self.fresh = False

    def watch(self, shot: SceneMoment, match: Match) -> Iterator[Input]:
        """Yield what a shot tells of this match."""
        at = Seconds(shot.at)
        if shot.hands:
            if self.still:
                yield TableMoving(at)
            self.still = 0
            return
        begins_anew, self.fresh = match.wants_fresh_look and not self.fresh, match.wants_fresh_look
        self.still = FRESH_FRAME if begins_anew else self.still + 1
        if self.still == 1:
            self.since = at
        if self.still == FRAMES_TO_SETTLE:
            yield TableSettled(at, self.since, true_reading(shot))
        elif self.still > FRAMES_TO_SETTLE and match.look_due is not None:
            yield TableStill(at, f"shot at {shot.at}")
