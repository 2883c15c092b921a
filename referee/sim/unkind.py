"""Unkind evenings: people press too soon, straighten others' sets, drop tiles, and leave things about.

An `UnkindEvening` plays what an evening plays and lets hardships befall the table before and during a turn. The truth
stays exact: what a hardship does to the table is known, and `Turn.whole` tells whether every tile of the table lies
whole, face up and uncovered. Of a table that does not, nobody can be sure; the referee may leave it undecided. What
befalls the camera is in `unsteady`.
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
from referee.sim.layout import Area, Row, footprints_meet, lay_row
from referee.sim.position import Position
from referee.sim.scene import outlined_area, play_area
from referee.sim.session import Evening, Turn
from referee.sim.things import SIZES_MM, Kind, Thing
from referee.sim.view import LaidTile, rectangle

_RATE: Final = 0.8  # of the turns something befalls the table
_MAX_THINGS: Final = 3
_TRIES: Final = 60
_MOVABLE: Final = (Kind.CARD, Kind.COASTER, Kind.SHEET, Kind.PHONE)


@unique
class Hardship(StrEnum):
    """What befalls people, tiles, table and camera; the values are the names that options take."""

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


LASTING: Final = frozenset(
    {Hardship.FURNITURE, Hardship.DROPPED, Hardship.FEW, Hardship.SLOW, Hardship.LAMPS, Hardship.SAG}
)
"""These last all evening: what stands about, and what befalls the camera."""
SPOILING: Final = frozenset({Hardship.OVERLAP, Hardship.FACE_DOWN, Hardship.OUTSIDE})
"""After these not every tile of the table lies whole, face up and uncovered."""


def furniture(seed: int, width_mm: float, height_mm: float) -> tuple[Thing, ...]:
    """Racks, an open tile box and its lid at the edge of the picture, beside the part of the table played on.

    Tiles so near that part that the referee counts them are for nobody to leave in a box.
    """
    rng = Random(f"furniture {seed}")
    corners = [(0.0, 0.0), (width_mm, 0.0), (width_mm, height_mm), (0.0, height_mm)]
    rng.shuffle(corners)
    found = []
    for kind, (x, y) in zip((Kind.BOX, Kind.LID), corners, strict=False):
        inward = (1 if x == 0 else -1, 1 if y == 0 else -1)
        spot = (x - inward[0] * rng.uniform(45, 95), y - inward[1] * rng.uniform(20, 50))
        found.append(
            Thing(kind=kind, x=spot[0], y=spot[1], angle=rng.uniform(-0.15, 0.15), seed=rng.randrange(1 << 30))
        )
    for y, turn in ((28.0, np.pi), (height_mm - 28.0, 0.0)):
        x = width_mm / 2 + rng.uniform(-80, 80)
        angle = turn + rng.uniform(-0.04, 0.04)
        found.append(Thing(kind=Kind.RACK, x=x, y=y, angle=angle, seed=rng.randrange(1 << 30)))
    return tuple(found)


@dataclass(kw_only=True)
class UnkindEvening(Evening):
    """An evening on which these hardships come at random; `counts` says in how many turns each came."""

    hardships: Sequence[Hardship] = tuple(Hardship)
    chance: Random
    counts: Counter[str] = field(default_factory=Counter)
    befallen: int = 0
    """In how many turns any came."""
    outlined: bool = False
    """Whether the referee knows where the table ends; else it ends for it where the picture does."""
    patience: float = 0.0
    """Seconds that players wait after a press to hear what the referee says."""
    _now: frozenset[Hardship] = frozenset()
    _stood: float = 0.0  # seconds that the clock may have stood in this turn, while the referee looked

    def _turn(self, game: int, number: int, seat: int) -> Turn:
        self._now, self._stood = frozenset(), 0.0
        at_random = [one for one in self.hardships if one not in LASTING]
        if at_random and self.chance.random() < _RATE:
            self._now = frozenset(self.chance.sample(at_random, min(len(at_random), self.chance.choice((1, 1, 2)))))
        turn = super()._turn(game, number, seat)
        turn = replace(turn, whole=not self._now & SPOILING, shown_as=dict(self.stage.shown_as))
        self._tidy(seat)
        self.counts.update(hardship.value for hardship in self._now)
        self.befallen += bool(self._now)
        return replace(turn, hardships=tuple(sorted(self._now)), ended=self.stage.now)

    def _act(self, position: Position, seat: int) -> tuple[str | None, int]:
        self.stage.quick = Hardship.QUICK in self._now
        coming = (one for one in Hardship if one in self._now)  # what outlasts the turn before what is put upon it
        self._now = frozenset(one for one in coming if one not in _BEFALLS or _BEFALLS[one](self, seat))
        return super()._act(position, seat)

    def _press(self, seat: int, faults: frozenset[Fault], outcome: Outcome) -> None:
        """Press, now or, in haste, while another hand still moves over the table."""
        if Hardship.HASTY not in self._now or self.stage.quick or not self.stage.arrangement.rows:
            super()._press(seat, faults, outcome)
        else:
            self._judge("press", faults, outcome)
            self.stage.press_under_hand(seat, self._side(seat))
        self.stage.wait(self.patience)
        self._stood += self.patience

    def _lay(self, sets: Sequence[TileSet], seat: int) -> None:
        """Lay the table so; a set that is laid anew is put in order, but for what lies face down."""
        kept = Counter(sets)
        for row in self.stage.arrangement.rows:
            if kept[row.tile_set] > 0:
                kept[row.tile_set] -= 1
                continue
            for laid in row.tiles:
                shown = self.stage.shown_as.pop(laid, laid)
                if shown.tile is None:
                    self.stage.shown_as[laid] = replace(laid, tile=None, copy=shown.copy)
        super()._lay(sets, seat)

    def _wait_past_the_end(self, started: float) -> None:
        super()._wait_past_the_end(started + self._stood)

    def _tidy(self, seat: int) -> None:
        """Set right what must not outlast the turn."""
        stage = self.stage
        stage.quick = False
        if stage.shown_as or stage.dropped:
            stage.shown_as, stage.dropped = {}, ()
            stage.touch(self._side(seat), (stage.view.width_mm / 2, stage.view.height_mm / 2))
            stage.look(4)

    # ---- what befalls the table before the turn; whether it could --------------------------------------------------

    def _free_row(self) -> Row | None:
        rows = self.stage.arrangement.rows
        return self.chance.choice(rows) if rows else None

    def _neighbour(self, seat: int) -> int:
        return self._side((seat + 1) % self.company.players)

    def _shown(self, laid: LaidTile) -> LaidTile:
        """Return the tile as it lies now, after what else befell it."""
        return self.stage.shown_as.get(laid, laid)

    def _exchange(self, row: Row, tiles: Sequence[LaidTile]) -> None:
        stage = self.stage
        rows = tuple(replace(old, tiles=tuple(tiles)) if old is row else old for old in stage.arrangement.rows)
        stage.arrangement = replace(stage.arrangement, rows=rows)

    def slide(self, seat: int) -> bool:
        """Slide the tile at the end of a row a little; it still lies in its set."""
        row = self._free_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        down = np.array([-right[1], right[0]])
        by = right * self.chance.uniform(1.5, 5.0) + down * self.chance.uniform(-5.0, 5.0)
        last = row.tiles[-1]
        moved = replace(
            last, x=last.x + float(by[0]), y=last.y + float(by[1]), angle=last.angle + self.chance.uniform(-0.08, 0.08)
        )
        if self._meets_others(row, [moved]):
            return False
        self.stage.touch(self._neighbour(seat), (last.x, last.y), beside=True)
        self._exchange(row, (*row.tiles[:-1], moved))
        self.stage.look(2)
        return True

    def straighten(self, seat: int) -> bool:
        """Let a neighbour straighten every other set."""
        rows = self.stage.arrangement.rows
        if not rows:
            return False
        side = self._neighbour(seat)
        for row in rows[:: 2 if len(rows) > 3 else 1]:
            about = lay_row(
                row.pieces,
                row.x + self.chance.uniform(-4, 4),
                row.y + self.chance.uniform(-3, 3),
                row.angle + self.chance.uniform(-0.04, 0.04),
                self.chance,
            )
            if self._meets_others(row, about.tiles):
                continue
            self.stage.touch(side, (row.x, row.y))
            rows_now = tuple(about if old is row else old for old in self.stage.arrangement.rows)
            self.stage.arrangement = replace(self.stage.arrangement, rows=rows_now)
        self.stage.touch(side, (rows[-1].x, rows[-1].y), beside=True)
        self.stage.look(3)
        return True

    def overlap(self, seat: int) -> bool:
        """Push a row together until its tiles overlap by a few millimetres, as long as the turn lasts."""
        row = self._free_row()
        if row is None:
            return False
        right = np.array([np.cos(row.angle), np.sin(row.angle)])
        over = self.chance.uniform(1.5, 4.0)
        for place, laid in enumerate(row.tiles):
            by = right * (place - (len(row.tiles) - 1) / 2) * -over
            shown = self._shown(laid)
            self.stage.shown_as[laid] = replace(
                shown, x=shown.x + float(by[0]), y=shown.y + float(by[1]), base=shown.base + 0.6 * place
            )
        self._seen(seat, row)
        return True

    def turn_down(self, seat: int) -> bool:
        """Knock a tile of a set over, face down, as long as the turn lasts."""
        row = self._free_row()
        if row is None:
            return False
        laid = self.chance.choice(row.tiles)
        self.stage.shown_as[laid] = replace(self._shown(laid), tile=None, copy=900 + laid.copy)
        self._seen(seat, row)
        return True

    def push_out(self, seat: int) -> bool:
        """Push a row half off the table, at a side where nobody sits, as long as the turn lasts."""
        row, view = self._free_row(), self.stage.view
        ends = outlined_area(view) if self.outlined else Area(0.0, 0.0, view.width_mm, view.height_mm)
        sides = [side for side in (1, 0, 2) if side not in self.company.sides]
        if row is None or not sides:
            return False
        xs, ys = [laid.x for laid in row.tiles], [laid.y for laid in row.tiles]
        by = {1: (ends.left - min(xs), 0.0), 0: (0.0, ends.bottom - max(ys)), 2: (0.0, ends.top - min(ys))}[sides[0]]
        moved = {laid: replace(shown := self._shown(laid), x=shown.x + by[0], y=shown.y + by[1]) for laid in row.tiles}
        if self._meets_others(row, tuple(moved.values())):
            return False
        self.stage.shown_as |= moved
        self._seen(seat, row)
        return True

    def drop(self, seat: int) -> bool:
        """Drop a tile from a rack, face down on the free table, as long as the turn lasts."""
        spot = self._free_spot(TILE_WIDTH_MM, 38.0)
        if spot is None:
            return False
        self.stage.dropped += (LaidTile(tile=None, copy=950, x=spot[0], y=spot[1], angle=self.chance.uniform(0, 6.3)),)
        self.stage.touch(self._side(seat), spot)
        self.stage.look(2)
        return True

    def stand(self, seat: int) -> bool:
        """Stand a tile on its edge beside the sets."""
        return self._put(Kind.ON_EDGE, seat)

    def put_down(self, seat: int) -> bool:
        """Somebody puts a card, a coaster, a score sheet or a phone on the table."""
        return self._put(self.chance.choice(_MOVABLE), seat)

    def _put(self, kind: Kind, seat: int) -> bool:
        spot = self._free_spot(*SIZES_MM[kind])
        if spot is None:
            return False
        stage = self.stage
        thing = Thing(
            kind=kind, x=spot[0], y=spot[1], angle=self.chance.uniform(0, 6.3), seed=self.chance.randrange(1 << 30)
        )
        stage.touch(self._neighbour(seat), spot)
        edge = Kind.ON_EDGE
        kept = [one for one in stage.things if one.kind in _MOVABLE][-_MAX_THINGS + 1 :]
        fixed = [one for one in stage.things if one.kind not in _MOVABLE and one.kind is not edge]
        stage.things = (*fixed, *kept, thing)
        stage.look(3)
        return True

    def _seen(self, seat: int, row: Row) -> None:
        self.stage.touch(self._neighbour(seat), (row.x, row.y))
        self.stage.look(3)

    def _free_spot(self, width: float, height: float) -> tuple[float, float] | None:
        """Return a middle in the play area about which nothing lies."""
        area, reach = play_area(self.stage.view), float(np.hypot(width, height)) + 12
        for _ in range(_TRIES):
            x, y = self.chance.uniform(area.left + 40, area.right - 40), self.chance.uniform(area.top, area.bottom)
            place = rectangle(x, y, 0.0, reach, reach)
            if not any(footprints_meet(place, laid.corners()) for laid in self.stage.arrangement.tiles):
                return x, y
        return None

    def _meets_others(self, row: Row, tiles: Sequence[LaidTile]) -> bool:
        """Return whether tiles would touch, or come near the end of, another row than their own."""
        others = [laid for other in self.stage.arrangement.rows if other is not row for laid in other.tiles]
        places = [rectangle(laid.x, laid.y, laid.angle, TILE_WIDTH_MM + 44, 42.0) for laid in tiles]
        return any(footprints_meet(place, other.corners()) for place in places for other in others)


_BEFALLS: Final[Mapping[Hardship, Callable[[UnkindEvening, int], bool]]] = MappingProxyType(
    {
        Hardship.SLID: UnkindEvening.slide,
        Hardship.STRAIGHTENED: UnkindEvening.straighten,
        Hardship.OVERLAP: UnkindEvening.overlap,
        Hardship.FACE_DOWN: UnkindEvening.turn_down,
        Hardship.OUTSIDE: UnkindEvening.push_out,
        Hardship.FALLEN: UnkindEvening.drop,
        Hardship.ON_EDGE: UnkindEvening.stand,
        Hardship.THINGS: UnkindEvening.put_down,
    }
)
