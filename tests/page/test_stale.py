"""A command does what its sender meant, or nothing: every command of `say`, whatever the match does meanwhile."""

from concurrent.futures import Future  # noqa: TC003 - a hint
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web': pip install -e '.[web]'")

from referee.game.inputs import GameEnded, MatchEnded, MatchStarted, NextGame, Paused, RacksTold, TurnEnded
from referee.game.limits import Limits
from referee.game.state import Match, Phase
from referee.hardware.ports import PlannedButton
from referee.protocol.bridge import MAX_KNOWN_IDS, Bridge, CommandResult
from referee.protocol.command import InvalidCommandError, Sender
from referee.protocol.commands import COMMANDS, parse_command
from referee.protocol.subject import Scope
from referee.reading.inputs import Input, Seconds, TableSettled, TableStill
from referee.service.loop import Loop
from referee.storage.journal import NoJournal

from .conftest import reading

NAMES: Final = ("Ann", "Ben", "Cem")
BODIES: Final[dict[str, dict[str, Any]]] = {
    "press": {},
    "rummikub": {},
    "undo": {},
    "pause": {},
    "resume": {},
    "correct": {"frame_id": "1", "index": 0, "tile": "R9"},
    "add": {"frame_id": "1", "beside": 0, "side": "before", "tile": "R9"},
    "add_set": {"frame_id": "1", "tiles": "R1 R2 R3"},
    "join": {"frame_id": "1", "index": 0, "other": 1},
    "part": {"frame_id": "1", "after": 0},
    "agree": {},
    "refuse": {},
    "let_stand": {},
    "take_table": {},
    "clock": {"add": 30},
    "blocked": {},
    "player_left": {"seat": 2},
    "rename": {"names": ["Dora", "Emil", "Fay"]},
    "reseat": {"order": [0, 2, 1]},
    "racks": {"racks": {"0": 5, "1": 17}},
    "show_rack": {},
    "next_game": {},
    "starter": {"first": 1},
    "end_match": {},
    "start": {"names": ["Dora", "Emil"], "edition": "original"},
}


@dataclass
class Table:
    """A match of Ann, Ben and Cem in a loop that takes what is asked when a test says so."""

    now: float = 0.0
    looks: int = 0
    bridge: Bridge = field(default_factory=lambda: Bridge(Match(), "evening"))

    def __post_init__(self) -> None:
        self.loop = Loop(Match(), NoJournal(), (self.bridge,), print, self.bridge)
        self.begin()

    @property
    def match(self) -> Match:
        return self.loop.match

    @property
    def at(self) -> Seconds:
        return Seconds(self.now)

    def enter(self, entered: Input) -> None:
        self.loop.enter(entered)
        self.now += 1.0

    def begin(self, names: tuple[str, ...] = NAMES) -> None:
        self.enter(MatchStarted(at=self.at, names=names, edition="original", format="club"))

    def lay(self, text: str) -> None:
        self.looks += 1
        self.enter(TableSettled(self.at, Seconds(self.now - 0.5), reading(text, str(self.looks), self.now)))

    def play(self, text: str) -> None:
        """Lay the table so and end the turn."""
        self.lay(text)
        self.enter(TurnEnded(self.at))
        self.enter(TableStill(self.at, str(self.looks)))

    def say(self, said: str, sender: str = "organiser", **more: Any) -> "Future[CommandResult]":
        """Ask for something; the match takes it later."""
        asked = {"say": said, **more}
        known = self.bridge.result_of(asked)
        by = Sender(sender, (sender,))
        return known or self.bridge.submit(parse_command(asked, self.bridge.now, by, Limits()))

    def take(self, seconds: float = 1.0) -> None:
        """Let the match take what was asked."""
        self.now += seconds
        self.loop.enter_presses(PlannedButton(()), self.at)


def turn_over(table: Table) -> None:
    table.play("R10 R11 R12")


def game_over(table: Table) -> None:
    turn_over(table)
    table.enter(GameEnded(table.at, "organiser"))
    table.enter(RacksTold(table.at, ((0, 5), (1, 6), (2, 7)), by="organiser"))
    table.lay("")
    table.enter(NextGame(table.at))


def match_over(table: Table) -> None:
    table.enter(MatchEnded(table.at, "organiser"))
    table.lay("")
    table.begin(("Fay", "Gil", "Hal"))


ENDS: Final = {Scope.TURN: turn_over, Scope.GAME: game_over, Scope.MATCH: match_over}
WHY: Final = {Scope.TURN: "stale.turn", Scope.GAME: "stale.game", Scope.MATCH: "stale.match"}
ORDER: Final = tuple(Scope)


def test_every_command_says_what_it_refers_to() -> None:
    assert BODIES.keys() == COMMANDS.keys()
    assert all(isinstance(kind.refers_to, Scope) for kind in COMMANDS.values())


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("said", BODIES)
def test_what_was_asked_before_an_end_is_refused_after_it_if_it_referred_to_what_is_over(said: str, end: Scope) -> None:
    """The match moves on between the door and the queue's end, with nothing but the command to say what was meant."""
    table = Table()
    scope = COMMANDS[said].refers_to
    if said == "starter":  # it is only allowed in a later game
        game_over(table)
    asked = table.say(said, **BODIES[said])
    ENDS[end](table)
    before = table.match
    table.take(9.0)
    over = asked.result().over
    if ORDER.index(scope) < ORDER.index(end):
        assert over is None
    else:
        assert over is not None
        assert over.id == (WHY[end] if (scope, end) != (Scope.TURN, Scope.GAME) else "stale.turn")
        assert (table.match.turn, table.match.game, table.match.setup) == (before.turn, before.game, before.setup)


@pytest.mark.parametrize("said", BODIES)
def test_a_command_may_name_what_it_is_meant_for(said: str) -> None:
    """As a phone that shows an older State: all three are named, and none of them is there any more."""
    table = Table()
    shown = {"match": table.bridge.now.match_id, "game": 1, "turn": 1}
    if said == "racks":
        shown = {"match": shown["match"]}
    match_over(table)
    asked = table.say(said, **{**BODIES[said], **shown})
    table.take()
    over = asked.result().over
    assert over is not None
    assert str(over) == "This was meant for a match that is over."


def test_the_reason_names_the_player_whose_turn_is_over() -> None:
    table = Table()
    turn_over(table)
    asked = table.say("press", game=1, turn=1)
    table.take()
    assert str(asked.result().over) == "This was meant for Ann's turn, which is over."
    assert table.match.turn == 2


def test_two_phones_in_one_queue_end_one_turn() -> None:
    table = Table()
    table.lay("R10 R11 R12")
    first, second = table.say("press", "one"), table.say("press", "two")
    table.take()
    table.enter(TableStill(table.at, "1"))
    assert first.result().changed
    assert not second.result().changed
    assert table.match.turn == 2


def test_a_press_on_a_second_phone_is_told_that_it_counts_as_the_first() -> None:
    table = Table()
    table.lay("R10 R11 R12")
    table.say("press", "one")
    table.take()
    table.loop.enter(TableStill(table.at, "1"))
    late = table.say("press", "two", turn=2)
    table.take(1.3)
    assert str(late.result().over) == "Another press had just come, so this one counts as the same."
    assert table.match.turn == 2


def test_a_press_that_names_its_turn_neither_ends_a_break_nor_shows_a_rack() -> None:
    table = Table()
    table.enter(Paused(table.at))
    asked = table.say("press", turn=1)
    table.take(9.0)
    assert str(asked.result().over) == "Ann's turn is in a break."
    assert table.match.pauses.halted
    table.enter(GameEnded(table.at, "organiser"))
    asked = table.say("rummikub", turn=1)
    table.take(9.0)
    assert str(asked.result().over) == "This was meant for Ann's turn, which is over."
    assert table.match.showing.owner is None


def test_undo_takes_back_only_the_press_that_was_shown() -> None:
    table = Table()
    turn_over(table)
    assert table.match.undo is not None
    shown = table.match.undo.turn
    assert shown == 1
    asked = table.say("undo", turn=2, of=shown)
    table.enter(TurnEnded(table.at))  # Ben's press waits for a look
    assert table.match.phase is Phase.LOOKING
    table.take()
    assert str(asked.result().over) == "This was meant for another press, so nothing was taken back."
    again = table.say("undo", of=2)
    table.take()
    assert again.result().changed
    assert (table.match.phase, table.match.turn) == (Phase.TURN, 2)


def test_an_answer_to_a_proposal_that_is_over_is_refused() -> None:
    table = Table()
    asked = table.say("agree", ends_at=31.0)
    table.take()
    assert str(asked.result().over) == "This was meant for a proposal that is over."


def test_thirty_seconds_twice_are_sixty_and_a_repeated_request_gives_them_once() -> None:
    table = Table()
    left = table.match.play.clock.left_at(table.match.now) or 0.0
    one = table.say("clock", add=30, id="one")
    table.say("clock", add=30, id="two")
    assert table.say("clock", add=30, id="one") is one
    now = table.match.now
    table.take()
    assert table.match.play.clock.left_at(table.match.now) == pytest.approx(left + 60 - (table.match.now - now))
    assert table.say("clock", add=30, id="one").result() == one.result()


def test_a_repeated_id_has_the_first_answer_when_the_turn_is_over() -> None:
    table = Table()
    table.lay("R10 R11 R12")
    asked = table.say("press", id="a", turn=1)
    table.take()
    table.loop.enter(TableStill(table.at, "1"))
    assert table.match.turn == 2
    again = table.say("press", id="a", turn=1)
    assert again.result() == asked.result()
    assert again.result().changed
    table.take()
    assert table.match.turn == 2


def test_an_id_belongs_to_one_command() -> None:
    table = Table()
    table.say("pause", id="a")
    with pytest.raises(InvalidCommandError, match="'id' was another command's"):
        table.say("resume", id="a")


def test_a_command_that_was_dropped_may_be_asked_for_again() -> None:
    table = Table()
    table.say("pause", id="a").cancel()
    table.take()
    assert not table.match.pauses.halted
    again = table.say("pause", id="a")
    table.take()
    assert again.result().changed


def test_the_last_ids_are_known() -> None:
    table = Table()
    for number in range(MAX_KNOWN_IDS + 1):
        table.say("clock", add=1, id=str(number))
        table.take(0.01)
    assert table.bridge.result_of({"say": "clock", "add": 1, "id": "0"}) is None
    assert table.bridge.result_of({"say": "clock", "add": 1, "id": "1"}) is not None


def test_a_phone_is_told_why_and_a_repeated_request_has_its_first_answer(page: Any) -> None:
    page.start(names=("Ann", "Ben"))
    page.settle("R10 R11 R12")
    phone, tablet = page.organiser(), page.organiser()
    shown = phone.state()["match"]
    meant = {key: shown[key] for key in ("game", "turn")} | {"match": shown["id"]}
    done = phone.say("press", id="a", **meant)
    assert done.status == 200
    page.wait_for(lambda state: state["match"]["turn"] == 2)
    late = tablet.say("press", id="b", **meant)
    assert late.status == 409
    assert late.json == {
        "error": "This was meant for Ann's turn, which is over.",
        "error_id": "stale",
        "message_id": "stale.turn",
        "values": {"name": "Ann"},
    }
    for browser in (phone, tablet, page.organiser()):
        again = browser.say("press", id="a", **meant)
        assert (again.status, again.json["told"]) == (200, done.json["told"])
    assert tablet.say("press", id="b", **meant).json == late.json
    assert tablet.say("pause", id="a").status == 400
    assert phone.state()["match"]["turn"] == 2
