"""What the renderer of training promises: faces of any tile, one box's tiles alike, crops that lie as labelled."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL", reason="Pillow comes with the extra `train`")

from PIL import ImageFont

from models.training.data import crops, photos
from models.training.data.render import faces, fonts, ornaments, signs


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.mark.parametrize("tile", [*faces.NUMBERS, *faces.JOKERS, "back"])
def test_every_tile_has_a_face(rng: np.random.Generator, tile: str) -> None:
    style = faces.box_style(rng)
    image = faces.face(rng, tile, style, 90)
    assert image.dtype == np.uint8
    assert image.shape == (90, round(90 / style.aspect), 4)
    assert image[45, image.shape[1] // 2, 3] == 255
    assert image[0, 0, 3] < 255, "corners are rounded"


def test_a_seed_gives_the_same_face() -> None:
    first, second = (
        faces.face(r, "R7", faces.box_style(r), 80) for r in (np.random.default_rng(3), np.random.default_rng(3))
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("letter", "index"), [("K", 0), ("R", 1), ("B", 2), ("O", 3)])
def test_a_digit_is_printed_in_its_ink(rng: np.random.Generator, letter: str, index: int) -> None:
    style = dataclasses.replace(faces.box_style(rng), wear=0.0, relief="none", ink_relief=0.0)
    image = faces.face(rng, f"{letter}8", style, 120)[..., :3].astype(int)
    nearest = np.abs(image - np.asarray(style.inks[index])).sum(2)
    assert nearest.min() < 40


def test_digits_lie_in_the_upper_part_where_a_box_says_so(rng: np.random.Generator) -> None:
    style = dataclasses.replace(faces.box_style(rng), digit_centre=0.3, digit_height=0.3, marked_six="none")
    rows = np.nonzero(faces.digits_mask("6", style, 200, 140).max(1) > 0.5)[0]
    assert rows.min() == pytest.approx(30, abs=3)
    assert rows.max() == pytest.approx(90, abs=3)


@pytest.mark.parametrize("kind", ornaments.KINDS)
def test_an_ornament_stands_below_the_digit_and_leaves_it_alone(rng: np.random.Generator, kind: ornaments.Kind) -> None:
    plain = dataclasses.replace(faces.box_style(rng), digit_centre=0.3, digit_height=0.3, ornament=None)
    adorned = dataclasses.replace(plain, ornament=ornaments.Ornament(kind, size=0.7, thickness=0.3))
    without, with_one = (faces.digits_mask("7", style, 200, 140) for style in (plain, adorned))
    added = with_one - without
    assert added[:100].max() == 0
    rows = np.nonzero(added.max(axis=1) > 0.5)[0]
    assert 95 < rows.min() < rows.max() < 195
    assert added.sum() > 200


def test_an_ornament_needs_room() -> None:
    mask = np.zeros((200, 140), np.float32)
    mask[40:180, 40:100] = 1
    assert np.array_equal(ornaments.add_ornament(mask, ornaments.Ornament("disc", 0.7, 0.3)), mask)


def test_a_joker_may_be_a_word_in_the_font_of_the_digits(rng: np.random.Generator) -> None:
    font = signs.with_pictograms(fonts.fonts())  # any would do; in a thin one wear and worn edges would count
    if font is None:
        pytest.skip("the font with pictograms (Debian: fonts-dejavu-core) is not installed")
    sign = signs.Sign("JOKER", font, width=0.8, height=0.3)
    style = dataclasses.replace(faces.box_style(rng), joker_sign=sign, wear=0.0, relief="none", ink_relief=0.0)
    drawn = faces.draw_face(rng, "JB", style, 200)
    assert (drawn.symbol, drawn.ink) == ("J", "B")
    inked = np.abs(drawn.image[..., :3].astype(int) - np.asarray(style.inks[2])).sum(axis=2) < 120
    assert np.ptp(np.nonzero(inked.any(axis=0))[0]) == pytest.approx(0.8 * inked.shape[1], abs=4)


def test_no_pictogram_is_missing_from_the_font_and_some_are_kept_aside() -> None:
    font = signs.with_pictograms(fonts.fonts())
    if font is None:
        pytest.skip("the font with pictograms (Debian: fonts-dejavu-core) is not installed")
    drawn = {character: bytes(ImageFont.truetype(str(font), 48).getmask(character)) for character in signs.PICTOGRAMS}
    assert len(set(drawn.values())) == len(drawn), "what a font lacks it draws as one and the same box"
    assert not set(signs.PICTOGRAMS) & set(signs.HELD_OUT_PICTOGRAMS)


def test_few_boxes_have_ornaments_or_digits_in_the_middle() -> None:
    styles = [faces.box_style(np.random.default_rng(seed)) for seed in range(400)]
    assert {style.ornament.kind for style in styles if style.ornament} == set(ornaments.KINDS)
    assert 30 < sum(style.ornament is not None for style in styles) < 90
    centred = [style for style in styles if style.digit_centre > 0.46]
    assert 10 < len(centred) < 60
    assert sum(style.marked_six != "none" for style in centred) > 0.6 * len(centred)


@pytest.mark.skipif(signs.with_pictograms(fonts.fonts()) is None, reason="the font with pictograms is not installed")
def test_some_boxes_have_a_word_or_a_pictogram_for_a_joker() -> None:
    styles = [faces.box_style(np.random.default_rng(seed)) for seed in range(400)]
    assert 80 < sum(style.joker_sign is not None for style in styles) < 160


def test_fonts_kept_aside_are_never_trained_on() -> None:
    assert not {path.name for path in fonts.fonts()} & {path.name for path in fonts.fonts(held_out=True)}


@pytest.mark.skipif(not fonts.fonts(), reason="no font is installed")
def test_every_font_shows_ten_digits() -> None:
    """Fonts of signs and foreign scripts show boxes for digits, or letters."""
    for font in fonts.fonts():
        shown = {bytes(ImageFont.truetype(str(font), 32).getmask(digit)) for digit in "0123456789"}
        assert len(shown) == 10, font.name


@pytest.mark.skipif(not fonts.fonts(), reason="no font is installed")
def test_a_font_more_on_this_machine_changes_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "KNOWN_FONTS", frozenset())
    every = fonts.fonts.__wrapped__()
    assert len(every) >= len(fonts.fonts()), "where none is known all that fit are taken"
    monkeypatch.setattr(fonts, "KNOWN_FONTS", frozenset({every[0].name, "not installed.ttf"}))
    assert fonts.fonts.__wrapped__() == every[:1]


def test_what_is_no_font_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Broken-Bold.ttf").write_bytes(b"no font")
    (tmp_path / "Gone-Bold.ttf").symlink_to(tmp_path / "nowhere.ttf")
    monkeypatch.setattr(fonts, "_FOLDERS", (str(tmp_path),))
    monkeypatch.setattr(fonts, "_packaged_folders", list)
    assert fonts.fonts.__wrapped__() == ()


def test_a_coloured_joker_is_a_joker_in_its_colour(rng: np.random.Generator) -> None:
    drawn = faces.draw_face(rng, "JB", faces.box_style(rng), 80)
    assert (drawn.symbol, drawn.ink) == ("J", "B")


def test_rectify_puts_the_quad_inside_the_margin() -> None:
    image = np.zeros((300, 300, 3), np.uint8)
    image[100:200, 120:195] = 255  # a tile 100 high and 75 wide
    quad = [(119.5, 99.5), (194.5, 99.5), (194.5, 199.5), (119.5, 199.5)]
    crop = crops.rectify(image, quad)
    assert crop.shape == (64, 48, 3)
    bright = crop[..., 0] > 127
    margin_rows, margin_columns = 64 * 0.08 / 1.16, 48 * 0.08 / 1.16
    assert np.nonzero(bright.any(1))[0].min() == pytest.approx(margin_rows, abs=1)
    assert np.nonzero(bright.any(0))[0].max() == pytest.approx(47 - margin_columns, abs=1)


def test_rectify_turns_the_tile_upright() -> None:
    image = np.zeros((200, 200, 3), np.uint8)
    image[100:150, 50:150] = 255  # its top left corner in the picture's lower right
    crop = crops.rectify(image, [(150, 150), (50, 150), (50, 50), (150, 50)], margin=0.0)
    assert crop[:20].mean() > 250
    assert crop[-20:].mean() < 5


def test_a_bank_holds_labels_for_every_crop(tmp_path: Path) -> None:
    crops.build_bank(tmp_path, 40, 5)
    pictures, labels = np.load(tmp_path / "crops.npy"), np.load(tmp_path / "labels.npy")
    assert pictures.shape == (40, 80, 60, 3)
    assert labels.shape == (40, 2)
    assert set(labels[:, 0]) <= set(range(len(crops.SYMBOLS)))
    numbers = labels[:, 0] < 13
    assert (labels[numbers, 1] >= 0).all(), "a number's ink is always known"


@pytest.mark.parametrize(
    "extra", [[], [(5, 10.2)], [(0, 9), (0.4, 9.9), (9.8, 0.1)]], ids=["four", "on an edge", "cut corners"]
)
def test_a_loose_polygon_becomes_four_corners(extra: list[tuple[float, float]]) -> None:
    quad = photos.quad_of([(0, 0), (10, 0), (10, 14), (0, 14), *extra])
    assert quad.shape == (4, 2)
    wanted = {(0, 0), (10, 0), (10, 14), (0, 14)}
    for corner in wanted:
        assert np.linalg.norm(quad - corner, axis=1).min() < 1.0
    assert np.linalg.norm(quad[1] - quad[0]) < np.linalg.norm(quad[2] - quad[1]), "a short side comes first"


def test_a_fontless_box_asks_for_no_font_so_it_is_alike_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(**_: object) -> tuple[Path, ...]:
        raise AssertionError("what fonts are installed was asked")

    monkeypatch.setattr(faces, "fonts", asked)
    monkeypatch.setattr(faces, "weighted_fonts", asked)
    styles = [faces.box_style(np.random.default_rng(seed), fontless=True) for seed in range(50)]
    assert {(style.font, style.name_font, style.joker_sign) for style in styles} == {(None, None, None)}
    image = faces.face(np.random.default_rng(1), "R7", styles[0], 90)
    assert image.shape[0] == 90
