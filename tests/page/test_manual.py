"""The manual at /manual: built as `make docs` does, served within the page's bounds, and searched in a real browser."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.page import manual

ROOT = Path(__file__).parents[2]
SECONDS = 20_000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual; a link that leads nowhere, or a page that the menu lacks, fails here."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("needs mkdocs: pip install -e '.[dev]'")
    packed = tmp_path_factory.mktemp("manual") / "manual.zip"
    build = [sys.executable, str(ROOT / "packaging/manual/build.py"), str(packed)]
    done = subprocess.run(build, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return packed


def test_a_checkout_without_it_says_so_in_one_line(page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "MANUAL_FILE", tmp_path / "none.zip")
    answer = page.browser().get("/manual/index.html")
    assert answer.status == 404
    assert answer.content.decode().splitlines() == [manual._NOT_BUILT.strip()]
    assert "make docs" in manual._NOT_BUILT


def test_it_is_given_as_it_was_built(page: Any, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "MANUAL_FILE", built)
    rules = page.browser().get("/manual/docs/rules.html")
    assert (rules.status, rules.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<script>" not in rules.content
    assert page.browser().get("/manual/docs/rules.html", **{"If-None-Match": rules.headers["etag"]}).status == 304
    unknown = page.browser().get("/manual/../../etc/passwd")
    assert unknown.status == 404
    assert b"root:" not in unknown.content


def test_a_reader_finds_a_word(page: Any, built: Path, chromium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "MANUAL_FILE", built)
    context = chromium.new_context(locale="en-GB")
    context.set_default_timeout(SECONDS)
    try:
        view, faults = context.new_page(), []
        view.on("pageerror", lambda error: faults.append(error.message))
        view.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        with view.expect_console_message(lambda said: "search ready" in said.text):
            view.goto(f"{page.url}manual")
        view.get_by_text("Search").first.click()
        view.locator("#mkdocs-search-query").press_sequentially("mirror")
        found = view.locator("#mkdocs-search-results article a").first
        found.wait_for()
        found.click()
        view.wait_for_load_state()
        assert "#" in view.url
        assert "mirror" in view.content().lower()
        assert faults == []
    finally:
        context.close()
