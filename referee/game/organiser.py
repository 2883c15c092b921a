"""What the organiser may say: correct a reading and have it judged anew, let a table stand, set the clock, end a game.

A verdict can be disputed until the next press, or until the next player's time is over. The corrected reading is
judged by the same core, against the same table before and with the clock as it stood at the press:

    the player to move was sent back     as long as the table lies as it was judged, the press counts again, and the
                                         turn may pass on, be sent back once more or be in doubt; a table that has
                                         changed since takes another press
    the turn has passed on               what the next turn begins with, who has opened, the racks and the draws
                                         become what they should have been; the next player's clock is not touched
    ... and was illegal after all        it goes back to its player if nobody has touched the table since; else it
                                         stands, for the next player has built on it
    ... and is in doubt                  it stands, and the next turn begins with every table that is possible
    the game was won                     the same, until its racks are told; a win that was none gives the turn back
"""

from dataclasses import replace

from referee.game.clock import TurnClock
from referee.game.corrections import Correction, add_correction, correct, correct_earlier, same_faces
from referee.game.event_parts import Reason
from referee.game.events import GameWon, PlayerGone, TileNamed, TimeGiven, TurnEvent, TurnStarted, TurnTakenBack
from referee.game.games import end_match, finish_game
from referee.game.halts import look_halted
from referee.game.inputs import NEVER, ClockSet, GameEnded, LetStand, PlayerLeft, TileCorrected
from referee.game.restoring import begin_restore, restore
from referee.game.shown_racks import look_at_rack
from referee.game.state import Match, Phase, Sight, Step, also, forget_undo
from referee.game.turns import (
    accept,
    disputable,
    find,
    judge,
    look,
    pass_on,
    play_on,
    send_back,
    watch,
)
from referee.game.worlds import worlds
from referee.reading.observation import TableReading
from referee.rules.table import Table
from referee.rules.verdict import Illegal, Undecided

# A tile ------------------------------------------------------------------------------------------------------------


def correct_tile(match: Match, said: TileCorrected) -> Step:
    """Take a tile for what it is said to be, now and as long as it lies there, and judge anew what hangs on it."""
    sight = _meant(match, said)
    if sight is None or not 0 <= said.index < len(sight.reading.tiles):
        return match, ()
    named = TileNamed(
        **match.here,
        index=said.index,
        was=sight.reading.tiles[said.index].tile,
        tile=said.tile,
        by=said.by,
        frame_id=sight.reading.frame_id,
    )
    corrections = add_correction(match.corrections, sight.read, said.index, said.tile)
    return also(_judge_anew(match, _corrected(match, corrections)), named)


def _meant(match: Match, said: TileCorrected) -> Sight | None:
    """The look whose tile is meant: a tap on an older picture corrects nothing."""
    looks = [match.shown, None if match.judged is None else match.judged.sight]
    known = [sight for sight in looks if sight is not None]
    if not said.frame_id:
        return known[0] if known else None
    return next((sight for sight in known if sight.reading.frame_id == said.frame_id), None)


def _corrected(match: Match, corrections: tuple[Correction, ...]) -> Match:
    """Give the match as if the reader had read so, from the beginning of the turn in dispute on."""
    shown = match.shown and _as_said(match.shown, correct(match.shown.read, corrections, match.shown.reading))
    now = None if shown is None else shown.reading
    began = match.began and _as_said(match.began, correct_earlier(match.began.read, corrections, now))
    before = match.before if began is None or began == match.began else began.worlds.tables
    return replace(
        match,
        corrections=corrections,
        reference=_reference(match, shown),
        shown=shown,
        sight=match.sight and _as_said(match.sight, correct(match.sight.read, corrections, match.sight.reading)),
        first_look=None,
        began=began,
        before=before,
        judged=match.judged and _corrected(match.judged, corrections),
        undo=match.undo and _corrected(match.undo, corrections),
    )


def _reference(match: Match, shown: Sight | None) -> tuple[Table, ...]:
    """What the table is compared with after a break: a tile renamed in it has not changed."""
    if match.shown is None or shown is None or match.reference != match.shown.worlds.tables:
        return match.reference
    return shown.worlds.tables


def _as_said(sight: Sight, reading: TableReading) -> Sight:
    return sight if reading == sight.reading else replace(sight, reading=reading, worlds=worlds(reading), earlier=None)


def _judge_anew(earlier: Match, match: Match) -> Step:
    """Do what a look at the corrected table does; a person's word counts as two looks."""
    if Reason.RESTART in match.halted:
        return look_halted(match)
    if match.judged is not None and _is_past(match, match.judged) and _differ(match.judged, earlier.judged):
        return _judge_past(match, match.judged)
    match match.phase:
        case Phase.GAME_OVER | Phase.CLEARING:
            return look_at_rack(match, sure=True)
        case Phase.TURN | Phase.RESTORE:
            return _judge_present(match)
        case Phase.LOOKING | Phase.TIME_UP | Phase.DOUBT:
            return _judge_waiting(match)
        case _:
            return match, ()


def _differ(one: Match, other: Match | None) -> bool:
    """Tell whether the correction concerns the verdict."""
    return other is None or one.sight != other.sight or one.before != other.before


def _is_past(match: Match, judged: Match) -> bool:
    """Tell whether the verdict ended its turn, and what came of it can still be changed."""
    if match.phase is Phase.GAME_OVER:
        return match.results[-1].scores is None
    return match.phase is Phase.TURN and judged.turn != match.turn


def _judge_waiting(match: Match) -> Step:
    if match.sight is None:
        return match, ()
    sure = replace(match, first_look=match.sight.worlds)
    if match.phase is not Phase.DOUBT:
        after, told = look(sure)
        return replace(after, first_look=None), told
    # Somebody is answering: what is left in doubt is asked about again, and waited for anew.
    return judge(replace(sure, phase=Phase.LOOKING))


def _judge_present(match: Match) -> Step:
    """Judge the turn that was sent back as if its press still waited, unless the table has changed since."""
    past, sight = match.judged, match.sight
    lies = past is not None and past.turn == match.turn and sight is not None and _lies_so(past.sight, sight)
    if not lies or past is None or past.sight is None or sight is None:
        return watch(match) if match.phase is Phase.TURN else restore(match)
    pressed = replace(
        match,
        phase=Phase.LOOKING,
        clock=match.clock.standing(match.now),
        late=past.late,
        deadline=past.deadline,
        claims_win=past.claims_win,
        undo=past.undo,
        sight=replace(sight, since=past.sight.since),
        first_look=sight.worlds,
        guide=None,
    )
    return judge(pressed)


def _judge_past(match: Match, judged: Match) -> Step:
    """Judge the last turn again, and bring what has come after it in line."""
    if judged.sight is None:
        return match, ()
    past = replace(
        judged,
        now=match.now,
        gone=match.gone,
        halted=match.halted,
        reference=match.reference,
        change_told=match.change_told,
        shown=match.shown,
        judged=disputable(judged),
    )
    after, told = _verdict_again(match, past, judged.sight)
    after = replace(after, sight=match.sight)
    if (after.phase, after.turn) != (match.phase, match.turn):
        return after, told
    same = replace(
        match,
        before=after.before,
        began=after.began,
        racks=after.racks,
        opened=after.opened,
        passed=after.passed,
        results=after.results,
        judged=past.judged,
    )
    news = tuple(event for event in told if not isinstance(event, TurnStarted | GameWon))
    return also(watch(same) if same.phase is Phase.TURN else (same, ()), *news)


def _verdict_again(match: Match, past: Match, sight: Sight) -> Step:
    finding = find(past, sight)
    if past.ordered or isinstance(finding.verdict, Undecided):
        return accept(past, finding)
    if not isinstance(finding.verdict, Illegal):
        return pass_on(past, finding, sight.since)
    if match.sight is None or not _lies_so(sight, match.sight):
        return accept(past, finding)
    after, told = send_back(past, finding)
    if after.phase is not Phase.TURN:
        return after, told
    judged: TurnEvent = told[0]
    return after, (judged, TurnTakenBack(**after.here, seconds_left=after.clock.left_at(after.now)))


def _lies_so(judged: Sight | None, now: Sight) -> bool:
    """Tell whether the table lies as it was judged, whatever its tiles are taken for."""
    return judged is not None and same_faces(judged.read, now.read)


# The turn, the clock, the game -------------------------------------------------------------------------------------


def let_stand(match: Match, said: LetStand) -> Step:
    """Accept the table as it lies because the organiser says so."""
    if match.sight is None:
        return match, ()
    ordered = replace(disputable(match), ordered=True)
    return accept(replace(match, judged=ordered), find(match, match.sight), said.by)


def set_clock(match: Match, said: ClockSet) -> Step:
    """Give time back or take it: the clock runs or stands as before, and a turn whose time was over goes on."""
    if match.clock.left is None or match.seat in match.gone:
        return match, ()
    left = said.seconds_left
    told = TimeGiven(**match.here, seconds_left=left, by=said.by)
    warnings = tuple(sorted((w for w in match.limits.warn_seconds if w < left), reverse=True))
    undo = match.undo and replace(match.undo, clock=TurnClock(left), warnings=warnings)
    clock = TurnClock(left, None if match.clock.since is None else match.now)
    given = replace(match, clock=clock, warnings=warnings, undo=undo)
    if not left or not match.late:
        return given, (told,)
    in_time = replace(given, late=False, deadline=NEVER)
    if match.phase not in {Phase.TIME_UP, Phase.RESTORE}:
        return in_time, (told,)
    return replace(play_on(in_time)[0], guide=None), (told,)


def leave(match: Match, left: PlayerLeft) -> Step:
    """Go on without a player; the last one left ends the match.

    Who leaves with a press or the end of the time waiting is judged still. Who leaves in the middle of a turn takes
    back the tiles laid in it: the table is restored before the next player moves.
    """
    if left.seat not in match.present:
        return match, ()
    told = PlayerGone(**match.here, left=left.seat)
    rest = replace(forget_undo(match), gone=match.gone | {left.seat})
    if len(rest.present) < 2:
        return also(end_match(rest, None), told)
    if match.phase is not Phase.TURN or left.seat != match.seat:
        return rest, (told,)
    return also(begin_restore(replace(rest, clock=rest.clock.standing(rest.now), warnings=(), judged=None)), told)


def block_game(match: Match, _ended: GameEnded) -> Step:
    """End a game because the players say that nobody can go on."""
    return finish_game(replace(forget_undo(match), judged=None), Reason.BLOCKED)
