"""Inks judged together: prints that look alike get one name, doubts are settled by the company they keep, no more."""

import cv2
import numpy as np
import pytest

from referee.rules.tiles import Colour
from referee.vision.detections import INKS, SYMBOLS, Faces
from referee.vision.profile import Inks
from referee.vision.table_inks import judge_together, print_colours

PRINTS = {"K": (50, 45, 45), "R": (60, 40, 190), "B": (170, 100, 40), "O": (40, 130, 230)}
LAMPS = {"daylight": (1.0, 1.0, 1.0), "candle": (0.35, 0.7, 1.0), "dim": (0.25, 0.25, 0.25)}


def crop(ink: str, lamp: tuple[float, float, float], seed: int) -> np.ndarray:
    """A tile with a 7 on it, under a lamp, with a little noise."""
    rng = np.random.default_rng(seed)
    image = np.full((64, 48, 3), (215, 225, 230), np.uint8)
    cv2.putText(image, "7", (10, 42), cv2.FONT_HERSHEY_SIMPLEX, 1.2, PRINTS[ink], 4)
    lit = image * np.array(lamp) * rng.uniform(0.85, 1.1) + rng.normal(0, 2, image.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


def opinions(inks: str, sure: float, mistaken: dict[int, tuple[str, float]]) -> Faces:
    """Faces of sevens: each ink given this chance, but for some that are taken for another."""
    ink = np.full((len(inks), 4), (1 - sure) / 3, np.float32)
    for row, letter in enumerate(inks):
        ink[row, INKS.index(letter)] = sure
    for row, (letter, chance) in mistaken.items():
        ink[row] = (1 - chance) / 3
        ink[row, INKS.index(letter)] = chance
    symbol = np.zeros((len(inks), len(SYMBOLS)), np.float32)
    symbol[:, 6] = 1
    rest = np.zeros((len(inks), 32), np.float32)
    return Faces(symbol=symbol, ink=ink, upright=np.ones(len(inks), np.float32), embedding=rest)


def judged(
    inks: str, lamp: str, sure: float, mistaken: dict[int, tuple[str, float]], profiled: Inks | None = None
) -> str:
    crops = np.stack([crop(ink, LAMPS[lamp], seed) for seed, ink in enumerate(inks)])
    together = judge_together(print_colours(crops), opinions(inks, sure, mistaken), profiled)
    np.testing.assert_allclose(together.sum(axis=1), 1, rtol=1e-5)
    return "".join(INKS[column] for column in together.argmax(axis=1))


@pytest.mark.parametrize("lamp", LAMPS)
def test_prints_of_one_ink_have_one_colour_and_of_two_have_two(lamp: str) -> None:
    colours = print_colours(np.stack([crop(ink, LAMPS[lamp], seed) for seed in range(6) for ink in "KRBO"]))
    by_ink = colours.reshape(6, 4, 3)
    within = by_ink.std(axis=0).max()
    means = by_ink.mean(axis=0)
    between = min(np.linalg.norm(means[a] - means[b]) for a in range(4) for b in range(a))
    assert between > 4 * within


@pytest.mark.parametrize("lamp", LAMPS)
def test_doubtful_mistakes_are_settled_by_the_rest_of_the_table(lamp: str) -> None:
    table = "KRBO" * 6
    mistaken = {1: ("O", 0.6), 3: ("R", 0.55), 4: ("B", 0.6), 10: ("K", 0.5)}
    assert judged(table, lamp, 0.9, mistaken) == table


def known(lamp: str) -> Inks:
    """The inks as calibration measures them, three tiles of each under the lamp."""
    prints = print_colours(np.stack([crop(ink, LAMPS[lamp], seed) for seed in range(100, 103) for ink in INKS]))
    means = prints.reshape(3, 4, 3).mean(axis=0).tolist()
    nothing: dict[Colour, float] = dict.fromkeys(Colour, 0.0)
    return Inks(
        colours=dict.fromkeys(Colour, (0.0, 0.0, 0.0)),
        spreads=nothing,
        separation=0.0,
        prints={Colour(letter): (b, g, r) for letter, (b, g, r) in zip(INKS, means, strict=True)},
    )


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_few_doubtful_tiles_are_settled_by_the_inks_of_the_profile(lamp: str) -> None:
    mistaken = {0: ("O", 0.6), 1: ("K", 0.55)}
    assert judged("RB", lamp, 0.9, mistaken) == "OK"
    assert judged("RB", lamp, 0.9, mistaken, known(lamp)) == "RB"
    assert judged("R", lamp, 0.9, {0: ("O", 0.6)}, known(lamp)) == "R"


def test_the_inks_of_another_lamp_do_not_overrule_a_whole_table() -> None:
    assert judged("KRBO" * 6, "daylight", 0.9, {}, known("candle")) == "KRBO" * 6


def test_what_the_model_is_sure_of_is_not_overruled() -> None:
    table = "KRBO" * 6
    assert judged(table, "daylight", 0.9, {1: ("O", 0.995)})[1] == "O"


def test_a_single_tile_is_left_as_it_is() -> None:
    assert judged("R", "candle", 0.6, {0: ("O", 0.6)}) == "O"


def test_a_table_without_doubt_is_left_as_it_is() -> None:
    faces = opinions("KRBO", 0.99, {})
    crops = np.stack([crop("R", LAMPS["daylight"], seed) for seed in range(4)])
    assert judge_together(print_colours(crops), faces) is faces.ink


def test_backs_and_jokers_keep_their_own_ink() -> None:
    faces = opinions("KKKKK", 0.9, {4: ("R", 0.5)})
    faces.symbol[4] = 0
    faces.symbol[4, SYMBOLS.index("J")] = 1
    crops = np.stack([crop("K", LAMPS["daylight"], seed) for seed in range(5)])
    np.testing.assert_array_equal(judge_together(print_colours(crops), faces)[4], faces.ink[4])
