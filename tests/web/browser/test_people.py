"""The page is for everybody: contrast, names, targets, keyboard, small screens; axe finds nothing serious."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

AXE = "4.14.1"
LEAST_CONTRAST, LEAST_TARGET = 4.5, 44

CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => (v / 255 <= .04045 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (el) => { for (let one = el; one; one = one.parentElement) { const c = parse(getComputedStyle(one).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const poor = [];
  const look = (el, ink, back, text) => { const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05); if (ratio < LEAST) poor.push(`${text} ${ratio.toFixed(2)}`); };
  for (const el of document.querySelectorAll('body *')) {
    const own = [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !el.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) || el.closest('.unseen, .skip')) continue;
    const style = getComputedStyle(el);
    if (el.namespaceURI.endsWith('svg')) { if (el.closest('.piece, .tile') && !el.closest('.ghost')) {
        const body = el.closest('.piece')?.querySelector('.body');
        look(el, parse(style.fill), body ? parse(getComputedStyle(body).fill) : ground(el.closest('.tile')), el.textContent); }
    } else look(el, parse(style.color), ground(el), el.textContent.trim().slice(0, 30));
  }
  return poor; }""".replace("LEAST", str(LEAST_CONTRAST))

SMALL = """() => [...document.querySelectorAll('button, a[href], select, summary, input, label:has(input)')]
  .filter((el) => el.checkVisibility({checkVisibilityCSS: true}) && !el.closest('.skip') && !el.matches('label > input, p > a, li > a'))
  .map((el) => [el, el.getBoundingClientRect()]).filter(([, box]) => box.width < LEAST - .5 || box.height < LEAST - .5)
  .map(([el, box]) => `${el.tagName} ${el.textContent.trim().slice(0, 20)} ${box.width.toFixed(0)}x${box.height.toFixed(0)}`)""".replace(
    "LEAST", str(LEAST_TARGET)
)

NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, select, img, [role=img], dialog[open], section, nav, progress')]
  .filter((el) => el.checkVisibility() && !el.closest('[aria-hidden=true]'))
  .filter((el) => !(el.getAttribute('aria-label') || el.textContent.trim() || el.getAttribute('alt') !== null && el.tagName === 'IMG'
     || (el.getAttribute('aria-labelledby') && document.getElementById(el.getAttribute('aria-labelledby'))) || el.labels?.length))
  .map((el) => el.outerHTML.slice(0, 120))"""


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


def sound(device: Any, where: str) -> None:
    """Nothing on what is shown is too pale, too small, nameless or too wide."""
    assert device.view.evaluate(CONTRAST) == [], where
    assert device.view.evaluate(SMALL) == [], where
    assert device.view.evaluate(NAMELESS) == [], where
    assert device.overflow() == 0, where


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "tablet"])
def test_every_view_is_legible_named_and_large_enough(
    size: str, scheme: str, page: Any, open_device: Callable[..., Any]
) -> None:
    busy_table(page)
    device = open_device(page.url, size, scheme=scheme)
    device.says("Cem: not legal", ".verdict")
    sound(device, "table, for a guest")
    device.log_in(page.pin)
    for view, clicks in VIEWS.items():
        device.tab(view)
        for click in clicks:
            device.view.locator(click).first.click()
        device.view.wait_for_timeout(150)
        sound(device, view)
        if size == "phone" and scheme == "dark":
            device.picture(f"{view}-phone-dark")
    for part in device.view.locator(".parts button").all():
        part.click()
        device.view.wait_for_timeout(150)
        sound(device, part.inner_text())
    device.tab("table")
    device.view.locator(".sets button").first.click()
    sound(device, "the sheet of a tile")


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, fetched once into the user's cache: it is third-party code and not part of this repository."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "referee-tests"
    script = cache / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.exists() and npm:
        command = [npm, "install", "--no-save", "--silent", "--prefix", str(cache), f"axe-core@{AXE}"]
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(command, check=False, timeout=120, capture_output=True)
    if not script.exists():
        pytest.skip("needs axe-core: npm is not there, or cannot fetch it")
    return script.read_text("utf-8")


def test_axe_finds_nothing(axe: str, page: Any, open_device: Callable[..., Any]) -> None:
    busy_table(page)
    device = open_device(page.url)
    device.says("Cem: not legal", ".verdict")
    device.log_in(page.pin)
    device.view.evaluate(axe)
    found: dict[str, list[str]] = {}
    for view in (*VIEWS, "sheet"):
        if view == "sheet":
            device.tab("score")
            device.tab("table")
            device.view.locator(".sets button").first.click()
        else:
            device.tab(view)
        device.view.wait_for_timeout(150)
        answer = device.view.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for violation in answer["violations"]:
            nodes = [node["html"][:160] for node in violation["nodes"]]
            found[f"{view}: {violation['id']} ({violation['impact']})"] = nodes
    assert not found, json.dumps(found, indent=1)


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
    device.says("2 sets on the table")
    assert "tile" in focus("className"), "the focus was lost when the table was drawn anew"
    press("Enter")
    device.says("What is this tile?")


def test_a_dark_room_and_reduced_motion_are_respected(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    dark = open_device(page.url, scheme="dark")
    ground = dark.view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in ground[4:-1].split(",")) < 32
    moving = dark.view.evaluate(
        "[...document.querySelectorAll('*')].filter((el) => getComputedStyle(el).transitionDuration.split(', ').some((one) => parseFloat(one) > 0.001)).length"
    )
    assert moving == 0
