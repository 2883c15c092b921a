"""The page is for everybody: contrast, names, targets, keyboard, small screens; axe finds nothing serious."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from .screens import keep
from .views import STAGES, Stage

AXE = "4.14.1"
MIN_CONTRAST, MIN_TARGET = 4.5, 44
PHONE, TABLET = {"width": 360, "height": 740}, {"width": 1024, "height": 768}
NO_AXE = "needs axe-core: npm is not there, or cannot fetch it; the pictures were taken"
LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]  # what style sheets decide

SOUND = (Path(__file__).parent / "sound.js").read_text("utf-8")


def busy_table(page: Any) -> None:
    """A broken run, an own tile and a joker lie on the table, with two turns behind."""
    page.start(names=("Ann", "Ben", "Cem"))
    page.play("R10 R11 R12")
    page.play("R10 R11 R12 / K10 B10 O10")
    page.play("R10 R11 R12 / K10 B10 O10 / K7 K8 O9 / B1 J B3 / O4")


VIEWS: dict[str, tuple[str, ...]] = {
    "table": (),
    "turns": (".fold",),
    "score": (),
    "setup": (),
}


def must_be_sound(device: Any, where: str) -> None:
    """Nothing on what is shown is too pale, too small, nameless or too wide."""
    limits = {"leastContrast": MIN_CONTRAST, "leastTarget": MIN_TARGET}
    assert device.view.evaluate(SOUND, limits) == {"pale": [], "small": [], "nameless": []}, where
    assert device.overflow() == 0, where


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("tablet", "dark")])
def test_every_view_is_legible_named_and_large_enough(
    size: str, scheme: str, page: Any, open_device: Callable[..., Any]
) -> None:
    busy_table(page)
    device = open_device(page.url, size, scheme=scheme)
    device.must_say("Cem: not legal", ".verdict")
    must_be_sound(device, "table, for a guest")
    device.log_in(page.pin)
    for view, clicks in VIEWS.items():
        device.tab(view)
        for click in clicks:
            device.view.locator(click).first.click()
        device.view.wait_for_timeout(150)
        must_be_sound(device, view)
        if scheme == "dark":
            device.picture(f"{view}-tablet-dark")
    for part in device.parts():
        part.click()
        device.view.wait_for_timeout(150)
        must_be_sound(device, part.inner_text())
    device.tab("table")
    device.view.locator(".sets button").first.click()
    must_be_sound(device, "the sheet of a tile")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_as_light_as_the_device_says_or_its_reader(
    scheme: str, page: Any, open_device: Callable[..., Any]
) -> None:
    device = open_device(page.url, scheme=scheme)
    grounds = {"light": "rgb(243, 238, 228)", "dark": "rgb(12, 17, 15)"}
    for wanted, shown in {"auto": scheme, "light": "light", "dark": "dark"}.items():
        device.view.evaluate("wanted => localStorage.setItem('theme', wanted)", wanted)
        device.view.reload()
        device.view.locator(".link.up").wait_for()
        ground = device.view.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == grounds[shown], wanted


@pytest.fixture(scope="session")
def axe() -> str | None:
    """axe-core, fetched once into the user's cache: it is third-party code and not part of this repository.

    None where it cannot be fetched.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "referee-tests"
    script = cache / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.exists() and npm:
        command = [npm, "install", "--no-save", "--silent", "--prefix", str(cache), f"axe-core@{AXE}"]
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(command, check=False, timeout=120, capture_output=True)
    return script.read_text("utf-8") if script.exists() else None


def _note_violations(view: Any, found: dict[str, list[str]], name: str, options: dict[str, Any]) -> None:
    answer = view.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **options})
    for violation in answer["violations"]:
        nodes = [node["html"][:160] for node in violation["nodes"]]
        found[f"{name}: {violation['id']} ({violation['impact']})"] = nodes


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_axe_finds_nothing(
    stage: Stage, axe: str | None, page: Any, open_device: Callable[..., Any], tmp_path: Path
) -> None:
    """Look at every view, and on the way keep pictures of it: those of `make screens` in one language, as artefacts."""
    device = open_device(page.url)
    found: dict[str, list[str]] = {}
    view = device.view
    for name in stage(page, device, tmp_path):
        keep(view, "en", name, whole=False)
        if axe is None:
            continue
        view.evaluate(f"() => {{ if (!window.axe) {{ {axe} }} }}")
        note = partial(_note_violations, view, found)
        note(name, {})
        view.emulate_media(color_scheme="dark")
        view.set_viewport_size(TABLET)
        note(f"{name}, dark on a tablet", {"runOnly": LOOKS})
        view.emulate_media(color_scheme="light")
        view.set_viewport_size(PHONE)
    assert not found, json.dumps(found, indent=1)
    if axe is None:
        pytest.skip(NO_AXE)


def test_the_page_is_used_by_keyboard_alone(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    device = open_device(page.url, "tablet")
    press, focus = device.view.keyboard.press, lambda what: device.view.evaluate(f"document.activeElement.{what}")
    press("Tab")
    assert focus("textContent") == "Skip to the content"
    press("Enter")
    assert focus("id") == "main"
    device.view.locator(".top .role").focus()
    press("Enter")
    device.view.locator("dialog[open]").wait_for()
    assert device.view.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    press("Escape")
    device.view.locator("dialog").wait_for(state="hidden")
    assert "role" in focus("className")
    device.view.locator("input[name=pin]").wait_for(state="detached")
    device.log_in(page.pin)
    device.view.locator(".sets button").first.focus()
    page.settle("R10 R11 R12 / K5 K6 K7")  # a new table comes while somebody is about to press
    device.must_say("2 sets on the table")
    assert "tile" in focus("className"), "the focus was lost when the table was drawn anew"
    press("Enter")
    device.must_say("What is this tile?")


def test_a_dark_room_and_reduced_motion_are_respected(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    dark = open_device(page.url, scheme="dark")
    ground = dark.view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in ground[4:-1].split(",")) < 32
    moving = "[...document.querySelectorAll('*')].map((one) => getComputedStyle(one).transitionDuration)"
    assert {float(one.rstrip("s")) for times in dark.view.evaluate(moving) for one in times.split(", ")} == {0.0}
