"""The page's files: light, self-contained, and with the same words in every language."""

import ast
import json
import re
import string
from collections.abc import Callable
from functools import reduce
from itertools import product
from pathlib import Path

import pytest

from referee.game.texts.cues import CUES
from referee.rules import alone_reasons, joker_release, judge, laid_reasons, reasons
from referee.rules.editions import EDITIONS
from referee.rules.house_rules import HOUSE_RULES
from referee.rules.wording import UNFILLED, broken
from referee.settings import SETTINGS
from referee.vision.calibrate import image_quality

PAGE = Path(__file__).parents[2] / "referee" / "web" / "page"
LANGUAGES = ("en", "de", "pl")
PLURALS = {"en": {"one", "other"}, "de": {"one", "other"}, "pl": {"one", "few", "many", "other"}}
SCRIPTS = "\n".join(path.read_text("utf-8") for path in sorted(PAGE.glob("*.js")))


def catalogue(language: str) -> dict[str, dict[str, str | dict[str, str]]]:
    text = (PAGE / "text" / f"{language}.json").read_text("utf-8")
    return json.loads(text)


def gaps(text: str | dict[str, str]) -> set[str]:
    texts = text.values() if isinstance(text, dict) else [text]
    return {name for one in texts for _, name, _, _ in string.Formatter().parse(one) if name}


@pytest.mark.parametrize("path", sorted(PAGE.rglob("*.*")), ids=lambda path: path.name)
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


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_the_same_keys_and_gaps(language: str) -> None:
    english, other = catalogue("en")["page"], catalogue(language)["page"]
    assert other.keys() == english.keys()
    assert [key for key in english if gaps(other[key]) != gaps(english[key])] == []
    assert [key for key in english if isinstance(english[key], dict) != isinstance(other[key], dict)] == []
    assert [key for key, text in other.items() if not text or (isinstance(text, dict) and not all(text.values()))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_plural_has_all_the_forms_of_its_language(language: str) -> None:
    plurals = {key: set(text) for key, text in catalogue(language)["page"].items() if isinstance(text, dict)}
    assert plurals
    assert {key: forms for key, forms in plurals.items() if forms != PLURALS[language]} == {}


def test_every_text_the_page_asks_for_is_there_and_none_is_idle() -> None:
    """Keys are written out (`t("a.b")`, `cond ? "a.b" : "a.c"`) or built from a fixed part (t(`a.${b}`))."""
    keys = set(catalogue("en")["page"])
    written = set(re.findall(r"\"([a-z]+(?:\.\w+)?)\"", SCRIPTS))
    asked = set(re.findall(r"\bt\(\"([^\"]+)\"", SCRIPTS))
    built = tuple(set(re.findall(r"`([a-z]+\.(?:\w+_)?)\$\{", SCRIPTS)))
    assert asked <= keys
    assert {key for key in keys if key not in written and not key.startswith(built)} == set()


def test_every_signal_that_can_be_tried_has_a_name() -> None:
    shown = {f"cue.{cue.name}" for cue in CUES.values() if cue.blinks or cue.tones}
    assert shown - catalogue("en")["page"].keys() == set()


def test_every_house_rule_and_colour_has_words() -> None:
    keys, words = catalogue("en")["page"], catalogue("de")["words"]
    assert {f"rule.{key}" for key in HOUSE_RULES} <= keys.keys()
    colours = {name for rules in EDITIONS.values() for name in rules.colour_names.values()}
    for language in LANGUAGES[1:]:
        assert colours <= catalogue(language)["words"].keys(), words


# ---- the judge's sentences -----------------------------------------------------------------------------------------


def templates() -> set[str]:
    """Every template the rules can say: their constant texts, put together as the code puts them."""
    found: set[str] = set()
    shared: dict[str, set[str]] = {}  # constants that one module has from another
    for module in (laid_reasons, reasons, alone_reasons, judge, joker_release):
        tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
        names = dict(shared)
        for _ in range(2):  # a name may be made of others
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    names.setdefault(node.targets[0].id, set()).update(texts(node.value, names))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"phrase", "Phrase"}:
                found |= texts(node.args[0], names)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == broken.__name__:
                plain = texts(node.args[0], names)
                found |= plain | {what + UNFILLED for what in plain}
        shared |= {name: values for name, values in names.items() if name.isupper()}
    return found


def texts(node: ast.expr, names: dict[str, set[str]]) -> set[str]:
    """All values a text expression can have, as far as it is made of constants."""
    match node:
        case ast.Constant(value=str(value)):
            return {value}
        case ast.Name(id=name):
            return names.get(name, set())
        case ast.IfExp(body=body, orelse=orelse):
            return texts(body, names) | texts(orelse, names)
        case ast.BinOp(left=left, right=right):
            return {one + other for one, other in product(texts(left, names), texts(right, names))}
        case ast.Call(args=[first, *_]):
            return texts(first, names)
    return set()


class Sums(ast.NodeTransformer):
    """Writes f-strings as sums of their parts; what is no name of texts is a number, and a gap."""

    def __init__(self, names: dict[str, set[str]]) -> None:
        self._names = names

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        known = [part if texts(part, self._names) else ast.Constant("{count}") for part in parts]
        return reduce(lambda left, right: ast.BinOp(left, ast.Add(), right), known)


def checks() -> set[str]:
    """Every sentence the check before play can say on the page; numbers in them are gaps."""
    tree = ast.parse(Path(image_quality.__file__ or "").read_text("utf-8"))
    names: dict[str, set[str]] = {}
    for _ in range(2):  # the second time, f-strings know the names in them
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names.setdefault(node.targets[0].id, set()).update(texts(node.value, names))
        tree = Sums(names).visit(tree)
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "message"]
    return {text for node in given for text in texts(node, names)}


def comments() -> set[str]:
    """What every setting means, as the page shows it; of house rules it shows their names and bounds instead."""
    return {setting.description for part in SETTINGS.values() for setting in part.values()}


LOGGING = (
    "cli/run.py",
    "service/wiring.py",
    "service/page.py",
    "service/safe_mode.py",
    "service/loop.py",
    "service/memory.py",
    "service/missed_plays.py",
    "hardware/live.py",
    "web/api/command_routes.py",
)
CAMERAS = ("hardware/live.py", "hardware/usb.py")
UNSEEN = {  # there is no page to show it, or no match
    "no page in safe mode: ",
    " cannot be written (); failed starts are not counted",
    "camera : the light does not come to rest; switch off lamps that flicker",
}


def logged() -> set[str]:
    """Every line of the log that is written out, and what cameras say in play; without what fills its gaps."""
    found: set[str] = set()
    for names, calls in ((LOGGING, {"warning", "info", "error", "_warn"}), (CAMERAS, {"CameraError"})):
        for name in names:
            tree = Sums({}).visit(ast.parse((PAGE.parents[1] / name).read_text("utf-8")))
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and _calls(node) in calls:
                    found |= texts(node.args[0], {})
    return {re.sub(r"\{\w*\}|%[sd]|%\.0f", "", text) for text in found} - {""}


def _calls(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_line_of_the_log_is_translated(language: str) -> None:
    known = {re.sub(r"\{\w+\}", "", template) for template in catalogue(language)["phrases"]}
    lines = logged() - UNSEEN
    assert len(lines) > 20
    assert lines - known == set()


def test_sentences_of_checks_and_settings_are_found() -> None:
    assert "the picture is too dark: add light or a longer exposure" in checks()
    assert "{count} of the tiles mirror the lamp: move it aside or put paper before it" in checks()
    assert "pixels of a frame" in comments()


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("sentences", [checks, comments])
def test_every_sentence_of_checks_and_settings_is_translated(language: str, sentences: Callable[[], set[str]]) -> None:
    phrases = catalogue(language)["phrases"]
    assert {sentence for sentence in sentences() if sentence not in phrases} == set()


def test_the_templates_are_found() -> None:
    found = templates()
    assert len(found) > 40
    assert "{tile} breaks the run: {number} would have to follow {neighbour}" in found
    assert "{tiles} was on the table and is no longer there; a freed joker must be laid again in the same turn" in found


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_of_the_judge_is_translated_with_its_gaps(language: str) -> None:
    phrases = catalogue(language)["phrases"]
    assert {template for template in templates() if template not in phrases} == set()
    assert [template for template, text in phrases.items() if gaps(template) != gaps(text)] == []
