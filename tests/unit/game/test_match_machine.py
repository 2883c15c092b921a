"""A match under anything that players, the organiser, the camera and the plug may do, in any order: laws that hold."""

import json
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.game.correction_types import RowParted, RowsJoined, SetMissed, StatedCorrection, TileIs, TileMissed
from referee.game.cues import CUES, cue_name
from referee.game.event_parts import Reason
from referee.game.events import (
    Drew,
    GameScored,
    GameWon,
    Judged,
    TimeGiven,
    TurnEvent,
    TurnStarted,
    TurnTakenBack,
)
from referee.game.inputs import (
    CameraBack,
    CameraLost,
    ClockSet,
    CorrectionProposed,
    GameEnded,
    LetStand,
    MatchEnded,
    MatchStarted,
    NextGame,
    Paused,
    PlayerLeft,
    PlayersRenamed,
    PlayersReseated,
    ProposalAnswered,
    RackShown,
    RacksTold,
    Restarted,
    Resumed,
    RummikubCalled,
    Seat,
    TableCorrected,
    Ticked,
    TurnEnded,
    Undone,
)
from referee.game.limits import Limits
from referee.game.match import step
from referee.game.state import Match, Phase
from referee.game.texts.messages import words
from referee.reading.inputs import CameraBumped, Input, Seconds, TableMoving, TableSettled, TableStill
from referee.rules.editions import EDITIONS
from referee.rules.notation import parse_table, parse_tile
from referee.rules.verdict import Illegal, Undecided
from referee.storage.json_codec import event_to_json, input_from_json, input_to_json

from .conftest import TABLE, TABLES, reading, taken_then  # isort: skip
from tests.conftest import examples

LAID = (*TABLES, f"{TABLE} / K1 K2 B3", f"{TABLE} / R1 R2 K5 K6")
NAMES = ("R12", "B12", "K3", "B3", "J", "")
WHO = ("", "organiser", "players")
LIMIT = 60.0
# A player who has left is waited for only where the own turn is still to be judged or undone.
CLOCK_MAY_RUN = {Phase.TURN, Phase.LOOKING, Phase.DOUBT}
"""After a press that cannot be judged in time it runs on."""
OF_ONE_WHO_LEFT = {Phase.LOOKING, Phase.DOUBT, Phase.TIME_UP, Phase.RESTORE, Phase.GAME_OVER, Phase.CLEARING}
PEOPLE = (LetStand, TableCorrected, ProposalAnswered)
tiles = st.integers(-1, 12)
names = st.sampled_from(NAMES).map(lambda name: parse_tile(name) if name else None)
words_said: st.SearchStrategy[StatedCorrection] = st.one_of(
    st.builds(TileIs, tiles, names),
    st.builds(TileMissed, tiles, names.filter(bool), st.booleans()),
    st.builds(RowsJoined, tiles, tiles),
    st.builds(RowParted, tiles),
    st.builds(SetMissed, st.lists(names.filter(bool), max_size=4).map(tuple)),
)
pauses = st.sampled_from((0.0, 0.1, 0.7, 2.0))


class MatchMachine(RuleBasedStateMachine):
    """Enters inputs one by one and holds every step against the laws."""

    def __init__(self) -> None:
        super().__init__()
        self.match = Match()
        self.now = 0.0
        self.inputs: list[Input] = []
        self.told: list[TurnEvent] = []
        self.seen = reading("")

    def enter(self, entered: Input) -> None:
        before = self.match
        if isinstance(entered, TableSettled):
            entered = taken_then(entered)
        self.match, told, _ = step(before, entered)
        self.inputs.append(entered)
        self.told += told
        self.check(before, entered, told)

    @property
    def at(self) -> Seconds:
        return Seconds(self.now)

    @initialize(
        players=st.integers(2, 4),
        edition=st.sampled_from(sorted(EDITIONS)),
        rack=st.sampled_from((4, 14)),
        games=st.integers(1, 3),
        waits=st.booleans(),
    )
    def start(self, players: int, edition: str, rack: int, games: int, waits: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        names = ("Ann", "Ben", "Cem", "Dora")[:players]
        rules = (("rack_tiles", rack), ("turn_seconds", int(LIMIT)), ("drawn_tile_waits", waits))
        self.enter(
            MatchStarted(at=self.at, names=names, edition=edition, house_rules=rules, games=games, limits=Limits())
        )

    # What happens -------------------------------------------------------------------------------------------------

    @rule(table=st.sampled_from(LAID), doubt=st.sampled_from((None, None, 2, 5, 8)), other=st.sampled_from(NAMES))
    def lay(self, table: str, doubt: int | None, other: str) -> None:
        self.now += 0.5
        self.enter(TableMoving(self.at))
        since = self.at
        self.now += 0.5
        doubts = {doubt: other} if doubt is not None and doubt < len(parse_table(table).tiles) else {}
        self.seen = reading(table, doubts)
        self.enter(TableSettled(self.at, since, self.seen))

    @rule(pause=pauses)
    def look_again(self, pause: float) -> None:
        self.now += pause
        self.enter(TableSettled(self.at, Seconds(self.now - 0.1), self.seen))

    @rule(pause=pauses, call=st.booleans(), seat=st.sampled_from((None, None, 0, 1, 5)))
    def press(self, pause: float, call: bool, seat: int | None) -> None:  # noqa: FBT001 - drawn by hypothesis
        self.now += pause
        kind = RummikubCalled if call else TurnEnded
        self.enter(kind(self.at, None if seat is None else Seat(seat)))
        self.now += 0.1
        self.enter(TableStill(self.at, f"frame at {self.now:g}"))

    @rule(seconds=st.sampled_from((0.3, 5.1, 14.0, 61.0)))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.enter(Ticked(self.at))

    @rule(
        kind=st.sampled_from((Paused, Resumed, Undone, LetStand, NextGame, RackShown)),
        by=st.sampled_from(WHO),
    )
    def say(self, kind: Any, by: str) -> None:
        self.enter(kind(self.at, by=by))

    @rule(first=st.sampled_from((None, 0, 1)), drawn=st.lists(st.integers(1, 13), max_size=3))
    def say_who_begins(self, first: int | None, drawn: list[int]) -> None:
        numbers = tuple((Seat(seat), number) for seat, number in enumerate(drawn))
        self.enter(NextGame(self.at, None if first is None else Seat(first), "organiser", numbers))

    @rule(kind=st.sampled_from((TableMoving, Restarted, CameraLost, CameraBack)))
    def happen(self, kind: Any) -> None:
        self.enter(kind(self.at))

    @rule(seen=st.booleans())
    def bump(self, seen: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        self.enter(CameraBumped(self.at, seen))

    @rule(index=st.integers(0, 10), name=st.sampled_from(NAMES), judged=st.booleans())
    def correct(self, index: int, name: str, judged: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
        observation = (
            self.match.dispute.judged.observation if judged and self.match.dispute.judged is not None else None
        )
        frame_id = "" if observation is None else observation.reading.frame_id
        self.enter(TableCorrected(self.at, TileIs(index, parse_tile(name) if name else None), "organiser", frame_id))

    @rule(said=words_said)
    def correct_table(self, said: StatedCorrection) -> None:
        self.enter(TableCorrected(self.at, said, "organiser"))

    @rule(said=words_said, seat=st.integers(0, 3), voice=st.sampled_from("ab"))
    def propose(self, said: StatedCorrection, seat: int, voice: str) -> None:
        self.enter(Ticked(self.at))
        before = self.match
        self.enter(CorrectionProposed(at=self.at, said=said, seat=Seat(seat), voice=(voice,), by="players"))
        assert (self.match.dispute.corrections, self.match.dispute.judged) == (
            before.dispute.corrections,
            before.dispute.judged,
        )

    @rule(agrees=st.booleans(), seat=st.sampled_from((None, 0, 1, 2)), voice=st.sampled_from("ab"))
    def answer(self, agrees: bool, seat: int | None, voice: str) -> None:  # noqa: FBT001 - drawn by hypothesis
        by = "organiser" if seat is None else "players"
        named = None if seat is None else Seat(seat)
        self.enter(ProposalAnswered(at=self.at, agrees=agrees, seat=named, voice=(voice,), by=by))

    @rule(seconds=st.sampled_from((0.0, 10.0, LIMIT)))
    def set_clock(self, seconds: float) -> None:
        self.enter(ClockSet(self.at, seconds, "organiser"))

    @rule(values=st.lists(st.integers(0, 90), min_size=4, max_size=4), game=st.sampled_from((None, 1, 2)))
    def tell_racks(self, values: list[int], game: int | None) -> None:
        if self.match.results:
            result = self.match.results[(game or len(self.match.results)) - 1 : game]
            losers = [seat for seat in self.match.setup.seats if not result or seat not in result[0].winners]
            racks = tuple((seat, values[seat]) for seat in losers)
            self.enter(RacksTold(self.at, racks, game=game))

    @precondition(lambda self: len(self.inputs) > 15)
    @rule(seat=st.integers(0, 3))
    def leave(self, seat: int) -> None:
        if seat < len(self.match.setup.names):
            self.enter(PlayerLeft(self.at, Seat(seat), "organiser"))

    @rule(name=st.sampled_from(("Bob", "Ann", "Anna")), seat=st.integers(0, 3))
    def rename(self, name: str, seat: int) -> None:
        names = self.match.setup.names
        self.enter(PlayersRenamed(self.at, (*names[:seat], name, *names[seat + 1 :]), "organiser"))
        assert len(set(self.match.setup.names)) == len(names)

    @rule(order=st.permutations(range(4)))
    def reseat(self, order: list[int]) -> None:
        seats = self.match.setup.seats
        self.enter(PlayersReseated(self.at, tuple(Seat(seat) for seat in order if seat in seats), "organiser"))
        assert sorted(self.match.setup.clockwise) == list(seats)

    @precondition(lambda self: len(self.inputs) > 10)
    @rule(kind=st.sampled_from((GameEnded, GameEnded, GameEnded, MatchEnded)))
    def end(self, kind: Any) -> None:
        self.enter(kind(self.at, "organiser"))

    # What holds after every step ----------------------------------------------------------------------------------

    def check(self, before: Match, entered: Input, told: tuple[TurnEvent, ...]) -> None:
        after = self.match
        assert [event.at for event in told] == sorted(event.at for event in told)
        for event in told:
            assert words(event, after.setup.names)
            assert cue_name(event) in CUES
            json.dumps(event_to_json(event))
        self._check_time(before, entered, told)
        self._check_verdicts(before, entered, told)
        scored = [event for event in told if isinstance(event, GameScored)]
        for event in scored:
            result = after.results[event.game - 1]
            assert set(event.scores) == {after.setup.names[seat] for seat in result.present}

    def _check_time(self, before: Match, entered: Input, told: tuple[TurnEvent, ...]) -> None:
        """Nobody gains time but by a new turn, an undo, or the organiser."""
        after = self.match
        assert after.now >= before.now
        given = (TurnStarted, TurnTakenBack, TimeGiven)
        if (before.game, before.turn) != (after.game, after.turn):
            return  # a turn judged again has gone back to its player, with the time of then
        if (
            before.play.clock.left is None
            or after.play.clock.left is None
            or any(isinstance(event, given) for event in told)
        ):
            return
        left, was = after.play.clock.left_at(after.now), before.play.clock.left_at(before.now)
        assert left is not None
        assert was is not None
        assert left <= was + 1e-6
        if before.pauses.halted and after.pauses.halted:
            assert abs(left - was) < 1e-6, entered

    def _check_verdicts(self, before: Match, entered: Input, told: tuple[TurnEvent, ...]) -> None:
        for event in told:
            if isinstance(event, Judged) and isinstance(entered, TableSettled | TableStill):
                assert event.frame_at >= before.judged_from, "judged by a frame from before the press"
            if isinstance(event, Judged) and isinstance(event.verdict, Illegal) and event.verdict.violations:
                # Nobody is accused while anything is unsure that matters, nor on one look.
                assert not isinstance(event.verdict, Undecided)
                person = isinstance(entered, PEOPLE)
                observation = self.match.dispute.judged.observation if self.match.dispute.judged is not None else None
                before_press = observation is not None and observation.earlier is not None
                assert person or before.play.first_look is not None or before_press or event.stands
        ends = sum(isinstance(event, Judged) and event.stands for event in told)
        again = isinstance(entered, PEOPLE[1:])
        assert again or ends <= sum(isinstance(event, TurnStarted | GameWon) for event in told)
        for place, event in enumerate(told):
            if isinstance(event, Drew) and event.reason is not Reason.PLAYS_ON and not again:
                assert any(isinstance(later, TurnStarted | GameWon) for later in told[place:])

    @invariant()
    def the_match_is_in_order(self) -> None:
        match = self.match
        if match.seated is None:
            return
        assert match.seat in match.present or match.phase in OF_ONE_WHO_LEFT or match.phase is Phase.MATCH_OVER
        assert min(match.racks) >= 0
        assert match.turn_start.tables
        assert 0 <= match.pool <= match.rules.tile_count
        assert match.phase is not Phase.TURN or match.play.wait_until is None
        assert not match.pauses.halted or match.play.clock.since is None
        assert match.phase in CLOCK_MAY_RUN or match.play.clock.since is None
        left = match.play.clock.left_at(match.now)
        assert left is None or 0.0 <= left <= LIMIT
        if match.dispute.judged is not None and match.phase is Phase.TURN:
            assert match.dispute.judged.checkpoint.turn in {match.turn, match.turn - 1}
        assert len(match.results) in {match.game, match.game - 1}
        assert match.dispute.proposal is None or match.dispute.proposal.until >= match.now

    def teardown(self) -> None:
        """What was written down tells the same again."""
        again = [input_from_json(json.loads(json.dumps(input_to_json(entered)))) for entered in self.inputs]
        assert again == self.inputs
        match, told = Match(), list[TurnEvent]()
        for entered in again:
            match, events, _ = step(match, entered)
            told += events
        assert match == self.match
        assert [event_to_json(event) for event in told] == [event_to_json(event) for event in self.told]


TestMatchMachine = MatchMachine.TestCase
TestMatchMachine.settings = settings(
    max_examples=examples(40), stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_the_clock_runs_on_in_a_doubt_about_a_table_that_was_lost() -> None:
    state: Any = MatchMachine()
    state.start(players=2, edition="3in1-expert", rack=4, games=1, waits=False)
    state.look_again(pause=0.0)
    state.correct_table(said=SetMissed((parse_tile("J"),)))
    state.set_clock(seconds=0.0)
    state.look_again(pause=0.0)
    state.bump(seen=False)
    state.set_clock(seconds=10.0)
    state.wait(seconds=61.0)
    state.the_match_is_in_order()
    assert state.match.phase is Phase.DOUBT
    assert state.match.play.clock.since is not None
