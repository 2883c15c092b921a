"""Faces the reader has never been trained on: learnt from a look or two, told apart, and known again."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.tiles import Joker, JokerKind, NumberTile, Tile
from referee.vision.detections import INKS, SYMBOLS, Faces, Floats
from referee.vision.frame import Image
from referee.vision.profile import EnrolledFace, Enrolment

LEAST_LEAD: Final = 0.01  # of alikeness: what is no nearer than this to its own face is a guess
LEAST_NEAR: Final = 0.7  # cosine: less alike than this is another face whatever the others are
_SLACK: Final = 0.1  # another look differs a little more than the looks we made up
_MOST_SURE: Final = 0.995
_LEAD: Final = 0.02  # of alikeness: by so much more alike is e times likelier
# Size, turn in degrees, shift to the right and down in pixels of the crop.
_LEARN_MOVES: Final = ((1.0, 0.0, 1.5, 1.0), (1.0, 0.0, -1.5, -1.0), (0.95, 3.0, -1.0, 1.0), (1.05, -3.0, 1.0, -1.0))
_TRY_MOVES: Final = ((1.0, 2.0, 0.5, -1.0), (1.0, -2.0, -0.5, 1.0), (0.975, 0.0, -0.7, -0.7), (1.025, 0.0, 0.7, 0.7))
Looks = npt.NDArray[np.float64]


def looks_of(crop: Image) -> Image:
    """Other looks at the tile to learn it by [n, 64, 48, 3]: both ways up, nudged, blurred, in more and less light."""
    shaken = [crop, *(_moved(crop, *move) for move in _LEARN_MOVES)]
    shaken.append(np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8))
    shaken += [np.asarray(cv2.convertScaleAbs(crop, alpha=light), np.uint8) for light in (0.7, 1.15)]
    return np.stack([*shaken, *(look[::-1, ::-1] for look in shaken)])


def probes_of(crop: Image) -> Image:
    """Looks at the tile to try what was learnt by [n, 64, 48, 3]: none that it was learnt from, and milder."""
    shaken = [_moved(crop, *move) for move in _TRY_MOVES]
    shaken.append(np.asarray(cv2.convertScaleAbs(cv2.GaussianBlur(crop, (0, 0), 0.5), alpha=0.85), np.uint8))
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
    own = min(float(_nearest_own(face.embeddings).min()) for face in faces)
    near = own - _SLACK
    if others is not None and len(others):
        near = (own + max(_most_alike(face.embeddings, others) for face in faces)) / 2
    near = max(LEAST_NEAR, near)
    return Enrolment(reader=reader, faces=faces, near=round(near, 4))


def too_alike(enrolment: Enrolment, probes: Sequence[Looks]) -> tuple[tuple[Tile, Tile, float], ...]:
    """The pairs of names that some probe [n, 32] of an enrolled face confuses, or nearly, and how alike they are."""
    pairs: dict[tuple[Tile, Tile], float] = {}
    for face, seen in zip(enrolment.faces, probes, strict=True):
        names, alike = alikeness(seen.astype(np.float32), enrolment)
        own = alike[:, names.index(face.tile)]
        for column, rival in enumerate(names):
            if rival != face.tile and float((own - alike[:, column]).min()) < LEAST_LEAD:
                one, other = sorted((face.tile, rival), key=names.index)
                pairs[one, other] = max(float(alike[:, column].max()), pairs.get((one, other), 0.0))
    return tuple((one, other, round(alike, 3)) for (one, other), alike in pairs.items())


def alikeness(embedding: Floats, enrolment: Enrolment) -> tuple[tuple[Tile, ...], Looks]:
    """The enrolled names, and how alike (cosine) each embedding [n, 32] is to the nearest look at each of them."""
    names = tuple(dict.fromkeys(face.tile for face in enrolment.faces))
    looks = {
        name: [look for face in enrolment.faces if face.tile == name for look in face.embeddings] for name in names
    }
    return names, np.stack([(embedding @ np.array(looks[name]).T).max(axis=1) for name in names], axis=1)


def recognise(faces: Faces, enrolment: Enrolment, reader: str) -> Faces:
    """The faces, those near enrolled ones given their names, as surely as they lead; all others stay as they were read.

    Raises CalibrationError where the faces were learnt by another reader than `reader`.
    """
    if enrolment.reader != reader:
        raise CalibrationError(
            f"the profile's faces were learnt by reader {enrolment.reader}, and this is {reader}; "
            "run 'referee calibrate tiles' again"
        )
    if not len(faces):
        return faces
    names, alike = alikeness(faces.embedding, enrolment)
    symbol, ink = faces.symbol.copy(), faces.ink.copy()
    for row in np.nonzero(alike.max(axis=1) >= enrolment.near)[0]:
        leads = np.exp((alike[row] - alike[row].max()) / _LEAD)
        shares = _MOST_SURE * leads / leads.sum()
        symbol[row] = (1 - _MOST_SURE) / len(SYMBOLS)
        for tile, share in zip(names, shares, strict=True):
            symbol[row, SYMBOLS.index(_symbol_of(tile))] += float(share)
        letters = [_letter_of(tile) for tile in names]
        if all(letters):
            by_ink = [sum(shares[k] for k, has in enumerate(letters) if has == letter) for letter in INKS]
            ink[row] = np.array(by_ink) + (1 - _MOST_SURE) / len(INKS)
    return replace(faces, symbol=symbol, ink=ink)


def _symbol_of(tile: Tile) -> str:
    """The reader's class for a tile; jokers of all colours are one."""
    match tile:
        case NumberTile():
            return str(tile.number)
        case Joker(kind=JokerKind.COLOURED):
            return JokerKind.REGULAR.value
        case Joker():
            return tile.kind.value


def _letter_of(tile: Tile) -> str | None:
    """The ink that is part of a tile's name."""
    return tile.colour.letter if tile.colour else None


def _most_alike(one: object, other: object) -> float:
    return float((np.asarray(one) @ np.asarray(other).T).max())


def _nearest_own(looks: object) -> Looks:
    """For each look at a face how alike it is to the one most like it among the others."""
    alike = np.asarray(looks) @ np.asarray(looks).T
    np.fill_diagonal(alike, -1.0)
    return np.asarray(alike.max(axis=1)) if len(alike) > 1 else np.ones(1)


def _moved(crop: Image, size: float, degrees: float, x: float, y: float) -> Image:
    height, width = crop.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), degrees, size)
    matrix[:, 2] += np.array([x, y])
    return np.asarray(cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)
