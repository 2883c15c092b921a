"""What simulated players mean to do is what the judge finds: over editions, seeds and every kind of trick."""

from collections import Counter
from itertools import islice

import pytest

from referee.rules.editions import EDITIONS, rule_set
from referee.rules.judge import judge_turn
from referee.rules.notation import format_table
from referee.rules.verdict import Fault, Undecided
from referee.sim.cheats import CHEATS
from referee.sim.scenarios import simulated_match
from referee.sim.simulated_match import TrueTurn


def turns_of(edition: str, seed: int, cheats: float = 0.6, turns: int | None = None) -> list[TrueTurn]:
    evening, _ = simulated_match(rule_set(edition), seed=seed, games=1, cheat_rate=cheats)
    played = list(islice(evening.play(), turns))
    game = evening._game
    everything = len(evening.scene.arrangement.pieces) + len(game.pool) + sum(map(len, game.racks))
    assert everything == rule_set(edition).tile_count
    return played


def check(edition: str, turns: list[TrueTurn]) -> Counter[str]:
    """Compare every judgement with the judge; gives the kinds and faults met."""
    met: Counter[str] = Counter()
    for turn in turns:
        for judgement in turn.judgements:
            table = judgement.arrangement.table
            verdict = judge_turn(turn.before, table, opened=turn.opened, rules=rule_set(edition))
            shown = f"{edition} turn {turn.number} ({turn.kind}): {format_table(turn.before)} -> {format_table(table)}"
            assert not isinstance(verdict, Undecided), shown
            assert {violation.fault for violation in verdict.violations} == judgement.faults, shown
            assert verdict.outcome is judgement.outcome, shown
            met.update(judgement.faults)
        met[(turn.kind or "honest").removeprefix("late_")] += 1
    return met


@pytest.mark.parametrize(
    "edition", [pytest.param(one, marks=pytest.mark.slow if one.startswith("twist") else ()) for one in EDITIONS]
)
def test_the_truth_of_every_turn_is_what_the_judge_finds(edition: str) -> None:
    met = check(edition, turns_of(edition, 1))
    assert met["honest"] > 0
    assert met.keys() & set(Fault), "nobody did anything wrong: the evening says nothing about faults"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_truth_holds_for_many_seeds(edition: str, seed: int) -> None:
    assert check(edition, turns_of(edition, seed)), "an evening without a turn"


def test_one_table_of_cheats_meets_several_tricks() -> None:
    met = check("original", turns_of("original", 10, cheats=0.9, turns=16))
    assert len(met.keys() & {*CHEATS}) >= 3
    assert met.keys() & set(Fault)


@pytest.mark.slow
def test_nearly_every_trick_and_fault_occurs_in_a_few_games() -> None:
    met: Counter[str] = Counter()
    for edition in ("original", "3in1-twist"):
        for seed in (10, 11):
            met += check(edition, turns_of(edition, seed, cheats=0.9))
    # Moving a joker away where the edition is strict takes a rare table: tried by hand in unit/sim/test_tricks.py.
    assert {*CHEATS, "slip", "dawdled"} - met.keys() <= {"joker_moved"}
    assert set(Fault) - met.keys() <= {
        *(Fault.IMPOSSIBLE_TILES, Fault.JOKER_NOT_REPLACED, Fault.JOKER_FOR_JOKER),
        *(Fault.SET_REARRANGED, Fault.FREED_JOKER_IN_OLD_SET),  # by house rules that no booklet has
    }
