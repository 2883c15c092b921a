"""What is refused is said by a message, so that every language can say it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import errors
from referee.language.catalogue import catalogue

ROOT = Path(__file__).parents[2] / "referee"
ERRORS = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.RefereeError)
}
REFUSALS = {*ERRORS, "Refusal", "InvalidCommandError"}
ROOMS = ("hall", "rules", "vision/calibrate", "vision/classify", "vision/profile.py", "page", "protocol", "server")
"""Whose errors reach a page or the wall. Of the others, these modules answer the page or say why safe mode is on."""
MODULES = (
    "storage/files.py",
    "vision/calibrate/face_learning.py",
    "service/match_source.py",
    "service/page.py",
    "settings/page_settings.py",
    "service/stop.py",
    "vision/calibrate/tile_fit.py",
    "history/export.py",
    "storage/profile.py",
    "storage/folder.py",
    "settings/config.py",
    "settings/hall.py",
    "settings/sections.py",
    "hardware/pins.py",
    "history/evidence.py",
    "service/safe_mode.py",
    "vision/networks/models.py",
    "vision/networks/sidecar.py",
    "history/statistics.py",
)
CONSOLE = ("server/serving.py", "settings/page.py", "server/sessions.py", "hall/server.py", "rules/json_input.py")
"""They end a command before there is a page, or write to the log."""


def modules() -> Iterator[Path]:
    for place in (*ROOMS, *MODULES):
        path = ROOT / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else (path,)


def plain_texts(tree: ast.AST) -> Iterator[int]:
    """Return the lines of errors that are made with a text, or with something joined to one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
            place = 2 if getattr(node.func, "id", "") == "Refusal" else 0
            said = node.args[place] if len(node.args) > place else None
            if (
                isinstance(said, ast.Constant | ast.JoinedStr | ast.BinOp)
                or getattr(getattr(said, "func", None), "id", "") == "str"
            ):
                yield node.lineno


@pytest.mark.parametrize("path", [*modules()], ids=lambda path: str(path.relative_to(ROOT)))
def test_an_error_that_reaches_a_page_is_a_message(path: Path) -> None:
    if str(path.relative_to(ROOT)) in CONSOLE:
        return
    lines = [*plain_texts(ast.parse(path.read_text("utf-8")))]
    assert not lines, f"{path.relative_to(ROOT)}: give say(…) to the error in lines {lines}"


@pytest.mark.parametrize(
    "text", ['ConfigError("no")', 'Refusal(409, "now", f"no {x}")', 'InvalidCommandError("a" + b)']
)
def test_a_plain_text_is_found(text: str) -> None:
    assert [*plain_texts(ast.parse(f"raise {text}"))] == [1]


def test_a_message_is_accepted_and_so_is_an_error_handed_on() -> None:
    assert not [*plain_texts(ast.parse('raise ConfigError(say("a.b", "no {x}", x=x))\nraise StorageError(message)'))]


@pytest.mark.parametrize("code", ["de", "pl"])
def test_what_is_refused_is_translated(code: str) -> None:
    english, other = catalogue().texts, catalogue(code).texts
    same = {
        id_
        for id_ in english
        if id_.startswith(("refused.", "markers.", "lay.", "step.", "faces.", "ask.", "round.", "entrants."))
        and english[id_] == other[id_]
    }
    assert same <= {"markers.one"}
