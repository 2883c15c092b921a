"""The transition table, row by row: every phase, every input it answers, and where that leads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

import pytest

from referee.game.correction_types import RowsJoined, TileIs
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
    TableTaken,
    Ticked,
    TimeAdded,
    TurnEnded,
    Undone,
)
from referee.game.match import HALTED, TRANSITIONS
from referee.game.state import Phase
from referee.reading.inputs import CameraBumped, TableMoving, TableSettled, TableStill
from referee.rules.notation import parse_tile, parse_tiles

TABLE = "R10 R11 R12 / B10 K10 O10"
LEGAL = f"{TABLE} / K1 K2 K3"
BROKEN = f"{TABLE} / K1 K2"
DOUBTFUL = {"doubts": {8: "B3"}}

# How to come to each phase: Ann and Ben have opened, Ann is to move and sees TABLE unless said otherwise.


def _turn(evening: Any) -> None:
    evening.opened()
    evening.now += 1.0


def _looking(evening: Any) -> None:
    _turn(evening)
    evening.enter(TableMoving(evening.at))
    evening.now += 1.0
    evening.enter(TurnEnded(evening.at))


def _doubt(evening: Any) -> None:
    evening.opened().play(LEGAL, **DOUBTFUL)


def _time_up(evening: Any) -> None:
    _turn(evening)
    evening.lay(BROKEN)
    evening.wait(70.0)


def _restore(evening: Any) -> None:
    _time_up(evening)
    evening.enter(TableStill(evening.at))
    evening.now += 5.0


def _game_over(evening: Any) -> None:
    evening.opened().lay(LEGAL)
    evening.press(call=True)


def _clearing(evening: Any) -> None:
    _game_over(evening)
    evening.enter(NextGame(evening.at))
    evening.now += 6.0


def _match_over(evening: Any) -> None:
    _turn(evening)
    evening.enter(MatchEnded(evening.at))


def _paused(evening: Any) -> None:
    _turn(evening)
    evening.enter(Paused(evening.at))
    evening.now += 20.0


def _blind(evening: Any) -> None:
    _turn(evening)
    evening.enter(CameraLost(evening.at))


def _back(evening: Any) -> None:
    _turn(evening)
    evening.enter(Restarted(evening.at))


COMING: dict[Phase, Callable[[Any], None]] = {
    Phase.IDLE: lambda _: None,
    Phase.TURN: _turn,
    Phase.LOOKING: _looking,
    Phase.DOUBT: _doubt,
    Phase.TIME_UP: _time_up,
    Phase.RESTORE: _restore,
    Phase.GAME_OVER: _game_over,
    Phase.CLEARING: _clearing,
    Phase.MATCH_OVER: _match_over,
}


BEGUN_UNSAID = "GameStarted StarterAssumed TurnStarted"


@dataclass(frozen=True)
class Row:
    """In a phase, an input leads to a phase and tells these events."""

    phase: Phase
    act: Callable[[Any], tuple[Any, ...]]
    kind: type
    then: Phase
    told: str = ""
    halted: bool = False
    seat: int = 0


def settle(text: str, **doubt: Any) -> Callable[[Any], tuple[Any, ...]]:
    return lambda evening: evening.lay(text, **doubt)


def say(kind: type, *more: Any) -> Callable[[Any], tuple[Any, ...]]:
    return lambda evening: evening.enter(kind(evening.at, *more))


def begin(evening: Any) -> tuple[Any, ...]:
    return evening.enter(MatchStarted(at=evening.at, names=("Dora", "Emil"), edition="twist"))


def still(evening: Any) -> tuple[Any, ...]:
    evening.now += 0.2
    return evening.enter(TableStill(evening.at))


def propose(evening: Any) -> tuple[Any, ...]:
    return evening.enter(CorrectionProposed(at=evening.at, said=TileIs(0, parse_tile("R9")), seat=Seat(0)))


def agree(evening: Any) -> tuple[Any, ...]:
    return evening.enter(ProposalAnswered(at=evening.at, agrees=True, seat=Seat(1)))


def refuse_what_is_proposed(evening: Any) -> tuple[Any, ...]:
    propose(evening)
    return evening.enter(ProposalAnswered(at=evening.at, agrees=False, seat=Seat(1)))


P = Phase
K3, K4, B3 = (parse_tile(name) for name in ("K3", "K4", "B3"))


def _any_time(phase: Phase) -> list[Row]:
    """What a pause, a lost camera, a restart, a player's leave and the end of the match do while a game is on."""
    return [
        Row(phase, say(Paused), Paused, phase, "ClockStopped", halted=True),
        Row(phase, say(CameraLost), CameraLost, phase, "ClockStopped", halted=True),
        Row(phase, say(CameraBumped, True), CameraBumped, phase, "CameraMoved"),
        Row(phase, say(Restarted), Restarted, phase, "ClockStopped", halted=True),
        Row(phase, say(PlayerLeft, Seat(1)), PlayerLeft, P.MATCH_OVER, "PlayerGone MatchOver"),
        Row(phase, say(PlayersRenamed, ("Ann", "Bob")), PlayersRenamed, phase, "NamesChanged"),
        Row(phase, say(RacksTold, ()), RacksTold, phase),
        Row(phase, say(GameEnded), GameEnded, P.GAME_OVER, "GameWon"),
        Row(phase, say(MatchEnded), MatchEnded, P.MATCH_OVER, "MatchOver"),
    ]


def _by_agreement(phase: Phase) -> list[Row]:
    """A proposal changes no phase, and nothing is judged before somebody agrees."""
    return [
        Row(phase, propose, CorrectionProposed, phase, "ProposalMade"),
        Row(phase, agree, ProposalAnswered, phase),
        Row(phase, refuse_what_is_proposed, ProposalAnswered, phase, "ProposalEnded"),
    ]


def _as_it_is(phase: Phase, told: str) -> Row:
    """A person says that a row is right: what waits for a verdict is judged anew."""
    return Row(phase, say(TableCorrected, RowsJoined(0, 2)), TableCorrected, phase, told)


SWAPPED = (Seat(1), Seat(0))
ROWS = [
    Row(P.TURN, say(PlayersReseated, SWAPPED), PlayersReseated, P.TURN),  # the game has begun
    *(
        Row(phase, act, kind, phase, told)
        for phase in (P.GAME_OVER, P.CLEARING)
        for act, kind, told in (
            (say(PlayersRenamed, ("Ann", "Bob")), PlayersRenamed, "NamesChanged"),
            (say(PlayersReseated, SWAPPED), PlayersReseated, "SeatsChanged"),
        )
    ),
    Row(P.MATCH_OVER, say(PlayersRenamed, ("Ann", "Bob")), PlayersRenamed, P.MATCH_OVER, "NamesChanged"),
    *(row for phase in Phase if phase not in {P.IDLE, P.MATCH_OVER} for row in _by_agreement(phase)),
    *(_as_it_is(phase, "RowsNamed") for phase in (P.TURN, P.LOOKING, P.TIME_UP, P.GAME_OVER, P.CLEARING)),
    _as_it_is(P.DOUBT, "RowsNamed Judged LookingAgain"),
    _as_it_is(P.RESTORE, "RowsNamed Judged RestoreNeeded"),
    Row(P.IDLE, begin, MatchStarted, P.TURN, "GameStarted TurnStarted"),
    *_any_time(P.TURN),
    Row(P.TURN, say(TurnEnded), TurnEnded, P.LOOKING),
    Row(P.TURN, say(RummikubCalled), RummikubCalled, P.LOOKING),
    Row(P.TURN, settle(BROKEN), TableSettled, P.TURN, "TableWatched"),
    Row(P.TURN, say(TableCorrected, TileIs(0, parse_tile("R9"))), TableCorrected, P.TURN, "TileNamed Judged"),
    Row(P.TURN, say(ClockSet, 20.0), ClockSet, P.TURN, "TimeGiven"),
    Row(P.TURN, say(TimeAdded, 20.0), TimeAdded, P.TURN, "TimeGiven"),
    Row(P.TURN, say(Undone), Undone, P.TURN, "TurnTakenBack", seat=1),
    Row(P.TURN, say(NextGame, Seat(1)), NextGame, P.TURN),
    Row(P.TURN, say(LetStand), LetStand, P.TURN, "Judged TurnStarted", seat=1),
    *_any_time(P.LOOKING),
    Row(P.LOOKING, settle(LEGAL), TableSettled, P.TURN, "LookingAgain Judged TurnStarted", seat=1),
    Row(P.LOOKING, settle(TABLE), TableSettled, P.TURN, "LookingAgain Judged Drew TurnStarted", seat=1),
    Row(P.LOOKING, settle(BROKEN), TableSettled, P.TURN, "LookingAgain Judged ClockRuns"),
    Row(P.LOOKING, settle(LEGAL, **DOUBTFUL), TableSettled, P.DOUBT, "LookingAgain Judged LookingAgain"),
    Row(P.LOOKING, say(TableMoving), TableMoving, P.LOOKING, "LookingAgain"),
    Row(P.LOOKING, still, TableStill, P.LOOKING),
    Row(P.LOOKING, say(TableCorrected, TileIs(0, K3)), TableCorrected, P.LOOKING, "TileNamed"),
    Row(P.LOOKING, say(ClockSet, 20.0), ClockSet, P.LOOKING, "TimeGiven"),
    Row(P.LOOKING, say(TimeAdded, 20.0), TimeAdded, P.LOOKING, "TimeGiven"),
    Row(P.LOOKING, say(Undone), Undone, P.TURN, "TurnTakenBack"),
    Row(P.LOOKING, say(LetStand), LetStand, P.LOOKING),
    Row(P.LOOKING, say(RummikubCalled), RummikubCalled, P.LOOKING),
    *_any_time(P.DOUBT),
    Row(P.DOUBT, settle(LEGAL), TableSettled, P.TURN, "Judged TurnStarted", seat=1),
    Row(P.DOUBT, settle(LEGAL, **DOUBTFUL), TableSettled, P.DOUBT),
    Row(P.DOUBT, say(TableCorrected, TileIs(8, K3)), TableCorrected, P.TURN, "TileNamed Judged TurnStarted", seat=1),
    Row(P.DOUBT, say(TableCorrected, TileIs(8, B3)), TableCorrected, P.TURN, "TileNamed Judged ClockRuns"),
    Row(P.DOUBT, say(ClockSet, 20.0), ClockSet, P.DOUBT, "TimeGiven"),
    Row(P.DOUBT, say(TimeAdded, 20.0), TimeAdded, P.DOUBT, "TimeGiven"),
    Row(P.DOUBT, say(Undone), Undone, P.TURN, "TurnTakenBack"),
    Row(P.DOUBT, say(LetStand), LetStand, P.TURN, "Judged TurnStarted", seat=1),
    Row(P.DOUBT, say(RummikubCalled), RummikubCalled, P.DOUBT),
    *_any_time(P.TIME_UP),
    Row(P.TIME_UP, still, TableStill, P.RESTORE, "Judged RestoreNeeded"),
    Row(P.TIME_UP, settle(TABLE), TableSettled, P.TURN, "LookingAgain Judged Drew TurnStarted", seat=1),
    Row(P.TIME_UP, say(TableMoving), TableMoving, P.TIME_UP, "LookingAgain"),
    Row(P.TIME_UP, say(TableCorrected, TileIs(7, K3)), TableCorrected, P.TIME_UP, "TileNamed"),
    Row(P.TIME_UP, say(ClockSet, 20.0), ClockSet, P.TURN, "TimeGiven"),
    Row(P.TIME_UP, say(TimeAdded, 20.0), TimeAdded, P.TURN, "TimeGiven"),
    Row(P.TIME_UP, say(LetStand), LetStand, P.TURN, "Judged TurnStarted", seat=1),
    *_any_time(P.RESTORE),
    Row(P.RESTORE, settle(TABLE), TableSettled, P.TURN, "Restored Drew TurnStarted", seat=1),
    Row(P.RESTORE, settle(f"{TABLE} / K1"), TableSettled, P.RESTORE, "RestoreNeeded"),
    Row(P.RESTORE, say(TableCorrected, TileIs(7, K3)), TableCorrected, P.RESTORE, "TileNamed Judged RestoreNeeded"),
    Row(P.RESTORE, say(ClockSet, 20.0), ClockSet, P.TURN, "TimeGiven"),
    Row(P.RESTORE, say(TimeAdded, 20.0), TimeAdded, P.TURN, "TimeGiven"),
    Row(P.RESTORE, say(LetStand), LetStand, P.TURN, "Judged TurnStarted", seat=1),
    Row(P.RESTORE, say(TurnEnded), TurnEnded, P.RESTORE, "RestoreNeeded"),
    Row(P.RESTORE, say(RummikubCalled), RummikubCalled, P.RESTORE, "RestoreNeeded"),
    Row(P.GAME_OVER, say(NextGame), NextGame, P.CLEARING, "LookingAgain"),
    Row(P.GAME_OVER, settle("", after=6.0), TableSettled, P.TURN, BEGUN_UNSAID, seat=1),
    Row(P.GAME_OVER, settle(TABLE), TableSettled, P.GAME_OVER),
    Row(P.GAME_OVER, say(PlayerLeft, Seat(1)), PlayerLeft, P.MATCH_OVER, "PlayerGone MatchOver"),
    Row(P.GAME_OVER, say(MatchEnded), MatchEnded, P.MATCH_OVER, "MatchOver"),
    Row(
        P.GAME_OVER,
        say(TableCorrected, TileIs(8, parse_tile("K4"))),
        TableCorrected,
        P.TURN,
        "TileNamed Judged TurnTakenBack",
    ),
    Row(P.GAME_OVER, say(Undone), Undone, P.TURN, "TurnTakenBack"),
    Row(P.GAME_OVER, say(ClockSet, 20.0), ClockSet, P.GAME_OVER),
    Row(P.GAME_OVER, say(TimeAdded, 20.0), TimeAdded, P.GAME_OVER),
    Row(P.GAME_OVER, say(RacksTold, ((Seat(1), parse_tiles("R1 R2")),)), RacksTold, P.GAME_OVER, "GameScored"),
    Row(P.GAME_OVER, say(TurnEnded), TurnEnded, P.GAME_OVER),
    Row(P.GAME_OVER, say(RackShown, Seat(1)), RackShown, P.GAME_OVER, "RackAsked"),
    Row(P.CLEARING, say(TableCorrected, TileIs(0, K3)), TableCorrected, P.CLEARING, "TileNamed"),
    Row(P.GAME_OVER, say(CameraBumped, False), CameraBumped, P.GAME_OVER, "CameraMoved"),
    Row(P.CLEARING, say(CameraBumped, False), CameraBumped, P.CLEARING, "CameraMoved"),
    Row(P.CLEARING, say(NextGame, Seat(0)), NextGame, P.CLEARING, "LookingAgain"),
    Row(P.CLEARING, settle(""), TableSettled, P.TURN, BEGUN_UNSAID, seat=1),
    Row(P.CLEARING, say(PlayerLeft, Seat(1)), PlayerLeft, P.MATCH_OVER, "PlayerGone MatchOver"),
    Row(P.CLEARING, say(MatchEnded), MatchEnded, P.MATCH_OVER, "MatchOver"),
    Row(P.CLEARING, say(RacksTold, ((Seat(1), 3),)), RacksTold, P.CLEARING, "GameScored"),
    Row(P.CLEARING, say(Paused), Paused, P.CLEARING),
    Row(P.TURN, say(TableTaken), TableTaken, P.TURN),
    Row(P.LOOKING, say(TableTaken), TableTaken, P.LOOKING),
    Row(P.DOUBT, say(TableTaken), TableTaken, P.DOUBT),
    Row(P.TIME_UP, say(TableTaken), TableTaken, P.TIME_UP),
    Row(P.RESTORE, say(TableTaken), TableTaken, P.RESTORE),
    Row(P.LOOKING, say(TurnEnded), TurnEnded, P.LOOKING),
    Row(P.DOUBT, say(TurnEnded), TurnEnded, P.DOUBT),
    Row(P.TIME_UP, say(TurnEnded), TurnEnded, P.TIME_UP),
    Row(P.CLEARING, say(TurnEnded), TurnEnded, P.CLEARING, "LookingAgain"),
    Row(P.MATCH_OVER, begin, MatchStarted, P.CLEARING, "LookingAgain"),
    Row(P.MATCH_OVER, say(RacksTold, ((Seat(1), 3),)), RacksTold, P.MATCH_OVER),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.phase}-{row.kind.__name__}-{row.then}")
def test_a_row_of_the_table(evening: Any, row: Any) -> None:
    COMING[row.phase](evening)
    assert evening.match.phase is row.phase
    told = row.act(evening)
    assert " ".join(type(event).__name__ for event in told) == row.told
    assert evening.match.phase is row.then
    assert bool(evening.match.pauses.halted) is row.halted
    if row.then is P.TURN and row.phase is not P.IDLE:
        assert evening.match.seat == row.seat


def test_every_row_of_the_table_is_tried() -> None:
    tried = {(row.phase, row.kind) for row in ROWS}
    assert {(phase, kind) for phase, row in TRANSITIONS.items() for kind in row} == tried


def test_a_rule_takes_the_input_that_its_row_names() -> None:
    for kind, rule in ((kind, rule) for row in (*TRANSITIONS.values(), HALTED) for kind, rule in row.items()):
        _, takes, *_ = get_type_hints(rule).values()
        assert issubclass(kind, get_args(takes) or takes), f"{rule.__name__} takes no {kind.__name__}"


@pytest.mark.parametrize("phase", list(Phase))
def test_what_the_table_does_not_name_changes_nothing(evening: Any, phase: Any) -> None:
    entries = [
        TurnEnded,
        RummikubCalled,
        TableStill,
        Paused,
        Resumed,
        Restarted,
        Undone,
        LetStand,
        CameraLost,
        CameraBack,
        GameEnded,
        NextGame,
        MatchEnded,
    ]
    COMING[phase](evening)
    before = evening.match
    for kind in entries:
        if kind not in TRANSITIONS[phase]:
            assert evening.enter(kind(evening.at)) == ()
            assert (evening.match.phase, evening.match.seat, evening.match.play.clock) == (
                before.phase,
                before.seat,
                before.play.clock,
            )


@pytest.mark.parametrize(
    "halt",
    [
        pytest.param((_paused, Resumed, say(Resumed), "ClockRuns", True), id="break over"),
        pytest.param((_paused, TurnEnded, say(TurnEnded), "ClockRuns", True), id="a press ends a break"),
        pytest.param((_paused, RummikubCalled, say(RummikubCalled), "ClockRuns", True), id="so does a long one"),
        pytest.param((_paused, Paused, say(Paused), "", False), id="paused twice is paused once"),
        pytest.param((_paused, CameraLost, say(CameraLost), "ClockStopped", False), id="camera lost in a break"),
        pytest.param((_paused, Restarted, say(Restarted), "ClockStopped", False), id="power cut in a break"),
        pytest.param((_paused, CameraBack, say(CameraBack), "", False), id="the camera does not end a break"),
        pytest.param((_paused, CameraBumped, say(CameraBumped, False), "CameraMoved", False), id="pushed in a break"),
        pytest.param((_paused, MatchEnded, say(MatchEnded), "MatchOver", True), id="home from the break"),
        pytest.param((_blind, CameraBack, say(CameraBack), "ClockRuns", True), id="camera back"),
        pytest.param((_blind, Resumed, say(Resumed), "", False), id="nobody resumes blind"),
        pytest.param((_back, TableSettled, settle(TABLE), "ClockRuns", True), id="same table after a power cut"),
        pytest.param(
            (_back, TableSettled, settle(BROKEN), "TilesChanged", False), id="another table after a power cut"
        ),
    ],
)
def test_halted(evening: Any, halt: Any) -> None:
    coming, kind, act, told, freed = halt
    coming(evening)
    assert kind in HALTED
    assert " ".join(type(event).__name__ for event in act(evening)) == told
    assert bool(evening.match.pauses.halted) is not freed


def test_time_stands_while_halted(evening: Any) -> None:
    _paused(evening)
    left = evening.match.play.clock.left
    assert evening.enter(Ticked(evening.at)) == ()
    assert evening.match.play.clock.left == left
