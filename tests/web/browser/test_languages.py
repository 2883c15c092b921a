"""English, German and Polish: the page and the referee's reasons in each, none of it cut off on a small phone."""

from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

from referee.rules.house_rules import HOUSE_RULES, mistake_in
from referee.service.page_settings import settable
from referee.settings import PARTS, wrong_with

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
        "Ustawienia",
    ),
}


@pytest.mark.parametrize("language", SAYINGS)
def test_the_page_speaks(language: str, page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12 / K7 K8 O9")
    phone = open_device(page.url, language=language)
    turn, verdict, reason, score, setup = SAYINGS[language]
    assert phone.view.locator("html").get_attribute("lang") == language
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
    phone.view.get_by_role("heading", name="Język i jasność").wait_for()
    phone.view.get_by_role("button", name="ciemny").click()
    dark = phone.view.evaluate("getComputedStyle(document.body).backgroundColor")
    phone.view.reload()
    phone.view.get_by_role("heading", level=1, name="Ustawienia").wait_for()
    assert phone.view.evaluate("getComputedStyle(document.body).backgroundColor") == dark == "rgb(12, 17, 15)"


def refused_settings() -> set[str]:
    """What is said of settings that the page may change, when they are wrong in every way we can think of."""
    places = [(section, key) for section, part in PARTS.items() for key in get_type_hints(part)]
    wrong = ("zz", "origanal", "", -99, 99999.5, True, [1], [-5.5], ["a"], ["a", "a"], [99, 99])
    said = [wrong_with(*place, value) for place in places if settable(".".join(place)) for value in wrong]
    said += [mistake_in(key, value) for key in HOUSE_RULES for value in ("x", -1, 99999, True)]
    return {line for line in said if line is not None}


@pytest.mark.parametrize("language", ["de", "pl"])
def test_what_is_wrong_with_a_setting_is_said_in_every_language(
    language: str, page: Any, open_device: Callable[..., Any]
) -> None:
    phone = open_device(page.url, language=language)
    lines = sorted(refused_settings())
    told = phone.view.evaluate(
        "async (lines) => { const page = await import('/page/main.js'); return lines.map(page.line); }", lines
    )
    assert len(lines) > 300
    assert [line for line, one in zip(lines, told, strict=True) if line == one] == []


def test_a_line_is_said_part_by_part_and_an_unknown_one_as_it_is(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url, language="de")
    say = "async (line) => (await import('/page/main.js')).line(line)"
    assert phone.view.evaluate(say, "still in safe mode: camera usb:0 gives no picture; is its cable plugged in?") == (
        "noch im abgesicherten Modus: Kamera usb:0 liefert kein Bild; steckt ihr Kabel?"
    )
    assert (
        phone.view.evaluate(say, "organiser (192.168.1.4) said pause") == "Spielleitung (192.168.1.4) hat gesagt: pause"
    )
    assert phone.view.evaluate(say, "usb:0: something: new") == "usb:0: something: new"
