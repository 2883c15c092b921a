"""A press while the table is to be cleared: what is still seen there is told, and may be called no tile."""

from collections.abc import Sequence
from dataclasses import replace

from referee.game.correction_types import TileIs
from referee.game.disputes.rejudging import correct_table
from referee.game.endgame.games import faces_to_clear
from referee.game.endgame.shown_racks import look_between_games
from referee.game.inputs import TableCorrected, TurnEnded
from referee.game.state import Match, Phase, Step, is_double_press, prepend
from referee.game.turns.playing_on import begin_beside, is_opening
from referee.reading.inputs import TableSettled

_STILL_LYING = 0.5  # of the faces to be cleared: if fewer lie where they lay, people are clearing


def press_clearing(match: Match, pressed: TurnEnded) -> Step:
    """Say again which faces are seen; at a second press they are no tiles that anybody plays with: the game begins.

    It begins too with an opening laid beside them. A press while something moves counts once the table lies still.
    """
    if is_double_press(match):
        return match, ()
    match = replace(match, pressed_at=match.now)
    if match.table.current is None:
        return replace(match, play=replace(match.play, ahead=pressed)), ()
    return _press_seen(match, pressed)


def look_clearing(match: Match, settled: TableSettled) -> Step:
    """Begin the game once the table is cleared, and take a press that came while something moved over it."""
    pressed = match.play.ahead
    if not isinstance(pressed, TurnEnded):
        return look_between_games(match, settled)
    step = look_between_games(replace(match, play=replace(match.play, ahead=None)), settled)
    return _press_seen(step[0], pressed) if step[0].phase is Phase.CLEARING and not step[1] else step


def _press_seen(match: Match, pressed: TurnEnded) -> Step:
    faces = _faces(match)
    added = _added(match, faces)
    without, told = _called_no_tiles(match, [index for index in faces if index not in added])
    if added and (match.play.insisted or is_opening(without)):
        return prepend(begin_beside(without, pressed), *told)
    if not match.play.insisted:
        return replace(match, play=replace(match.play, insisted=True)), (faces_to_clear(match),)
    return without, told


def _faces(match: Match) -> list[int]:
    seen = () if match.table.current is None else match.table.current.read.tiles
    return [index for index, tile in enumerate(seen) if tile.tile is not None]


def _added(match: Match, faces: Sequence[int]) -> list[int]:
    """Return the faces laid beside those that are to be cleared; none where these were moved."""
    seen, lying = match.table.current, match.play.lying
    if seen is None:
        return []
    added = [index for index in faces if seen.read.tiles[index].place not in lying]
    return added if len(faces) - len(added) >= _STILL_LYING * len(lying) else []


def _called_no_tiles(match: Match, faces: Sequence[int]) -> Step:
    step: Step = match, ()
    for index in faces:
        match, events = step
        if match.phase is Phase.CLEARING:
            step = prepend(correct_table(match, TableCorrected(match.now, TileIs(index, None), "players")), *events)
    return step
