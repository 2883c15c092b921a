"""Enrolled faces: learnt from one picture, checked for confusions, and recognised."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from referee.errors import CalibrationError
from referee.rules.tiles import PLAIN_JOKERS, Joker, NumberTile, Tile
from referee.rules.wording import say
from referee.vision.classify.naming import MIN_PROBABILITY, LogOdds
from referee.vision.classify.tuning import TUNING
from referee.vision.geometry.detections import Floats
from referee.vision.image.frame import Image
from referee.vision.profile import EnrolledFace, Enrolment

Embeddings = npt.NDArray[np.float64]


def training_looks(crop: Image) -> Image:
    """Return jittered crops [n, 64, 48, 3] of a tile to learn it from, in both orientations."""
    shaken = [crop, *_jittered(crop, TUNING.training_looks, seed=1)]
    return np.stack([*shaken, *(look[::-1, ::-1] for look in shaken)])


def probe_looks(crop: Image) -> Image:
    """Return jittered crops [n, 64, 48, 3] of a tile to test what was learnt, none of them used for learning."""
    return np.stack(_jittered(crop, TUNING.training_looks, seed=2))


def extra_looks(crops: Image) -> Image:
    """Return each crop and its jittered copies [n × 7, 64, 48, 3]; several are more reliable than one."""
    return np.stack([look for crop in crops for look in (crop, *_jittered(crop, TUNING.extra_looks, seed=3))])


def merge_looks(embeddings: Floats) -> Floats:
    """Return the mean embedding of each crop's `extra_looks`, as unit vectors [n, 32]."""
    means = embeddings.reshape(-1, TUNING.extra_looks + 1, embeddings.shape[1]).mean(axis=1)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)


def enrol(
    tiles: Sequence[Tile], looks: Sequence[Embeddings], reader: str, negatives: Embeddings | None = None
) -> Enrolment:
    """Enrol tiles from embeddings [n, 32] of each; `negatives` [m, 32] are of faces to reject, such as numbers.

    A tile may occur several times, like two jokers printed in different colours. Raises CalibrationError for none.
    """
    if not tiles:
        raise CalibrationError(say("faces.none", "no tile is named; say what lies in the picture, as 'J JD JC JM'"))
    faces = tuple(
        EnrolledFace(tile, tuple(tuple(round(float(part), 4) for part in look) for look in seen))
        for tile, seen in zip(tiles, looks, strict=True)
    )
    own = min(float(_nearest_neighbour(face.embeddings).min()) for face in faces)
    learnt = Enrolment(reader=reader, faces=faces, near=own - TUNING.similarity_slack)
    near = (own + similarity(negatives, learnt).max()) / 2 if negatives is not None and len(negatives) else learnt.near
    return replace(learnt, near=round(max(TUNING.min_similarity, float(near)), 4))


def add_face(known: Enrolment | None, tile: Tile, looks: Embeddings, reader: str) -> Enrolment:
    """Return an enrolment with one more face, of which these are embeddings [n, 32].

    The face replaces the one it equals: somebody named that wrongly. Faces that nobody enrolled together match only
    what equals them, as the box's other jokers may be unknown.
    """
    one = replace(enrol([tile], [looks], reader), near=TUNING.same)
    if known is None or known.reader != reader:
        return one
    middle = looks.mean(axis=0) / np.linalg.norm(looks.mean(axis=0))
    kept = tuple(face for face in known.faces if (np.array(face.embeddings) @ middle).max() < TUNING.same)
    return replace(one, faces=(*kept, *one.faces), near=known.near)


def confusable_pairs(enrolment: Enrolment, probes: Sequence[Embeddings]) -> tuple[tuple[Tile, Tile, float], ...]:
    """Return the pairs of tiles that probes [n, 32] of the enrolled faces confuse, and the probability."""
    pairs: dict[tuple[Tile, Tile], float] = {}
    for face, seen in zip(enrolment.faces, probes, strict=True):
        names, chances = enrolled_probabilities(seen.astype(np.float32), enrolment)
        for rival, chance in zip(names, chances.mean(axis=0).tolist(), strict=True):
            if rival != face.tile and chance > TUNING.max_confused:
                one, other = sorted((face.tile, rival), key=names.index)
                pairs[one, other] = max(chance, pairs.get((one, other), 0.0))
    return tuple((one, other, round(chance, 3)) for (one, other), chance in pairs.items())


def similarity(embedding: npt.NDArray[np.floating], enrolment: Enrolment) -> Embeddings:
    """Return the cosine similarity [n] of embeddings [n, 32] to their nearest enrolled embedding."""
    looks = np.concatenate([np.array(face.embeddings) for face in enrolment.faces])
    return np.asarray((embedding @ looks.T).max(axis=1))


def enrolled_probabilities(embedding: Floats, enrolment: Enrolment) -> tuple[tuple[Tile, ...], Embeddings]:
    """Return the enrolled tiles, and the probability [n, tiles] of each given that it is one of them.

    Fisher's linear discriminant on embeddings [n, 32]: all faces share one covariance, caused by crop jitter and light;
    along directions of small variance, a small difference between faces is significant.
    """
    middles, weights = _discriminant(enrolment)
    off = embedding[:, None] - middles[None]
    odds = -np.einsum("nfi,ij,nfj->nf", off, weights, off) / 2 / TUNING.log_odds_divisor
    shares = np.exp(odds - odds.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    names = tuple(dict.fromkeys(face.tile for face in enrolment.faces))
    columns = [[face.tile == name for face in enrolment.faces] for name in names]
    return names, np.asarray(shares @ np.array(columns, np.float64).T)


@lru_cache(maxsize=2)
def _discriminant(enrolment: Enrolment) -> tuple[Embeddings, Embeddings]:
    """Return each face's mean embedding [faces, 32], and the inverse of their shared covariance [32, 32]."""
    looks = [np.array(face.embeddings) for face in enrolment.faces]
    middles = np.array([seen.mean(axis=0) for seen in looks])
    spread = np.concatenate([seen - middle for seen, middle in zip(looks, middles, strict=True)])
    covariance = spread.T @ spread / len(spread)
    return middles, np.asarray(np.linalg.inv(covariance + TUNING.shrinkage * np.eye(len(covariance))))


def check_reader(enrolment: Enrolment, reader: str) -> None:
    """Raise CalibrationError if another reader learnt the faces: its embeddings cannot be compared."""
    if enrolment.reader != reader:
        raise CalibrationError(
            say(
                "faces.reader",
                "the profile's faces were learnt by reader {learnt}, and this is {reader}; "
                "run 'referee calibrate tiles' again",
                learnt=enrolment.reader,
                reader=reader,
            )
        )


def apply_enrolment(
    names: LogOdds,
    embedding: Floats,
    enrolment: Enrolment,
    look_again: Callable[[npt.NDArray[np.intp]], Floats] | None = None,
) -> LogOdds:
    """Return the log-odds, updated for crops whose embeddings [n, 32] resemble an enrolled face.

    The discriminant decides between enrolled faces; the reader counts less, as it may never have seen such a face. The
    probability of no face is kept, and a face that the box lacks becomes "anything else". A joker that the reader sees
    but nobody enrolled stays possible unless the crop equals an enrolled face: jokers of one box may differ less than
    two looks at one of them. `look_again` returns better embeddings [rows, 32] for some rows.
    """
    numbers = [isinstance(tile, NumberTile) for tile in names.tiles]
    alike, number = similarity(embedding, enrolment), names.probabilities[:, :-2][:, numbers].max(axis=1, initial=0.0)
    enrolled_too = any(isinstance(face.tile, NumberTile) for face in enrolment.faces)
    doubted = (number < TUNING.min_number_confidence) | (alike >= TUNING.min_number_confidence) | enrolled_too
    (rows,) = np.nonzero((alike >= min(enrolment.near, TUNING.same - TUNING.similarity_slack)) & doubted)
    looks = look_again(rows) if look_again and len(rows) else embedding[rows]
    seen = similarity(looks, enrolment)
    near = seen >= enrolment.near
    rows, looks, seen = rows[near], looks[near], seen[near]
    if not len(rows):
        return names
    faces, chances = enrolled_probabilities(looks, enrolment)
    columns = [_column_of(face, names.tiles) for face in faces]
    looks_like = np.full((len(rows), len(names.tiles) + 1), MIN_PROBABILITY)  # the last: what the box lacks
    for column, chance in zip(columns, chances.T, strict=True):
        looks_like[:, column] += chance
    unlike = math.log(1 - TUNING.max_confidence)
    log_odds = np.column_stack([names.odds[rows, :-2], np.full(len(rows), math.log(MIN_PROBABILITY))])
    whole = np.logaddexp.reduce(log_odds, axis=1, keepdims=True)
    log_odds += [0.0 if isinstance(tile, Joker) else unlike for tile in (*names.tiles, None)]
    log_odds[seen >= TUNING.same] += [unlike if isinstance(tile, Joker) else 0.0 for tile in (*names.tiles, None)]
    reader = np.column_stack([names.odds[rows, :-2], np.zeros(len(rows))])
    log_odds[:, columns] = (TUNING.reader_weight * reader + np.log(looks_like))[:, columns]
    log_odds += whole - np.logaddexp.reduce(log_odds, axis=1, keepdims=True)
    odds = names.odds.copy()
    odds[rows, :-2] = log_odds[:, :-1]
    odds[rows, -1] = np.logaddexp(odds[rows, -1], log_odds[:, -1])
    return names.add(odds - names.odds)


def _column_of(face: Tile, tiles: Sequence[Tile]) -> int:
    """Return a face's column among the tiles (a coloured joker may count as a plain one), or the one after them."""
    named = PLAIN_JOKERS[0] if isinstance(face, Joker) and face.colour and face not in tiles else face
    return tiles.index(named) if named in tiles else len(tiles)


def _nearest_neighbour(looks: object) -> Embeddings:
    """Return each embedding's cosine similarity to its nearest neighbour among the others."""
    alike = np.asarray(looks) @ np.asarray(looks).T
    np.fill_diagonal(alike, -1.0)
    return np.asarray(alike.max(axis=1)) if len(alike) > 1 else np.ones(1)


def _jittered(crop: Image, count: int, seed: int) -> list[Image]:
    """Return copies of a crop with random geometric error and brightness, some blurred."""
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
