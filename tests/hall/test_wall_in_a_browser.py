"""The wall in a real browser: a phone, a large screen and the arbiter's taps; the browser complains of nothing."""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.game.event_parts import Reason
from referee.game.inputs import CameraLost
from referee.reading.inputs import Seconds
from tests.conftest import PATIENCE_SECONDS, expect

from .conftest import await_that

PICTURES = Path(__file__).parents[2] / "out" / "page"


@pytest.fixture
def open_wall(chromium: Any) -> Iterator[Callable[[int, int, int], Any]]:
    faults: list[str] = []
    contexts: list[Any] = []

    def opened(port: int, width: int, height: int, there: str = ".link.up", locale: str = "en-GB") -> Any:
        size = {"width": width, "height": height}
        contexts.append(chromium.new_context(viewport=size, has_touch=True, locale=locale))
        view = contexts[-1].new_page()
        view.set_default_timeout(1000 * PATIENCE_SECONDS)
        view.on("pageerror", lambda error: faults.append(str(error)))
        view.goto(f"http://127.0.0.1:{port}/")
        view.locator(there).first.wait_for()
        return view

    yield opened
    for context in contexts:
        context.close()
    assert not faults


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def log_in(view: Any, pin: str) -> None:
    view.locator(".role").click()
    view.locator("input[name=pin]").fill(pin)
    view.keyboard.press("Enter")
    view.locator(".tools").wait_for()


@pytest.mark.slow
def test_a_player_calls_the_arbiter_who_sees_it_waiting_and_comes(
    hall: Any, broker: Any, open_wall: Callable[..., Any], tmp_path: Path
) -> None:
    port, settings = free_port(), tmp_path / "table.toml"
    settings.write_text(f'[hall]\nbroker = "mqtt://127.0.0.1:{broker.port}"\nhall = "h"\ntable = "t1"\n')
    words = ["run", "--camera", "sim:2", "--signals", "none", "--config", settings, "--state", tmp_path / "kept"]
    table = subprocess.Popen([sys.executable, "-m", "referee", *words, "--web", f"127.0.0.1:{port}"])
    try:
        await_that(lambda: answers(port))
        player, arbiter = open_wall(port, 360, 740, ".action-bar"), open_wall(hall.port, 360, 740)
        log_in(arbiter, "314159")
        player.get_by_role("button", name="Call the arbiter").click()
        player.locator(".hindrances").get_by_text("The arbiter was called").wait_for()
        player.screenshot(path=PICTURES / "hall-call.png")
        arbiter.locator(".table.alert .call").get_by_text("arbiter called · 0:0").wait_for()
        arbiter.locator('[data-table="t1"] .face').click()
        arbiter.get_by_role("button", name="I'm here").click()
        player.get_by_role("button", name="Call the arbiter").wait_for()
        arbiter.locator(".table.alert").wait_for(state="detached")
    finally:
        table.terminate()
        table.wait(PATIENCE_SECONDS)


def test_the_arbiter_sees_who_waits_and_settles_it_on_a_phone(
    hall: Any, make_table: Callable[..., Any], open_wall: Callable[..., Any], await_that: Callable[..., Any]
) -> None:
    tables = [make_table(name=f"t{number}") for number in (1, 2, 3)]
    for table in tables:
        table.play(steps=60)
    tables[2].enter(CameraLost(Seconds(tables[2].match.now)))
    phone, screen = open_wall(hall.port, 360, 740), open_wall(hall.port, 1920, 1080)
    expect(phone.locator(".tools"), "a guest").to_have_count(0)
    log_in(phone, "314159")
    phone.locator(".table.alert").get_by_text("camera lost").wait_for()
    expect(phone.locator(".table .name")).to_have_text(["t3", "t1", "t2"], use_inner_text=True)
    for view, name in ((phone, "phone"), (screen, "screen")):
        view.locator(".table").nth(2).wait_for()
        wide = view.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0
        PICTURES.mkdir(parents=True, exist_ok=True)
        view.screenshot(path=PICTURES / f"hall-{name}.png")
    boxes = [one.bounding_box() for one in screen.locator(".table").all()]
    assert max(box["x"] + box["width"] for box in boxes) > 1880, "few tables fill a large screen"
    assert min(one.bounding_box()["height"] for one in screen.locator(".table .who").all()) > 36
    assert screen.evaluate("document.documentElement.scrollHeight <= innerHeight")
    expect(screen.locator(".table.alert"), "a guest does not see what the arbiter is called for").to_have_count(0)
    phone.locator('[data-table="t1"] .face').click()
    phone.locator("dialog").get_by_role("button", name="Pause", exact=True).click()
    await_that(lambda: [table.listen() for table in tables] and Reason.PAUSE in tables[0].match.pauses.halted)
    phone.locator("dialog .notice").get_by_text("Pause: 1 of 1 done.").wait_for()
    phone.locator("dialog input[name=points]").fill("10")
    phone.locator("dialog input[name=reason]").fill("looked at a rack")
    phone.locator("dialog").get_by_role("button", name="Enter").click()
    phone.locator("dialog .notice").get_by_text("The penalty is entered.").wait_for()
    phone.screenshot(path=PICTURES / "hall-table.png")
    phone.locator("dialog").get_by_role("button", name="Close").click()
    phone.get_by_role("button", name="Penalties (1)").click()
    phone.locator("dialog").get_by_text("looked at a rack").wait_for()


@pytest.mark.parametrize(("width", "language"), [(320, "en-GB"), (390, "de-DE")])
def test_the_bar_leaves_the_sign_free_where_it_wraps(
    hall: Any, open_wall: Callable[..., Any], width: int, language: str
) -> None:
    phone = open_wall(hall.port, width, 700, locale=language)
    log_in(phone, "314159")
    sign, button = (phone.locator(one).bounding_box() for one in (".brand img", ".top .role"))
    beside = button["x"] >= sign["x"] + sign["width"]
    below = button["y"] >= sign["y"] + sign["height"] + 4
    assert beside or below, (sign, button)
    assert button["x"] + button["width"] <= width


def test_the_arbiter_makes_seats_scores_and_signs_a_tournament_on_a_phone(
    hall: Any, open_wall: Callable[[int, int, int], Any]
) -> None:
    phone, guest = open_wall(hall.port, 360, 740), open_wall(hall.port, 360, 740)
    expect(guest.get_by_role("button", name="Tournament")).to_have_count(0)
    log_in(phone, "314159")
    phone.get_by_role("button", name="Tournament").click()
    sheet = phone.locator("#sheet")
    sheet.locator("[name=name]").fill("Spring Open")
    players = {"name": "players.csv", "mimeType": "text/csv", "buffer": b"name;rating\nAnn;1500\nBen;\nCem;\nDora;\n"}
    sheet.locator("[name=file]").set_input_files(players)
    sheet.locator("[name=rounds]").fill("1")
    sheet.locator("[name=seats]").select_option("4")
    sheet.get_by_role("button", name="Create").click()
    sheet.get_by_role("button", name="Seat the players of round 1").click()
    sheet.get_by_text("Enter by hand").click()
    for seat, score in enumerate((60, -10, -20, -30)):
        sheet.locator(f"[name=s{seat}]").fill(str(score))
    sheet.locator("[name=w0]").fill("1")
    sheet.locator("[name=reason]").fill("on paper")
    sheet.get_by_role("button", name="Enter", exact=True).click()
    sheet.get_by_role("button", name="Signed").click()
    sheet.locator(".boards").get_by_text("signed").wait_for()
    expect(sheet.locator(".places tbody tr").first).to_have_text(
        re.compile(r"^\s*1\s*Ann\s*1\s*60\s*$"), use_inner_text=True
    )
    with phone.expect_download() as loading:
        sheet.get_by_role("link", name="Sheets of round 1").click()
    assert Path(loading.value.path()).read_bytes().startswith(b"%PDF-")
    wide = sheet.evaluate("one => one.scrollWidth - one.clientWidth")
    assert wide == 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    phone.screenshot(path=PICTURES / "hall-tournament.png")


def test_a_table_that_sends_nonsense_is_told_beside_its_name_and_no_clock_shows_nan(
    hall: Any, listener: Any, open_wall: Callable[..., Any]
) -> None:
    wall = open_wall(hall.port, 360, 740)
    log_in(wall, "314159")
    running = b'{"journal": "m1", "seq": 0, "at": 1, "match": {"phase": "turn", "clock": {"running": true%s}}}'
    for table, clock in (("t1", b""), ("t2", b', "seconds_left": null'), ("t3", b', "seconds_left": 59.5')):
        listener.say(f"referee/v1/h/{table}/status", b'{"status": "online"}')
        listener.say(f"referee/v1/h/{table}/state", running % clock)
    listener.say("referee/v1/h/t1/state", running % b', "seconds_left": NaN')
    wall.locator('[data-table="t1"] .trouble').get_by_text("t1 sends what I cannot read (1 so far)").wait_for()
    wall.locator('[data-table="t3"] .clock').wait_for()
    assert wall.locator(".clock").count() == 1
    assert "NaN" not in wall.locator("main").inner_text()


def test_the_wall_speaks_the_language_of_the_browser(
    hall: Any, make_table: Callable[..., Any], open_wall: Callable[..., Any]
) -> None:
    table = make_table(name="t1")
    table.play(steps=60)
    wall = open_wall(hall.port, 360, 740, locale="pl-PL")
    log_in(wall, "314159")
    wall.locator(".link").get_by_text("połączono").wait_for()
    wall.get_by_role("button", name="Przerwa dla wszystkich").wait_for()
    wall.locator('[data-table="t1"] .face').click()
    sheet = wall.locator("#sheet")
    sheet.get_by_role("heading", name="Ostatnie zdarzenia").wait_for()
    sheet.locator(".told li").first.wait_for()
    sheet.locator(".told").get_by_text("leży osobno").first.wait_for()  # a fault of a past event
    assert "lies on its own" not in sheet.inner_text()
    assert wall.evaluate("document.documentElement.lang") == "pl"
    assert sheet.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    wall.screenshot(path=PICTURES / "hall-polish.png")
