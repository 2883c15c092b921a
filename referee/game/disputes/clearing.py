"""A press while the table is to be cleared: what is still seen there is told, and may be called no tile."""

from dataclasses import replace

from referee.game.correction_types import TileIs
from referee.game.disputes.rejudging import correct_table
from referee.game.endgame.games import faces_to_clear
from referee.game.inputs import TableCorrected, TurnEnded
from referee.game.state import Match, Phase, Step, is_double_press, prepend


def press_clearing(match: Match, _pressed: TurnEnded) -> Step:
    """Say again which faces are seen; at a second press they are no tiles that anybody plays with: the game begins."""
    seen = match.table.current
    if is_double_press(match) or seen is None:
        return match, ()
    match = replace(match, pressed_at=match.now)
    if not match.play.insisted:
        return replace(match, play=replace(match.play, insisted=True)), (faces_to_clear(match),)
    step: Step = match, ()
    for index, tile in enumerate(seen.read.tiles):
        match, events = step
        if tile.tile is not None and match.phase is Phase.CLEARING:
            step = prepend(correct_table(match, TableCorrected(match.now, TileIs(index, None), "players")), *events)
    return step
