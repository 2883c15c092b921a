"""Matches with hardships: people press too early, straighten others' sets, drop tiles, and leave objects on the table.

A `MatchWithHardships` has hardships before and during its turns. The ground truth stays exact: the
effect of a hardship is known, and `TrueTurn.whole` says whether every tile lies inside the picture, face up and
uncovered. Otherwise the referee may leave the table undecided. The camera's own faults are in `camera_faults`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from random import Random
from types import MappingProxyType
from typing import Final

import numpy as np

from referee.rules.table import TileSet
from referee.rules.verdict import Fault, Outcome
from referee.sim.faces import TILE_WIDTH_MM
from referee.sim.layout import PlacedRow, PlayArea, footprints_overlap, lay_row
from referee.sim.position import Position
from referee.sim.scene import outlined_area, play_area
from referee.sim.simulated_match import SimulatedMatch, TrueTurn
from referee.sim.table_objects import SIZES_MM, ObjectKind, TableObject
from referee.sim.view import LaidTile, rectangle

_HARDSHIP_RATE: Final = 0.8  # share of turns with a hardship
_MAX_THINGS: Final = 3
_MAX_TRIES: Final = 60
_MOVABLE: Final = (ObjectKind.CARD, ObjectKind.COASTER, ObjectKind.SHEET, ObjectKind.PHONE)


@unique
class Hardship(StrEnum):
    """A hardship of people, tiles, table or camera; the values are option names."""

    QUICK = "quick-hands"
    HASTY = "hasty-press"
    SLID = "slid-tile"
    STRAIGHTENED = "straightened-sets"
    OVERLAP = "overlapping-tiles"
    ON_EDGE = "tile-on-edge"
    FALLEN = "fallen-tile"
    FACE_DOWN = "tile-face-down"
    OUTSIDE = "half-outside"
    THINGS = "things-on-table"
    FURNITURE = "racks-and-boxes"
    DROPPED = "dropped-frames"
    FEW = "few-frames"
    SLOW = "slow-reading"
    LAMPS = "own-lamps"
    SAG = "sagging-arm"


LASTING_HARDSHIPS: Final = frozenset(
    {Hardship.FURNITURE, Hardship.DROPPED, Hardship.FEW, Hardship.SLOW, Hardship.LAMPS, Hardship.SAG}
)
"""These last the whole match: furniture, and faults of the camera."""
HIDING_HARDSHIPS: Final = frozenset({Hardship.OVERLAP, Hardship.FACE_DOWN, Hardship.OUTSIDE})
"""After these, some tile lies covered, face down or partly outside the picture."""


def furniture(seed: int, width_mm: float, height_mm: float) -> tuple[TableObject, ...]:
    """Return racks, an open tile box and its lid at the edge of the picture, outside the play area.

    They keep the distance within which the referee would count their tiles.
    """
    rng = Random(f"furniture {seed}")
    corners = [(0.0, 0.0), (width_mm, 0.0), (width_mm, height_mm), (0.0, height_mm)]
    rng.shuffle(corners)
    found = []
    for kind, (x, y) in zip((ObjectKind.BOX, ObjectKind.LID), corners, strict=False):
        inward = (1 if x == 0 else -1, 1 if y == 0 else -1)
        spot = (x - inward[0] * rng.uniform(45, 95), y - inward[1] * rng.uniform(20, 50))
        found.append(
            TableObject(kind=kind, x=spot[0], y=spot[1], angle=rng.uniform(-0.15, 0.15), seed=rng.randrange(1 << 30))
        )
    for y, turn in ((28.0, np.pi), (height_mm - 28.0, 0.0)):
        x = width_mm / 2 + rng.uniform(-80, 80)
        angle = turn + rng.uniform(-0.04, 0.04)
        found.append(TableObject(kind=ObjectKind.RACK, x=x, y=y, angle=angle, seed=rng.randrange(1 << 30)))
    return tuple(found)


@dataclass(kw_only=True)
class MatchWithHardships(SimulatedMatch):
    """A match with random hardships; `counts` has the number of turns with each."""

    hardships: Sequence[Hardship] = tuple(Hardship)
    hardship_rng: Random
    counts: Counter[str] = field(default_factory=Counter)
    turns_with_hardship: int = 0
    """The number of turns with any hardship."""
    outlined: bool = False
    """Whether the referee knows the table's outline; otherwise the whole picture is the table."""
    patience: float = 0.0
    """Seconds that players wait after a press for the verdict."""
    _now: frozenset[Hardship] = frozenset()
    _stood: float = 0.0  # seconds of this turn in which the clock may have been stopped

    def _turn(self, game: int, number: int, seat: int) -> TrueTurn:
        self._now, self._stood = frozenset(), 0.0
        at_random = [one for one in self.hardships if one not in LASTING_HARDSHIPS]
        if at_random and self.hardship_rng.random() < _HARDSHIP_RATE:
            self._now = frozenset(
                self.hardship_rng.sample(at_random, min(len(at_random), self.hardship_rng.choice((1, 1, 2))))
            )
        turn = super()._turn(game, number, seat)
        turn = replace(turn, whole=not self._now & HIDING_HARDSHIPS, shown_as=dict(self.scene.shown_as))
        self._tidy(seat)
        self.counts.update(hardship.value for hardship in self._now)
        self.turns_with_hardship += bool(self._now)
        return replace(turn, hardships=tuple(sorted(self._now)), ended=self.scene.now)

    def _act(self, position: Position, seat: int) -> tuple[str | None, int]:
        self.scene.quick = Hardship.QUICK in self._now
        coming = (one for one in Hardship if one in self._now)  # lasting changes before temporary ones
        self._now = frozenset(one for one in coming if one not in _ACTIONS or _ACTIONS[one](self, seat))
        return super()._act(position, seat)

    def _press(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        """Press, with the hardship HASTY while another hand still moves over the table."""
        if Hardship.HASTY not in self._now or self.scene.quick or not self.scene.arrangement.rows:
            super()._press(seat, faults, outcome)
        else:
            self._judge("press", faults, outcome)
            self.scene.press_under_hand(seat, self._side(seat))
        self.scene.wait(self.patience)
        self._stood += self.patience

    def _lay(self, sets: Sequence[TileSet], seat: int) -> None:
        """Lay these sets; a set laid anew is tidied, except for face-down tiles."""
        kept = Counter(sets)
        for row in self.scene.arrangement.rows:
            if kept[row.tile_set] > 0:
                kept[row.tile_set] -= 1
                continue
            for laid in row.tiles:
                shown = self.scene.shown_as.pop(laid, laid)
                if shown.tile is None:
                    self.scene.shown_as[laid] = replace(laid, tile=None, copy=shown.copy)
        super()._lay(sets, seat)

    def _wait_past_the_end(self, started: float) -> None:
        super()._wait_past_the_end(started + self._stood)

    def _tidy(self, seat: int) -> None:
        """Undo the hardships that must end with the turn."""
        scene = self.scene
        scene.quick = False
        if scene.shown_as or scene.dropped:
            scene.shown_as, scene.dropped = {}, ()
            scene.touch(self._side(seat), (scene.view.width_mm / 2, scene.view.height_mm / 2))
            scene.look(4)

    # ---- hardships before the turn; each returns whether it was possible ------------------------------------------

    def _free_row(self) -> PlacedRow | None:
        rows = self.scene.arrangement.rows
        return self.hardship_rng.choice(rows) if rows else None

    def _neighbour(self, seat: int) -> int:
        return self._side((seat + 1) % self.company.players)

    def _shown(self, laid: LaidTile) -> LaidTile:
        """Return the tile as it lies now, after other hardships."""
        return self.scene.shown_as.get(laid, laid)

    def _exchange(self, row: PlacedRow, tiles: Sequence[LaidTile]) -> None:
        scene = self.scene
        rows = tuple(replace(old, tiles=tuple(tiles)) if old is row else old for old in scene.arrangement.rows)
        scene.arrangement = replace(scene.arrangement, rows=rows)

    def slide(self, seat: int) -> bool:
        """Slide the last tile of a row a little; it still lies in its set."""
        row = self._free_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        down = np.array([-right[1], right[0]])
        by = right * self.hardship_rng.uniform(1.5, 5.0) + down * self.hardship_rng.uniform(-5.0, 5.0)
        last = row.tiles[-1]
        moved = replace(
            last,
            x=last.x + float(by[0]),
            y=last.y + float(by[1]),
            angle=last.angle + self.hardship_rng.uniform(-0.08, 0.08),
        )
        if self._meets_others(row, [moved]):
            return False
        self.scene.touch(self._neighbour(seat), (last.x, last.y), beside=True)
        self._exchange(row, (*row.tiles[:-1], moved))
        self.scene.look(2)
        return True

    def straighten(self, seat: int) -> bool:
        """Let a neighbour straighten every second set."""
        rows = self.scene.arrangement.rows
        if not rows:
            return False
        side = self._neighbour(seat)
        for row in rows[:: 2 if len(rows) > 3 else 1]:
            about = lay_row(
                row.pieces,
                row.x + self.hardship_rng.uniform(-4, 4),
                row.y + self.hardship_rng.uniform(-3, 3),
                row.angle + self.hardship_rng.uniform(-0.04, 0.04),
                self.hardship_rng,
            )
            if self._meets_others(row, about.tiles):
                continue
            self.scene.touch(side, (row.x, row.y))
            rows_now = tuple(about if old is row else old for old in self.scene.arrangement.rows)
            self.scene.arrangement = replace(self.scene.arrangement, rows=rows_now)
        self.scene.touch(side, (rows[-1].x, rows[-1].y), beside=True)
        self.scene.look(3)
        return True

    def overlap(self, seat: int) -> bool:
        """Push a row together until its tiles overlap by a few millimetres, until the turn ends."""
        row = self._free_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        over = self.hardship_rng.uniform(1.5, 4.0)
        for place, laid in enumerate(row.tiles):
            by = right * (place - (len(row.tiles) - 1) / 2) * -over
            shown = self._shown(laid)
            self.scene.shown_as[laid] = replace(
                shown, x=shown.x + float(by[0]), y=shown.y + float(by[1]), base=shown.base + 0.6 * place
            )
        self._seen(seat, row)
        return True

    def turn_down(self, seat: int) -> bool:
        """Turn a tile of a set face down until the turn ends."""
        row = self._free_row()
        if row is None:
            return False
        laid = self.hardship_rng.choice(row.tiles)
        self.scene.shown_as[laid] = replace(self._shown(laid), tile=None, copy=900 + laid.copy)
        self._seen(seat, row)
        return True

    def push_out(self, seat: int) -> bool:
        """Push a row half off the table on a free side until the turn ends."""
        row, view = self._free_row(), self.scene.view
        ends = outlined_area(view) if self.outlined else PlayArea(0.0, 0.0, view.width_mm, view.height_mm)
        sides = [side for side in (1, 0, 2) if side not in self.company.sides]
        if row is None or not sides:
            return False
        xs, ys = [laid.x for laid in row.tiles], [laid.y for laid in row.tiles]
        by = {1: (ends.left - min(xs), 0.0), 0: (0.0, ends.bottom - max(ys)), 2: (0.0, ends.top - min(ys))}[sides[0]]
        moved = {laid: replace(shown := self._shown(laid), x=shown.x + by[0], y=shown.y + by[1]) for laid in row.tiles}
        if self._meets_others(row, tuple(moved.values())):
            return False
        self.scene.shown_as |= moved
        self._seen(seat, row)
        return True

    def drop(self, seat: int) -> bool:
        """Drop a tile from a rack, face down on the free table, until the turn ends."""
        spot = self._free_spot(TILE_WIDTH_MM, 38.0)
        if spot is None:
            return False
        self.scene.dropped += (
            LaidTile(tile=None, copy=950, x=spot[0], y=spot[1], angle=self.hardship_rng.uniform(0, 6.3)),
        )
        self.scene.touch(self._side(seat), spot)
        self.scene.look(2)
        return True

    def stand(self, seat: int) -> bool:
        """Stand a tile on its edge beside the sets."""
        return self._put(ObjectKind.ON_EDGE, seat)

    def put_down(self, seat: int) -> bool:
        """Put a card, a coaster, a score sheet or a phone on the table."""
        return self._put(self.hardship_rng.choice(_MOVABLE), seat)

    def _put(self, kind: ObjectKind, seat: int) -> bool:
        spot = self._free_spot(*SIZES_MM[kind])
        if spot is None:
            return False
        scene = self.scene
        thing = TableObject(
            kind=kind,
            x=spot[0],
            y=spot[1],
            angle=self.hardship_rng.uniform(0, 6.3),
            seed=self.hardship_rng.randrange(1 << 30),
        )
        scene.touch(self._neighbour(seat), spot)
        edge = ObjectKind.ON_EDGE
        kept = [one for one in scene.things if one.kind in _MOVABLE][-_MAX_THINGS + 1 :]
        fixed = [one for one in scene.things if one.kind not in _MOVABLE and one.kind is not edge]
        scene.things = (*fixed, *kept, thing)
        scene.look(3)
        return True

    def _seen(self, seat: int, row: PlacedRow) -> None:
        self.scene.touch(self._neighbour(seat), (row.x, row.y))
        self.scene.look(3)

    def _free_spot(self, width: float, height: float) -> tuple[float, float] | None:
        """Return the centre (x, y) of a free spot in the play area, in mm; None without one."""
        area, reach = play_area(self.scene.view), float(np.hypot(width, height)) + 12
        for _ in range(_MAX_TRIES):
            x, y = (
                self.hardship_rng.uniform(area.left + 40, area.right - 40),
                self.hardship_rng.uniform(area.top, area.bottom),
            )
            place = rectangle(x, y, 0.0, reach, reach)
            if not self.scene.arrangement.overlaps(place):
                return x, y
        return None

    def _meets_others(self, row: PlacedRow, tiles: Sequence[LaidTile]) -> bool:
        """Return whether tiles would touch another row, or come near its ends."""
        others = [laid for other in self.scene.arrangement.rows if other is not row for laid in other.tiles]
        places = [rectangle(laid.x, laid.y, laid.angle, TILE_WIDTH_MM + 44, 42.0) for laid in tiles]
        return any(footprints_overlap(place, other.corners()) for place in places for other in others)


_ACTIONS: Final[Mapping[Hardship, Callable[[MatchWithHardships, int], bool]]] = MappingProxyType(
    {
        Hardship.SLID: MatchWithHardships.slide,
        Hardship.STRAIGHTENED: MatchWithHardships.straighten,
        Hardship.OVERLAP: MatchWithHardships.overlap,
        Hardship.FACE_DOWN: MatchWithHardships.turn_down,
        Hardship.OUTSIDE: MatchWithHardships.push_out,
        Hardship.FALLEN: MatchWithHardships.drop,
        Hardship.ON_EDGE: MatchWithHardships.stand,
        Hardship.THINGS: MatchWithHardships.put_down,
    }
)
