"""Presses of players who play on though the match stands elsewhere: they bring it to the turn that is really played.

Nobody is accused, penalised or counted out for a turn that was never seen by itself; it stands, and what it laid is
looked at with the turn that follows (`TurnStart.open`).
"""

from dataclasses import replace
from typing import Final

from referee.game.endgame.games import end_match, finish_game, next_turn, start_game, start_turn
from referee.game.endgame.shown_racks import show_rack, waiting_racks
from referee.game.endgame.starter import next_starters, tiles_decide
from referee.game.event_parts import Reason
from referee.game.events import TableConfirmed, TurnEvent, TurnUnseen, WrongSeat
from referee.game.inputs import NEVER, NextGame, RummikubCalled, Seat, TableTaken, TurnEnded
from referee.game.openings import perhaps_opened
from referee.game.state import (
    Match,
    Phase,
    Player,
    Step,
    TurnStart,
    forget_judged,
    forget_undo,
    is_double_press,
    none_passed,
    prepend,
    seat_after,
    with_item,
    with_player,
)
from referee.game.turns.drawing import draw_for_no_play
from referee.game.turns.observe import lies_as
from referee.game.turns.play import press, won_before
from referee.game.turns.restoring import remind
from referee.game.turns.verdict import accept
from referee.rules.judge import judge_turn
from referee.rules.table import EMPTY_TABLE
from referee.rules.verdict import Illegal, Legal, Outcome


def press_after_game(match: Match, pressed: TurnEnded) -> Step:
    """Take a press after a game as a rack shown, or as the first turn of the next game where that is being played."""
    if is_double_press(match) or not _plays_next_game(match, pressed.seat):
        return show_rack(match, pressed)
    return begin_with_press(match, pressed)


def _plays_next_game(match: Match, seat: Seat | None) -> bool:
    """Return whether the players have gone on: a bare table though every rack was asked, or an opening on one.

    What a player lays there whose rack is known is a first turn, legal or not.
    """
    observation, waiting = match.table.current, waiting_racks(match)
    if observation is None or not waiting or not match.showing.racks:
        return False
    asked = set(waiting) <= set(match.showing.asks)
    if observation.is_cleared:
        return asked
    laid = len(observation.hypotheses.best.tiles)
    owner = match.players[seat if seat in waiting else waiting[0]]
    is_rack = owner.rack <= laid <= owner.rack + owner.spare
    of_known = asked and seat is not None and seat not in waiting
    return match.showing.cleared and not is_rack and (of_known or is_opening(match))


def is_opening(match: Match) -> bool:
    """Return whether what lies there would be a legal first turn of a game."""
    if match.table.current is None:
        return False
    verdict = judge_turn(EMPTY_TABLE, match.table.current.hypotheses.best, opened=False, rules=match.rules)
    return isinstance(verdict, Legal) and verdict.outcome is Outcome.PLAYED


def begin_with_press(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Begin the next game with the turn that this press ends; players before it on a bare table have passed."""
    if match.game >= match.setup.games:
        return end_match(match, None)
    named = pressed.seat if tiles_decide(match) and pressed.seat in match.present else None
    starters = next_starters(match, match.starter, NextGame(match.now, named))
    first = starters[0] if starters else seat_after(match, match.starter)
    step: Step = start_game(replace(match, last_starter=match.starter, phase=Phase.GAME_OVER), first)
    bare = match.table.current is not None and match.table.current.is_cleared
    begun, events = _others_have_passed(step, pressed) if bare else step
    return prepend(press(replace(begun, pressed_at=NEVER), pressed), *events)


def _others_have_passed(step: Step, pressed: TurnEnded | RummikubCalled) -> Step:
    """Return a game that has begun, once the players before the one who presses have passed."""
    for _ in step[0].present:
        begun, events = step
        behind = pressed.seat is not None and begun.seat != pressed.seat and begun.phase is Phase.TURN
        if not behind:
            break
        step = prepend(draw_for_no_play(begun), *events)
    return step


def begin_beside(match: Match, pressed: TurnEnded) -> Step:
    """Begin the game for which a table should be cleared, with a turn on what lies beside things that are no tiles."""
    if match.game == len(match.results):
        return begin_with_press(match, pressed)
    begun, events = _others_have_passed(start_game(replace(match, game=match.game - 1), match.starter), pressed)
    return prepend(press(replace(begun, pressed_at=NEVER), pressed), *events)


# In a game -----------------------------------------------------------------------------------------------------------

_MIN_PLAY_SECONDS: Final = 3.0  # nobody lays tiles and presses sooner after another player's press


def end_turn(match: Match, pressed: TurnEnded) -> Step:
    """Take a press in a turn: of the player to move, of one who plays on, or the first of the next game."""
    if is_double_press(match):
        return match, ()
    bare = match.table.current is not None and match.table.current.is_cleared and bool(match.turn_start.best.sets)
    if match.bared and (bare or is_opening(match)):
        return _next_game_has_begun(match, pressed)
    winner = match.turn_start.may_be_empty
    if winner is not None and _shows_rack(match, pressed.seat):
        over, events = won_before(match, winner)
        return prepend(show_rack(replace(over, pressed_at=NEVER), pressed), *events)
    match = replace(match, bared=bare)
    return _press_of_other(match, pressed) if _is_of_other(match, pressed) else press(match, pressed)


def _shows_rack(match: Match, seat: Seat | None) -> bool:
    """Return whether a player has laid a whole rack beside the table, and no turn, as after a game."""
    seen, owner = match.table.current, match.players[match.seat if seat is None else seat]
    if seen is None:
        return False
    before, now = match.turn_start.best, seen.hypotheses.best
    laid = len(now.tiles) - len(before.tiles)
    fits = 0 < owner.rack <= laid <= owner.rack + owner.spare
    return fits and isinstance(judge_turn(before, now, opened=True, rules=match.rules), Illegal)


def _is_of_other(match: Match, pressed: TurnEnded | RummikubCalled) -> bool:
    return pressed.seat in match.present and pressed.seat != match.seat


def _next_game_has_begun(match: Match, pressed: TurnEnded) -> Step:
    """End a game whose table was cleared without a win that anybody saw, and take the press as the next one's first."""
    over, events = finish_game(forget_judged(forget_undo(match)), Reason.BLOCKED)
    return prepend(begin_with_press(over, pressed), *events)


def _press_of_other(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Say that it is another player's turn; but two such presses, one after the other, show that play went on."""
    follows = match.strayed is not None and pressed.seat == seat_after(match, match.strayed)
    as_before = lies_as(match, match.turn_start.tables)
    if follows and not as_before:
        return _catch_up(match, pressed)
    other = match.seat if pressed.seat is None else pressed.seat
    player = match.players[other] if as_before else perhaps_opened(match, match.players[other])
    mixed = match.play.mixed or (match.table.current is not None and not as_before)
    players, play = with_item(match.players, other, player), replace(match.play, mixed=mixed)
    told = WrongSeat(**match.event_header, pressed=other)
    return replace(match, strayed=pressed.seat, players=players, play=play), (told,)


def press_while_waiting(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Take a press while another waits for its look: a call, the same press anew, or the next player's turn."""
    if _is_of_other(match, pressed):
        if is_double_press(match):
            return match, ()
        goes_on = pressed.seat == seat_after(match, match.seat) and _has_gone_on(match)
        return _catch_up(match, pressed) if goes_on else _press_of_other(match, pressed)
    if pressed.seat not in {None, match.seat}:
        return match, ()
    if isinstance(pressed, RummikubCalled):
        match = replace(match, play=replace(match.play, claims_win=True))
    return (match, ()) if is_double_press(match) or not _moved_since(match) else _press_again(match)


def _moved_since(match: Match) -> bool:
    """Return whether something has moved since the press, or since the end of the time."""
    return match.table.current is None or match.table.current.since > match.judged_from


def _has_gone_on(match: Match) -> bool:
    """Return whether the next player may have had a turn since the press that waits."""
    if match.phase is Phase.DOUBT:
        return True
    return _moved_since(match) and match.now - match.judged_from > _MIN_PLAY_SECONDS


def _press_again(match: Match) -> Step:
    """Judge the table as it is once it settles, and not as it was at the press before."""
    if match.phase not in {Phase.LOOKING, Phase.DOUBT}:
        return match, ()
    wait_until = match.in_seconds(match.limits.settle_seconds)
    play = replace(match.play, first_look=None, doubt=None, wait_until=wait_until)
    return replace(match, phase=Phase.LOOKING, pressed_at=match.now, play=play), ()


def press_restoring(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Say what is still to be restored; but a second player who presses shows that play went on without it.

    The player who should restore may press in between, in turn: that press alone shows nothing.
    """
    first = None if match.play.ahead is None else match.play.ahead.seat
    follows = first is not None and pressed.seat == seat_after(match, first) and not is_double_press(match)
    of_other = _is_of_other(match, pressed)
    if follows and of_other:
        return _catch_up(match, pressed)
    return remind(match, pressed if follows or of_other else None)


def _catch_up(match: Match, pressed: TurnEnded | RummikubCalled) -> Step:
    """Let the turns before this player's stand, unseen or in doubt as they are, and take the press."""
    told: tuple[TurnEvent, ...] = ()
    for _ in match.present:
        if match.seat == pressed.seat or match.phase is Phase.GAME_OVER:
            break
        in_doubt = match.phase is Phase.DOUBT and match.table.current is not None
        left = accept(match, match.play.doubt) if in_doubt and match.play.doubt else _leave_unseen(match)
        match, events = left
        told += events
    return prepend(press(replace(match, pressed_at=NEVER), pressed), *told)


def _leave_unseen(match: Match) -> Step:
    """Let a turn stand of which there was no look; its player may have laid tiles, or drawn one."""
    drew = min(match.rules.pass_draw, match.pool)
    player = perhaps_opened(match, replace(match.player, spare=match.player.spare + drew))
    start = replace(match.turn_start, open=True, first_seen=(), uncounted=None, may_be_empty=None, drawn=0)
    over = with_player(none_passed(forget_judged(forget_undo(match))), player)
    return prepend(next_turn(replace(over, turn_start=start)), TurnUnseen(**match.event_header))


# The lost thread -----------------------------------------------------------------------------------------------------


def take_table(match: Match, taken: TableTaken) -> Step:
    """Take the table as it lies as the one that the turn begins with: its player is to move, with the full time."""
    seen = match.table.current
    if seen is None or not match.has_lost_thread or taken.seat not in {None, *match.present}:
        return match, ()
    if seen.is_cleared and match.turn_start.best.sets:
        return finish_game(forget_judged(forget_undo(match)), Reason.BLOCKED)
    seat = match.seat if taken.seat is None else taken.seat
    laid = len(seen.hypotheses.best.tiles) - len(match.turn_start.best.tiles)
    players = tuple(perhaps_opened(match, _recounted(player, laid, match.rules.pass_draw)) for player in match.players)
    start = TurnStart(tables=seen.hypotheses.tables, observation=seen)
    turn = replace(
        forget_judged(forget_undo(match)), seat=seat, players=players, turn_start=start, astray=0, strayed=None
    )
    told = TableConfirmed(**turn.event_header, table=start.best, frame_id=seen.reading.frame_id, by=taken.by)
    return prepend(start_turn(turn), told)


def _recounted(player: Player, laid: int, draw: int) -> Player:
    """Return a player who may have laid any of these tiles, or drawn, without a look."""
    least = max(1, player.rack - max(0, laid))
    return replace(player, rack=least, spare=player.rack + player.spare + draw - least)
