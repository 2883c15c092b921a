"""A broken table is put back by the guide, step by step, and the steps tick themselves off."""

import math
import re
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from referee.game.state import Phase
from tests.conftest import PATIENCE_SECONDS, expect

BEFORE = "R3 R4 R5 / K10 B10 O10 / R10 R11 R12"
BROKEN = "R3 R4 / R5 K10 B10 / O10 / R10 R11 R12 / B1"


PLAYS = ("K10 B10 O10", "K10 B10 O10 / R10 R11 R12", BEFORE)


def broken_table(page: Any, plays: Sequence[str] = PLAYS, broken: str = BROKEN) -> None:
    """The time runs out while somebody has torn sets apart and laid tiles of their own beside them."""
    page.start(names=("Ann", "Ben"), house_rules=(("turn_seconds", 4),))
    for table in plays:
        page.play(table)
    page.wait_for(lambda state: state["match"]["phase"] == "turn")
    page.settle(broken)
    page.wait_for(lambda state: state["match"]["phase"] != "turn")
    end = time.monotonic() + PATIENCE_SECONDS
    while page.match.phase is not Phase.RESTORE:
        assert time.monotonic() < end, page.match.phase
        page.settle(broken)
        time.sleep(0.1)


def test_the_guide_says_what_moves_where_and_ticks_it_off(page: Any, open_device: Callable[..., Any]) -> None:
    broken_table(page)
    tablet, phone = open_device(page.url, "tablet"), open_device(page.url, language="de")
    tablet.must_say("Put the table back")
    phone.must_say("Den Tisch zurückbauen")
    moves = page.wait_for(lambda state: state["match"]["restore"]["moves"])["match"]["restore"]["moves"]
    assert len(moves) > 1
    expect(tablet.view.locator(".moves > li")).to_have_count(len(moves))
    expect(tablet.view.locator(".arrow")).to_have_count(sum(not move["done"] for move in moves))
    expect(tablet.view.locator(".moves").get_by_text(re.compile("goes back to the rack"))).to_have_count(1)
    wall = open_device(f"{page.url}display", "tablet")
    wall.view.locator(".display-stage .arrow").first.wait_for()
    expect(wall.view.locator(".display-stage .arrow")).to_have_count(sum(not move["done"] for move in moves))
    tablet.picture("restore-tablet")
    phone.picture("restore-phone", whole=True)
    tablet.view.get_by_role("button", name="Nobody remembers?").click()
    tablet.view.locator(".nearest .sets, .nearest .help").first.wait_for()
    tablet.picture("nearest-tablet", whole=True)

    page.settle("R3 R4 R5 / K10 B10 / O10 / R10 R11 R12 / B1")
    tablet.view.locator(".moves > li.done, .restore .count").first.wait_for()
    tablet.picture("restore-halfway-tablet")
    page.settle(BEFORE)
    tablet.view.locator(".restore").wait_for(state="detached")
    assert page.match.phase is Phase.TURN
    assert [type(event).__name__ for event in page.told].count("Restored") == 1


def test_the_numbers_of_many_steps_lie_apart(page: Any, open_device: Callable[..., Any]) -> None:
    """Three tiles of one set were joined on to another, one of a group to a run, and two come from the rack."""
    before = "R3 R4 R5 / R6 R7 R8 / K10 B10 O10 / R10 R11 R12"
    broken_table(page, (*PLAYS, before), "R3 R4 R5 R6 R7 R8 / K10 / B10 O10 / R10 R11 R12 / B1 / B13")
    tablet, phone = open_device(page.url, "tablet"), open_device(page.url, language="pl")
    for device, name in ((tablet, "restore-many-tablet"), (phone, "restore-many-phone")):
        device.view.locator(".arrow").nth(5).wait_for()
        device.picture(name)
        circles = device.view.evaluate(
            """[...document.querySelectorAll(".step-number circle")].map((one) => {
                const box = one.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2, box.width];
            })"""
        )
        assert len(circles) >= 6
        for (x, y, wide), (left, top, _) in combinations(circles, 2):
            assert math.hypot(x - left, y - top) > 0.9 * wide
