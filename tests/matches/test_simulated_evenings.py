"""Simulated evenings with cheats and slips, in every edition: what the match says of each turn is what was true.

The table is read without error here, straight from where the simulation laid its tiles: what is tried is everything
after the reading (rows, worlds, judge, match, the clock), on what a camera and a button would have given, in time.
"""

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from referee.game.event_parts import Reason
from referee.game.events import Drew, GameScored, GameWon, Judged, RackRead, RacksShown, TurnEvent
from referee.game.inputs import MatchStarted, Ticked
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.rules.editions import EDITIONS, RuleSet
from referee.rules.house_rules import with_house_rules
from referee.rules.scoring import rack_value
from referee.rules.verdict import VERDICT_NAMES, Undecided
from referee.service.button_mapping import meaning
from referee.service.initial_meld_check import racks_to_score
from referee.sim.scenarios import NAMES, simulated_match
from referee.sim.simulated_match import TrueTurn
from tests.support.perfect_watcher import PerfectWatcher

TURNS = 40


def referee(
    rules: RuleSet, seed: int, turns: int | None = None, *, games: int = 3, cheats: float = 0.35, **house_rules: Any
) -> tuple[list[TrueTurn], list[TurnEvent], Match]:
    """Referee the first turns of an evening: the turns as they were, what was told, and the match."""
    evening, _ = simulated_match(with_house_rules(rules, house_rules), seed=seed, games=games, cheat_rate=cheats)
    evening.players = replace(evening.players, strong_seats=frozenset())
    names = NAMES[: evening.players.count]
    told: list[TurnEvent] = []
    match = Match()

    def enter(entered: Input) -> None:
        nonlocal match
        match, said, _ = step(match, entered)
        told.extend(said)
        for event in said:
            if isinstance(event, RacksShown):
                enter(racks_to_score(match, event))

    begun = MatchStarted(
        at=Seconds(0.0),
        names=names,
        edition=rules.edition,
        house_rules=tuple(house_rules.items()),
        games=games,
        limits=Limits(doubt_seconds=1.5),
    )
    enter(begun)
    onlooker, played = PerfectWatcher(), []
    for turn in islice(evening.play(), turns):
        presses = sorted(evening.scene.presses, key=lambda press: press.at)
        for shot in evening.scene.moments:
            while presses and presses[0].at <= shot.at:
                enter(meaning(presses.pop(0), match))
            for entered in (Ticked(Seconds(shot.at)), *onlooker.watch(shot, match)):
                enter(entered)
        played.append(turn)
        evening.scene.moments.clear()
        evening.scene.presses.clear()
    return played, told, match


@pytest.mark.parametrize("edition", list(EDITIONS))
def test_every_verdict_of_an_evening_is_true(edition: str) -> None:
    played, told, _ = referee(EDITIONS[edition], seed=5, turns=TURNS)
    truth = [(turn, judgement) for turn in played for judgement in turn.judgements]
    judged = [event for event in told if isinstance(event, Judged)]
    wanted = [
        (
            turn.game,
            turn.number,
            turn.seat,
            "legal" if true.is_legal else "illegal",
            true.outcome.value,
            sorted(fault.value for fault in true.faults),
        )
        for turn, true in truth
    ]
    given = [
        (
            event.game,
            event.turn,
            event.seat,
            VERDICT_NAMES[type(event.verdict)],
            event.verdict.outcome.value,
            sorted({violation.fault.value for violation in event.verdict.violations}),
        )
        for event in judged
    ]
    assert given == wanted
    assert sum(not true.is_legal for _, true in truth) >= 5
    assert not any(isinstance(event.verdict, Undecided) for event in judged)


@pytest.mark.parametrize("edition", [pytest.param("original", marks=pytest.mark.slow), "3in1-standard"])
def test_penalties_are_those_that_were_due(edition: str) -> None:
    played, told, _ = referee(EDITIONS[edition], seed=1, turns=TURNS)
    late = [turn for turn in played for true in turn.judgements if true.cause == "time" and not true.is_legal]
    penalties = [event for event in told if isinstance(event, Drew) and event.reason is Reason.PENALTY]
    assert [(event.game, event.turn, event.seat, event.tiles) for event in penalties] == [
        (turn.game, turn.number, turn.seat, turn.drawn) for turn in late
    ]
    assert penalties


@pytest.mark.parametrize(
    ("edition", "seed"),
    [
        ("original", 9),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("xp", 9), ("twist", 9), ("3in1-expert", 5))),
    ],
)
def test_the_racks_laid_at_the_end_are_read_and_scored(edition: str, seed: int) -> None:
    played, told, match = referee(EDITIONS[edition], seed, games=1)
    last = played[-1]
    assert [turn.shown_racks for turn in played[:-1]] == [()] * (len(played) - 1)
    read = {event.owner: event.tiles for event in told if isinstance(event, RackRead)}
    assert {seat: Counter(tiles) for seat, tiles in read.items()} == {seat: Counter(t) for seat, t in last.shown_racks}
    assert len(read) == len(match.setup.seats) - last.won
    (scored,) = [event for event in told if isinstance(event, GameScored)]
    if last.won:
        (lost,) = [rack_value(tiles, match.rules) for _, tiles in last.shown_racks]
        assert set(scored.scores.values()) == {lost, -lost}


def test_who_may_lay_a_drawn_tile_at_once_plays_on_and_the_next_game_begins_on_a_cleared_table() -> None:
    house_rules: dict[str, Any] = {"drawn_tile_waits": False, "turn_seconds": 30, "rack_tiles": 9}
    played, told, match = referee(EDITIONS["original"], seed=10, games=2, cheats=0.0, **house_rules)
    drew = [event for event in told if isinstance(event, Drew)]
    assert {event.reason for event in drew} >= {Reason.PLAYS_ON}
    assert [(event.game, event.turn, event.seat, event.tiles) for event in drew if event.tiles] == [
        (turn.game, turn.number, turn.seat, turn.drawn) for turn in played if turn.drawn
    ]
    assert [event.game for event in told if isinstance(event, GameWon)] == [1, 2]
    assert [event.game for event in told if isinstance(event, GameScored)] == [1, 2]
    assert match.results[0].scores is not None
