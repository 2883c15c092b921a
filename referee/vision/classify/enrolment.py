"""Enrolled faces: learnt from a look or two, told apart, and recognised."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.tiles import PLAIN_JOKERS, Joker, NumberTile, Tile
from referee.vision.classify.naming import MIN_CHANCE, LogOdds
from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image
from referee.vision.profile import EnrolledFace, Enrolment

# How far a located quad is off, measured on rendered tables: its sides, its turn, its middle in pixels of the crop.
Looks = npt.NDArray[np.float64]


def looks_of(crop: Image) -> Image:
    """Other looks at the tile to learn it by [n, 64, 48, 3]: both ways up, as badly cut out as they come."""
    shaken = [crop, *_shaken(crop, TUNING.learnt_looks, seed=1)]
    return np.stack([*shaken, *(look[::-1, ::-1] for look in shaken)])


def probes_of(crop: Image) -> Image:
    """Return looks at the tile [n, 64, 48, 3] to test what was learnt; none of them was learnt from."""
    return np.stack(_shaken(crop, TUNING.learnt_looks, seed=2))


def looks_again(crops: Image) -> Image:
    """Return a few looks at each of some crops [n × 7, 64, 48, 3], for several see more than one."""
    return np.stack([look for crop in crops for look in (crop, *_shaken(crop, TUNING.more_looks, seed=3))])


def joined(embeddings: Floats) -> Floats:
    """Return what the looks of `looks_again` say together: one unit vector [n, 32] for each crop."""
    means = embeddings.reshape(-1, TUNING.more_looks + 1, embeddings.shape[1]).mean(axis=1)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)


def enrol(tiles: Sequence[Tile], looks: Sequence[Looks], reader: str, others: Looks | None = None) -> Enrolment:
    """Learn faces from looks [n, 32] at each tile; `others` [m, 32] are faces to be told from them, such as numbers.

    A tile may come several times, as the two jokers of a box that are printed in two colours.
    """
    if not tiles:
        raise CalibrationError("no tile is named; say what lies in the picture, as 'J JD JC JM'")
    faces = tuple(
        EnrolledFace(tile, tuple(tuple(round(float(part), 4) for part in look) for look in seen))
        for tile, seen in zip(tiles, looks, strict=True)
    )
    own = min(float(_nearest_own(face.embeddings).min()) for face in faces)
    learnt = Enrolment(reader=reader, faces=faces, near=own - TUNING.slack)
    near = (own + alikeness(others, learnt).max()) / 2 if others is not None and len(others) else learnt.near
    return replace(learnt, near=round(max(TUNING.min_near, float(near)), 4))


def too_alike(enrolment: Enrolment, probes: Sequence[Looks]) -> tuple[tuple[Tile, Tile, float], ...]:
    """Return the pairs of names that probes [n, 32] of the enrolled faces confuse, and how likely they do."""
    pairs: dict[tuple[Tile, Tile], float] = {}
    for face, seen in zip(enrolment.faces, probes, strict=True):
        names, chances = chances_of(seen.astype(np.float32), enrolment)
        for rival, chance in zip(names, chances.mean(axis=0).tolist(), strict=True):
            if rival != face.tile and chance > TUNING.max_confused:
                one, other = sorted((face.tile, rival), key=names.index)
                pairs[one, other] = max(chance, pairs.get((one, other), 0.0))
    return tuple((one, other, round(chance, 3)) for (one, other), chance in pairs.items())


def alikeness(embedding: npt.NDArray[np.floating], enrolment: Enrolment) -> Looks:
    """Return how alike (cosine) each embedding [n, 32] is to the enrolled look most like it."""
    looks = np.concatenate([np.array(face.embeddings) for face in enrolment.faces])
    return np.asarray((embedding @ looks.T).max(axis=1))


def chances_of(embedding: Floats, enrolment: Enrolment) -> tuple[tuple[Tile, ...], Looks]:
    """Return the enrolled names, and how likely each embedding [n, 32] shows them [n, names], if it shows any of them.

    Fisher's linear discriminant: looks at every face spread in the same way, by their size and place in the crop and
    by the light; along directions in which looks hardly spread, a small difference between faces tells much.
    """
    middles, weights = _discriminant(enrolment)
    off = embedding[:, None] - middles[None]
    odds = -np.einsum("nfi,ij,nfj->nf", off, weights, off) / 2 / TUNING.caution
    shares = np.exp(odds - odds.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    names = tuple(dict.fromkeys(face.tile for face in enrolment.faces))
    columns = [[face.tile == name for face in enrolment.faces] for name in names]
    return names, np.asarray(shares @ np.array(columns, np.float64).T)


@lru_cache(maxsize=2)
def _discriminant(enrolment: Enrolment) -> tuple[Looks, Looks]:
    """Return the middle of each face's looks [faces, 32], and the inverse of how looks spread about them [32, 32]."""
    looks = [np.array(face.embeddings) for face in enrolment.faces]
    middles = np.array([seen.mean(axis=0) for seen in looks])
    spread = np.concatenate([seen - middle for seen, middle in zip(looks, middles, strict=True)])
    covariance = spread.T @ spread / len(spread)
    return middles, np.asarray(np.linalg.inv(covariance + TUNING.shrinkage * np.eye(len(covariance))))


def check_reader(enrolment: Enrolment, reader: str) -> None:
    """Raise CalibrationError where the faces were learnt by another reader: its embeddings mean nothing to this one."""
    if enrolment.reader != reader:
        raise CalibrationError(
            f"the profile's faces were learnt by reader {enrolment.reader}, and this is {reader}; "
            "run 'referee calibrate tiles' again"
        )


def apply_enrolment(
    names: LogOdds,
    embedding: Floats,
    enrolment: Enrolment,
    look_again: Callable[[npt.NDArray[np.intp]], Floats] | None = None,
) -> LogOdds:
    """Return the log-odds, and what the enrolled faces tell of the crops near one, by their embeddings [n, 32].

    Which of them a crop shows is told by how it looks beside them; the reader counts less, for it may never have seen
    such a face. What may be no face stays so, and a face that the box lacks is none of the box's. A joker that the
    reader sees and nobody enrolled stays possible: jokers of one box may look more alike than two looks at one of them.
    `look_again` gives better embeddings [rows, 32] of some rows.
    """
    numbers = [isinstance(tile, NumberTile) for tile in names.tiles]
    alike, number = alikeness(embedding, enrolment), names.chances[:, :-2][:, numbers].max(axis=1, initial=0.0)
    enrolled_too = any(isinstance(face.tile, NumberTile) for face in enrolment.faces)
    doubted = (number < TUNING.surely_a_number) | (alike >= TUNING.surely_a_number) | enrolled_too
    (rows,) = np.nonzero((alike >= enrolment.near) & doubted)
    if not len(rows):
        return names
    faces, chances = chances_of(look_again(rows) if look_again else embedding[rows], enrolment)
    columns = [_column_of(face, names.tiles) for face in faces]
    looks_like = np.full((len(rows), len(names.tiles) + 1), MIN_CHANCE)  # the last: what the box lacks
    for column, chance in zip(columns, chances.T, strict=True):
        looks_like[:, column] += chance
    unlike = math.log(1 - TUNING.max_confidence)
    told = np.column_stack([names.odds[rows, :-2], np.full(len(rows), math.log(MIN_CHANCE))])
    whole = np.logaddexp.reduce(told, axis=1, keepdims=True)
    told += [0.0 if isinstance(tile, Joker) else unlike for tile in (*names.tiles, None)]
    reader = np.column_stack([names.odds[rows, :-2], np.zeros(len(rows))])
    told[:, columns] = (TUNING.reader_weight * reader + np.log(looks_like))[:, columns]
    told += whole - np.logaddexp.reduce(told, axis=1, keepdims=True)
    odds = names.odds.copy()
    odds[rows, :-2] = told[:, :-1]
    odds[rows, -1] = np.logaddexp(odds[rows, -1], told[:, -1])
    return names.plus(odds - names.odds)


def _column_of(face: Tile, tiles: Sequence[Tile]) -> int:
    """Return which of the tiles a face is, a coloured joker a plain one where none is told; one more: none of them."""
    named = PLAIN_JOKERS[0] if isinstance(face, Joker) and face.colour and face not in tiles else face
    return tiles.index(named) if named in tiles else len(tiles)


def _nearest_own(looks: object) -> Looks:
    """For each look at a face how alike it is to the one most like it among the others."""
    alike = np.asarray(looks) @ np.asarray(looks).T
    np.fill_diagonal(alike, -1.0)
    return np.asarray(alike.max(axis=1)) if len(alike) > 1 else np.ones(1)


def _shaken(crop: Image, count: int, seed: int) -> list[Image]:
    """Return the crop cut out a little wrongly, in other light, now and then blurred."""
    rng, (height, width) = np.random.default_rng(seed), crop.shape[:2]
    shaken = []
    for _ in range(count):
        across, down = np.exp(rng.normal(0, TUNING.size_error, 2))
        angle = np.radians(rng.normal(0, TUNING.turn_error))
        turn = np.array(
            [[np.cos(angle) * across, -np.sin(angle) * down], [np.sin(angle) * across, np.cos(angle) * down]]
        )
        middle = np.array([width - 1, height - 1]) / 2
        shift = middle - turn @ middle + rng.normal(0, TUNING.place_error, 2)
        matrix = np.column_stack([turn, shift])
        look = cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        look = cv2.convertScaleAbs(look, alpha=rng.uniform(0.7, 1.15))
        if rng.random() < 0.3:
            look = cv2.GaussianBlur(look, (0, 0), 0.8)
        shaken.append(np.asarray(look, np.uint8))
    return shaken
