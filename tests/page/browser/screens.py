"""Pictures of every view in three languages and five sizes, to be looked at: make screens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .views import STAGES, Stage

SCREENS = Path(__file__).parents[3] / "out" / "screens"
SIZES = {
    "phone": (360, 740),
    "phone-lying": (740, 360),
    "tablet": (768, 1024),
    "tablet-lying": (1024, 768),
    "wall": (1920, 1080),
}
# Bars that are pinned would lie over the middle of a picture of a whole page; empty again: as the style sheets say.
PIN = "how => document.querySelectorAll('.top, .tabs, .action-bar').forEach(bar => (bar.style.position = how))"


def keep(view: Any, language: str, name: str, *, whole: bool = True) -> None:
    """Keep pictures of what the screen shows in every size, `whole` with all that there is below it."""
    folder = SCREENS / language
    folder.mkdir(parents=True, exist_ok=True)
    sheet = name.startswith("sheet")
    for size, (width, height) in SIZES.items():
        view.set_viewport_size({"width": width, "height": height})
        place = view.evaluate("scrollY")
        if not sheet:
            view.evaluate("scrollTo(0, 0)")
        view.wait_for_timeout(150)
        scale = "device" if width < 500 else "css"
        view.screenshot(path=folder / f"{name}-{size}.png", scale=scale)
        if whole and not sheet and view.evaluate("document.documentElement.scrollHeight > innerHeight"):
            view.evaluate(PIN, "static")
            view.screenshot(path=folder / f"{name}-{size}-whole.png", full_page=True, scale=scale)
            view.evaluate(PIN, "")
        view.evaluate("place => scrollTo(0, place)", place)
    view.set_viewport_size({"width": SIZES["phone"][0], "height": SIZES["phone"][1]})


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", ["en", "de", "pl"])
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_pictures(stage: Stage, language: str, page: Any, open_device: Callable[..., Any], tmp_path: Path) -> None:
    device = open_device(page.url, language=language)
    for name in stage(page, device, tmp_path):
        keep(device.view, language, name)
