"""Inks judged together: prints that look alike get one name, doubts are settled by the company they keep, no more."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.rules.tiles import COLOURED_JOKERS, Colour
from referee.vision.classify.naming import name_faces
from referee.vision.context.ink_clustering import apply_inks
from referee.vision.geometry.crops import READ_CROP_SIZE
from referee.vision.geometry.detections import INKS, SYMBOLS, Faces
from referee.vision.image.colour_channels import print_colours
from referee.vision.profile import Inks

PRINTS = {
    "K": (50, 45, 45),
    "R": (60, 40, 190),
    "B": (170, 100, 40),
    "O": (40, 130, 230),
    "navy": (75, 40, 35),
    "between red and orange": (45, 85, 215),
}
LAMPS = {"daylight": (1.0, 1.0, 1.0), "candle": (0.35, 0.7, 1.0), "dim": (0.25, 0.25, 0.25)}


def crop(ink: str, lamp: tuple[float, float, float], seed: int, thick: int = 4) -> np.ndarray:
    """A tile with a 7 on it, under a lamp, with a little noise."""
    rng = np.random.default_rng(seed)
    image = np.full((64, 48, 3), (215, 225, 230), np.uint8)
    cv2.putText(image, "7", (10, 42), cv2.FONT_HERSHEY_SIMPLEX, 1.2, PRINTS[ink], thick, cv2.LINE_AA)
    image = np.asarray(cv2.resize(image, READ_CROP_SIZE, interpolation=cv2.INTER_AREA))
    lit = image * np.array(lamp) * rng.uniform(0.85, 1.1) + rng.normal(0, 2, image.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def crops_of(inks: Sequence[str], lamp: str = "daylight") -> np.ndarray:
    return np.stack([crop(ink, LAMPS[lamp], seed) for seed, ink in enumerate(inks)])


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


def inks_of(colours: np.ndarray | None, faces: Faces, known: Inks | None = None) -> np.ndarray:
    """The chances of each ink [n, 4], of a box with jokers in four inks."""
    names = apply_inks(name_faces(faces, dict.fromkeys(COLOURED_JOKERS, 2)), colours, known)
    columns = [[tile.colour is Colour(letter) for tile in names.tiles] for letter in INKS]
    by_ink = names.probabilities[:, :-2] @ np.array(columns).T
    return np.asarray(by_ink / by_ink.sum(axis=1, keepdims=True))


def judged(
    inks: str, lamp: str, sure: float, mistaken: dict[int, tuple[str, float]], profiled: Inks | None = None
) -> str:
    crops = crops_of(inks, lamp)
    together = inks_of(print_colours(crops), opinions(inks, sure, mistaken), profiled)
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


# Print colours measured in a photograph under a yellow lamp, through haze: orange has come near red.
HAZE = {"K": (-0.44, -0.66, -0.75), "R": (-0.38, -0.62, -0.1), "B": (-0.13, -0.48, -1.0), "O": (-0.34, -0.33, -0.01)}


def through_haze(table: str) -> np.ndarray:
    noise = np.random.default_rng(3).normal(0, 0.01, (len(table), 3))
    return np.array([HAZE[ink] for ink in table]) + noise


@pytest.mark.parametrize("inks", ["KR", "RB", "BO", "KO"])
def test_prints_of_one_hue_are_not_doubted_where_the_ink_most_like_it_is_missing(inks: str) -> None:
    together = inks_of(through_haze(inks * 4), opinions(inks * 4, 0.9999, {}))
    assert together.max(axis=1).min() > 0.9


def test_a_print_of_another_hue_raises_no_doubt_about_the_rest_where_both_inks_are_there() -> None:
    table, named = "RRROOK", "RRRRRK"
    faces = opinions(named + "OO", 0.9999, {})
    together = inks_of(through_haze(table + "OO"), faces)
    assert together[:3, INKS.index("R")].min() > 0.9


def test_a_joker_in_an_ink_that_no_number_has_is_as_sure_as_the_model_is_of_it() -> None:
    table = "KRBKRBKRBO"
    faces = opinions(table, 0.99, {})
    faces.symbol[-1] = np.eye(len(SYMBOLS))[SYMBOLS.index("J")]
    together = inks_of(print_colours(crops_of(table)), faces)
    assert together[-1, INKS.index("O")] > 0.98


def test_what_the_table_tells_against_the_model_stays_likeliest() -> None:
    table = "KRBO" * 4
    assert judged(table, "daylight", 0.9, dict.fromkeys((2, 6, 10, 14), ("K", 0.4))) == table


def known(lamp: str, prints: dict[str, str] | None = None) -> Inks:
    """The inks as calibration measures them, three tiles of each under the lamp."""
    drawn = [(prints or {}).get(ink, ink) for ink in INKS]
    colours = print_colours(np.stack([crop(ink, LAMPS[lamp], seed) for seed in range(100, 103) for ink in drawn]))
    means = colours.reshape(3, 4, 3).mean(axis=0).tolist()
    nothing: dict[Colour, float] = dict.fromkeys(Colour, 0.0)
    return Inks(
        colours=dict.fromkeys(Colour, (0.0, 0.0, 0.0)),
        spreads=nothing,
        separation=0.0,
        prints={Colour(letter): (b, g, r) for letter, (b, g, r) in zip(INKS, means, strict=True)},
    )


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_few_doubtful_tiles_are_settled_by_the_inks_of_the_profile(lamp: str) -> None:
    odd = "between red and orange"
    crops = np.stack([crop(odd, LAMPS[lamp], 1), crop("B", LAMPS[lamp], 2)])
    faces = opinions("RB", 0.9, {0: ("O", 0.6)})
    alone = inks_of(print_colours(crops), faces)
    as_red = inks_of(print_colours(crops), faces, known(lamp, {"R": odd}))
    as_orange = inks_of(print_colours(crops), faces, known(lamp, {"O": odd}))
    assert alone[0].max() < 0.95
    assert INKS[as_red[0].argmax()] == "R"
    assert INKS[as_orange[0].argmax()] == "O"


def test_the_inks_of_another_lamp_do_not_overrule_a_whole_table() -> None:
    assert judged("KRBO" * 6, "daylight", 0.9, {}, known("candle")) == "KRBO" * 6


def test_what_the_model_is_sure_of_is_doubted_at_most() -> None:
    faces = opinions("KRBO" * 6, 0.9, {1: ("O", 0.999)})
    crops = crops_of("KRBO" * 6)
    assert inks_of(print_colours(crops), faces)[1].max() < 0.95


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_thin_pale_print_has_the_hue_of_a_thick_one(lamp: str) -> None:
    table = "KRBO" * 4 + "B"
    crops = crops_of(table[:-1], lamp)
    thin = crop("B", LAMPS[lamp], 99, thick=1)
    faces = opinions(table, 0.9, {len(table) - 1: ("K", 0.9)})
    together = inks_of(print_colours(np.concatenate([crops, thin[None]])), faces)
    assert INKS[together[-1].argmax()] == "B"


def test_a_navy_that_the_model_takes_for_black_is_told_from_the_black_beside_it() -> None:
    table = "KRBO" * 6
    drawn = ["navy" if ink == "B" else ink for ink in table]
    crops = crops_of(drawn)
    mistaken = {row: ("K", 0.9) for row, ink in enumerate(table) if ink == "B" and row > 8}
    together = inks_of(print_colours(crops), opinions(table, 0.9, mistaken))
    assert "".join(INKS[column] for column in together.argmax(axis=1)) == table


def test_a_single_doubtful_tile_has_the_usual_ink_it_looks_like() -> None:
    assert judged("R", "candle", 0.6, {0: ("O", 0.6)}) == "R"


def test_no_tile_makes_its_own_ink_what_it_looks_like() -> None:
    odd = crop("between red and orange", LAMPS["daylight"], 1)[None]
    opinion = opinions("O", 0.6, {})
    assert inks_of(print_colours(odd), opinion)[0].max() < 0.95


def with_joker(faces: Faces, row: int) -> Faces:
    symbol = faces.symbol.copy()
    symbol[row] = 0
    symbol[row, SYMBOLS.index("J")] = 1
    return replace(faces, symbol=symbol)


def test_a_doubtful_joker_has_the_ink_of_the_numbers_it_looks_like() -> None:
    crops = crops_of("KRBOKRBOR")
    faces = with_joker(opinions("KRBOKRBOR", 0.9, {8: ("K", 0.5)}), 8)
    assert INKS[inks_of(print_colours(crops), faces)[8].argmax()] == "R"


def test_the_ink_of_a_joker_says_nothing_about_the_numbers() -> None:
    crops = crops_of("KRBOKRBO" + "O" * 4)
    faces = opinions("KRBOKRBO" + "R" * 4, 0.9, {})
    for row in range(8, 12):
        faces = with_joker(faces, row)
    together = inks_of(print_colours(crops), faces)
    without = inks_of(print_colours(crops[:8]), faces.pick(np.arange(8)))
    np.testing.assert_allclose(together[:8], without, atol=1e-6)


def test_in_a_picture_without_colour_every_ink_is_as_likely() -> None:
    np.testing.assert_allclose(inks_of(None, opinions("KRBO", 0.99, {})), 0.25, rtol=1e-6)


@pytest.mark.parametrize("colours", [None, print_colours(crops_of("KRBO"))], ids=["grey", "coloured"])
def test_inks_tell_nothing_of_which_number_a_tile_shows(colours: np.ndarray | None) -> None:
    alone = name_faces(opinions("KRBO", 0.6, {1: ("O", 0.5)}), None)
    together = apply_inks(alone, colours)
    sevens = [getattr(tile, "number", None) == 7 for tile in alone.tiles]
    for names in (alone, together):
        assert names.probabilities[:, :-2][:, sevens].sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(together.probabilities[:, -1], alone.probabilities[:, -1], rtol=1e-6)
