"""Matches with hardships: people press too early, straighten others' sets, drop tiles, and leave objects on the table.

A `MatchWithHardships` has hardships before and during its turns. The ground truth stays exact: the
effect of a hardship is known, and `TrueTurn.all_visible` says whether every tile lies inside the picture, face up and
uncovered. Otherwise the referee may leave the table undecided. The camera's own faults are in `camera_faults`, those of
the light in `light_faults`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType
from typing import Final

import numpy as np

from referee.rules.table import TileSet
from referee.rules.verdict import Fault, Outcome
from referee.sim.faces import TILE_WIDTH_MM
from referee.sim.hardship_kinds import HIDING_HARDSHIPS, LASTING_HARDSHIPS, Hardship
from referee.sim.layout import PlacedRow, PlayArea, footprints_overlap, lay_row
from referee.sim.position import Position
from referee.sim.scene import PictureShape, outlined_area, play_area
from referee.sim.simulated_match import SimulatedMatch, TrueTurn
from referee.sim.table_objects import SIZES_MM, ObjectKind, TableObject
from referee.sim.view import LaidTile, rectangle

_HARDSHIP_RATE: Final = 0.8  # share of turns with a hardship
_MAX_OBJECTS: Final = 3
_MAX_TRIES: Final = 60
_MOMENTS_AFTER_TURN: Final = 15
_LOST_PRESS_SECONDS: Final = (3.0, 5.0)  # after which a player who heard nothing presses again
_TURNED_SECONDS: Final = (2.0, 7.0)  # for which a camera is turned before and after the press
_TURNED_SHAPES: Final = tuple(shape for shape in PictureShape if shape and shape is not PictureShape.SQUEEZED)
_MOVABLE: Final = (ObjectKind.CARD, ObjectKind.COASTER, ObjectKind.SHEET, ObjectKind.PHONE)


@dataclass(kw_only=True)
class MatchWithHardships(SimulatedMatch):
    """A match with random hardships; `counts` has the number of turns with each."""

    hardships: Sequence[Hardship] = tuple(Hardship)
    hardship_rng: Random
    turn_counts: Counter[str] = field(default_factory=Counter)
    turns_with_hardship: int = 0
    """The number of turns with any hardship."""
    is_outlined: bool = False
    """Whether the referee knows the table's outline; otherwise the whole picture is the table."""
    verdict_seconds: float = 0.0
    """Seconds that players wait after a press for the verdict."""
    _active: frozenset[Hardship] = frozenset()
    _stopped_seconds: float = 0.0  # seconds of this turn in which the clock may have been stopped

    def _turn(self, game: int, number: int, seat: int) -> TrueTurn:
        self._active, self._stopped_seconds = frozenset(), 0.0
        temporary = [hardship for hardship in self.hardships if hardship not in LASTING_HARDSHIPS]
        if temporary and self.hardship_rng.random() < _HARDSHIP_RATE:
            self._active = frozenset(
                self.hardship_rng.sample(temporary, min(len(temporary), self.hardship_rng.choice((1, 1, 2))))
            )
        turn = super()._turn(game, number, seat)
        turn = replace(
            turn, all_visible=not self._active & HIDING_HARDSHIPS, displaced_tiles=dict(self.scene.displaced_tiles)
        )
        self._end_hardships(seat)
        self.turn_counts.update(hardship.value for hardship in self._active)
        self.turns_with_hardship += bool(self._active)
        return replace(turn, hardships=tuple(sorted(self._active)), ended=self.scene.now)

    def _play_turn(self, position: Position, seat: int) -> tuple[str | None, int]:
        self.scene.hides_hands = Hardship.QUICK in self._active
        # Lasting changes come before temporary ones.
        ordered = (hardship for hardship in Hardship if hardship in self._active)
        self._active = frozenset(
            hardship for hardship in ordered if hardship not in _ACTIONS or _ACTIONS[hardship](self, seat)
        )
        return super()._play_turn(position, seat)

    def _press(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        """Press; with HASTY, while another hand still moves over the table; with LOST_PRESS, again after a lost one."""
        if Hardship.LOST_PRESS in self._active:
            self.scene.wait(self.hardship_rng.uniform(*_LOST_PRESS_SECONDS))
        if self._active & {Hardship.TURNED, Hardship.SQUEEZED}:
            self._press_before_turned_camera(seat, faults, outcome)
        elif Hardship.HASTY not in self._active or self.scene.hides_hands or not self.scene.arrangement.rows:
            super()._press(seat, faults, outcome)
        else:
            self._judge("press", faults, outcome)
            self.scene.press_under_hand(seat, self._side(seat))
        self.scene.wait(self.verdict_seconds)
        self._stopped_seconds += self.verdict_seconds

    def _press_before_turned_camera(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        """Press while the camera, or its picture, is turned; somebody turns it back."""
        scene, rng = self.scene, self.hardship_rng
        is_turned = Hardship.TURNED in self._active
        scene.shape = rng.choice(_TURNED_SHAPES) if is_turned else PictureShape.SQUEEZED
        scene.wait(rng.uniform(*_TURNED_SECONDS))
        self._judge("press", faults, outcome)
        scene.press(seat)
        scene.wait(rng.uniform(*_TURNED_SECONDS))
        scene.shape = PictureShape.KNOWN
        self._judgements[-1] = replace(self._judgements[-1], seen_from=scene.now)
        scene.add_moments(_MOMENTS_AFTER_TURN)

    def _lay(self, sets: Sequence[TileSet], seat: int) -> None:
        """Lay these sets. A set laid again is tidied, but its face-down tiles stay so."""
        kept = Counter(sets)
        for row in self.scene.arrangement.rows:
            if kept[row.tile_set] > 0:
                kept[row.tile_set] -= 1
                continue
            for laid in row.tiles:
                shown = self.scene.displaced_tiles.pop(laid, laid)
                if shown.tile is None:
                    self.scene.displaced_tiles[laid] = replace(laid, tile=None, copy=shown.copy)
        super()._lay(sets, seat)

    def _wait_past_time_limit(self, started: float) -> None:
        super()._wait_past_time_limit(started + self._stopped_seconds)

    def _end_hardships(self, seat: int) -> None:
        """Undo the hardships that must end with the turn."""
        scene = self.scene
        scene.hides_hands = False
        if scene.displaced_tiles or scene.dropped_tiles:
            scene.displaced_tiles, scene.dropped_tiles = {}, ()
            scene.touch(self._side(seat), (scene.view.width_mm / 2, scene.view.height_mm / 2))
            scene.add_moments(4)

    # ---- hardships before the turn; each returns whether it was possible ------------------------------------------

    def _random_row(self) -> PlacedRow | None:
        rows = self.scene.arrangement.rows
        return self.hardship_rng.choice(rows) if rows else None

    def _neighbour(self, seat: int) -> int:
        return self._side((seat + 1) % self.players.count)

    def _displaced(self, laid: LaidTile) -> LaidTile:
        """Return the tile as it lies now, after other hardships."""
        return self.scene.displaced_tiles.get(laid, laid)

    def _replace_row(self, row: PlacedRow, tiles: Sequence[LaidTile]) -> None:
        scene = self.scene
        rows = tuple(replace(old, tiles=tuple(tiles)) if old is row else old for old in scene.arrangement.rows)
        scene.arrangement = replace(scene.arrangement, rows=rows)

    def slide(self, seat: int) -> bool:
        """Slide the last tile of a row a little; it still lies in its set."""
        row = self._random_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        down = np.array([-right[1], right[0]])
        shift = right * self.hardship_rng.uniform(1.5, 5.0) + down * self.hardship_rng.uniform(-5.0, 5.0)
        last = row.tiles[-1]
        moved = replace(
            last,
            x=last.x + float(shift[0]),
            y=last.y + float(shift[1]),
            angle=last.angle + self.hardship_rng.uniform(-0.08, 0.08),
        )
        if self._touches_other_rows(row, [moved]):
            return False
        self.scene.touch(self._neighbour(seat), (last.x, last.y), stop_short=True)
        self._replace_row(row, (*row.tiles[:-1], moved))
        self.scene.add_moments(2)
        return True

    def straighten(self, seat: int) -> bool:
        """Let a neighbour straighten every second set."""
        rows = self.scene.arrangement.rows
        if not rows:
            return False
        side = self._neighbour(seat)
        for row in rows[:: 2 if len(rows) > 3 else 1]:
            straightened = lay_row(
                row.pieces,
                row.x + self.hardship_rng.uniform(-4, 4),
                row.y + self.hardship_rng.uniform(-3, 3),
                row.angle + self.hardship_rng.uniform(-0.04, 0.04),
                self.hardship_rng,
            )
            if self._touches_other_rows(row, straightened.tiles):
                continue
            self.scene.touch(side, (row.x, row.y))
            rows_now = tuple(straightened if old is row else old for old in self.scene.arrangement.rows)
            self.scene.arrangement = replace(self.scene.arrangement, rows=rows_now)
        self.scene.touch(side, (rows[-1].x, rows[-1].y), stop_short=True)
        self.scene.add_moments(3)
        return True

    def overlap(self, seat: int) -> bool:
        """Push a row together so that its tiles overlap by a few millimetres until the turn ends."""
        row = self._random_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        overlap_mm = self.hardship_rng.uniform(1.5, 4.0)
        for index, laid in enumerate(row.tiles):
            shift = right * (index - (len(row.tiles) - 1) / 2) * -overlap_mm
            shown = self._displaced(laid)
            self.scene.displaced_tiles[laid] = replace(
                shown, x=shown.x + float(shift[0]), y=shown.y + float(shift[1]), base=shown.base + 0.6 * index
            )
        self._show(seat, row)
        return True

    def turn_down(self, seat: int) -> bool:
        """Turn a tile of a set face down until the turn ends."""
        row = self._random_row()
        if row is None:
            return False
        laid = self.hardship_rng.choice(row.tiles)
        self.scene.displaced_tiles[laid] = replace(self._displaced(laid), tile=None, copy=900 + laid.copy)
        self._show(seat, row)
        return True

    def push_out(self, seat: int) -> bool:
        """Push a row half off the table on a free side until the turn ends."""
        row, view = self._random_row(), self.scene.view
        edges = outlined_area(view) if self.is_outlined else PlayArea(0.0, 0.0, view.width_mm, view.height_mm)
        sides = [side for side in (1, 0, 2) if side not in self.players.sides]
        if row is None or not sides:
            return False
        xs, ys = [laid.x for laid in row.tiles], [laid.y for laid in row.tiles]
        shift = {1: (edges.left - min(xs), 0.0), 0: (0.0, edges.bottom - max(ys)), 2: (0.0, edges.top - min(ys))}[
            sides[0]
        ]
        moved = {
            laid: replace(shown := self._displaced(laid), x=shown.x + shift[0], y=shown.y + shift[1])
            for laid in row.tiles
        }
        if self._touches_other_rows(row, tuple(moved.values())):
            return False
        self.scene.displaced_tiles |= moved
        self._show(seat, row)
        return True

    def drop(self, seat: int) -> bool:
        """Drop a tile from a rack, face down on the free table, until the turn ends."""
        spot = self._free_spot(TILE_WIDTH_MM, 38.0)
        if spot is None:
            return False
        self.scene.dropped_tiles += (
            LaidTile(tile=None, copy=950, x=spot[0], y=spot[1], angle=self.hardship_rng.uniform(0, 6.3)),
        )
        self.scene.touch(self._side(seat), spot)
        self.scene.add_moments(2)
        return True

    def stand(self, seat: int) -> bool:
        """Stand a tile on its edge beside the sets."""
        return self._put_object(ObjectKind.ON_EDGE, seat)

    def put_down(self, seat: int) -> bool:
        """Put a card, a coaster, a score sheet or a phone on the table."""
        return self._put_object(self.hardship_rng.choice(_MOVABLE), seat)

    def _put_object(self, kind: ObjectKind, seat: int) -> bool:
        spot = self._free_spot(*SIZES_MM[kind])
        if spot is None:
            return False
        scene = self.scene
        new_object = TableObject(
            kind=kind,
            x=spot[0],
            y=spot[1],
            angle=self.hardship_rng.uniform(0, 6.3),
            seed=self.hardship_rng.randrange(1 << 30),
        )
        scene.touch(self._neighbour(seat), spot)
        edge = ObjectKind.ON_EDGE
        kept = [other for other in scene.objects if other.kind in _MOVABLE][-_MAX_OBJECTS + 1 :]
        fixed = [other for other in scene.objects if other.kind not in _MOVABLE and other.kind is not edge]
        scene.objects = (*fixed, *kept, new_object)
        scene.add_moments(3)
        return True

    def _show(self, seat: int, row: PlacedRow) -> None:
        self.scene.touch(self._neighbour(seat), (row.x, row.y))
        self.scene.add_moments(3)

    def _free_spot(self, width: float, height: float) -> tuple[float, float] | None:
        """Return the centre (x, y) of a free spot in the play area, in mm; None without one."""
        area, diagonal = play_area(self.scene.view), float(np.hypot(width, height)) + 12
        blocked = [np.array(corners) for corners in self.scene.play_area.blocked]
        for _ in range(_MAX_TRIES):
            x, y = (
                self.hardship_rng.uniform(area.left + 40, area.right - 40),
                self.hardship_rng.uniform(area.top, area.bottom),
            )
            footprint = rectangle(x, y, 0.0, diagonal, diagonal)
            if not self.scene.arrangement.overlaps(footprint) and not any(
                footprints_overlap(footprint, other) for other in blocked
            ):
                return x, y
        return None

    def _touches_other_rows(self, row: PlacedRow, tiles: Sequence[LaidTile]) -> bool:
        """Return whether tiles would touch another row, or come near its ends."""
        others = [laid for other in self.scene.arrangement.rows if other is not row for laid in other.tiles]
        footprints = [rectangle(laid.x, laid.y, laid.angle, TILE_WIDTH_MM + 44, 42.0) for laid in tiles]
        return any(footprints_overlap(place, other.corners()) for place in footprints for other in others)


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
