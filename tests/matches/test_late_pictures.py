"""Evenings whose pictures arrive late, as over Wi-Fi: dated by their exposure, every verdict is true.

That a live camera dates them so is tried in tests/hardware/test_picture_ages.py. Players wait for the verdict.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import pytest

from referee.game.events import Judged, RacksShown, TurnEvent
from referee.game.inputs import MatchStarted, Ticked
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.rules.editions import EDITIONS
from referee.rules.verdict import VERDICT_NAMES
from referee.service.button_mapping import meaning
from referee.service.initial_meld_check import racks_to_score
from referee.sim.hardships import MatchWithHardships
from referee.sim.scenarios import DEFAULT_SIZE, NAMES, match_with_hardships
from referee.sim.scene import SceneMoment
from referee.sim.simulated_match import TrueTurn
from tests.support.perfect_watcher import PerfectWatcher

TURNS = 30


@dataclass(slots=True)
class LateEvening:
    """An evening of players who wait for each verdict, refereed from pictures that arrive `delay` late."""

    edition: str
    seed: int
    delay: float
    match: Match = field(default_factory=Match)
    told: list[TurnEvent] = field(default_factory=list)
    played: list[TrueTurn] = field(default_factory=list)
    under_way: list[SceneMoment] = field(default_factory=list)
    frame_at: Seconds | None = None

    def run(self) -> "LateEvening":
        evening, _ = match_with_hardships(
            EDITIONS[self.edition], seed=self.seed, games=2, cheat_rate=0.35, size=DEFAULT_SIZE, hardships=()
        )
        evening.players = replace(evening.players, strong_seats=frozenset())
        evening.verdict_seconds = self.delay + 1.5
        names, limits = NAMES[: evening.players.count], Limits(doubt_seconds=1.5)
        self.enter(MatchStarted(at=Seconds(0.0), names=names, edition=self.edition, games=2, limits=limits))
        onlooker = PerfectWatcher()
        for turn in islice(evening.play(), TURNS):
            for at, happened in self.happened(evening):
                if not isinstance(happened, SceneMoment):
                    self.enter(meaning(happened, self.match))
                    continue
                self.enter(Ticked(Seconds(at), self.frame_at))
                dated = replace(happened, at=at - self.delay)
                self.frame_at = Seconds(dated.at)
                for entered in onlooker.watch(dated, self.match):
                    self.enter(entered)
            self.played.append(turn)
        return self

    def enter(self, entered: Input) -> None:
        self.match, said, _ = step(self.match, entered)
        self.told += said
        for event in said:
            if isinstance(event, RacksShown):
                self.enter(racks_to_score(self.match, event))

    def happened(self, evening: MatchWithHardships) -> Iterator[tuple[float, Any]]:
        """Presses, and the pictures that have arrived, in the order of time."""
        scene = evening.scene
        self.under_way += scene.moments
        arrived = [moment for moment in self.under_way if moment.at + self.delay <= scene.now]
        self.under_way = self.under_way[len(arrived) :]
        news = [(press.at, 0, press) for press in scene.presses]
        news += [(moment.at + self.delay, 1, moment) for moment in arrived]  # type: ignore[misc]
        scene.moments.clear()
        scene.presses.clear()
        yield from ((at, happened) for at, _, happened in sorted(news, key=lambda one: one[:2]))


def judgements(evening: LateEvening) -> tuple[list[Any], list[Any]]:
    """What was true at each press or end of time, and what was said."""
    wanted = [
        (turn.game, turn.number, turn.seat, "legal" if true.is_legal else "illegal", true.outcome.value, true.faults)
        for turn in evening.played
        for true in turn.judgements
    ]
    given = [
        (
            event.game,
            event.turn,
            event.seat,
            VERDICT_NAMES[type(event.verdict)],
            event.verdict.outcome.value,
            {violation.fault for violation in event.verdict.violations},
        )
        for event in evening.told
        if isinstance(event, Judged)
    ]
    return wanted, given


@pytest.mark.parametrize("delay", [0.5, 2.0, 5.0])
@pytest.mark.parametrize(
    ("edition", "seed"), [("original", 5), *(pytest.param(one, 8, marks=pytest.mark.slow) for one in EDITIONS)]
)
def test_every_verdict_of_an_evening_with_late_pictures_is_true(edition: str, seed: int, delay: float) -> None:
    wanted, given = judgements(LateEvening(edition, seed, delay).run())
    assert given == wanted
    assert sum(verdict == "illegal" for _, _, _, verdict, _, _ in wanted) >= 3
