"""The jokers of a simulated box shown to the reader before play, as `referee calibrate tiles` does with real ones."""

from dataclasses import replace
from typing import Final

import numpy as np

from referee.rules.editions import RuleSet
from referee.rules.tiles import Joker, JokerKind
from referee.sim.render import Painter, TableSetting
from referee.sim.view import LaidTile
from referee.vision.classify.enrolment import enrol, training_looks
from referee.vision.geometry.crops import rectify
from referee.vision.pipeline import TableReader
from referee.vision.profile import Profile

_SPACING_MM: Final = 70.0
_SPECIAL: Final = frozenset({JokerKind.DOUBLE, JokerKind.COLOUR_CHANGE, JokerKind.MIRROR})


def has_special_jokers(rules: RuleSet) -> bool:
    """Return whether a box has jokers that must be enrolled."""
    return any(isinstance(tile, Joker) and tile.kind in _SPECIAL for tile in rules.box)


def enrol_jokers(reader: TableReader, rules: RuleSet, setting: TableSetting) -> Profile:
    """Return the profile after enrolling every joker of the box, laid in the middle of the table."""
    view = setting.view
    jokers = sorted((tile for tile in rules.box if isinstance(tile, Joker)), key=str)
    laid = [
        LaidTile(
            tile=tile,
            copy=copy,
            x=view.width_mm / 2 + _SPACING_MM * (index - (len(jokers) - 1) / 2),
            y=view.height_mm / 2 + _SPACING_MM * (copy - 0.5),
            angle=0.02 * (-1) ** index,
        )
        for index, tile in enumerate(jokers)
        for copy in range(min(rules.box[tile], 2))
    ]
    image = Painter(replace(setting, seats=())).paint(laid)
    quads = np.array([view.quad(tile, setting.style.thickness) for tile in laid], np.float32)
    embeddings = [reader.embeddings(training_looks(crop)).astype(np.float64) for crop in rectify(image, quads)]
    faces = [face.tile for face in laid if face.tile is not None]
    return Profile(camera="sim", size=view.size, enrolment=enrol(faces, embeddings, reader.reader_id))
