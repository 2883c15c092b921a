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


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", ["en", "de", "pl"])
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_pictures(stage: Stage, language: str, page: Any, open_device: Callable[..., Any], tmp_path: Path) -> None:
    folder = SCREENS / language
    folder.mkdir(parents=True, exist_ok=True)
    device = open_device(page.url, language=language)
    for name in stage(page, device, tmp_path):
        for size, (width, height) in SIZES.items():
            device.view.set_viewport_size({"width": width, "height": height})
            device.view.wait_for_timeout(150)
            device.view.screenshot(path=folder / f"{name}-{size}.png", full_page=not name.startswith("sheet"))
        device.view.set_viewport_size({"width": 360, "height": 740})
