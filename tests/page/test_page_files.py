"""The page's files: light, self-contained, and with words for everything it shows."""

import json
import re
from pathlib import Path

import pytest

from referee.game.cues import CUES
from referee.language.catalogue import catalogue
from referee.rules.editions import EDITIONS
from referee.rules.house_rules import HOUSE_RULES
from referee.rules.wording import COLOURS
from referee.server.page_texts import page_text
from referee.settings.sections import SETTINGS

PAGE = Path(__file__).parents[2] / "referee" / "page" / "static"
SCRIPTS = "\n".join(path.read_text("utf-8") for path in sorted(PAGE.glob("*.js")))
TEXTS = catalogue().texts


WRITTEN = sorted(path for path in PAGE.rglob("*.*") if path.suffix != ".png")


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere_or_stands_inline(path: Path) -> None:
    text = path.read_text("utf-8")
    foreign = [
        one
        for one in re.findall(r"https?://[^\s\"'`)<]+", text)
        if not one.startswith(("http://www.w3.org/", "http://…"))
    ]
    assert not foreign
    if path.suffix == ".html":
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text)
    if path.suffix == ".js":
        assert not re.search(r"\b(innerHTML|outerHTML|insertAdjacentHTML|eval|Function)\b", text)


def test_every_text_the_page_asks_for_is_there_and_none_is_idle(page_ids: frozenset[str]) -> None:
    """Keys are written out (`t("a.b")`, `cond ? "a.b" : "a.c"`) or built from a fixed part (t(`a.${b}`))."""
    written = set(re.findall(r"\"([a-z]+(?:\.\w+)?)\"", SCRIPTS))
    asked = set(re.findall(r"\bt\(\"([^\"]+)\"", SCRIPTS))
    built = (*set(re.findall(r"`([a-z]+\.(?:\w+_)?)\$\{", SCRIPTS)), "known.", "throttled.")
    assert asked <= TEXTS.keys()
    assert {key for key in page_ids if key not in written and not key.startswith(built)} == set()


def test_every_signal_that_can_be_tried_has_a_name() -> None:
    shown = {f"cue.{cue.name}" for cue in CUES.values() if cue.blinks or cue.tones}
    assert shown - TEXTS.keys() == set()


def test_every_house_rule_and_colour_has_words() -> None:
    assert {f"rule.{key}" for key in HOUSE_RULES} <= TEXTS.keys()
    assert {name for rules in EDITIONS.values() for name in rules.colour_names.values()} == COLOURS.keys()


def test_the_page_finds_no_text_by_its_english() -> None:
    assert "new RegExp" not in SCRIPTS
    asset = page_text("text/de.json")
    assert asset is not None
    assert b"does not fit" not in asset.content


def test_what_only_the_setup_says_is_loaded_with_it_alone() -> None:
    first, setup = (page_text(path) for path in ("text/de.json", "text/setup/de.json"))
    assert first is not None
    assert setup is not None
    at_first, with_setup = (json.loads(asset.content)["texts"].keys() for asset in (first, setup))
    means = {f"setting.{section}.{key}" for section, part in SETTINGS.items() for key in part}
    assert {*means, *(f"{one}.title" for one in means), "guide.title", "step.order_help"} <= with_setup
    assert not at_first & with_setup
    assert {"setting.range", "setup.title"} <= at_first


@pytest.mark.parametrize("path", ["text/xx.json", "text/de.po", "de.json", "text/../de.json", ""])
def test_only_languages_there_are_have_a_file(path: str) -> None:
    assert page_text(path) is None


@pytest.fixture
def page_ids() -> frozenset[str]:
    """The ids of the texts that the page alone says."""
    return frozenset(json.loads((PAGE.parents[1] / "language" / "page.json").read_text("utf-8")))
