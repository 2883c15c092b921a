"""The first load asks for little: few requests, and few bytes."""

from typing import Any

import pytest

from tests.conftest import PATIENCE_SECONDS


@pytest.mark.parametrize(
    "language", ["en-GB", "pl-PL", *(pytest.param(one, marks=pytest.mark.slow) for one in ("de-DE", "fr-FR"))]
)
def test_a_phone_asks_twelve_times_at_most_and_takes_120_kilobytes(language: str, page: Any, chromium: Any) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12 / B9 O9 K9")
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale=language)
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    asked: list[Any] = []

    def note(request: Any) -> None:  # playwright marks what it calls, which a list's own method does not let it
        asked.append(request)

    view = context.new_page()
    view.on("request", note)
    view.goto(page.url)
    view.locator(".sets .letter").first.wait_for()
    view.wait_for_timeout(500)
    sizes = [0 if one.url.endswith("/api/events") else one.sizes()["responseBodySize"] for one in asked]
    context.close()
    assert len(asked) <= 12, [one.url for one in asked]
    assert sum(sizes) <= 120_000
