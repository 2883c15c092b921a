"""Measure how soon an opened page shows the table, in a browser with an empty cache on the referee's machine.

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
def running_referee(folder: Path) -> Iterator[str]:
    """Run a referee with its page; yield the page's address once tiles are on its table."""
    log = folder / "said.txt"
    arguments = ["run", "--camera", "sim", "--signals", "none", "--state", str(folder / "kept")]
    arguments += ["--web", f"127.0.0.1:{free_port()}"]
    with log.open("w") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", "referee", *arguments], stdout=lines, stderr=subprocess.STDOUT
        )
    try:
        yield wait_for_tiles(log, process)
    finally:
        process.terminate()
        process.wait(30)


def wait_for_tiles(log: Path, process: "subprocess.Popen[bytes]") -> str:
    """Wait for the page's address and the first tiles; SystemExit if they do not come."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text("utf-8"))
        if found and fetch_state(found[0])["table"]["tiles"]:
            return found[0]
        time.sleep(0.2)
    raise SystemExit(f"the referee shows no tiles: {log.read_text('utf-8')[-300:]}")


def fetch_state(url: str) -> Any:
    """Fetch the State."""
    with urllib.request.urlopen(f"{url}api/state", timeout=10) as answer:  # noqa: S310 - our own address
        return json.load(answer)


def first_tile_milliseconds(browser: Any, url: str) -> float:
    """Open the page with an empty cache; return the milliseconds to its first tile."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    view = context.new_page()
    view.add_init_script(FIRST_TILE)
    view.goto(url)
    view.wait_for_function("() => window.firstTable", timeout=30_000)
    milliseconds = float(view.evaluate("window.firstTable"))
    context.close()
    return milliseconds


def main() -> None:
    """Measure and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the parser answers without it

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("chromium is not installed: sudo apt install chromium")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver, running_referee(Path(home)) as url:
        switches = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = driver.chromium.launch(executable_path=program, args=switches, env={"HOME": home})
        first_tile_milliseconds(browser, url)  # the browser itself starts
        times_ms = sorted(first_tile_milliseconds(browser, url) for _ in range(times))
        browser.close()
    print(
        f"first table: {median(times_ms):.0f} ms median, {times_ms[0]:.0f} to {times_ms[-1]:.0f} ms over {times} pages"
    )


if __name__ == "__main__":
    main()
