"""A real browser before a real server, as phones and tablets.

With PICTURES=1 it keeps pictures in out/page. With LATE=300 the page asks and draws that many milliseconds later, as on
a busy machine: a test that then fails looked before what it looks at was drawn.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PATIENCE_SECONDS, run_chromium

PICTURES = Path(__file__).parents[3] / "out" / "page"
LATE = """
  const ask = fetch, later = (call) => setTimeout(call, %d);
  queueMicrotask = later;
  fetch = (...words) => new Promise(later).then(() => ask(...words));
"""
SIZES = {"phone": (360, 740), "tablet": (1024, 768), "upright": (768, 1024)}
WIDTHS = {360: 640, 390: 844, 810: 1080, 1024: 768, 1920: 1080}
"""Widths and heights of the screens tried: a small and a common phone, a tablet upright and lying, a large screen."""


@dataclass
class Device:
    """Somebody's phone or tablet with the page open."""

    view: Any
    faults: list[str] = field(default_factory=list)

    def log_in(self, pin: str) -> None:
        self.view.locator(".top .role").click()
        self.view.locator("input[name=pin]").fill(pin)
        self.view.keyboard.press("Enter")
        self.view.locator("dialog").wait_for(state="hidden")

    def tab(self, name: str) -> None:
        self.view.locator(f'.tabs a[href="#{name}"]').click()
        self.view.locator(f'.tabs a[href="#{name}"][aria-current=page]').wait_for()

    def parts(self) -> list[Any]:
        """Go to the setup; the buttons of its parts."""
        self.tab("setup")
        buttons = self.view.locator(".parts button")
        buttons.first.wait_for()
        return list(buttons.all())

    def must_say(self, text: str, within: str = "body") -> None:
        """Wait until a text is to be seen, and fail where it does not come."""
        self.view.locator(within).get_by_text(text).filter(visible=True).first.wait_for()

    def picture(self, name: str, *, whole: bool = False) -> None:
        """Keep a picture of the page where somebody wants to look at it; `whole`: all of it, however long."""
        if "PICTURES" not in os.environ:
            return
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.view.wait_for_timeout(250)  # pictures within the page arrive
        self.view.screenshot(path=PICTURES / f"{name}.png", full_page=whole)

    def reach_by_network(self) -> None:
        """Let the page's server say an address that phones reach; the tests' own is this machine's alone."""
        answer = {"addresses": ["http://192.168.1.23:8080/"], "local_only": False}
        self.view.route("**/api/address", lambda route: route.fulfill(json=answer))

    def turn_to(self, width: int) -> None:
        """Show the page on a screen of this width, as high as such screens are."""
        self.view.set_viewport_size({"width": width, "height": WIDTHS[width]})
        self.view.wait_for_timeout(80)

    def overflow(self) -> int:
        """Pixels by which the page is wider than the screen."""
        return int(self.view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


Opener = Callable[..., Device]
MAX_IDLE = 4


class Profiles:
    """Profiles of a browser, which serve one test after the other: to start a process for each takes a second.

    A page of its own keeps a profile's process alive, which by `--renderer-process-limit` shows the others too.
    """

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self._idle: list[tuple[dict[str, Any], Any]] = []

    def take(self, **options: Any) -> Any:
        """Give a profile with these options in which nothing is kept."""
        for place, (known, context) in enumerate(self._idle):
            if known == options:
                del self._idle[place]
                return context
        context = self.chromium.new_context(**options)
        context.new_page()
        return context

    def give_back(self, context: Any, options: dict[str, Any]) -> None:
        """Close the pages of a profile and forget what they kept."""
        own, *others = context.pages
        for page in others:
            page.close()
        context.set_offline(False)
        context.clear_cookies()
        devtools = context.new_cdp_session(own)
        devtools.send("Network.clearBrowserCache")
        devtools.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        devtools.detach()
        self._idle.append((options, context))
        if len(self._idle) > MAX_IDLE:
            self._idle.pop(0)[1].close()


PROFILES = pytest.StashKey[Profiles]()


@pytest.fixture(scope="module")
def profiles(request: pytest.FixtureRequest) -> Profiles:
    """Profiles of a real browser, started once; it ends when the tests of this folder do."""
    folder = request.node.parent
    if PROFILES not in folder.stash:
        running = ExitStack()
        folder.addfinalizer(running.close)
        folder.stash[PROFILES] = Profiles(running.enter_context(run_chromium("--renderer-process-limit=1")))
        running.callback(folder.stash.__delitem__, PROFILES)
    return folder.stash[PROFILES]


@pytest.fixture(scope="module")
def chromium(profiles: Profiles) -> Any:
    """The browser itself, for what nothing may be kept of."""
    return profiles.chromium


@pytest.fixture
def open_device(profiles: Profiles) -> Iterator[Opener]:
    """Open the page on a device; whatever the browser complains of fails the test."""
    devices: list[Device] = []
    taken: list[tuple[Any, dict[str, Any]]] = []

    def opened(
        url: str, size: str = "phone", *, language: str = "en", scheme: str = "light", motion: str = "reduce"
    ) -> Device:
        width, height = SIZES[size]
        options = {
            "viewport": {"width": width, "height": height},
            "device_scale_factor": 2 if size == "phone" else 1,
            "has_touch": True,
            "is_mobile": True,
            "locale": {"en": "en-GB"}.get(language, f"{language}-{language.upper()}"),
            "color_scheme": scheme,
            "reduced_motion": motion,
        }
        context = profiles.take(**options)
        taken.append((context, options))
        context.set_default_timeout(1000 * PATIENCE_SECONDS)
        device = Device(context.new_page())
        if "LATE" in os.environ:
            device.view.add_init_script(LATE % int(os.environ["LATE"]))
        devices.append(device)
        device.view.on("pageerror", lambda error: device.faults.append(f"{error.message}\n{error.stack}"))
        device.view.on("console", lambda said: _note(device, said))
        device.view.goto(url)
        device.view.locator(".link.up").wait_for(state="attached")  # the large view hides it
        return device

    yield opened
    faults = [fault for device in devices for fault in device.faults]
    for context, options in taken:
        profiles.give_back(context, options)
    assert not faults, "\n".join(faults[:3])


def _note(device: Device, said: Any) -> None:
    refused = re.search(r"status of (403|409|400|404)", said.text)  # a refusal the page shows is no fault of it
    if said.type in {"error", "warning"} and not refused:
        device.faults.append(f"{said.type}: {said.text}")
