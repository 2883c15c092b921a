"""A cue that is tried out shines for a while; then the lamps are again what the match made them."""

from referee.game.cues import AMBER_BEATS, CUES, Blink, Cue, Lamp
from referee.game.inputs import MatchStarted, Ticked
from referee.game.match import step
from referee.game.state import Match
from referee.reading.inputs import Input, Seconds
from referee.service.publishers import CuePublisher
from referee.storage.match_step import MatchStep


class Lamps:
    """Keeps what shines."""

    def __init__(self) -> None:
        self.shine: tuple[Blink, ...] = ()

    def play(self, cue: Cue) -> None:
        self.shine = cue.blinks or self.shine

    def close(self) -> None:
        return None


def shown(cues: CuePublisher, lamps: Lamps, match: Match, *inputs: Input) -> list[tuple[Blink, ...]]:
    shine = []
    for entered in inputs:
        taken = MatchStep.of(match, entered)
        match = taken.match
        cues.publish(taken)
        shine.append(lamps.shine)
    return shine


def test_after_a_cue_was_tried_out_the_lamps_of_the_turn_shine_again() -> None:
    lamps, match = Lamps(), Match()
    cues = CuePublisher(lamps)
    begun = MatchStarted(at=Seconds(0.0), names=("Ann", "Ben"), edition="original")
    (turn,) = shown(cues, lamps, match, begun)
    match, _, _ = step(match, begun)
    cues.ask(CUES["camera_lost"])
    ticks = [Ticked(Seconds(at)) for at in (1.0, 3.9, 4.1)]
    assert shown(cues, lamps, match, *ticks) == [AMBER_BEATS, AMBER_BEATS, turn]


def test_before_a_match_they_are_dark_again() -> None:
    lamps = Lamps()
    cues = CuePublisher(lamps)
    cues.ask(CUES["illegal"])
    tried, after = shown(cues, lamps, Match(), Ticked(Seconds(1.0)), Ticked(Seconds(5.0)))
    assert tried == CUES["illegal"].blinks
    assert after == (Blink(Lamp.GREEN, (0.0, 0.1)),), "it waits, and all others are dark"
