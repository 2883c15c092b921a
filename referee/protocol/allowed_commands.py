"""The commands that are useful in the match's current state."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from referee.game.endgame.starter import may_begin_anew
from referee.game.event_parts import Reason
from referee.game.inputs import (
    ClockSet,
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
    Resumed,
    RummikubCalled,
    TableCorrected,
    TableTaken,
    TurnEnded,
    Undone,
)
from referee.game.match import HALTED, TRANSITIONS
from referee.game.state import Match, Phase
from referee.game.turns.seating import may_reseat

COMMAND_INPUTS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "press": TurnEnded,
        "rummikub": RummikubCalled,
        "undo": Undone,
        "pause": Paused,
        "resume": Resumed,
        "correct": TableCorrected,
        "add": TableCorrected,
        "add_set": TableCorrected,
        "join": TableCorrected,
        "part": TableCorrected,
        "agree": ProposalAnswered,
        "refuse": ProposalAnswered,
        "let_stand": LetStand,
        "take_table": TableTaken,
        "clock": ClockSet,
        "blocked": GameEnded,
        "player_left": PlayerLeft,
        "rename": PlayersRenamed,
        "reseat": PlayersReseated,
        "racks": RacksTold,
        "show_rack": RackShown,
        "next_game": NextGame,
        "starter": NextGame,
        "end_match": MatchEnded,
        "start": MatchStarted,
    }
)
"""Every word of `say`, and the input it becomes."""
_CORRECTIONS: Final = frozenset(word for word, kind in COMMAND_INPUTS.items() if kind is TableCorrected)
_ANSWERS: Final = frozenset(word for word, kind in COMMAND_INPUTS.items() if kind is ProposalAnswered)


def allowed_commands(match: Match) -> frozenset[str]:
    """Return the commands that would change the match now."""
    row = HALTED if match.pauses.halted else TRANSITIONS[match.phase]
    useless = {
        "let_stand": match.table.current is None,
        "take_table": match.table.current is None or not match.has_lost_thread,
        "clock": match.play.clock.left is None and not match.lost_on_time,
        "undo": match.undo is None or match.lost_on_time,
        "reseat": not may_reseat(match),
        "starter": match.phase is not Phase.TURN or match.seated is None or not may_begin_anew(match),
        "next_game": match.phase is Phase.TURN,
        **dict.fromkeys(_CORRECTIONS, match.table.shown is None and match.dispute.judged is None),
        **dict.fromkeys(_ANSWERS, match.dispute.proposal is None),
        **dict.fromkeys(("racks", "show_rack"), not match.results),
    }
    allowed = {command for command, kind in COMMAND_INPUTS.items() if kind in row and not useless.get(command)}
    if match.seated is None:
        return frozenset(allowed & {"start"})
    return frozenset(allowed - _useless_while_paused(match.pauses.halted))


def _useless_while_paused(reasons: frozenset[Reason]) -> set[str]:
    """Return the commands that have no effect while the match is paused for these reasons."""
    if not reasons:
        return set()
    useless = {"press", "rummikub"}
    if Reason.PAUSE in reasons:
        useless.add("pause")
    if not reasons & {Reason.PAUSE, Reason.RESTART}:
        useless.add("resume")
    return useless
