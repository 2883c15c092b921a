"""Objects that lie on or beside the table all evening: racks, a box and its lid, a printed sheet, a lit screen."""

from collections.abc import Collection
from random import Random

import numpy as np

from referee.sim.hardship_kinds import Hardship
from referee.sim.layout import PlayArea
from referee.sim.table_objects import SIZES_MM, ObjectKind, TableObject


def furniture(seed: int, width_mm: float, height_mm: float) -> tuple[TableObject, ...]:
    """Return racks, an open tile box and its lid at the edge of the picture, outside the play area.

    They keep the distance within which the referee would count their tiles.
    """
    rng = Random(f"furniture {seed}")
    corners = [(0.0, 0.0), (width_mm, 0.0), (width_mm, height_mm), (0.0, height_mm)]
    rng.shuffle(corners)
    objects = []
    for kind, (x, y) in zip((ObjectKind.BOX, ObjectKind.LID), corners, strict=False):
        inward = (1 if x == 0 else -1, 1 if y == 0 else -1)
        position = (x - inward[0] * rng.uniform(45, 95), y - inward[1] * rng.uniform(20, 50))
        objects.append(
            TableObject(
                kind=kind, x=position[0], y=position[1], angle=rng.uniform(-0.15, 0.15), seed=rng.randrange(1 << 30)
            )
        )
    for y, turn in ((28.0, np.pi), (height_mm - 28.0, 0.0)):
        x = width_mm / 2 + rng.uniform(-80, 80)
        angle = turn + rng.uniform(-0.04, 0.04)
        objects.append(TableObject(kind=ObjectKind.RACK, x=x, y=y, angle=angle, seed=rng.randrange(1 << 30)))
    return tuple(objects)


def lasting_objects(hardships: Collection[Hardship], seed: int, area: PlayArea) -> tuple[TableObject, ...]:
    """Return what lies on the table from the start, in western corners of the play area."""
    rng = Random(f"lying {seed}")
    tops = [area.top, area.bottom]
    rng.shuffle(tops)
    kinds = {Hardship.PRINTED: ObjectKind.LEAFLET, Hardship.SCREEN: ObjectKind.SCREEN}
    return tuple(
        TableObject(
            kind=kind,
            x=area.left + SIZES_MM[kind][0] / 2,
            y=edge + (1 if edge == area.top else -1) * SIZES_MM[kind][1] / 2,
            angle=rng.gauss(0, 0.06) + rng.choice((0.0, np.pi)),
            seed=rng.randrange(1 << 30),
        )
        for (hardship, kind), edge in zip(kinds.items(), tops, strict=True)
        if hardship in hardships
    )
