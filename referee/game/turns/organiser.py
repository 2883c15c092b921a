"""The organiser's commands for turn, clock and game: let a table stand, set the clock, end a game."""

from dataclasses import replace

from referee.game.clock import TurnClock, time_control
from referee.game.endgame.games import end_match, finish_game
from referee.game.event_parts import Reason
from referee.game.events import PlayerGone, TimeGiven
from referee.game.inputs import MAX_TURN_SECONDS, NEVER, ClockSet, GameEnded, LetStand, PlayerLeft, TimeAdded
from referee.game.state import Match, Phase, Step, forget_judged, forget_undo, prepend, with_clock_stopped, with_item
from referee.game.turns.restoring import begin_restore
from referee.game.turns.undo import return_turn
from referee.game.turns.verdict import accept, judge_seen, keep_judged, play_on


def let_stand(match: Match, command: LetStand) -> Step:
    """Accept the table as it lies, by the organiser's decision."""
    if match.table.current is None:
        return match, ()
    stands = forget_undo(match) if match.phase is Phase.TURN else match  # it would take back the press before, not this
    stands = keep_judged(stands, match.table.current, ordered=True)
    return accept(stands, judge_seen(match, match.table.current.hypotheses), command.by)


def set_clock(match: Match, command: ClockSet) -> Step:
    """Set the clock, running or stopped as before; resume a turn or a game that ended on time."""
    if match.lost_on_time and match.undo is not None:
        again, events = return_turn(match, match.undo)
        return prepend(set_clock(again, command), *events)
    if match.play.clock.left is None or match.seat in match.gone:
        return match, ()
    left = command.seconds_left
    added = left - (match.play.clock.left_at(match.now) or 0.0)
    players = match.players
    if time_control(match.rules).banked:
        player = replace(match.player, bank=max(0.0, match.player.bank + added))
        players = with_item(players, match.seat, player)
    event = TimeGiven(**match.event_header, seconds_left=left, by=command.by)
    warnings = tuple(sorted((w for w in match.limits.warn_seconds if w < left), reverse=True))
    undo = match.undo
    if undo is not None and undo.turn == match.turn:  # else it gives back the turn before
        undo = replace(undo, players=players, play=replace(undo.play, clock=TurnClock(left), warnings=warnings))
    clock = TurnClock(left, None if match.play.clock.since is None else match.now)
    play = replace(match.play, clock=clock, warnings=warnings)
    if not left or not match.play.late:
        return replace(match, play=play, players=players, undo=undo), (event,)
    in_time = replace(match, play=replace(play, deadline=NEVER, guided=None), players=players, undo=undo)
    return (play_on(in_time)[0] if match.phase in {Phase.TIME_UP, Phase.RESTORE} else in_time), (event,)


def add_time(match: Match, command: TimeAdded) -> Step:
    """Give the player to move more time than is left, or less; after a game lost on time, more than none."""
    left = 0.0 if match.lost_on_time else match.play.clock.left_at(match.now)
    if left is None:
        return match, ()
    wanted = min(MAX_TURN_SECONDS, max(0.0, left + command.seconds))
    return set_clock(match, ClockSet(command.at, wanted, command.by))


def leave(match: Match, left: PlayerLeft) -> Step:
    """Continue without a player; the match ends when one is left.

    A pending press, or the end of the time, is still judged. A player who leaves in mid-turn takes back the tiles laid
    in it: the table is restored before the next player moves.
    """
    if left.seat not in match.present:
        return match, ()
    event = PlayerGone(**match.event_header, left=left.seat)
    rest = replace(forget_undo(match), gone=match.gone | {left.seat})
    if len(rest.present) < 2:
        return prepend(end_match(rest, None), event)
    if match.phase is not Phase.TURN or left.seat != match.seat:
        return rest, (event,)
    return prepend(
        begin_restore(replace(forget_judged(rest), play=replace(with_clock_stopped(rest), warnings=()))), event
    )


def block_game(match: Match, _ended: GameEnded) -> Step:
    """End a game because the players say that nobody can go on."""
    return finish_game(forget_judged(forget_undo(match)), Reason.BLOCKED)
