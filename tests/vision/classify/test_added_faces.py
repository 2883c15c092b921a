"""Jokers learnt one at a time, as people name them: the learnt one is read surely, the others are not taken for it."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from referee.reading.observation import TileReading
from referee.rules.editions import rule_set
from referee.rules.notation import parse_tile
from referee.rules.tiles import Joker, Tile
from referee.sim.render import Painter, TableSetting
from referee.sim.scenarios import simulated_match
from referee.sim.view import LaidTile
from referee.vision.classify.enrolment import add_face, training_looks
from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.crops import rectify
from referee.vision.image.frame import Frame, Image
from referee.vision.pipeline import TableReader
from referee.vision.profile import Enrolment, Profile

SIZE = (1280, 960)


@pytest.fixture(scope="module")
def reader() -> TableReader:
    return TableReader(threads=1)


class Box:
    """The jokers of a drawn box, laid anew in each picture."""

    def __init__(self, edition: str, seed: int) -> None:
        self.rules = rule_set(edition)
        setting = simulated_match(self.rules, seed=seed, games=1, cheat_rate=0.0, size=SIZE)[1]
        self.setting: TableSetting = replace(setting, seats=())
        self.jokers = sorted({tile for tile in self.rules.box if isinstance(tile, Joker)}, key=str)
        self._chance = Random(seed)

    def picture(self, number: int) -> tuple[Image, list[LaidTile]]:
        laid = [
            LaidTile(
                tile=tile,
                copy=0,
                x=220 + 110 * place + self._chance.uniform(-20, 20),
                y=300 + self._chance.uniform(-80, 80),
                angle=self._chance.uniform(-3, 3),
            )
            for place, tile in enumerate(self.jokers)
        ]
        return Painter(self.setting).paint(laid, noise_index=number), laid

    def embeddings(self, reader: TableReader, joker: Tile) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        image, laid = self.picture(0)
        (tile,) = (one for one in laid if one.tile == joker)
        (crop,) = rectify(image, np.array([self.setting.view.quad(tile, self.setting.style.thickness)], np.float32))
        return reader.embeddings(training_looks(crop)).astype(np.float64)

    def read(
        self, reader: TableReader, enrolment: Enrolment | None, image: Image, laid: list[LaidTile]
    ) -> dict[Tile, TileReading]:
        profile = Profile(camera="sim", size=SIZE, enrolment=enrolment)
        seen = reader.read_table(Frame("f", 0.0, image), self.rules.box, profile=profile).tiles
        view, thickness = self.setting.view, self.setting.style.thickness

        def at(tile: LaidTile) -> TileReading:
            middle = view.quad(tile, thickness).mean(axis=0)
            return min(seen, key=lambda one: float(np.hypot(*(middle - one.centre))))

        return {tile.tile: at(tile) for tile in laid if tile.tile is not None}


@pytest.mark.parametrize(("edition", "seed"), [("twist", 30), ("twist-pressman", 31), ("3in1-twist", 32)])
def test_a_joker_that_was_named_once_is_read_surely_and_the_others_are_read_as_before(
    reader: TableReader, edition: str, seed: int
) -> None:
    box = Box(edition, seed)
    learnt = {joker: add_face(None, joker, box.embeddings(reader, joker), reader.reader_id) for joker in box.jokers}
    for number in (1, 2):
        image, laid = box.picture(number)
        before = box.read(reader, None, image, laid)
        for joker, enrolment in learnt.items():
            read = box.read(reader, enrolment, image, laid)
            assert (read[joker].tile, read[joker].unsure) == (joker, False)
            others = [other for other in box.jokers if other != joker and read[other].tile == joker]
            assert all(before[other].tile == joker for other in others), "the reader itself took them for it"


def test_with_each_kind_named_once_nothing_is_in_doubt(reader: TableReader) -> None:
    box, learnt = Box("twist", 33), None
    for joker in box.jokers:
        learnt = add_face(learnt, joker, box.embeddings(reader, joker), reader.reader_id)
    assert learnt is not None
    for number in (1, 2, 3):
        read = box.read(reader, learnt, *box.picture(number))
        assert {tile: (seen.tile, seen.unsure) for tile, seen in read.items()} == {t: (t, False) for t in box.jokers}


def looks(*middle: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Two looks at a face, nearly alike."""
    spread = np.array([[0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]) + middle
    return np.asarray(spread / np.linalg.norm(spread, axis=1, keepdims=True))


def test_a_face_named_anew_is_no_longer_what_it_was_and_other_faces_stay() -> None:
    first = add_face(None, parse_tile("JM"), looks(1, 0, 0), "reader")
    both = add_face(first, parse_tile("JD"), looks(0, 1, 0), "reader")
    mended = add_face(both, parse_tile("J"), looks(1, 0, 0.02), "reader")
    assert [str(face.tile) for face in both.faces] == ["JM", "JD"]
    assert [str(face.tile) for face in mended.faces] == ["JD", "J"]
    assert mended.near >= TUNING.min_similarity
    assert [str(face.tile) for face in add_face(both, parse_tile("J"), looks(0, 0, 1), "another").faces] == ["J"]
