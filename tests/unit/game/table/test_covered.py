"""Under a hand more may lie than what lay there before: what people say of that tells nothing of the rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.event_parts import Reason
from referee.game.events import Judged, LookingAgain
from referee.game.inputs import CorrectionProposed, ProposalAnswered, Seat, TableCorrected
from referee.reading.observation import TableReading
from referee.rules.notation import parse_tile, parse_tiles
from referee.rules.verdict import Fault, Illegal, Legal, Outcome, Undecided

from ..conftest import TABLE, one, reading  # isort: skip
from tests.conftest import examples


def under_a_hand(seen: TableReading, *hidden: int) -> TableReading:
    tiles = tuple(
        replace(tile, unsure=True, confidence=0.0) if index in hidden else tile for index, tile in enumerate(seen.tiles)
    )
    assert all(tiles[index].hidden for index in hidden)
    return replace(seen, tiles=tiles)


def verdicts(told: Sequence[Any]) -> list[Any]:
    return [event.verdict for event in told if isinstance(event, Judged)]


@pytest.mark.parametrize(
    ("laid", "faults"), [("O5", [Fault.LOOSE_TILE]), ("K1 K2 K3", [])], ids=["a loose tile", "a set"]
)
def test_who_names_what_a_hand_hides_has_not_said_what_was_laid_under_it(
    evening: Any, laid: str, faults: list[Fault]
) -> None:
    """Season, 3in1-twist 48514: two tiles under an arm were named, and the tile under its fingers passed unseen."""
    evening.opened().show(under_a_hand(reading(TABLE), 4, 5))
    (doubtful,) = verdicts(evening.press())
    assert isinstance(doubtful, Undecided)
    for index, name in ((4, "K10"), (5, "O10")):
        told = evening.say(TileIs(index, parse_tile(name)))
        assert isinstance(verdicts(told)[-1], Undecided)
    assert one(told, LookingAgain).reason is Reason.HANDS
    evening.wait(2.0)
    seen = verdicts(evening.lay(f"{TABLE} / {laid}"))[-1]
    assert [violation.fault for violation in seen.violations] == faults
    assert (isinstance(seen, Illegal), seen.outcome) == (bool(faults), Outcome.PLAYED)


def test_what_lay_under_a_cup_already_when_the_turn_began_and_was_named_is_as_named(evening: Any) -> None:
    cup = under_a_hand(reading(TABLE), 3, 4)
    evening.opened().show(cup)
    evening.press()
    for index, name in ((3, "B10"), (4, "K10")):
        evening.say(TileIs(index, parse_tile(name)))
    evening.wait(16.0)
    assert evening.match.seat == 1
    after = reading(f"{TABLE} / K1 K2 K3")
    evening.show(under_a_hand(after, 3, 4))
    (verdict,) = verdicts(evening.press())
    assert (type(verdict), verdict.outcome) == (Legal, Outcome.PLAYED)


def test_what_was_named_under_a_cup_and_is_seen_to_lie_there_once_it_is_lifted_may_not_be_taken(evening: Any) -> None:
    """Season, pressman 51042, turn 5: the doubt of the turn before outlasted a clear look."""
    evening.opened().show(under_a_hand(reading(TABLE), 3))
    evening.press()
    evening.say(TileIs(3, parse_tile("B10")))
    evening.wait(16.0)
    assert evening.match.seat == 1
    evening.show(reading(TABLE))
    (verdict,) = verdicts(evening.play("R10 R11 R12 / K10 O10 R10"))
    assert [violation.fault for violation in verdict.violations] == [Fault.TILE_TAKEN]
    assert isinstance(verdict, Illegal)


def test_a_thing_that_looked_like_a_back_and_may_be_gone_is_no_doubt(evening: Any) -> None:
    """Season, original 49000: a tile that had stood on its edge."""
    seen = reading(TABLE, backs=1)
    evening.opened().show(under_a_hand(seen, 6))
    (verdict,) = verdicts(evening.press())
    assert (type(verdict), verdict.outcome) == (Legal, Outcome.NO_PLAY)


def test_nobody_is_accused_of_a_set_part_of_which_lies_under_a_hand(evening: Any) -> None:
    evening.opened().show(under_a_hand(reading("R10 R11 R12 K5 / B10 K10 O10"), 2))
    evening.press()
    assert isinstance(verdicts(evening.say(TileIs(2, parse_tile("R12"))))[-1], Undecided)


def test_an_empty_place_that_a_person_calls_empty_is_judged_at_once_and_never_asked_about_again(evening: Any) -> None:
    ghost = under_a_hand(reading(f"{TABLE} / K5"), 6)
    evening.opened().show(ghost)
    (doubtful,) = verdicts(evening.press())
    assert isinstance(doubtful, Undecided)
    (verdict,) = verdicts(evening.say(TileIs(6, None)))
    assert (type(verdict), verdict.outcome) == (Legal, Outcome.NO_PLAY)
    for text in (f"{TABLE} / K1 K2 K3", f"{TABLE} / K1 K2 K3 / R1 R2 R3"):
        seen = reading(f"{text} / K5")
        last = len(seen.tiles) - 1
        tiles = (*seen.tiles[:last], replace(ghost.tiles[6]))
        evening.show(replace(seen, tiles=tiles))
        (verdict,) = verdicts(evening.press())
        assert (type(verdict), verdict.outcome) == (Legal, Outcome.PLAYED)


WORDS: st.SearchStrategy[StatedCorrection] = st.one_of(
    st.builds(TileIs, st.integers(0, 7), st.sampled_from([None, *parse_tiles("R10 B10 K10 O10 R13 O5")])),
    st.builds(TileMissed, st.integers(0, 7), st.sampled_from(parse_tiles("R13 K1 O5")), st.booleans()),
    st.builds(SetMissed, st.just(parse_tiles("K1 K2 K3"))),
    st.builds(RowsJoined, st.integers(0, 7), st.integers(0, 7)),
    st.builds(RowParted, st.integers(0, 7)),
)
OF_SETS_IN_SIGHT = {Fault.NOT_A_SET, Fault.LOOSE_TILE}


@settings(max_examples=examples(150), deadline=None)
@given(
    shown=st.sampled_from([TABLE, f"{TABLE} / K1 K2 K3", f"{TABLE} / O5", f"{TABLE} / B1 B2 O3"]),
    hidden=st.sets(st.integers(0, 5), min_size=1),
    said=st.lists(st.tuples(WORDS, st.booleans()), max_size=8),
)
def test_no_word_ends_the_doubt_while_something_lies_over_what_was_seen(
    new_evening: Any, shown: str, hidden: set[int], said: list[tuple[StatedCorrection, bool]]
) -> None:
    """Whoever says what: only what lies in sight may be a fault, and no turn passes."""
    evening = new_evening().opened()
    evening.show(under_a_hand(reading(shown), *hidden))
    told = list(evening.press())
    for index in hidden:
        told += evening.say(TileIs(index, evening.seen.tiles[index].tile))
    for word, agreed in said:
        if isinstance(word, TileIs) and word.tile is None:
            continue  # it says that nothing covers the place
        evening.now += 0.5
        if agreed:
            told += evening.enter(CorrectionProposed(at=evening.at, said=word, seat=Seat(0), voice=("one",)))
            told += evening.enter(ProposalAnswered(at=evening.at, agrees=True, seat=Seat(1), voice=("two",)))
        else:
            told += evening.enter(TableCorrected(evening.at, word, "organiser"))
    assert verdicts(told)
    for verdict in verdicts(told):
        assert not isinstance(verdict, Legal)
        assert isinstance(verdict, Undecided) or {one.fault for one in verdict.violations} <= OF_SETS_IN_SIGHT
