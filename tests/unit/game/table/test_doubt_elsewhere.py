"""A doubt in one set excuses no other, and what a doubtful turn leaves accuses nobody who comes after it."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.game.events import Judged
from referee.game.table.hypotheses import hypotheses
from referee.game.table.judging import judge_hypotheses
from referee.rules.editions import rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table, parse_table
from referee.rules.table import Table
from referee.rules.verdict import Illegal, Legal, Outcome, Undecided, Verdict

from ..conftest import reading  # isort: skip
from tests.conftest import examples

TABLE = "R10 R11 R12 / B10 K10 O10"  # what `opened` leaves
UNREAD = ""  # a tile that may be anything
RULES = rule_set("original")


def verdict(told: Any) -> Verdict:
    return next(event.verdict for event in told if isinstance(event, Judged))


def faults(judged: Verdict) -> list[str]:
    return [violation.fault.value for violation in judged.violations]


def accept_in_doubt(evening: Any, table: str, doubts: dict[int, str]) -> None:
    """Play a turn that nobody settles, so that it stands as undecided."""
    assert isinstance(verdict(evening.play(table, doubts=doubts)), Undecided)
    evening.wait(16)


def test_a_set_that_is_none_is_told_while_a_joker_elsewhere_is_not_read(evening: Any) -> None:
    evening.opened()
    said = verdict(evening.play(f"{TABLE} J / O5 B6 O8", doubts={6: UNREAD}))
    assert isinstance(said, Illegal)
    assert faults(said) == ["not_a_set"]


def test_so_is_it_where_the_guess_at_the_joker_cannot_be(evening: Any) -> None:
    evening.opened()
    said = verdict(evening.play("R10 R11 R12 / B10 K10 O10 B10 B10 / O5 B6 O8", doubts={6: UNREAD}))
    assert faults(said) == ["not_a_set"]


def test_and_where_more_is_in_doubt_than_is_weighed(evening: Any) -> None:
    evening.opened()
    doubts = dict.fromkeys(range(6, 12), "J")
    said = verdict(evening.play(f"{TABLE} / K1 K2 K3 / B1 B2 B3 / O5 B6 O8", doubts=doubts))
    assert isinstance(said, Illegal)
    assert faults(said) == ["not_a_set"]


def test_nobody_is_accused_of_a_set_that_hangs_on_the_tile_that_was_not_read(evening: Any) -> None:
    evening.opened()
    assert isinstance(verdict(evening.play(f"{TABLE} / K5 B5 J", doubts={8: UNREAD})), Undecided)


def test_a_tile_that_may_be_the_one_not_read_is_not_taken(evening: Any) -> None:
    evening.opened().play("R10 R11 R12 R13 / B10 K10 O10")
    assert isinstance(verdict(evening.play("R10 R11 R12 / B10 K10 O10 K1", doubts={6: UNREAD})), Undecided)


def test_what_is_not_read_and_lay_there_before_is_no_doubt_of_a_turn_elsewhere(evening: Any) -> None:
    evening.opened()
    accept_in_doubt(evening, f"{TABLE} J", {6: UNREAD})
    legal = verdict(evening.play(f"{TABLE} J / K1 K2 K3", doubts={6: UNREAD}))
    assert (type(legal), legal.outcome) == (Legal, Outcome.PLAYED)
    taken = verdict(evening.play(f"{TABLE} J / K1 K2", doubts={6: UNREAD}))
    assert faults(taken) == ["tile_taken", "not_a_set", "nothing_played"]


def test_nobody_is_accused_of_what_a_set_is_found_to_be_that_was_not_read_before(evening: Any) -> None:
    evening.opened()
    accept_in_doubt(evening, f"{TABLE} / K1 K2 K3", {8: UNREAD})
    assert isinstance(verdict(evening.play(f"{TABLE} / K1 K2 K5")), Legal)


def test_nobody_is_accused_of_taking_back_what_was_laid_in_a_doubtful_turn(evening: Any) -> None:
    evening.opened()
    accept_in_doubt(evening, f"{TABLE} / O5 B6 J", {8: UNREAD})
    assert isinstance(verdict(evening.play(TABLE)), Undecided)
    evening.wait(16)
    assert isinstance(verdict(evening.play(f"{TABLE} / K1 K2 K3")), Legal)


def test_who_takes_from_a_table_that_was_never_in_doubt_is_told_after_a_doubtful_turn(evening: Any) -> None:
    evening.opened().play(f"{TABLE} / K1 K2 K3 K4")
    accept_in_doubt(evening, f"{TABLE} / K1 K2 K3 K4 / O5 B5 J", {12: UNREAD})
    assert "tile_taken" in faults(verdict(evening.play(f"{TABLE} / K1 K2 K3 / O5 B5 J", doubts={11: UNREAD})))


def test_a_hidden_tile_that_has_gone_is_nobodys_fault_once_a_doubtful_turn_has_stood(
    evening: Any, read_table: Any
) -> None:
    evening.opened().play("R10 R11 R12 R13 / B10 K10 O10")
    seen = read_table("R10 R11 R12 R13 / B10 K10 O10 / K1 K2 K3")
    covered = replace(seen.tiles[3], unsure=True, confidence=0.0)
    evening.show(replace(seen, tiles=(*seen.tiles[:3], covered, *seen.tiles[4:])))
    assert isinstance(verdict(evening.press()), Undecided)
    evening.wait(16)
    assert isinstance(verdict(evening.play("R10 R11 R12 / B10 K10 O10 / K1 K2 K3")), Undecided)


SETS = ("R1 R2 R3", "K5 B5 O5", "K5 B5 J", "O5 B6 O8", "B1 B2", "R7", "R4 R5 R6 R7", "K1 K2 K4", "J R9 R10")
tables = st.lists(st.sampled_from(SETS), max_size=4, unique=True)


@settings(max_examples=examples(300), deadline=None)
@given(before=tables, after=tables, opened=st.booleans(), data=st.data())
def test_every_fault_that_is_told_is_there_whatever_the_tile_is_that_was_not_read(
    *,
    before: list[str],
    after: list[str],
    opened: bool,
    data: Any,
) -> None:
    """By brute force over the box."""
    was, now = (parse_table(" / ".join(sets)) for sets in (before, after))
    assume(now.tiles)
    index = data.draw(st.integers(0, len(now.tiles) - 1))
    seen = hypotheses(reading(format_table(now), doubts={index: UNREAD}))
    said = judge_hypotheses((was,), seen, opened=opened, rules=RULES).verdict
    if isinstance(said, Illegal):
        told = {violation.fault for violation in said.violations}
        for tile in RULES.box:
            table = _with(now, index, tile)
            real = judge_turn(was, table, opened=opened, rules=RULES)
            impossible = any(count > RULES.box.get(name, 0) for name, count in table.counts().items())
            assert impossible or told <= {violation.fault for violation in real.violations}
    else:
        assert isinstance(said, Undecided)


def _with(table: Table, index: int, tile: Any) -> Table:
    """The table with its tile `index`, counted over all sets, exchanged."""
    tiles = iter((*table.tiles[:index], tile, *table.tiles[index + 1 :]))
    return Table(tuple(tuple(next(tiles) for _ in one) for one in table.sets))
