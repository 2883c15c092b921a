"""The law of the page: after every command the match did what the screen said at the tap, or nothing, and it says so.

Every command of `say` goes through it, by the taps that give it: its answer is late, lost or doubled, it comes late
itself, and what it is about is over while its sheet is open or the request is on its way.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.game.correction_types import TileIs
from referee.game.corrections.corrections import NO_CORRECTIONS
from referee.game.inputs import CorrectionProposed, GameEnded, LetStand, MatchEnded, NextGame, Paused, RacksTold, Seat
from referee.game.state import Match, Phase
from referee.protocol.commands import COMMANDS
from referee.protocol.subject import Scope
from referee.reading.inputs import Input
from referee.rules.notation import parse_tile
from referee.storage.match_step import MatchStep
from tests.conftest import PATIENCE_SECONDS

from ..conftest import open_page
from .troubles import Troubles

NAMES: Final = ("Ann", "Ben", "Cem")
OPENED: Final = "R10 R11 R12 R13"
RUN: Final = f"{OPENED} / K1 K2 K3"
KEEP_STATE: Final = """
window.shown = null;
window.EventSource = class extends EventSource {
  constructor(path) {
    super(path);
    this.addEventListener("state", (event) => (window.shown = JSON.parse(event.data).match));
  }
};
"""
UNREACHABLE: Final = "The referee cannot be reached. Is this device on the same network?"
COUNTED: Final = "By the referee’s count"
ALERTS: Final = ".toast.bad, [role=alert].notice"


class Asked:
    """A journal that keeps only what people asked for on pages."""

    def __init__(self) -> None:
        self.inputs = list[Input]()

    def append(self, step: MatchStep) -> None:
        if step.entered.voice:
            self.inputs.append(step.entered)

    def close(self) -> None:
        """There is nothing to close."""


@dataclass
class Law:
    """A match, a phone before it, what stands between them, and what the match was asked for."""

    page: Any
    asked: Asked
    troubles: Troubles
    device: Any = None

    @property
    def match(self) -> Match:
        match: Match = self.page.match
        return match

    @property
    def view(self) -> Any:
        return self.device.view

    def until(self, holds: Callable[[], Any], what: str = "") -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < end, (what, self.match.phase, self.match.turn, self.view.inner_text("body")[:900])
            self.view.wait_for_timeout(20)

    def begin(self) -> None:
        """Begin a match of Ann, Ben and Cem; wait until the phone shows it, at the table and without a sheet."""
        if self.match.phase not in {Phase.IDLE, Phase.MATCH_OVER}:
            self.page.enter(MatchEnded(self.page.now(), "organiser"))
        self.page.lay("")
        self.page.start(names=NAMES, house_rules=(("turn_seconds", 900), ("next_starter", "highest_tile")), games=3)
        self.shown()
        self.device.tab("table")

    def shown(self) -> None:
        """Wait until the phone shows the match as it is."""

        def wanted() -> list[Any]:
            match = self.match
            halted = sorted(match.pauses.halted)
            scored = [result.scores is not None for result in match.results]
            return [self.page.bridge.now.match_id, match.game, match.turn, match.phase.value, halted, scored]

        scored = "shown.results.map(({ scores }) => scores !== null)"
        read = f"shown && [shown.id, shown.game, shown.turn, shown.phase, shown.halted, {scored}]"
        self.until(lambda: self.view.evaluate(read) == wanted(), "the phone does not show it")

    def button(self, name: str, within: str = "main") -> Any:
        """A button, unfolded where it is folded away."""
        found = self.view.locator(within).get_by_role("button", name=name, exact=True)
        if not found.first.is_visible() and within == "main":
            self.view.locator(".actions summary").first.click()
        found.first.wait_for()
        return found.first

    def tile(self, name: str) -> None:
        """Open a tile's sheet."""
        self.view.locator(".sets-card").get_by_role("button", name=name).first.click()
        self.view.locator("dialog[open]").wait_for()

    def is_quiet(self) -> bool:
        """Whether no command waits for its answer."""
        return not self.view.locator("[aria-busy=true]").count()

    def has_no_complaint(self) -> bool:
        """Whether nothing is said to have failed; until its answer comes, only the referee's silence may be."""
        said: str = self.view.evaluate("document.querySelector('.toast.bad p')?.innerText ?? ''")
        is_notice = said.startswith(COUNTED)  # of a win that the match believes, though it counts otherwise
        assert said in {"", UNREACHABLE} or is_notice
        return not said or is_notice

    def alert(self) -> str:
        return " ".join(self.view.locator(ALERTS).all_inner_texts())


def turn(law: Law) -> None:
    law.begin()
    law.page.settle(OPENED)
    law.shown()


def second_turn(law: Law) -> None:
    law.begin()
    law.page.play(OPENED)
    law.shown()


def lost_thread(law: Law) -> None:
    """As after three turns without a verdict."""
    turn(law)
    while not law.match.has_lost_thread:  # the loop's own thread may be in the middle of a step
        law.page.loop.match = replace(law.match, astray=3)
        time.sleep(0.05)


def in_a_break(law: Law) -> None:
    turn(law)
    law.page.enter(Paused(law.page.now(), "organiser"))
    law.shown()


def two_rows(law: Law) -> None:
    law.begin()
    law.page.settle("R10 R11 R12 / R13")
    law.shown()


def proposed(law: Law) -> None:
    turn(law)
    claim = TileIs(3, parse_tile("R9"))
    law.page.enter(CorrectionProposed(at=law.page.now(), said=claim, seat=Seat(1), by="players"))
    law.shown()
    law.view.locator(".proposal").wait_for()


def game_over(law: Law) -> None:
    second_turn(law)
    law.page.enter(GameEnded(law.page.now(), "organiser"))
    law.shown()
    law.device.tab("score")


def scored(law: Law) -> None:
    game_over(law)
    law.page.enter(RacksTold(law.page.now(), ((Seat(0), 5), (Seat(1), 6), (Seat(2), 7)), by="organiser"))
    law.shown()


def second_game(law: Law) -> None:
    second_turn(law)
    end_game(law)
    law.shown()


def ended(law: Law) -> None:
    second_turn(law)
    law.page.enter(MatchEnded(law.page.now(), "organiser"))
    law.shown()


def end_turn(law: Law) -> None:
    law.page.enter(LetStand(law.page.now(), "organiser"))


def end_game(law: Law) -> None:
    now = law.page.now
    if law.match.phase is not Phase.GAME_OVER:
        law.page.enter(GameEnded(now(), "organiser"))
    if law.match.results[-1].scores is None:
        law.page.enter(RacksTold(now(), ((Seat(0), 5), (Seat(1), 6), (Seat(2), 7)), by="organiser"))
    game = law.match.game
    law.page.lay("")
    if law.match.game == game:
        law.page.enter(NextGame(now(), by="organiser"))
    assert (law.match.game, law.match.phase) == (game + 1, Phase.TURN)
    law.page.lay("")


def end_match(law: Law) -> None:
    if law.match.phase is not Phase.MATCH_OVER:
        law.page.enter(MatchEnded(law.page.now(), "organiser"))
    law.page.lay("")
    law.page.start(names=("Fay", "Gil", "Hal"))


ENDS: Final = {Scope.TURN: end_turn, Scope.GAME: end_game, Scope.MATCH: end_match, Scope.NOTHING: end_match}
SAID: Final = {
    Scope.TURN: "'s turn, which is over.",
    Scope.GAME: "This was meant for game 1, which is over.",
    Scope.MATCH: "This was meant for a match that is over.",
    Scope.NOTHING: "A match has begun meanwhile.",
}


@dataclass(frozen=True)
class Case:
    """How a command is given: from which stage, by which taps before the last, which changes the match so."""

    stage: Callable[[Law], None]
    send: Callable[[Law], None]
    did: Callable[[Match], Any]
    opens: Callable[[Law], None] | None = None
    """Opens its sheet, where it has one."""


def tap(name: str, within: str = "main") -> Callable[[Law], None]:
    return lambda law: law.button(name, within).click()


def confirmed(stage: Callable[[Law], None], name: str, did: Callable[[Match], Any]) -> Case:
    """A command that is asked for once more in a sheet."""
    return Case(stage, tap(name, "dialog"), did, tap(name))


def in_tile_sheet(tile: str, *before: str) -> Callable[[Law], None]:
    def opens(law: Law) -> None:
        law.tile(tile)
        for name in before:
            what = law.view.locator("dialog").get_by_text(name, exact=True)
            what.click()

    return opens


def from_pad(name: str) -> Callable[[Law], None]:
    return lambda law: law.view.locator("dialog .pad").get_by_role("button", name=name, exact=True).click()


def name_players(law: Law) -> None:
    law.button("Names and places").click()
    law.view.locator("input[name=name-2]").fill("Dora")


def move_players(law: Law) -> None:
    law.button("Names and places").click()
    law.view.get_by_role("button", name="Cem one place up").click()


def fill_racks(law: Law) -> None:
    for seat, name in enumerate(NAMES):
        rack = law.view.locator("fieldset").filter(has_text=f"Rack of {name}")
        rack.get_by_role("button", name="Points", exact=True).click()
        law.view.locator(f"input[name=value-{seat}]").fill(str(5 + seat))


def join_first(law: Law) -> None:
    law.view.locator("dialog .joins").first.click()


def choose_missed_set(law: Law) -> None:
    law.button("A whole set was not seen").click()
    for name in ("red 1", "red 2", "red 3"):
        from_pad(name)(law)


def corrected(match: Match) -> bool:
    return match.dispute.corrections != NO_CORRECTIONS


def agreed(match: Match) -> bool:
    return match.dispute.proposal is None and corrected(match)


def refused(match: Match) -> bool:
    return match.dispute.proposal is None and not corrected(match)


def begun(match: Match) -> bool:
    return match.phase is not Phase.MATCH_OVER


PART: Final = "Its set ends here: the next tile begins another"
ELSE: Final = "Something else is wrong here"
CASES: Final = {
    "press": Case(turn, tap("End the turn"), lambda match: match.turn == 2),
    "rummikub": confirmed(turn, "“Rummikub!”", lambda match: match.phase is Phase.GAME_OVER),
    "undo": Case(second_turn, tap("Take back"), lambda match: match.turn == 1),
    "pause": Case(turn, tap("Break"), lambda match: match.pauses.halted),
    "resume": Case(in_a_break, tap("Go on"), lambda match: not match.pauses.halted),
    "correct": Case(turn, from_pad("red 9"), corrected, in_tile_sheet("red 13", "Show all tiles")),
    "add": Case(turn, from_pad("red 9"), corrected, in_tile_sheet("red 10", ELSE, "A tile before it was missed")),
    "add_set": Case(turn, tap("It lies there", "dialog"), corrected, choose_missed_set),
    "join": Case(two_rows, join_first, corrected, in_tile_sheet("red 13", ELSE)),
    "part": Case(turn, tap(PART, "dialog"), corrected, in_tile_sheet("red 11", ELSE)),
    "agree": Case(proposed, tap("Agree"), agreed),
    "refuse": Case(proposed, tap("Do not agree"), refused),
    "let_stand": confirmed(turn, "Let it stand", lambda match: match.turn == 2),
    "take_table": confirmed(lost_thread, "The table is right as it lies", lambda match: not match.has_lost_thread),
    "clock": Case(turn, tap("Give 30 seconds"), lambda match: (match.play.clock.left_at(match.now) or 0) > 900),
    "blocked": confirmed(turn, "Nobody can go on", lambda match: match.phase is Phase.GAME_OVER),
    "player_left": confirmed(turn, "Cem leaves", lambda match: match.gone == {Seat(2)}),
    "rename": Case(turn, tap("Save", "dialog"), lambda match: match.setup.names[2] == "Dora", name_players),
    "reseat": Case(turn, tap("Save", "dialog"), lambda match: match.setup.clockwise == (0, 2, 1), move_players),
    "racks": Case(game_over, tap("Enter the racks"), lambda match: match.results[-1].scores is not None),
    "show_rack": Case(game_over, tap("Read the rack of Ben by camera"), lambda match: match.showing.owner == 1),
    "next_game": Case(scored, tap("Next game"), lambda match: match.phase is Phase.CLEARING),
    "starter": Case(second_game, tap("Cem starts this game"), lambda match: match.seat == 2),
    "end_match": confirmed(turn, "End the match now", lambda match: match.phase is Phase.MATCH_OVER),
    "start": Case(ended, tap("Begin", "dialog"), begun, tap("Start a match")),
}


QUICK: Final = {"press", "clock", "correct", "rename", "racks", "start"}
"""One of each way to send a command; the others have their answers troubled in the long tests."""


def test_every_command_has_its_case() -> None:
    assert CASES.keys() == COMMANDS.keys()


@pytest.fixture
def law(tmp_path: Path, open_device: Callable[..., Any]) -> Iterator[Law]:
    asked = Asked()
    for page in open_page(tmp_path, journal=asked):
        troubles = Troubles(page.server.port)
        law = Law(page, asked, troubles)
        law.device = open_device(troubles.url)
        law.view.add_init_script(KEEP_STATE)
        law.view.reload()
        law.device.log_in(page.pin)
        yield law
        lost = [fault for fault in law.device.faults if "Failed to load resource: net::" in fault]
        for fault in lost:  # an answer was lost: that is what the law is about
            law.device.faults.remove(fault)
        troubles.close()


def ready(law: Law, case: Case) -> None:
    """Set the stage anew, and open the command's sheet."""
    if law.view.locator("dialog[open]").count():
        law.view.keyboard.press("Escape")
        law.view.locator("dialog").wait_for(state="hidden")
    case.stage(law)
    if case is CASES["racks"]:
        fill_racks(law)
    if case.opens is not None:
        case.opens(law)


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
def test_a_command_is_done_once_however_its_answer_comes(command: str, law: Law) -> None:
    case = CASES[command]
    for trouble in ("late answer", "lost answer", "doubled"):
        ready(law, case)
        assert not case.did(law.match), (trouble, "it is so already")
        before, answered = len(law.asked.inputs), law.troubles.answered
        law.troubles.be(trouble)
        case.send(law)
        law.until(lambda: case.did(law.match), trouble)
        if trouble == "late answer":
            assert law.troubles.held.wait(PATIENCE_SECONDS)
            law.troubles.release()
        law.until(lambda: law.troubles.answered > answered, trouble)  # noqa: B023 - asked at once
        law.until(law.is_quiet, trouble)
        assert [type(entered) for entered in law.asked.inputs[before:]] == [type(law.asked.inputs[before])], trouble
        law.until(law.has_no_complaint, trouble)


@pytest.mark.parametrize("command", CASES)
def test_a_command_that_comes_when_its_subject_is_over_does_nothing_and_the_page_says_so(
    command: str, law: Law
) -> None:
    case, scope = CASES[command], COMMANDS[command].refers_to
    ready(law, case)
    law.troubles.be("late")
    case.send(law)
    assert law.troubles.held.wait(PATIENCE_SECONDS)
    ENDS[scope](law)
    before = len(law.asked.inputs)
    law.troubles.release()
    law.until(lambda: SAID[scope] in law.alert(), "the page does not say it")
    law.until(law.is_quiet)
    if scope is Scope.NOTHING:  # the match was asked, and went on
        assert law.match.setup.names == ("Fay", "Gil", "Hal")
    else:
        assert law.asked.inputs[before:] == []


@pytest.mark.parametrize("command", [command for command, case in CASES.items() if case.opens is not None])
def test_a_sheet_whose_subject_is_gone_closes_itself_and_says_so(command: str, law: Law) -> None:
    case, scope = CASES[command], COMMANDS[command].refers_to
    ready(law, case)
    before = len(law.asked.inputs)
    ENDS[scope](law)
    law.view.locator("dialog").wait_for(state="hidden")
    law.until(lambda: SAID[scope] in law.alert(), "the page does not say it")
    assert law.asked.inputs[before:] == []


def test_a_press_that_a_break_overtakes_ends_neither_the_turn_nor_the_break(law: Law) -> None:
    turn(law)
    law.troubles.be("late")
    law.button("End the turn").click()
    assert law.troubles.held.wait(PATIENCE_SECONDS)
    law.button("Break").click()
    law.until(lambda: law.match.pauses.halted)
    law.troubles.release()
    law.until(lambda: "Ann's turn is in a break." in law.alert(), "the page does not say it")
    assert (law.match.turn, bool(law.match.pauses.halted)) == (1, True)
