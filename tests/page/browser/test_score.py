"""A match started, scored and exported by the page alone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.game.inputs import GameEnded, MatchEnded, NextGame, RacksTold, Seat
from tests.conftest import expect


def must_be_the_row(row: Any, words: str) -> None:
    """Wait until the row of a table reads so."""
    expect(row).to_have_text(re.compile(rf"^\s*{re.escape(words)}".replace(r"\ ", r"\s*")), use_inner_text=True)


def start(device: Any, pin: str) -> None:
    """Start a match of two games with three players by the form."""
    device.log_in(pin)
    device.tab("score")
    device.view.get_by_role("button", name="Start a match").click()
    view = device.view
    view.get_by_label("Edition").select_option("3in1-standard")
    view.get_by_role("button", name="Add a player").click()
    for seat, name in enumerate(("Ann", "Ben", "Żaneta")):
        view.locator(f"input[name=name-{seat}]").fill(name)
    view.get_by_label("Who begins").select_option("1")
    view.locator("input[name=games]").fill("1")
    view.get_by_text("House rules").click()
    view.get_by_label("Seconds for a turn").fill("0")
    view.keyboard.press("Tab")
    device.must_say("The booklet says: 60")
    device.picture("start-phone")
    view.get_by_role("button", name="Begin", exact=True).click()
    view.locator("dialog").wait_for(state="hidden")


def test_a_match_is_started_scored_and_exported_by_the_page(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url)
    start(phone, page.pin)
    assert page.match.setup.names == ("Ann", "Ben", "Żaneta")
    assert page.match.rules.turn_seconds is None
    assert page.match.seat == 1
    phone.tab("table")
    phone.must_say("Ben to move")
    page.play("R10 R11 R12")
    phone.must_say("Ben: legal", ".verdict")
    phone.must_say("33 points for the opening", ".verdict")

    phone.view.get_by_text("More", exact=True).click()
    phone.view.get_by_role("button", name="Nobody can go on").click()
    phone.view.locator("dialog").get_by_role("button", name="Nobody can go on").click()
    phone.must_say("game 1 is over")
    phone.tab("score")
    view = phone.view
    view.locator("input[name=rack-0]").fill("R1 Q7")
    phone.must_say("Not in this box: Q7")
    phone.picture("racks-wrong-phone")
    view.locator("input[name=rack-0]").fill("r1")
    rack = view.locator("fieldset").filter(has_text="Rack of Ben")
    rack.get_by_role("button", name="Tap tiles").click()
    for tile in ("red 2", "blue 3"):
        rack.locator(".pad").get_by_role("button", name=tile, exact=True).click()
    expect(view.locator("input[name=rack-1]")).to_have_value("R2 B3")
    phone.picture("racks-phone", whole=True)
    rack = view.locator("fieldset").filter(has_text="Rack of Żaneta")
    rack.get_by_role("button", name="Points", exact=True).click()
    view.locator("input[name=value-2]").fill("10")
    view.get_by_role("button", name="Enter the racks").click()
    phone.must_say("The game is scored.")
    phone.must_say("fits", "table.sheet tbody")
    # The booklet's rule for a blocked game: lowest rack wins the others' racks less its own: 5 + 10 - 1 = 14.
    must_be_the_row(view.locator("table.sheet tbody tr"), "1 +14 won −5 −10 fits")
    phone.picture("score-phone", whole=True)
    view.get_by_role("button", name="Finish the match").click()
    phone.must_say("Ann wins the match")
    phone.picture("ranking-phone", whole=True)

    for name in ("Game record", "Scores (CSV)", "Everything with pictures (ZIP)"):
        with view.expect_download() as download:
            view.get_by_role("link", name=name).click()
        assert Path(download.value.path()).stat().st_size > 0
        assert "." in download.value.suggested_filename
    with view.expect_download() as download:
        view.get_by_role("link", name="Scores (CSV)").click()
    assert "Żaneta" in Path(download.value.path()).read_text("utf-8")


def test_a_recording_cut_off_in_a_game_ranks_nobody(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben", "Cem"), games=2)
    page.play("R10 R11 R12")
    page.enter(GameEnded(page.now()))
    page.enter(RacksTold(page.now(), racks=((Seat(0), 5), (Seat(1), 7), (Seat(2), 9))))
    page.settle("")
    page.enter(NextGame(page.now()))
    phone, tablet = open_device(page.url, language="de"), open_device(page.url, "tablet")
    tablet.must_say("Game 2")
    page.enter(MatchEnded(page.now(), cut=True))
    tablet.must_say("The recording is over and the game unfinished: nobody is ranked.")
    tablet.tab("score")
    tablet.must_say("nobody is ranked.", ".ranking")
    expect(tablet.view.locator(".ranking li")).to_have_count(0)
    must_be_the_row(tablet.view.locator("table.sheet tr", has_text="Place"), "Place – – –")
    tablet.must_say("+6", "table.sheet")  # what was scored stays: Ben had 2 more than Ann, Cem 4
    tablet.picture("cut-tablet", whole=True)
    phone.must_say("Niemand bekommt einen Rang.")
    assert phone.overflow() == 0
    phone.picture("cut-phone")


SURPRISE = 500  # milliseconds: longer than the page takes a tap for a surprise, or for the second of two


def _ask_for_the_rack(view: Any, name: str) -> None:
    """Press, and wait until the referee has heard of it: only a picture taken after that shows the rack.

    What has only just come below the finger is not meant by a tap.
    """
    view.wait_for_timeout(SURPRISE)
    with view.expect_response(lambda answer: answer.request.method == "POST"):
        view.get_by_role("button", name=f"Read the rack of {name} by camera").click()


def test_a_rack_is_shown_to_the_camera_and_scored(page: Any, open_device: Callable[..., Any]) -> None:
    table = "R10 R11 R12"
    page.start(names=("Ann", "Ben"), house_rules=(("rack_tiles", 4), ("turn_seconds", 0)))
    page.play(table)
    phone = open_device(page.url)
    phone.log_in(page.pin)
    assert page.organiser().say("blocked").status == 200
    phone.tab("score")
    view = phone.view
    page.settle(f"{table} / K5 K6")
    _ask_for_the_rack(view, "Ann")
    page.settle(f"{table} / K5 K6")  # a rack counts once two pictures agree
    phone.must_say("Ann: tiles seen 2, expected 1.")
    phone.picture("rack-count-phone")
    page.settle(f"{table} / K5")
    _ask_for_the_rack(view, "Ann")
    page.settle(f"{table} / K5")
    rack = view.locator("fieldset").filter(has_text="Rack of Ann")
    rack.get_by_role("button", name="Read the rack of Ann again").wait_for()
    expect(rack.locator("input")).to_have_value("K5")
    phone.picture("racks-by-camera-phone", whole=True)
    page.settle(f"{table} / K5 / B1 B2 O7 K9")
    _ask_for_the_rack(view, "Ben")
    page.settle(f"{table} / K5 / B1 B2 O7 K9")
    phone.must_say("fits", "table.sheet tbody")  # the last rack was shown: the game is scored by itself
    must_be_the_row(view.locator("table.sheet tbody tr"), "1 +14 won −14 fits")
    expect(view.locator(".racks")).to_have_count(0)


def test_somebody_else_starts_the_next_game(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"), games=2)
    page.play("R10 R11 R12")
    organiser = page.organiser()
    assert organiser.say("blocked").status == 200
    assert organiser.say("racks", racks={"0": 10, "1": 20}, could_open=[]).status == 200
    assert organiser.say("next_game").status == 200
    page.settle("")
    page.wait_for(lambda state: "starter" in state["match"]["can"])
    starter = page.match.seat
    other = ("Ann", "Ben")[1 - starter]
    phone = open_device(page.url)
    phone.log_in(page.pin)
    phone.view.get_by_text("More", exact=True).click()
    phone.view.get_by_role("button", name=f"{other} starts this game").click()
    phone.must_say(f"{other} to move")
    assert page.match.seat == 1 - starter


def test_players_who_are_level_share_the_win(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben", "Cem"))
    page.play("R10 R11 R12")
    phone = open_device(page.url)
    phone.log_in(page.pin)
    organiser = page.organiser()
    assert organiser.say("blocked").status == 200
    assert organiser.say("racks", racks={"0": 20, "1": 5, "2": 5}).status == 200
    assert organiser.say("end_match").status == 200
    phone.must_say("Ben and Cem share the win")
    phone.tab("score")
    phone.must_say("Ben and Cem share the win")
    expect(phone.view.locator(".ranking li")).to_have_text([re.compile(rf"^{place}\.") for place in (1, 1, 3)])
    must_be_the_row(phone.view.locator("table.sheet tfoot tr").last, "Place 3. 1. 1.")
    phone.picture("ranking-shared-phone", whole=True)


def test_a_format_is_chosen_and_the_banks_are_shown(page: Any, open_device: Callable[..., Any]) -> None:
    phone = open_device(page.url)
    phone.log_in(page.pin)
    phone.tab("score")
    view = phone.view
    view.get_by_role("button", name="Start a match").click()
    view.get_by_label("Format").select_option("open-table")
    view.locator("input[name=name-2]").wait_for()  # a third place
    view.get_by_label("Format").select_option("two-player")
    view.locator("input[name=name-2]").wait_for(state="detached")
    expect(view.get_by_role("button", name="Add a player")).to_have_count(0)
    for seat, name in enumerate(("Ann", "Ben")):
        view.locator(f"input[name=name-{seat}]").fill(name)
    view.get_by_text("House rules").click()
    expect(view.locator("input[name=house-bank_seconds]")).to_have_value("600")
    view.locator("input[name=house-bank_seconds]").fill("300")
    view.keyboard.press("Tab")
    phone.must_say("The format says: 600")
    phone.picture("start-format-phone")
    view.get_by_role("button", name="Begin", exact=True).click()
    view.locator("dialog").wait_for(state="hidden")
    rules = page.match.rules
    assert (page.match.setup.start.format, rules.bank_seconds, rules.turn_seconds) == ("two-player", 300, 10)
    assert page.match.setup.start.house_rules == (("bank_seconds", 300),)
    phone.tab("table")
    phone.must_say("Ben 5:00", ".banks")
    phone.picture("banks-phone")
    view.get_by_role("button", name="Large").click()
    phone.must_say("Ben 5:00", ".banks")
    phone.picture("banks-big")
    view.get_by_role("button", name="Close the large view").click()
    page.play("R10 R11 R12")
    phone.must_say("Ann ", ".banks")


def test_a_game_lost_on_time_is_taken_up_again_by_the_page(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(house_rules=(("out_of_time", "lose"), ("bank_seconds", 1), ("turn_seconds", 1)))
    page.play("R10 R11 R12")
    phone = open_device(page.url)
    phone.log_in(page.pin)
    phone.must_say("Ann wins game 1 on time")
    phone.view.get_by_text("More", exact=True).click()
    phone.view.get_by_role("button", name="Give 30 seconds").click()
    phone.must_say("Ben to move", "#turn-line")
    assert page.match.results == ()
