"""The page and the referee's reasons in English, German, Polish and others, none of it cut off on a small phone."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import expect

SAYINGS = {
    "en": ("Ann to move", "Ann: not legal", "O9 does not fit: a run has one colour, here black.", "Score", "Setup"),
    "de": (
        "Ann ist am Zug",
        "Ann: regelwidrig",
        "O9 passt nicht: eine Reihe hat nur eine Farbe, hier Schwarz.",
        "Punkte",
        "Einrichten",
    ),
    "pl": (
        "Ruch gracza: Ann",
        "Ann: ruch nieprawidłowy",
        "P9 nie pasuje: seria ma jeden kolor, tutaj czarny.",
        "Punkty",
        "Konfiguracja",
    ),
    "fr": (
        "C'est à Ann",
        "Ann : non valable",
        "O9 ne va pas : une suite n'a qu'une couleur, ici noir.",
        "Points",
        "Configuration",
    ),
    "tr": ("Sıra: Ann", "Ann: geçersiz", "T9 uymuyor: bir seri tek renklidir, burada siyah.", "Puanlar", "Kurulum"),
}


@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=() if one in {"en", "pl"} else pytest.mark.slow) for one in SAYINGS]
)
def test_the_page_speaks(language: str, page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12 / K7 K8 O9")
    phone = open_device(page.url, language=language)
    turn, verdict, reason, score, setup = SAYINGS[language]
    expect(phone.view.locator("html")).to_have_attribute("lang", language)
    phone.must_say(turn)
    phone.must_say(verdict, ".verdict")
    phone.must_say(reason, ".verdict")
    phone.picture(f"wrong-phone-{language}")
    for tab, heading in (("score", score), ("setup", setup)):
        phone.tab(tab)
        phone.view.get_by_role("heading", level=1, name=heading, exact=True).wait_for()
        assert phone.overflow() == 0
        phone.picture(f"{tab}-phone-{language}")
    untold = phone.view.evaluate("document.body.innerText.match(/\\b[a-z_]+\\.[a-z_]+\\b/g)")
    assert not [word for word in untold or () if not word.startswith("rummikub")], "a key stands where words should"


def test_the_language_is_changed_and_kept(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(f"{page.url}#setup")
    phone.view.locator(".parts").get_by_role("button", name="This page").click()
    phone.picture("page-phone", whole=True)
    phone.view.get_by_role("button", name="Polski").click()
    phone.view.get_by_role("heading", name="Język, wygląd i dźwięk").wait_for()
    phone.view.get_by_role("button", name="ciemny").click()
    dark = phone.view.evaluate("getComputedStyle(document.body).backgroundColor")
    phone.view.reload()
    phone.view.get_by_role("heading", level=1, name="Konfiguracja").wait_for()
    assert phone.view.evaluate("getComputedStyle(document.body).backgroundColor") == dark == "rgb(12, 17, 15)"


def test_a_name_from_right_to_left_does_not_turn_the_line_about(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("\u05d3\u05e0\u05d4", "Ben"))
    page.play("R10 R11 R12")
    line = open_device(page.url).view.locator("#verdict-line")
    line.wait_for()
    assert line.text_content() == "\u2068\u05d3\u05e0\u05d4\u2069: legal"
