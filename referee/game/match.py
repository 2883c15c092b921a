"""The match: one table defines what every input does in every phase, and `step` applies it.

`step(match, input)` returns the next match, its events, and the look it waits for. The same inputs always give the same
events, so a journal can be replayed and serves as a bug report. There is no clock here; every input carries its time.
Whatever is due before an input (a warning, the end of the turn's time or of a wait) happens first, in order and at its
exact time. So neither the rate of `Ticked` nor the speed of the vision matters: a press counts when it was made.

    IDLE ── MatchStarted ──> TURN            the player to move has the clock; CLEARING first where tiles lie
    TURN ── TurnEnded ─────> LOOKING         the clock is stopped until there is a look from *after* the press
    LOOKING ── legal ──────> TURN (next)     or GAME_OVER when the rack is empty
    LOOKING ── plays on ───> TURN (same)     nothing was laid; by a house rule the tile drawn may be, at once
    LOOKING ── no look ────> LOOKING         told why; the clock runs again, and the press waits on
    LOOKING ── illegal ────> TURN (same)     seen twice: what and why; the clock resumes
    LOOKING ── undecided ──> DOUBT           the clock is stopped; the referee asks about doubtful tiles, keeps looking
    DOUBT ── a better look, a correction, the organiser ──> as from LOOKING
    DOUBT ── wait over ────> TURN (next)     no accusation: the table stands as undecided
    TURN ── time over ─────> TIME_UP         until hands are away; then
    TIME_UP ── unchanged ──> TURN (next)     after drawing one
    TIME_UP ── legal, and still by the end of the time ──> TURN (next): only the press was forgotten
    TIME_UP ── else ───────> RESTORE         the same sets as before, wherever they lie; then the penalty, next player
    TURN ── time over ─────> GAME_OVER       instead, where time that runs out loses; the clock set: TURN again
    GAME_OVER ── presses ──> players show their racks to the camera (`shown_racks`), or play on (`playing_on`)
    GAME_OVER ── NextGame, or the table cleared ──> TURN (new game), or MATCH_OVER after the last
    TURN ── NextGame ──────> TURN            a new game in which nothing was judged begins with another player

A match may be *halted* in any phase, for one or more reasons (a break, a lost camera, a restart). The clock is stopped
and the row HALTED applies until the last reason is gone, whatever the organiser does meanwhile.

Until the next press, people may correct what was read; then `disputes` judges the turn again by the same rules. By
agreement, a second player must agree first; a proposal changes no phase and expires.

Players may play on though the match stands elsewhere (`playing_on`): presses of two other players, one after the other,
end the turns before; an opening on a cleared table begins the next game. After several turns without a verdict people
are asked, and `TableTaken` makes what lies there the table.

Inputs that a phase does not name are ignored: a press in the second after a press, an undo with nothing to undo, a look
that nobody waits for; and so is a press on another device just after a turn was over (`is_second_press`). Looks are
recorded in every phase (`see`), so a press on a table at rest is answered at once.

Nobody is accused on one look. An illegal table is read again from fresh frames (`wants_fresh_look`), if possible before
the press, and both readings are judged together; their differences are doubts. If the table moves in between, the looks
begin again.

An undecided turn may leave several tables to begin the next with (`TurnStart`); later turns are judged against those
that explain what is seen with the least change, and an accusation needs them all to agree. But an undecided turn that
stood counts as an opening while what was laid since may be worth one (`openings`), or one doubt would make every later
turn of that player doubtful.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from referee.game.disputes.agreement import answer, expire, propose
from referee.game.disputes.clearing import look_clearing, press_clearing
from referee.game.disputes.rejudging import correct_table
from referee.game.endgame.games import end_match, next_game, other_starter, start_match
from referee.game.endgame.racks import score_racks
from referee.game.endgame.shown_racks import look_between_games, show_rack
from referee.game.events import TurnEvent
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
    TableCorrected,
    TableTaken,
    Ticked,
    TimeAdded,
    TurnEnded,
    Undone,
)
from referee.game.state import Match, Phase, Step, is_second_press, with_button_meaning
from referee.game.turns.observe import see
from referee.game.turns.organiser import add_time, block_game, leave, let_stand, set_clock
from referee.game.turns.pauses import (
    bump_camera,
    camera_back,
    look_halted,
    lose_camera,
    pause,
    pause_before_game,
    restart,
    resume,
)
from referee.game.turns.play import (
    call,
    look,
    look_restored,
    press_halted,
    report_hands,
    time_over,
    wait_over,
    warn,
    watch,
)
from referee.game.turns.playing_on import (
    end_turn,
    press_after_game,
    press_restoring,
    press_while_waiting,
    take_table,
)
from referee.game.turns.seating import rename, reseat
from referee.game.turns.undo import take_back
from referee.game.turns.verdict import judge
from referee.reading.inputs import CameraBumped, Input, LookWanted, Seconds, TableMoving, TableSettled, TableStill

Rule = Callable[[Match, Any], Step]
Row = Mapping[type, Rule]

_CORRECTING: Final[Row] = {
    TableCorrected: correct_table,
    CorrectionProposed: propose,
    ProposalAnswered: answer,
}
_SEATING: Final[Row] = {PlayersRenamed: rename, PlayersReseated: reseat}
_ANY_TIME: Final[Row] = {
    **_CORRECTING,
    PlayersRenamed: rename,
    Paused: pause,
    CameraLost: lose_camera,
    CameraBumped: bump_camera,
    Restarted: restart,
    LetStand: let_stand,
    ClockSet: set_clock,
    TimeAdded: add_time,
    PlayerLeft: leave,
    GameEnded: block_game,
    RacksTold: score_racks,
    MatchEnded: end_match,
}
_BETWEEN_GAMES: Final[Row] = {
    **_CORRECTING,
    **_SEATING,
    NextGame: next_game,
    TableSettled: look_between_games,
    CameraBumped: bump_camera,
    PlayerLeft: leave,
    RacksTold: score_racks,
    MatchEnded: end_match,
}


TRANSITIONS: Final[Mapping[Phase, Row]] = MappingProxyType(
    {
        Phase.IDLE: {MatchStarted: start_match},
        Phase.TURN: {
            **_ANY_TIME,
            **_SEATING,
            TurnEnded: end_turn,
            RummikubCalled: call,
            TableTaken: take_table,
            TableSettled: watch,
            Undone: take_back,
            NextGame: other_starter,
        },
        Phase.LOOKING: {
            **_ANY_TIME,
            TableSettled: look,
            TableStill: look,
            TableMoving: report_hands,
            Undone: take_back,
            TurnEnded: press_while_waiting,
            RummikubCalled: press_while_waiting,
            TableTaken: take_table,
        },
        Phase.DOUBT: {
            **_ANY_TIME,
            TableSettled: judge,
            Undone: take_back,
            TurnEnded: press_while_waiting,
            RummikubCalled: press_while_waiting,
            TableTaken: take_table,
        },
        Phase.TIME_UP: {
            **_ANY_TIME,
            TableSettled: look,
            TableStill: look,
            TableMoving: report_hands,
            TurnEnded: press_while_waiting,
            TableTaken: take_table,
        },
        Phase.RESTORE: {
            **_ANY_TIME,
            TableSettled: look_restored,
            TurnEnded: press_restoring,
            RummikubCalled: press_restoring,
            TableTaken: take_table,
        },
        Phase.GAME_OVER: {
            **_BETWEEN_GAMES,
            ClockSet: set_clock,
            TimeAdded: add_time,
            TurnEnded: press_after_game,
            RackShown: show_rack,
            Undone: take_back,
        },
        Phase.CLEARING: {
            **_BETWEEN_GAMES,
            TableSettled: look_clearing,
            TurnEnded: press_clearing,
            Paused: pause_before_game,
        },
        Phase.MATCH_OVER: {MatchStarted: start_match, RacksTold: score_racks, PlayersRenamed: rename},
    }
)

HALTED: Final[Row] = MappingProxyType(
    {
        **_ANY_TIME,
        **_SEATING,
        Resumed: resume,
        TurnEnded: press_halted,
        RummikubCalled: press_halted,
        CameraBack: camera_back,
        TableSettled: look_halted,
        Undone: take_back,
    }
)


def step(before: Match, entered: Input) -> tuple[Match, tuple[TurnEvent, ...], LookWanted | None]:
    """Return the match after an input, its events and the look it requests; whatever is due before happens first."""
    match, events = _pass_time(before, entered)
    if isinstance(entered, TableMoving | TableSettled | TableStill):
        match = see(match, entered)
    row = HALTED if match.pauses.halted else TRANSITIONS[match.phase]
    rule = None if is_second_press(match, entered) else row.get(type(entered))
    if rule is not None:
        match, then = rule(match, entered)
        events += then
    match = with_button_meaning(before, match, entered)
    return match, events, _look_wanted(before, match, entered)


def _look_wanted(before: Match, match: Match, entered: Input) -> LookWanted | None:
    """Return a look request when the match begins to wait for one, and after each insufficient look."""
    settled = isinstance(entered, TableSettled)
    anew = match.wants_fresh_look and (settled or not before.wants_fresh_look)
    again = settled or isinstance(entered, TableStill) or match.look_due != before.look_due
    due = match.look_due if again else None
    return LookWanted(due=due, anew=anew) if anew or due is not None else None


def _pass_time(match: Match, entered: Input) -> Step:
    events: list[TurnEvent] = []
    seen = entered.frame_at if isinstance(entered, Ticked) else None
    while (due := _next_due(match, seen)) is not None and due[0] <= entered.at:
        match, then = due[1](replace(match, now=max(match.now, due[0])))
        events += then
    return replace(match, now=max(match.now, entered.at)), tuple(events)


def _next_due(match: Match, seen: Seconds | None) -> tuple[Seconds, Callable[[Match], Step]] | None:
    """Return the next thing due, and when; a wait for a reading continues while a frame from before its end is read."""
    due: list[tuple[Seconds, Callable[[Match], Step]]] = []
    if match.dispute.proposal is not None:
        due.append((match.dispute.proposal.until, expire))
    due += () if match.pauses.halted else _due_in_play(match, seen)
    return min(due, key=lambda due: due[0], default=None)


def _due_in_play(match: Match, seen: Seconds | None) -> list[tuple[Seconds, Callable[[Match], Step]]]:
    due: list[tuple[Seconds, Callable[[Match], Step]]] = []
    if match.play.warnings and (warned := match.play.clock.time_of(match.play.warnings[0])) is not None:
        due.append((warned, warn))
    if match.phase is Phase.TURN and (over := match.play.clock.time_of(0.0)) is not None:
        due.append((over, time_over))
    if match.play.wait_until is not None and (seen is None or seen > match.play.wait_until):
        due.append((match.play.wait_until, wait_over))
    if match.phase is Phase.GAME_OVER and match.undo is not None and match.undo.until > match.now:
        due.append((match.undo.until, look_between_games))
    return due
