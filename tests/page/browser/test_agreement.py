"""What was read wrongly is put right: by the organiser, who adds and parts, and by two players who agree."""

import re
import time
from collections.abc import Callable
from typing import Any

from tests.conftest import expect

OPENED = "R10 R11 R12 / B10 B11 B12"


def sent_back(page: Any, text: str) -> None:
    """Ann and Ben have opened; Ann's turn is not legal as it was read."""
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    page.play(OPENED)
    page.play(f"{OPENED} / {text}")
    page.wait_for(lambda state: state["match"]["verdict"]["verdict"] == "illegal")


def open_tile(device: Any, name: str) -> None:
    device.view.locator(".sets-card").get_by_role("button", name=name).click()
    device.view.locator("dialog[open]").wait_for()


def test_two_players_agree_on_two_phones(players_agree: Any, open_device: Callable[..., Any]) -> None:
    sent_back(players_agree, "K1 K2 B3")
    ann, ben = open_device(players_agree.url), open_device(players_agree.url, language="de")
    open_tile(ann, "blue 3")
    ann.view.get_by_role("button", name="Show all tiles").click()
    ann.view.locator(".pad").get_by_role("button", name="black 3", exact=True).click()
    ann.must_say("Who are you?")
    ann.picture("seat-phone")
    ann.view.locator("dialog").get_by_role("button", name="Ann").click()
    ann.must_say("Proposed: another player has to agree")
    ann.must_say("Take it back", ".proposal")
    expect(ann.view.locator(".proposal").get_by_role("button", name="Agree")).to_have_count(0)
    ann.view.reload()
    ann.must_say("You are Ann", ".proposal")
    ben.must_say("Ann schlägt eine Berichtigung vor", ".proposal")
    ben.must_say("Das ist Schwarz 3, nicht Blau 3.", ".proposal")
    ben.picture("proposal-phone")
    ben.view.get_by_role("button", name="Zustimmen").click()
    ben.view.locator("dialog").get_by_role("button", name="Ben").click()
    ben.must_say("Ann: regelgerecht", ".verdict")
    ann.view.locator(".proposal").wait_for(state="detached")
    ann.tab("turns")
    ann.view.locator(".fold").first.click()
    ann.must_say("corrected to black 3 by Ann and Ben")


def test_what_a_player_proposed_is_taken_back(players_agree: Any, open_device: Callable[..., Any]) -> None:
    sent_back(players_agree, "K1 K2 B3")
    ann = open_device(players_agree.url)
    tablet = open_device(players_agree.url, "tablet", scheme="dark")
    tablet.view.get_by_role("button", name="Large").click()
    open_tile(ann, "blue 3")
    ann.view.get_by_role("button", name="There is no tile").click()
    ann.view.locator("dialog").get_by_role("button", name="Ann").click()
    tablet.must_say("Ann proposes a correction", ".shout")
    tablet.picture("proposal-big-tablet")
    ann.view.get_by_role("button", name="Take it back").click()
    ann.view.locator(".proposal").wait_for(state="detached")
    assert players_agree.match.dispute.proposal is None
    assert len(players_agree.judged) == 3


def test_the_organiser_adds_a_tile_that_was_missed(page: Any, open_device: Callable[..., Any]) -> None:
    sent_back(page, "K1 K2")
    phone = open_device(page.url)
    phone.log_in(page.pin)
    open_tile(phone, "black 2")
    phone.view.get_by_text("Something else is wrong here").click()
    phone.view.get_by_role("button", name="A tile after it was missed").click()
    phone.picture("missed-phone")
    phone.view.locator(".otherwise .pad").get_by_role("button", name="black 3", exact=True).click()
    phone.must_say("Ann: legal", ".verdict")
    phone.tab("turns")
    phone.view.locator(".fold").first.click()
    phone.must_say("black 3 was not seen; added by the organiser")


def test_a_row_is_parted_and_joined(page: Any, open_device: Callable[..., Any]) -> None:
    page.start(names=("Ann", "Ben"))
    page.play("R10 R11 R12")
    page.settle("R10 R11 R12 / K1 K2 K3 O1 O2 O3")
    tablet = open_device(page.url, "tablet")
    tablet.log_in(page.pin)
    tablet.must_say("2 sets on the table")
    open_tile(tablet, "black 3")
    page.settle("R10 R11 R12 / K1 K2 K3 O1 O2 O3")  # the table is read on while somebody thinks
    tablet.view.get_by_text("Something else is wrong here").click()
    tablet.picture("otherwise-tablet")
    tablet.view.get_by_role("button", name="Its set ends here").click()
    tablet.must_say("3 sets on the table")
    open_tile(tablet, "orange 1")
    tablet.view.get_by_text("Something else is wrong here").click()
    tablet.view.get_by_role("button", name=re.compile("^One set with: black 1")).click()
    tablet.must_say("2 sets on the table")
    time.sleep(0.06)
    page.press()
    tablet.tab("turns")
    tablet.view.locator(".fold").first.click()
    tablet.must_say("Sets corrected by the organiser:")
    tablet.picture("rows-tablet")


def test_a_set_of_which_nothing_was_seen_is_named_and_agreed_to(
    players_agree: Any, open_device: Callable[..., Any]
) -> None:
    players_agree.start(names=("Ann", "Ben"))
    players_agree.play("R10 R11 R12")
    players_agree.play(OPENED)
    ann, ben = open_device(players_agree.url), open_device(players_agree.url, language="pl")
    players_agree.move()  # Ann's hand, laying the fives
    players_agree.settle(OPENED)
    ann.view.get_by_role("button", name="A whole set was not seen").click()
    for tile in ("red 5", "blue 5", "blue 6", "black 5"):
        ann.view.locator("dialog .pad").get_by_role("button", name=tile, exact=True).click()
    ann.view.locator("dialog").get_by_role("button", name="Leave out blue 6").click()
    ann.picture("missing-set-phone")
    assert ann.overflow() == 0
    ann.view.locator("dialog").get_by_role("button", name="It lies there").click()
    ann.view.locator("dialog").get_by_role("button", name="Ann").click()
    ben.must_say("Ten układ też tam leży.", ".proposal")
    ben.picture("missing-set-proposal-phone")
    ben.view.get_by_role("button", name="Zgadzam się", exact=True).click()
    ben.view.locator("dialog").get_by_role("button", name="Ben").click()
    ann.must_say("3 sets on the table")
    players_agree.press()
    ann.must_say("Ann: legal", ".verdict")
    ann.picture("missing-set-table-phone", whole=True)
