"""The card for players says all it should in each language, and the referee does not read it for tiles."""

import html
import runpy
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.language.catalogue import catalogue, languages
from referee.rules.editions import rule_set
from referee.vision.image.frame import Frame
from referee.vision.pipeline import TableReader

FOLDER = Path(__file__).parent.parent.parent / "calibration"
CARDS = runpy.run_path(str(FOLDER / "make_cards.py"))
LANGUAGES = sorted(languages())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_says_everything_in_its_language(language: str) -> None:
    spoken, card = catalogue(language), CARDS["card"](language) + CARDS["sheet"](language)
    texts = {id_: forms[0] for id_, forms in spoken.texts.items() if id_.startswith("card.") and id_ != "card.page"}
    assert len(texts) > 30
    assert [id_ for id_, text in texts.items() if html.escape(text) not in card] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_evening_is_one_page_in_its_language(language: str) -> None:
    texts, page = catalogue(language).texts, CARDS["quick_start"](language)
    assert [id_ for id_ in CARDS["FIRST_STEPS"] if html.escape(texts[f"{id_}_how"][0]) not in page] == []
    if language != "en":
        assert texts["step.setup_how"] != catalogue("en").texts["step.setup_how"]
    assert (FOLDER / f"quick-start-{language}.pdf").read_bytes().count(b"/Type /Page\n") == 1


def test_the_address_of_the_page_is_on_the_card_where_it_is_given() -> None:
    assert "<svg" in CARDS["card"]("en", "http://referee.local:8080/")
    assert "<svg" not in CARDS["card"]("en")


@pytest.mark.skipif(
    shutil.which("pdftoppm") is None, reason="pdftoppm is not installed: sudo apt install poppler-utils"
)
@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=() if one in {"en", "pl"} else pytest.mark.slow) for one in LANGUAGES]
)
@pytest.mark.parametrize("kind", ["card", "quick-start", "score-sheet"])
def test_no_tile_is_read_on_what_lies_beside_the_table(kind: str, language: str, tmp_path: Path) -> None:
    name = f"{kind}-{language}"
    words = ["pdftoppm", "-r", "50", "-png", "-singlefile", FOLDER / f"{name}.pdf", tmp_path / name]
    subprocess.run(words, check=True)
    card = cv2.imread(str(tmp_path / f"{name}.png"))
    assert card is not None
    table = np.full((720, 960, 3), (60, 110, 70), np.uint8)
    table[100 : 100 + card.shape[0], 250 : 250 + card.shape[1]] = card
    reading = TableReader().read_table(Frame(name, 0.0, table), rule_set("original").box)
    assert [str(tile.tile) for tile in reading.tiles if tile.tile is not None and not tile.unsure] == []
