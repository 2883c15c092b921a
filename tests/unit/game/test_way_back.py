"""From every phase there is a way back by the button: players who play on soon play with the referee again."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.game.events import Judged, ThreadLost
from referee.game.inputs import RummikubCalled, Seat, TurnEnded, Undone
from referee.game.state import Phase
from referee.hardware.ports import Press, PressKind
from referee.reading.inputs import TableMoving, TableSettled
from referee.service.button_mapping import meaning

from .conftest import TABLES, reading  # isort: skip
from tests.conftest import examples

SETS = ["B11 B12 B13", "K11 K12 K13", "O11 O12 O13"]
OUT_OF_TIME = [("press", TurnEnded, 0), ("lay", "R10 R11 R12", {}), ("wait", 61.0, None)]  # Ben is to restore
NINE_LAID = [
    ("press", TurnEnded, 0),
    ("lay", "R10 R11 R12 / B10 K10 O10 / J K2 K3", {}),  # Ann has five tiles left, and lays six in the next game
    ("wait", 61.0, None),
    ("lay", "R7 R7 R7", {}),
    ("moving", None, None),
    ("press", TurnEnded, 2),
]
acts = st.one_of(
    st.tuples(st.just("lay"), st.sampled_from(TABLES), st.sampled_from([{}, {}, {0: "R1"}])),
    st.tuples(st.just("press"), st.sampled_from([TurnEnded, RummikubCalled]), st.sampled_from([0, 1, 2, None])),
    st.tuples(st.just("wait"), st.sampled_from([0.3, 2.0, 14.0, 61.0]), st.just(None)),
    st.tuples(st.just("undo"), st.just(None), st.just(None)),
    st.tuples(st.just("moving"), st.just(None), st.just(None)),
)


def at_random(evening: Any, script: Any) -> None:
    for act, what, more in script:
        if act == "lay":
            doubts = {number: tile for number, tile in more.items() if number < len(what.split())}
            evening.lay(what, after=1.0, doubts=doubts)
        elif act == "press":
            evening.now += 1.2
            evening.enter(what(evening.at, None if more is None else Seat(more)))
        elif act == "wait":
            evening.wait(what)
        elif act == "undo":
            evening.enter(Undone(evening.at))
        else:
            evening.enter(TableMoving(evening.at))


def turn(evening: Any, seat: int, table: str) -> None:
    """A turn as people play it: lay, press, let the camera look; hold long if asked about the thread."""
    evening.show(reading(table), 4.0)
    evening.now += 1.5
    told = evening.enter(TurnEnded(evening.at, Seat(seat)))
    for _ in range(2):
        evening.now += 0.5
        told += evening.enter(TableSettled(evening.at, evening.at, evening.seen))
    told += evening.wait(16.0) if evening.match.phase is Phase.DOUBT else ()
    if any(isinstance(event, ThreadLost) for event in told):
        evening.enter(meaning(Press(evening.at, PressKind.LONG_HOLD, Seat((seat + 1) % 3)), evening.match))


@settings(max_examples=examples(60), deadline=None)
@given(script=st.lists(acts, max_size=15), first=st.integers(0, 2))
@example(script=OUT_OF_TIME, first=0)
@example(script=NINE_LAID, first=2)
def test_players_who_play_on_are_soon_with_the_referee_again(new_evening: Any, script: Any, first: int) -> None:
    evening = new_evening().start("Ann Ben Cem", games=9)
    at_random(evening, script)
    if evening.match.phase is Phase.MATCH_OVER:
        return
    evening.now += 10.0
    evening.show(reading(""))  # they clear the table, and begin a game
    laid: list[str] = ["R11 R12 R13"]
    for count in range(3):
        seat = (first + count) % 3
        turn(evening, seat, " / ".join(laid))
        laid.append(SETS[count])
    if evening.match.phase is Phase.MATCH_OVER:
        return
    assert evening.match.phase is Phase.TURN
    assert evening.match.seat == (first + 3) % 3
    last = [event for event in evening.told if isinstance(event, Judged)][-1]
    assert last.stands
