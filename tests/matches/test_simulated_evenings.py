"""Simulated evenings with cheats and slips, in every edition: what the match says of each turn is what was true.

The table is read without error here, straight from where the simulation laid its tiles: what is tried is everything
after the reading (rows, worlds, judge, match, the clock), on what a camera and a button would have given, in time.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from referee.game.event_parts import Reason
from referee.game.events import Drew, Judged, TurnEvent
from referee.game.inputs import (
    Input,
    MatchStarted,
    Seconds,
    TableMoving,
    TableSettled,
    TableStill,
    Ticked,
)
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.reading.observation import Quad, TableReading, TileReading
from referee.reading.rows import lay_out_tiles
from referee.rules.editions import EDITIONS
from referee.rules.verdict import VERDICT_NAMES, Undecided
from referee.service.presses import meaning
from referee.sim.season import NAMES, evening_for

TURNS = 40
LOOKS_TO_SETTLE = 4
FRESH_LOOK = 2  # the first of three more looks
CORNERS = ((-13.5, -19.0), (13.5, -19.0), (13.5, 19.0), (-13.5, 19.0))


def read_truly(shot: Any) -> TableReading:
    tiles = tuple(
        TileReading(quad=_quad(laid), tile=laid.tile, confidence=1.0) for laid in shot.laid if laid.tile is not None
    )
    return TableReading(frame_id=f"shot at {shot.at}", at=shot.at, tiles=tiles, layouts=lay_out_tiles(tiles))


def _quad(laid: Any) -> Quad:
    cosine, sine = math.cos(laid.angle), math.sin(laid.angle)
    a, b, c, d = ((laid.x + x * cosine - y * sine, laid.y + x * sine + y * cosine) for x, y in CORNERS)
    return (a, b, c, d)


class Onlooker:
    """Turns what a stage shows into inputs, as the watcher would if it never misread anything."""

    def __init__(self) -> None:
        self.still = 0
        self.since = Seconds(0.0)
        self.fresh = False

    def watch(self, shot: Any, match: Match) -> Iterator[Input]:
        at = Seconds(shot.at)
        if shot.hands:
            if self.still:
                yield TableMoving(at)
            self.still = 0
            return
        begins_anew, self.fresh = match.wants_fresh_look and not self.fresh, match.wants_fresh_look
        self.still = FRESH_LOOK if begins_anew else self.still + 1
        if self.still == 1:
            self.since = at
        if self.still == LOOKS_TO_SETTLE:
            yield TableSettled(at, self.since, read_truly(shot))
        elif self.still > LOOKS_TO_SETTLE and match.look_due is not None:
            yield TableStill(at, f"shot at {shot.at}")


def referee(edition: str, seed: int, turns: int) -> tuple[list[Any], list[TurnEvent], Match]:
    """Referee the first turns of an evening: what was true of each judgement, what was told, and the match."""
    evening, _ = evening_for(EDITIONS[edition], seed=seed, games=3, cheats=0.35)
    evening.company = replace(evening.company, strong=frozenset())
    names = NAMES[: evening.company.players]
    limits = Limits(doubt_seconds=1.5)
    told: list[TurnEvent] = []
    match, first = step(Match(), MatchStarted(at=Seconds(0.0), names=names, edition=edition, games=3, limits=limits))
    told += first
    onlooker, truth = Onlooker(), []
    for turn in islice(evening.play(), turns):
        presses = sorted(evening.stage.presses, key=lambda press: press.at)
        for shot in evening.stage.shots:
            while presses and presses[0].at <= shot.at:
                match, said = step(match, meaning(presses.pop(0), match))
                told += said
            for entered in (Ticked(Seconds(shot.at)), *onlooker.watch(shot, match)):
                match, said = step(match, entered)
                told += said
        truth += [(turn, judgement) for judgement in turn.judgements]
        evening.stage.shots.clear()
        evening.stage.presses.clear()
    return truth, told, match


@pytest.mark.parametrize("edition", list(EDITIONS))
def test_every_verdict_of_an_evening_is_true(edition: str) -> None:
    truth, told, _ = referee(edition, seed=5, turns=TURNS)
    judged = [event for event in told if isinstance(event, Judged)]
    wanted = [
        (
            turn.game,
            turn.number,
            turn.seat,
            "legal" if true.legal else "illegal",
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
    assert sum(not true.legal for _, true in truth) >= 5
    assert not any(isinstance(event.verdict, Undecided) for event in judged)


@pytest.mark.parametrize("edition", ["original", "3in1-standard"])
def test_penalties_are_those_that_were_due(edition: str) -> None:
    truth, told, _ = referee(edition, seed=5, turns=2 * TURNS)
    late = [turn for turn, true in truth if true.cause == "time" and not true.legal]
    penalties = [event for event in told if isinstance(event, Drew) and event.reason is Reason.PENALTY]
    assert [(event.game, event.turn, event.seat, event.tiles) for event in penalties] == [
        (turn.game, turn.number, turn.seat, turn.drawn) for turn in late
    ]
    assert penalties
