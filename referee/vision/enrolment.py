"""Faces the reader has never been trained on: learnt from a look or two, told apart, and known again."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.tiles import Joker, JokerKind, NumberTile, Tile
from referee.vision.detections import INKS, SYMBOLS, Faces, Floats
from referee.vision.frame import Image
from referee.vision.profile import EnrolledFace, Enrolment

LEAST_NEAR: Final = 0.6  # cosine: less alike than this is another face whatever the others are
_SLACK: Final = 0.05  # another look differs a little more than the looks we made up
_SURE: Final = 0.995
Looks = npt.NDArray[np.float64]


def looks_of(crop: Image) -> Image:
    """Other looks at the tile [n, 64, 48, 3]: turned about, nudged, blurred, in more and less light."""
    shaken = [crop, _moved(crop, 1.2, 0.6), _moved(crop, -0.8, -1.2), _turned(crop, 3), _turned(crop, -3)]
    shaken.append(np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8))
    shaken += [np.asarray(cv2.convertScaleAbs(crop, alpha=light), np.uint8) for light in (0.7, 1.15)]
    return np.stack([*shaken, *(look[::-1, ::-1] for look in shaken)])


def enrol(tiles: Sequence[Tile], looks: Sequence[Looks], reader: str, others: Looks | None = None) -> Enrolment:
    """Learn faces from looks [n, 32] at each tile; `others` [m, 32] are faces to be told from them, such as numbers.

    A tile may come several times, as the two jokers of a box that are printed in two colours.
    """
    if not tiles:
        raise CalibrationError("no tile is named; say with --order what lies in the picture, as 'J JD JC JM'")
    faces = tuple(
        EnrolledFace(tile, tuple(tuple(round(float(part), 5) for part in look) for look in seen))
        for tile, seen in zip(tiles, looks, strict=True)
    )
    strangers = [_most_alike(a.embeddings, b.embeddings) for a, b in combinations(faces, 2) if a.tile != b.tile]
    if others is not None and len(others):
        strangers += [_most_alike(face.embeddings, others) for face in faces]
    own = min(_least_alike(face.embeddings) for face in faces)
    near = max(LEAST_NEAR, min(own - _SLACK, (own + max(strangers)) / 2) if strangers else own - _SLACK)
    return Enrolment(reader=reader, faces=faces, near=round(near, 4))


def too_alike(enrolment: Enrolment) -> tuple[tuple[Tile, Tile, float], ...]:
    """The pairs of faces with different names that are as alike as two looks at one face, and how alike they are."""
    pairs = []
    for one, other in combinations(enrolment.faces, 2):
        alike = _most_alike(one.embeddings, other.embeddings)
        if one.tile != other.tile and alike >= min(_least_alike(one.embeddings), _least_alike(other.embeddings)):
            pairs.append((one.tile, other.tile, round(alike, 3)))
    return tuple(pairs)


def nearest_faces(embedding: Floats, enrolment: Enrolment) -> tuple[npt.NDArray[np.intp], Looks, Looks]:
    """For each embedding [n, 32]: the face most like it, how alike (cosine), and its lead over the next name."""
    alike = np.stack([(embedding @ np.array(face.embeddings).T).max(axis=1) for face in enrolment.faces], axis=1)
    best = np.argmax(alike, axis=1)
    names = [face.tile for face in enrolment.faces]
    same = np.array([[one == other for other in names] for one in names])
    rivals = np.where(same[best], -1.0, alike)
    top = alike[np.arange(len(alike)), best]
    return best, top, top - rivals.max(axis=1, initial=-1.0)


def recognise(faces: Faces, enrolment: Enrolment, reader: str) -> Faces:
    """The faces, those that are surely enrolled ones given their names; all others stay as they were read.

    Raises CalibrationError where the faces were learnt by another reader than `reader`.
    """
    if enrolment.reader != reader:
        raise CalibrationError(
            f"the profile's faces were learnt by reader {enrolment.reader}, and this is {reader}; "
            "run 'referee calibrate tiles' again"
        )
    if not len(faces):
        return faces
    best, alike, lead = nearest_faces(faces.embedding, enrolment)
    known = np.nonzero((alike >= enrolment.near) & (lead > _SLACK / 2))[0]
    symbol, ink = faces.symbol.copy(), faces.ink.copy()
    for row in known:
        name, letter = _class_of(enrolment.faces[best[row]].tile)
        symbol[row] = _surely(len(SYMBOLS), SYMBOLS.index(name))
        if letter is not None:
            ink[row] = _surely(len(INKS), INKS.index(letter))
    return replace(faces, symbol=symbol, ink=ink)


def _class_of(tile: Tile) -> tuple[str, str | None]:
    """The reader's symbol for a tile, and its ink where that is part of the name."""
    match tile:
        case NumberTile():
            return str(tile.number), tile.colour.letter
        case Joker(kind=JokerKind.COLOURED, colour=colour):
            return "J", colour.letter if colour else None
        case Joker():
            return tile.kind.value, None


def _surely(classes: int, column: int) -> Floats:
    chances = np.full(classes, (1 - _SURE) / (classes - 1), np.float32)
    chances[column] = _SURE
    return chances


def _most_alike(one: object, other: object) -> float:
    return float((np.asarray(one) @ np.asarray(other).T).max())


def _least_alike(looks: object) -> float:
    """How alike two looks at one face are at the least, taking for each the look most like it."""
    alike = np.asarray(looks) @ np.asarray(looks).T
    np.fill_diagonal(alike, -1.0)
    return float(alike.max(axis=1).min()) if len(alike) > 1 else 1.0


def _moved(crop: Image, x: float, y: float) -> Image:
    matrix = np.array([[1, 0, x], [0, 1, y]], np.float64)
    return np.asarray(cv2.warpAffine(crop, matrix, crop.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _turned(crop: Image, degrees: float) -> Image:
    height, width = crop.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return np.asarray(cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)
