"""Setting up on the page: a service in safe mode is mended there and asked for another start."""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from referee.page.calibration import PageCalibration
from referee.rules.wording import only_english, say
from referee.server.pin import is_correct_pin, load_pin, save_pin
from referee.service import page as service
from referee.service.stop import POWER_OFF, Stop
from referee.settings.config import PAGE_FILE, load_config
from referee.vision.calibrate.face_learning import named_rows
from referee.vision.calibrate.image_quality import Check
from referee.vision.calibrate.image_quality import check_to_plain as plain
from referee.vision.calibrate.ink_colours import fit_distinct_inks
from referee.vision.calibrate.table_plane import fit_markers
from referee.vision.calibrate.tile_fit import fit_table
from referee.vision.geometry.plane import TILE_MM
from tests.conftest import expect

PIN = "271828"
REASON = "the camera cannot be opened"
HEALTH = {"state": "safe", "reason": REASON, "starts": 3}


@dataclass
class Safe:
    """A service in safe mode, as its page shows it."""

    url: str
    folder: Path
    stop: Stop

    @property
    def settings(self) -> str:
        return (self.folder / PAGE_FILE).read_text("utf-8")


@pytest.fixture
def safe(tmp_path: Path, free_port: int) -> Iterator[Safe]:
    save_pin(tmp_path, PIN)
    known = load_config()
    config = replace(known, web=replace(known.web, enabled=True, port=free_port))
    stop, retry = Stop(), tmp_path / "retry"
    why = only_english(REASON)
    server = service.open_safe_page(
        config, None, tmp_path, lambda: HEALTH, lambda: why, ask_retry=retry.touch, stop=stop
    )
    yield Safe(f"http://127.0.0.1:{free_port}/", tmp_path, stop)
    server.close()


def part(device: Any, name: str) -> None:
    device.tab("setup")
    device.view.locator(".parts").get_by_role("button", name=name).click()


def test_a_service_in_safe_mode_is_asked_to_start_again(safe: Safe, open_device: Callable[..., Any]) -> None:
    phone = open_device(safe.url)
    phone.must_say(f"Safe mode: {REASON}")
    part(phone, "Health")
    phone.must_say(REASON, "dl")
    expect(phone.view.get_by_role("button", name="Start again"), "a guest may not").to_have_count(0)
    phone.view.locator("main").get_by_role("button", name="Log in").click()
    phone.view.locator("input[name=pin]").fill(PIN)
    phone.view.keyboard.press("Enter")
    phone.must_say("The referee tries again.")
    phone.picture("safe-mode-phone")
    assert (safe.folder / "retry").exists()


def test_the_organiser_shuts_the_device_down(
    safe: Safe, monkeypatch: pytest.MonkeyPatch, open_device: Callable[..., Any]
) -> None:
    monkeypatch.setenv("INVOCATION_ID", "1")
    monkeypatch.setenv("STATE_DIRECTORY", str(safe.folder))
    phone = open_device(safe.url)
    part(phone, "Health")
    phone.must_say(REASON, "dl")
    expect(phone.view.get_by_role("button", name="Shut down"), "a guest may not").to_have_count(0)
    phone.log_in(PIN)
    phone.view.get_by_role("button", name="Shut down").click()
    phone.must_say("To start it again", "dialog")
    assert not safe.stop.is_set()
    phone.view.locator("dialog").get_by_role("button", name="Shut down").click()
    phone.must_say("Pull the plug once", "dialog")
    phone.picture("shut-down-phone")
    assert (safe.stop.is_set(), safe.stop.code) == (True, POWER_OFF)


def test_a_sheet_that_closes_leaves_the_next_one_open(
    safe: Safe, monkeypatch: pytest.MonkeyPatch, open_device: Callable[..., Any]
) -> None:
    """The answer is there before the browser tells that the first sheet has closed."""
    monkeypatch.setenv("INVOCATION_ID", "1")
    monkeypatch.setenv("STATE_DIRECTORY", str(safe.folder))
    phone = open_device(f"{safe.url}#setup/health")
    phone.log_in(PIN)
    phone.view.get_by_role("button", name="Shut down").click()
    closed = "new Promise((told) => document.querySelector('dialog').addEventListener('close', () => setTimeout(told)))"
    phone.view.evaluate(f"() => {{ window.closed = {closed} }}")
    phone.view.evaluate("fetch = async () => ({ ok: true, status: 200, json: async () => ({}) })")
    phone.view.locator("dialog").get_by_role("button", name="Shut down").click()
    phone.view.evaluate("window.closed")
    phone.must_say("Pull the plug once", "dialog")


def test_settings_are_explained_in_the_readers_language_and_kept(safe: Safe, open_device: Callable[..., Any]) -> None:
    phone = open_device(safe.url, language="de")
    phone.log_in(PIN)
    part(phone, "Einstellungen")
    phone.view.locator("summary", has_text="Lampen und Töne").click()
    phone.must_say("Lautstärke eines passiven Summers · 0 … 1")
    phone.view.get_by_label("Lautstärke").fill("7")
    phone.view.locator("summary", has_text="Hausregeln").click()
    phone.view.get_by_label("Punkte für die Erstauslage").fill("40")
    later = phone.view.get_by_label("Wer spätere Spiele beginnt")
    assert later.evaluate("select => select.selectedOptions[0].textContent") == "wie die Ausgabe sagt"
    later.select_option("left_of_last_starter")
    phone.view.get_by_role("button", name="3 Änderungen speichern").click()
    phone.view.locator('.field.wrong input[name="signals.volume"]').wait_for()
    phone.must_say("7 liegt außerhalb; erlaubt ist 0 bis 1", ".field.wrong")
    phone.must_say("1 Einstellung stimmt noch nicht")
    phone.picture("settings-wrong-phone", whole=True)
    assert not (safe.folder / PAGE_FILE).exists(), "all or nothing"
    phone.view.get_by_label("Lautstärke").fill("0,3")  # as a German types it
    phone.view.get_by_role("button", name="3 Änderungen speichern").click()
    phone.must_say("Gespeichert.")
    expect(phone.view.get_by_label("Lautstärke")).to_have_value("0,3")
    assert "volume = 0.3" in safe.settings
    assert "initial_meld = 40" in safe.settings
    assert 'next_starter = "left_of_last_starter"' in safe.settings
    phone.picture("settings-phone", whole=True)
    phone.view.get_by_label("Punkte für die Erstauslage").fill("")
    later.select_option("wie die Ausgabe sagt")
    phone.view.get_by_role("button", name="2 Änderungen speichern").click()
    phone.view.get_by_role("button", name="2 Änderungen speichern").wait_for(state="hidden")
    assert "house_rules" not in safe.settings, "empty: as the edition says"


def test_a_part_that_is_named_by_its_address_is_seen_pressed(safe: Safe, open_device: Callable[..., Any]) -> None:
    phone = open_device(f"{safe.url}#setup/logs")
    phone.log_in(PIN)
    pressed = phone.view.locator('.parts [aria-pressed="true"]')
    pressed.wait_for()
    phone.view.wait_for_timeout(200)
    box = pressed.bounding_box()
    expect(pressed).to_have_text("Log and report")
    assert 0 <= box["x"] < box["x"] + box["width"] <= phone.view.viewport_size["width"]


def test_settings_are_called_by_words_and_what_they_may_be(safe: Safe, open_device: Callable[..., Any]) -> None:
    phone = open_device(f"{safe.url}#setup/settings")
    phone.log_in(PIN)
    view = phone.view
    view.locator(".settings details").first.wait_for()
    view.evaluate("document.querySelectorAll('.settings details').forEach((fold) => (fold.open = true))")
    for label in ("Wait for hands to go (s)", "Picture width (px)", "Mains frequency (Hz)"):
        expect(view.get_by_label(label)).to_have_count(1)
    view.get_by_label("Kind of buzzer").select_option("only beeps")
    view.get_by_label("Format").select_option("By the booklet")
    for label, time in (("Silent from", "22:00"), ("Silent until", "07:30")):
        expect(view.get_by_label(label)).to_have_attribute("type", "time")
        view.get_by_label(label).fill(time)
    view.get_by_role("button", name="Save 3 changes").click()
    phone.must_say("Saved.")
    assert 'quiet_from = "22:00"\nquiet_until = "07:30"' in safe.settings
    expect(view.get_by_label("Who may correct tiles"), "not to be changed on the page").to_have_count(0)
    phone.must_say("Who may correct tiles web.corrections: the organiser", ".settings")
    expect(view.locator(".settings label small"), "a name of the settings file beside the words").to_have_count(0)
    assert phone.overflow() == 0
    view.get_by_role("button", name="Restart and shut down").click()
    view.locator('.parts [aria-pressed="true"]', has_text="Health").wait_for()


def test_a_failed_check_leads_to_what_to_do(page: Any, open_device: Callable[..., Any]) -> None:
    page.settle("R10 R11 R12")
    page.admin.check = lambda: {
        "at": 0.0,
        "checks": [
            plain(Check(check=name, passed=False, value=None, limit=None, message=message))
            for name, message in (
                ("focus", say("found.blurred", "tiles are blurred")),
                ("glare", say("found.glare", "a tile reflects the lamp", count=1)),
                ("corners", say("found.no_table", "the table is not calibrated")),
            )
        ],
    }
    device = open_device(f"{page.url}#setup/camera")
    device.log_in(page.pin)
    view = device.view
    view.get_by_role("button", name="Check now").click()
    cures = view.get_by_role("button", name="What to do")
    for place, cure in enumerate(("Out of focus", "Tiles reflect the lamp", "Calibrate")):
        cures.nth(place).click()
        assert cure in view.evaluate("document.activeElement.textContent")
        expect(view.locator(":focus")).to_be_visible()
    assert device.overflow() == 0


def test_the_guide_says_what_to_change_and_draws_it(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    device = open_device(f"{page.url}#setup/camera")
    device.log_in(page.pin)
    device.must_say("Tiles reflect the lamp", ".camera-guide")
    device.must_say("1 tile is outlined in the picture. Move the lamp aside", ".camera-guide")
    others = device.view.locator(".camera-guide details").text_content()
    assert "outlined in the picture" not in others, "none is where the problem is only possible"
    assert "Put a lamp at each end of the table, then find focus and light again." in others
    expect(device.view.locator(".seen polygon")).to_have_attribute("points", "40,40 80,40 80,100 40,100")
    expect(device.view.locator(".symptoms .bad .pair-drawn svg")).to_have_count(2)
    device.view.get_by_text("All possible problems").click()
    device.must_say("The table is cut off", ".camera-guide details")
    assert device.overflow() == 0
    device.picture("camera-guide-phone", whole=True)


def test_the_camera_is_calibrated_step_by_step(page: Any, open_device: Callable[..., Any]) -> None:
    device = open_device(f"{page.url}#setup/camera")
    device.log_in(page.pin)
    device.view.get_by_role("button", name="Find focus and light").click()
    device.must_say("Focus and light are locked, also after each start. This camera cannot be set: focus.")
    device.view.get_by_label("Table in mm").first.fill("1200 by 900")
    find = device.view.get_by_role("button", name="Find the table by tiles")
    find.click()
    device.must_say("Give two numbers, as 1200x900.")
    assert page.admin.played == []
    device.view.get_by_label("Table in mm").first.fill("1200 x 900,5")
    find.click()
    device.must_say("The table is 1,200 × 900 mm. Positions are accurate to about 4.2 mm. The colours are learnt.")
    assert page.admin.played == ["setup (1200.0, 900.5) None"]
    device.picture("calibration-phone", whole=True)
    device.view.get_by_text("Jokers the referee does not know").click()
    learn = device.view.get_by_role("button", name="Learn the jokers")
    learn.click()
    device.must_say("Say what lies there, as J JD JC JM.")
    device.view.get_by_label("From the left").fill("J JD")
    learn.click()
    device.must_say("Learnt: J JD. These look alike to the camera, so the referee asks when in doubt: J – JD.")
    device.view.get_by_text("With the printed markers").click()
    device.view.get_by_role("button", name="Find the table by markers").click()
    device.must_say("Not seen of the corner markers")


def fail_as_for_real(step: str, table_mm: Any, tile_mm: Any, order: str | None) -> NoReturn:
    """Fail as each step does that finds nothing on the table."""
    dark = np.zeros((120, 160, 3), np.uint8)
    failing: dict[str, Callable[[], Any]] = {
        "light": lambda: PageCalibration(None, None, None, None, None).take("light", None, None),  # type: ignore[arg-type]
        "setup": lambda: fit_table(np.empty((0, 4, 2)), (1600, 1200), None, tile_mm or TILE_MM, table_mm),
        "table": lambda: fit_markers({}, None),
        "colours": lambda: fit_distinct_inks(dark, ()),
        "tiles": lambda: named_rows(f"{order} /"),
    }
    failing[step]()
    raise AssertionError(step)


def test_each_failed_step_of_the_calibration_says_why_in_german(
    page: Any, open_device: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page.admin, "calibrate", fail_as_for_real)
    device = open_device(f"{page.url}#setup/camera", language="de")
    device.log_in(page.pin)
    steps = device.view.locator("[aria-labelledby=steps-line]")
    steps.locator("form").first.wait_for()
    steps.evaluate("card => card.querySelectorAll('details').forEach((step) => (step.open = true))")
    steps.get_by_label("Von links").fill("J JD")
    reasons = (
        "Die Bilder kommen von keiner benannten Kamera, also gibt es nichts zu kalibrieren.",
        "Nur 0 Steine zu sehen, 10 sind nötig;",
        "Diese Eckmarken sind nicht zu sehen: 40 (hinten links), 41 (hinten rechts)",
        "Zu wenige Steine sicher gelesen in Schwarz (0), Rot (0), Blau (0), Orange (0);",
        "'J JD /' lässt eine Reihe leer; eintragen, was dort liegt: 'J JD JC JM'.",
    )
    for place, reason in enumerate(reasons):
        form = steps.locator("form").nth(place)
        form.locator("button[type=submit]").click()
        form.locator(".notice.bad").get_by_text(reason).wait_for()
    device.picture("calibration-failed-de", whole=True)
    steps.get_by_label("Tisch in mm").first.fill("20 x 30")
    steps.locator("form").nth(1).locator("button[type=submit]").click()
    beside = steps.locator("form").nth(1).locator(".field.wrong p.wrong")
    beside.wait_for()
    assert beside.inner_text() == "Nötig: zwei Zahlen von 200 bis 5000 in mm, oder nichts."


def test_pin_and_report_need_no_shell(safe: Safe, open_device: Callable[..., Any]) -> None:
    device = open_device(f"{safe.url}#setup/page")
    device.log_in(PIN)
    view = device.view
    view.get_by_label("Current PIN").fill(PIN)
    view.get_by_label("New PIN").fill("111111")
    view.get_by_role("button", name="Set the PIN").click()
    device.must_say("is among the first anybody tries", "form")
    view.get_by_label("New PIN").fill("654987")
    view.get_by_role("button", name="Set the PIN").click()
    device.must_say("The PIN is changed.", ".toast")
    assert is_correct_pin("654987", load_pin(safe.folder) or "")
    view.goto(f"{safe.url}#setup/logs")
    with view.expect_download() as download:
        view.get_by_role("link", name="Save the report").click()
    with zipfile.ZipFile(download.value.path()) as report:
        assert {"contents.txt", "versions.txt", "settings.json"} <= set(report.namelist())
        assert not any(name.startswith("evidence") for name in report.namelist())
    assert device.overflow() == 0


def test_what_holds_nothing_says_so(page: Any, open_device: Callable[..., Any]) -> None:
    device = open_device(f"{page.url}#setup/logs")
    device.log_in(page.pin)
    device.must_say("Nothing has been written yet.")
    part(device, "Evenings")
    device.must_say("No match has been finished yet.")
    part(device, "This page")
    device.must_say("The page is served to this machine alone.")
    expect(device.view.locator(".qr"), "a code that no phone can follow").to_have_count(0)
    device.tab("turns")
    device.must_say("No turn has been judged yet.")
