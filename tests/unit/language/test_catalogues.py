"""The catalogues: in step with the sources, complete, with the same values, and read as gettext's tools read them."""

import importlib.util
import io
import json
import string
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.pofile import read_po

from referee.errors import ConfigError
from referee.game.texts.messages import text_of
from referee.language.catalogue import Catalogue, catalogue, languages
from referee.language.po import parse_po
from referee.rules.notation import parse_tiles
from referee.rules.wording import Message, TileRow, say, say_count
from referee.storage.journal import load_journal
from referee.storage.recovery import repeat_steps

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "referee" / "language").glob("*.po"))
LANGUAGES = [file.stem for file in FILES]
MATCHES = sorted((ROOT / "tests" / "matches").glob("*.jsonl"))


@pytest.fixture(scope="module")
def texts() -> ModuleType:
    """The script behind `make texts`."""
    spec = importlib.util.spec_from_file_location("texts", ROOT / "packaging" / "texts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("file", FILES, ids=LANGUAGES)
def test_a_catalogue_is_in_step_with_the_sources(file: Path, texts: ModuleType) -> None:
    assert texts.updated(file) == file.read_text("utf-8"), "run make texts"


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_is_said_in_every_language_with_the_same_values(code: str, texts: ModuleType) -> None:
    said, english = catalogue(code).texts, texts.template()
    assert said.keys() == english.keys()
    for id_, (forms, _) in english.items():
        wanted = gaps(forms[-1])
        for form in said[id_]:
            assert gaps(form) == wanted or (forms[1:] and gaps(form) | {"count"} == wanted | {"count"}), (id_, form)


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])  # English has those of the notation
def test_the_letter_of_a_colour_is_its_own_and_begins_its_name(code: str) -> None:
    said = catalogue(code).texts
    colours = ("black", "red", "blue", "orange", "yellow", "pink")
    letters = {colour: said[f"letter.{colour}"][0] for colour in colours}
    assert len(set(letters.values())) == len(colours)
    assert {colour: said[f"colour.{colour}"][0][0].lower() for colour in colours} == {
        colour: letter[0].lower() for colour, letter in letters.items()
    }


@pytest.mark.parametrize("file", FILES, ids=LANGUAGES)
def test_a_catalogue_is_read_as_babel_reads_it(file: Path) -> None:
    known = read_po(io.BytesIO(file.read_bytes()), locale=file.stem)
    strings = {one.context: one.string for one in known if one.context}
    read = catalogue(file.stem)
    assert read.texts == {id_: (one,) if isinstance(one, str) else tuple(one) for id_, one in strings.items()}
    plurals = {len(one) for one in read.texts.values() if len(one) > 1} or {1}
    assert plurals == {known.num_plurals}


@pytest.mark.parametrize(
    ("code", "plurals"),
    [
        ("en", {0: 1, 1: 0, 2: 1, 101: 1}),
        ("de", {1: 0, 5: 1}),
        ("pl", {1: 0, 2: 1, 5: 2, 12: 2, 22: 1, 101: 2, 102: 1}),
    ],
)
def test_a_number_takes_the_plural_of_the_language(code: str, plurals: dict[int, int]) -> None:
    read = catalogue(code)
    assert {count: read.plural(count) for count in plurals} == plurals
    assert {count: int(read.plurals[count]) for count in plurals} == plurals


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_plural_rule_repeats_after_a_hundred(code: str) -> None:
    read = catalogue(code)
    assert [read.plural(count) for count in range(200, 1100)] == [
        int(read.plurals[100 + count % 100]) for count in range(200, 1100)
    ]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("journal", MATCHES, ids=lambda path: path.stem)
def test_whatever_a_match_tells_is_said(code: str, journal: Path) -> None:
    """No recorded match has an event that is said in English, or with a gap left open."""
    read = catalogue(code)
    for match, told in repeat_steps(load_journal(journal).entries):
        for event in told:
            text = text_of(event, match.setup.names)
            assert set(ids(text)) <= read.texts.keys()
            assert "{" not in read.say(text)


def ids(parts: Iterable[object]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Message):
            yield part.id
            yield from ids(value for _, value in part.values)
        elif isinstance(part, tuple):
            yield from ids(part)


GERMAN = catalogue("de")
TILES = parse_tiles("K1 R12 J")


@pytest.mark.parametrize(
    ("said", "german"),
    [
        pytest.param(
            say("set.two_tiles", "", tiles=TILES[:2]), "S1 und R12 sind nur zwei Steine", id="a list of tiles"
        ),
        pytest.param(
            say("event.bring_back", "", tiles=TileRow((*TILES, None))), "zurück auf den Tisch: S1 R12 J ?", id="a row"
        ),
        pytest.param(say_count("story.games", "", "", count=1), "1 Spiel", id="one"),
        pytest.param(say_count("story.games", "", "", count=3), "3 Spiele", id="several"),
        pytest.param(
            say("of.nobody", "{what} stays", what=say("colour.red", "red")), "Rot stays", id="a message in another"
        ),
    ],
)
def test_a_message_is_said_with_its_values(said: Message, german: str) -> None:
    assert GERMAN.say(said).startswith(german)


def test_what_stands_in_a_text_can_be_dressed() -> None:
    said = say("event.is", "{name}: {verdict}", name="Ann", verdict=say("verdict_word.legal", "LEGAL"))
    shout = GERMAN.say(
        ("  ", said, "."), lambda message, text: f"*{text}*" if message.id == "verdict_word.legal" else text
    )
    assert shout == "  Ann: *REGELGERECHT*."


def test_what_is_fuzzy_or_empty_is_said_in_english() -> None:
    entry = 'msgctxt "a.{0}"\nmsgid "one"\nmsgstr "{1}"\n'
    header = '# Language: Test\nmsgid ""\nmsgstr ""\n"Plural-Forms: nplurals=1; plural=0;\\n"\n'
    read = parse_po(
        "\n".join(
            (header, entry.format("good", "eins"), "#, fuzzy\n" + entry.format("old", "zwei"), entry.format("new", ""))
        )
    )
    assert (read.texts, read.comments["Language"]) == ({"a.good": ("eins",)}, "Test")
    assert Catalogue("xx", read.texts, lambda _: 0).say(say("a.new", "one")) == "one"


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_letter_on_a_tile_is_that_of_another_colour_in_the_notation(code: str) -> None:
    """Players may type either, and a joker is J everywhere."""
    notation = {"black": "K", "red": "R", "blue": "B", "orange": "O"}
    letters = {colour: catalogue(code).texts[f"letter.{colour}"][0] for colour in (*notation, "yellow", "pink")}
    assert len(set(letters.values())) == len(letters)
    for colour, letter in letters.items():
        assert letter not in {own for other, own in {**notation, "joker": "J"}.items() if other != colour}


def test_english_comes_first_and_every_language_has_a_name() -> None:
    assert next(iter(languages())) == "en"
    assert languages().keys() == set(LANGUAGES)
    assert all(one.name for one in languages().values())


def test_a_language_nobody_wrote_is_refused() -> None:
    with pytest.raises(ConfigError, match="language 'dee' is not known; did you mean 'de'"):
        catalogue("dee")


def test_the_page_and_the_code_give_an_id_one_meaning(texts: ModuleType) -> None:
    page = json.loads(texts.PAGE.read_text("utf-8"))
    assert len(texts.template()) > len(page)
