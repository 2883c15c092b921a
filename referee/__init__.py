"""A referee for Rummikub tables: a camera reads the tiles, rules judge the turn, lights and sound inform the players.

The names in `__all__` are the library; `docs/library.md` shows them. Each loads what it needs when it is first used.
"""

import os

TYPE_CHECKING = False  # loading `typing` takes so long that a Ctrl-C could fall into it
if TYPE_CHECKING:
    from typing import Any

    from referee.errors import RefereeError
    from referee.game.endgame.scoring_json import score
    from referee.rules.editions import RuleSet
    from referee.rules.formats import agreed_rules as rule_set
    from referee.rules.judge import judge_turn
    from referee.rules.notation import format_table, parse_table, parse_tiles
    from referee.rules.table import Table
    from referee.rules.verdict import Illegal, Legal, Undecided
    from referee.solver import Play
    from referee.solver import best_play as solve
    from referee.vision.photographs import read_table

__all__ = [
    "Illegal",
    "Legal",
    "Play",
    "RefereeError",
    "RuleSet",
    "Table",
    "Undecided",
    "format_table",
    "judge_turn",
    "parse_table",
    "parse_tiles",
    "read_table",
    "rule_set",
    "score",
    "solve",
]
__version__ = "0.1.0"

# Whoever loads OpenCV first: it reads these as it is loaded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "100000000")  # 300 MB in memory; a phone's have 12 to 50 million
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")  # the referee itself says once that a camera does not open
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # silent; OpenCV asks once, whichever video is opened first

_HOMES = {
    "Illegal": ("referee.rules.verdict", "Illegal"),
    "Legal": ("referee.rules.verdict", "Legal"),
    "Play": ("referee.solver", "Play"),
    "RefereeError": ("referee.errors", "RefereeError"),
    "RuleSet": ("referee.rules.editions", "RuleSet"),
    "Table": ("referee.rules.table", "Table"),
    "Undecided": ("referee.rules.verdict", "Undecided"),
    "format_table": ("referee.rules.notation", "format_table"),
    "judge_turn": ("referee.rules.judge", "judge_turn"),
    "parse_table": ("referee.rules.notation", "parse_table"),
    "parse_tiles": ("referee.rules.notation", "parse_tiles"),
    "read_table": ("referee.vision.photographs", "read_table"),
    "rule_set": ("referee.rules.formats", "agreed_rules"),
    "score": ("referee.game.endgame.scoring_json", "score"),
    "solve": ("referee.solver", "best_play"),
}


def __dir__() -> list[str]:
    """List the names of the library too, for completion."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> "Any":
    """Load a name of the library when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only who uses the library needs it

    module, own = _HOMES[name]
    found = globals()[name] = getattr(import_module(module), own)
    return found
