"""A screen on the wall: nobody logs in, nobody touches it, and it comes back by itself."""

import re
from collections.abc import Callable
from typing import Any

from referee.game.inputs import ClockSet, GameEnded, NextGame, RacksTold
from tests.conftest import comes_true, expect


def test_a_screen_invites_shows_the_game_and_its_end(page: Any, open_device: Callable[..., Any]) -> None:
    device = open_device(f"{page.url}display", "tablet")
    device.must_say("The page is served to this machine alone.", ".display-join")
    expect(device.view.locator(".display-join .qr"), "no phone reaches what the code would say").to_have_count(0)
    device.reach_by_network()
    device.view.reload()
    device.view.locator(".display-join .qr").wait_for()
    expect(device.view.locator(".display-join .where")).to_have_text(re.compile("^http://"))
    page.start(names=("Ann", "Ben", "Cem"), games=1)
    page.play("R10 R11 R12")
    device.must_say("Ben", ".seats .moves")
    expect(device.view.locator(".seats li").nth(2)).to_have_text(re.compile("^Cem"), use_inner_text=True)
    device.must_say("next", ".seats li:nth-child(3)")
    page.play("R10 R11 R12 / K1 K2 K4")
    device.must_say("K4", ".display-said")
    device.view.reload()
    device.must_say("K4", ".display-said")
    expect(device.view.locator(".display-join")).to_have_count(0)
    page.enter(GameEnded(page.now(), "organiser"))
    page.enter(RacksTold(page.now(), ((0, 5), (1, 30), (2, 40)), by="organiser"))
    page.enter(NextGame(page.now()))
    device.must_say("Ann wins the match", ".display-over")
    device.view.locator(".display-join .qr").wait_for()


def test_the_table_fills_most_of_the_screen_and_the_clock_is_large(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    device = open_device(f"{page.url}display", "tablet")
    stage = device.view.locator(".display-stage").bounding_box()
    digits = device.view.locator(".clock .digits > span").bounding_box()
    assert 0.69 <= stage["width"] / 1024 <= 0.71
    assert digits["height"] >= 0.15 * 768
    expect(device.view.locator("button:visible, a:visible")).to_have_count(0)
    device.view.locator(".display-stage").click()
    assert comes_true(lambda: device.view.evaluate("document.fullscreenElement !== null"))


def test_over_a_stream_the_ground_is_clear(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    device = open_device(f"{page.url}display?layout=overlay", "tablet")
    device.must_say("Ben", ".overlay-line")
    device.must_say("Ann", ".overlay .shout")
    grounds = device.view.evaluate(
        "[document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert grounds == ["rgba(0, 0, 0, 0)"] * 2
    expect(device.view.locator(".scene, .seats")).to_have_count(0)


HEARD = """
  window.heard = { spoken: [], tones: 0, awake: 0, queued: [] };
  speechSynthesis.speak = ({ lang, text }) => (window.heard.spoken.push([lang, text]), window.heard.queued.push(text));
  speechSynthesis.cancel = () => (window.heard.queued = []);
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.heard.tones += 1; return start.call(this, at); };
  const ask = navigator.wakeLock.request.bind(navigator.wakeLock);
  navigator.wakeLock.request = (kind) => { window.heard.awake += 1; return ask(kind); };
"""


def test_a_device_sounds_as_it_was_asked_to(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    device = open_device(f"{page.url}#setup/page", language="de")
    device.view.add_init_script(HEARD)
    device.view.reload()
    heard = lambda: device.view.evaluate("window.heard")  # noqa: E731
    page.play("R10 R11 R12")
    device.tab("table")
    device.must_say("Ben", ".seats .moves")
    assert heard() == {"spoken": [], "tones": 0, "awake": 0, "queued": []}
    device.view.goto(f"{page.url}#setup/page")
    device.view.get_by_role("button", name="Stimme").click()
    device.view.wait_for_timeout(300)
    before = heard()["tones"]
    page.play("R10 R11 R12 / K1 K2 O4")
    assert comes_true(lambda: heard()["tones"] > before and any("Ben" in text for _, text in heard()["spoken"]))
    page.enter(ClockSet(page.now(), 31.0, "organiser"))
    device.view.wait_for_function("() => window.heard.spoken.some(([, text]) => text === '30')")
    assert {language[:2] for language, _ in heard()["spoken"]} == {"de"}
    assert heard()["awake"] > 0
    device.view.get_by_role("button", name="Keine").click()
    said = len(heard()["spoken"])
    page.play("R10 R11 R12")
    device.view.wait_for_timeout(500)
    assert len(heard()["spoken"]) == said


def test_a_voice_says_tiles_in_words_and_only_what_still_holds(page: Any, open_device: Callable[..., Any]) -> None:
    """A corrected verdict and a countdown drop what is still to be spoken; hands over the table are not spoken of."""
    page.start(names=("Ann", "Ben"))
    device = open_device(f"{page.url}#setup/page", language="de")
    device.view.add_init_script(HEARD)
    device.view.reload()
    device.view.get_by_role("button", name="Stimme").click()
    spoken = lambda: [text for _, text in device.view.evaluate("window.heard.spoken")]  # noqa: E731
    queued = lambda: device.view.evaluate("window.heard.queued")  # noqa: E731
    page.move()
    page.play("R10 R11 R13")
    assert comes_true(lambda: any("Rot 13 gehört nicht" in text or "Rot 13" in text for text in spoken()))
    assert not any("R13" in text for text in spoken()), spoken()
    assert not any("Hände" in text for text in spoken()), spoken()
    frame_id = page.browser().state()["table"]["frame_id"]
    assert page.organiser().say("correct", frame_id=frame_id, index=2, tile="R12").status == 200
    assert comes_true(lambda: any("Ann: regelgerecht" in text for text in queued()))
    assert not any("nicht regelgerecht" in text for text in queued()), queued()
    page.enter(ClockSet(page.now(), 31.0, "organiser"))
    assert comes_true(lambda: queued()[:1] == ["30"])


def test_a_verdict_is_the_largest_for_some_seconds_then_small_with_its_players_name(
    page: Any, open_device: Callable[..., Any]
) -> None:
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 600),))
    page.play("R10 R11 R12")
    screen, overlay = open_device(f"{page.url}display", "tablet"), open_device(f"{page.url}display?layout=overlay")
    screen.must_say("Ann: legal", ".display-said .shout")
    overlay.must_say("Ann: legal", ".overlay-said .shout")
    screen.must_say("Ann: legal", ".display-said .earlier")
    assert screen.view.locator(".shout").count() == 0
    overlay.view.locator(".overlay-said").wait_for(state="hidden")
    screen.view.reload()
    screen.must_say("Ann: legal", ".display-said .earlier")
    page.play("R10 R11 R12 / K1 K2 O4")
    screen.must_say("Ben: not legal", ".display-said .shout")
    overlay.must_say("Ben: not legal", ".overlay-said .shout")


def test_a_device_vibrates_where_it_was_asked_to(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    device = open_device(f"{page.url}#setup/page")
    device.view.evaluate("window.shaken = []; navigator.vibrate = (pattern) => window.shaken.push(String(pattern))")
    device.view.get_by_role("button", name="Vibration").click()
    page.play("R10 R11 R12 / K1 K2 K4")
    assert comes_true(lambda: "250,90,250" in device.view.evaluate("window.shaken"))  # not legal


def test_a_screen_on_the_wall_stays_awake_over_plain_http(page: Any, open_device: Callable[..., Any]) -> None:
    """There browsers give no lock, but let no screen sleep while a film plays."""
    device = open_device(f"{page.url}display", "tablet")
    view = device.view
    device.reach_by_network()
    view.reload()
    view.locator(".display-join .qr").wait_for()
    expect(view.locator(".film")).to_have_count(0)
    view.add_init_script("delete Navigator.prototype.wakeLock")
    view.reload()
    film = view.locator(".film")
    assert comes_true(lambda: film.evaluate("film => !film.paused && film.currentTime > 0"))


def test_a_browser_may_install_the_page(page: Any, open_device: Callable[..., Any]) -> None:
    view = open_device(page.url).view
    devtools = view.context.new_cdp_session(view)
    manifest = devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].startswith(page.url)
    errors = devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in errors} <= {"in-incognito"}
