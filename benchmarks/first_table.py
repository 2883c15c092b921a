"""How soon a page that is opened shows the table: a browser with an empty cache, on the machine of the referee.

    python -m benchmarks.first_table [--times 20]     needs Debian's chromium and playwright

The referee is `referee run` on the simulated table, with its real models. Each time a new browser context opens the
page; the time is the browser's own, from the start of the navigation to the first tile drawn.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.hall_demo import free_port

FIRST_TILE = """
new MutationObserver((_, me) => {
  if (document.querySelector(".scene .piece")) (window.firstTable = performance.now()), me.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
START_SECONDS = 120.0


@contextmanager
def referee(folder: Path) -> Iterator[str]:
    """Run one with its page, and give the page's address once tiles lie on its table."""
    said = folder / "said.txt"
    words = ["run", "--camera", "sim", "--signals", "none", "--state", str(folder / "kept")]
    words += ["--web", f"127.0.0.1:{free_port()}"]
    with said.open("w") as lines:
        process = subprocess.Popen([sys.executable, "-m", "referee", *words], stdout=lines, stderr=subprocess.STDOUT)
    try:
        yield until_tiles(said, process)
    finally:
        process.terminate()
        process.wait(30)


def until_tiles(said: Path, process: "subprocess.Popen[bytes]") -> str:
    """Wait for the page's address and the first tiles; SystemExit where they do not come."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/", said.read_text("utf-8"))
        if found and state(found[0])["table"]["tiles"]:
            return found[0]
        time.sleep(0.2)
    raise SystemExit(f"the referee shows no tiles: {said.read_text('utf-8')[-300:]}")


def state(url: str) -> Any:
    """Ask for the State."""
    with urllib.request.urlopen(f"{url}api/state", timeout=10) as answer:  # noqa: S310 - our own address
        return json.load(answer)


def opened(browser: Any, url: str) -> float:
    """Open the page with an empty cache and give the milliseconds to its first tile."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    view = context.new_page()
    view.add_init_script(FIRST_TILE)
    view.goto(url)
    view.wait_for_function("() => window.firstTable", timeout=30_000)
    found = float(view.evaluate("window.firstTable"))
    context.close()
    return found


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the parser answers without it

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("chromium is not installed: sudo apt install chromium")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver, referee(Path(home)) as url:
        switches = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=program, args=switches, env={"HOME": home})
        opened(browser, url)  # the browser itself starts
        found = sorted(opened(browser, url) for _ in range(times))
        browser.close()
    print(f"first table: {median(found):.0f} ms median, {found[0]:.0f} to {found[-1]:.0f} ms over {times} pages")


if __name__ == "__main__":
    main()
