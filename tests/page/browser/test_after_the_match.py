"""The end of a match fills the screen; its story and earlier evenings are a tap away, and the story is a file."""

import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from referee.game.inputs import GameEnded, NextGame, RacksTold, Seat
from referee.history.statistics import Statistics
from referee.rules.notation import parse_tiles
from tests.conftest import expect

DEMO = Path(__file__).parents[2] / "matches" / "demo.jsonl"


def finish(page: Any) -> None:
    page.start(names=("Ann", "Ben", "Cem"), games=1)
    page.play("R10 R11 R12 R13")
    page.play("R10 R11 R12 R13 / B9 O9 K9 / K1 K2 K3")
    page.enter(GameEnded(page.now(), "organiser"))
    page.enter(RacksTold(page.now(), ((0, 5), (1, 30), (2, 40)), by="organiser"))
    page.enter(NextGame(page.now()))


def test_the_victory_fills_the_screen_and_a_rematch_takes_two_taps(page: Any, open_device: Callable[..., Any]) -> None:
    finish(page)
    device = open_device(page.url)
    view = device.view
    device.must_say("Ann wins the match", ".victory")
    device.must_say("Longest run", ".victory")
    expect(view.locator(".podium .place-1 strong")).to_have_text("Ann", use_inner_text=True)
    assert view.locator(".victory").bounding_box()["height"] > 0.7 * view.viewport_size["height"]
    expect(view.get_by_role("button", name="Rematch"), "a guest sees no button that is locked").to_have_count(0)
    view.get_by_role("button", name="Show the table").click()
    view.locator(".table-view").wait_for()
    view.reload()
    view.locator(".link.up").wait_for()
    device.log_in(page.pin)
    view.get_by_role("button", name="Rematch").click()
    view.get_by_role("button", name="Begin", exact=True).click()
    device.must_say("A new match begins")
    device.must_say("Clear the table for the next game")
    assert page.match.setup.names == ("Ann", "Ben", "Cem")
    page.settle("")
    device.must_say("Ann to move")


def test_the_story_shows_turns_and_pictures_and_is_a_file(page: Any, open_device: Callable[..., Any]) -> None:
    finish(page)
    device = open_device(page.url, language="de")
    view = device.view
    view.get_by_role("button", name="Der Verlauf dieser Partie").click()
    device.must_say("Ben legt 6 Steine", ".story-turns")
    view.locator(".story-turns .fold").nth(1).click()
    view.locator(".story-turns .pair img").nth(1).wait_for()
    device.picture("story-phone", whole=True)
    assert device.overflow() == 0
    with view.expect_download() as download:
        view.get_by_role("button", name="Verlauf sichern").click()
    text = Path(download.value.path()).read_text("utf-8")
    assert text.count("data:image/jpeg;base64,") == 2
    assert "http://127" not in text
    saved = view.context.new_page()
    saved.set_content(text)
    expect(saved.locator(".story-turns li")).to_have_count(2)
    assert saved.locator(".story-turns img").nth(1).evaluate("one => one.naturalWidth") == 640


def test_an_earlier_evening_is_looked_at_and_a_player_deleted(
    page: Any, tmp_path: Path, open_device: Callable[..., Any]
) -> None:
    shutil.copy(DEMO, tmp_path / "match-00001.jsonl")
    statistics = Statistics(tmp_path)
    statistics.rebuild()
    began = datetime.fromisoformat(statistics.evenings()[0].began)
    device = open_device(f"{page.url}#setup/evenings")
    device.log_in(page.pin)
    device.view.locator(".evenings .fold").click()
    device.must_say("Ben has to put it back", ".story-turns")
    day = began.strftime("%-d %B %Y")
    device.must_say(day)
    with device.view.expect_download() as download:
        device.view.get_by_role("button", name="Save or share the story").click()
    assert day in Path(download.value.path()).read_text("utf-8")
    device.view.get_by_role("button", name="All evenings").click()
    device.view.get_by_role("button", name="Delete Ben").click()
    device.view.locator("dialog").get_by_role("button", name="Delete Ben").click()
    device.must_say("Deleted", ".toast")
    expect(device.view.locator(".sheet tbody th")).to_have_text(["Ann", "Cem"], use_inner_text=True)
    device.picture("evenings-phone", whole=True)
    assert device.overflow() == 0


def test_the_best_play_that_was_missed_is_shown(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"), games=1, house_rules=(("rack_tiles", 8), ("turn_seconds", 0)))
    for table in ("R10 R11 R12", "R10 R11 R12 / B10 O10 K10", "R10 R11 R12 / B10 O10 K10 / K1 K2 K3"):
        page.play(table)
    page.enter(GameEnded(page.now(), "organiser"))
    racks = ((Seat(0), parse_tiles("R13 K4")), (Seat(1), 40))
    page.enter(RacksTold(page.now(), racks, by="organiser"))
    page.enter(NextGame(page.now()))
    device = open_device(f"{page.url}#story")
    device.must_say("The best play you missed")
    device.must_say("Ann, turn 1: 3 laid")
    device.must_say("8 tiles could have been laid")
    device.picture("missed-phone", whole=True)
