"""However busy the machine is, a journal folds to the match that the players were told."""

from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game.inputs import MatchStarted, Ticked, TurnEnded
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Seconds, TableMoving
from referee.rules.editions import EDITIONS
from referee.service.button_mapping import meaning
from referee.service.loop import Loop
from referee.sim.scenarios import NAMES, simulated_match
from referee.storage.match_step import MatchStep
from tests.support.perfect_watcher import PerfectWatcher

TURNS = 6


@dataclass(slots=True)
class Kept:
    """A journal in memory."""

    steps: list[MatchStep] = field(default_factory=list)

    def append(self, taken: MatchStep) -> None:
        self.steps.append(taken)

    def close(self) -> None:
        return None


@dataclass(slots=True)
class Machine:
    """A machine on which readings take their time, and whose loop stands still now and then."""

    loop: Loop
    chance: Random
    load: float
    """The longest reading, in seconds."""
    now: float = 0.0
    frame_at: Seconds | None = None

    def pass_time(self, until: float) -> None:
        """Tick until then, or once where that is past, with stalls."""
        self._tick()
        while self.now < until:
            stall = self.chance.uniform(0.0, 8.0) if self.chance.random() < 0.03 * self.load else 0.0
            self.now = min(until, self.now + self.chance.uniform(0.05, 0.3) + stall)
            self._tick()

    def _tick(self) -> None:
        self.loop.enter(Ticked(Seconds(self.now), self.frame_at))


def evening(seed: int, load: float) -> tuple[Loop, Kept]:
    """Referee some turns on a machine under load, players pressing while it reads."""
    chance, journal = Random(seed), Kept()
    loop = Loop(Match(), journal, (), lambda _: None)
    match, _ = simulated_match(EDITIONS["original"], seed=seed % 20, games=1, cheat_rate=0.35)
    match.players = replace(match.players, strong_seats=frozenset())
    limits = Limits(doubt_seconds=1.5, settle_seconds=chance.choice((1.0, 1.0, 10.0)))
    loop.enter(
        MatchStarted(at=Seconds(0.0), names=NAMES[: match.players.count], edition="original", games=1, limits=limits)
    )
    machine, onlooker = Machine(loop, chance, load), PerfectWatcher()
    for _ in islice(match.play(), TURNS):
        presses = sorted(match.scene.presses, key=lambda press: press.at)
        for moment in match.scene.moments:
            while presses and presses[0].at <= moment.at:
                machine.pass_time(presses[0].at)
                loop.enter(meaning(presses.pop(0), loop.match))
            machine.pass_time(moment.at)
            machine.frame_at = Seconds(moment.at)
            looked = tuple(onlooker.watch(moment, loop.match))
            if chance.random() < 0.3:
                machine.pass_time(moment.at + chance.uniform(0.0, load))
            for entered in looked:
                loop.enter(entered)
        match.scene.moments.clear()
        match.scene.presses.clear()
    return loop, journal


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), load=st.sampled_from([0.5, 2.0, 5.0, 5.0]))
def test_a_journal_folds_to_the_match_that_was_played(seed: int, load: float) -> None:
    loop, journal = evening(seed, load)
    match = Match()
    for number, (entered, told) in enumerate((taken.entered, taken.events) for taken in journal.steps):
        match, events, _ = step(match, entered)
        assert events == told, (number, entered)
    assert replace(match, now=loop.match.now) == loop.match


def test_a_wait_that_a_late_tick_ends_is_over_then_in_the_journal_too() -> None:
    """A frame from before the end of the wait is read until 14.52 s: the players are told at 14.52 s, not at 12 s."""
    journal = Kept()
    loop = Loop(Match(), journal, (), lambda _: None)
    loop.enter(MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original"))
    loop.enter(TableMoving(Seconds(1.5), reached=True))
    loop.enter(TurnEnded(Seconds(2.0)))
    loop.enter(Ticked(Seconds(14.52), Seconds(11.9)))
    loop.enter(Ticked(Seconds(14.54), Seconds(12.1)))
    match, told = Match(), []
    for entered in (taken.entered for taken in journal.steps):
        match, events, _ = step(match, entered)
        told += [(type(event).__name__, event.at) for event in events]
    assert ("LookingAgain", 14.52) in told
