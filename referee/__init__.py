"""A referee for Rummikub tables: a camera reads the tiles, rules judge the turn, lights and sound inform the players.

The names in `__all__` are the library; `docs/library.md` shows them. Each loads what it needs when it is first used.
"""

import os

TYPE_CHECKING = False  # loading `typing` takes so long that a Ctrl-C could fall into it
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from referee.reading.observation import TableReading
    from referee.rules.editions import RuleSet
    from referee.rules.formats import agreed_rules as rule_set
    from referee.rules.judge import judge_turn
    from referee.rules.notation import parse_table
    from referee.solver import best_play as solve

__all__ = ["judge_turn", "parse_table", "read_table", "rule_set", "score", "solve"]
__version__ = "0.1.0"

MAX_PIXELS = 100_000_000  # of a picture: 300 MB in memory; a phone's have 12 to 50 million
# Before OpenCV is loaded. What it warns of at every try to open a camera the referee says itself, once.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS))
os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # silent; OpenCV asks once, whichever video is opened first

_HOMES = {
    "judge_turn": ("referee.rules.judge", "judge_turn"),
    "parse_table": ("referee.rules.notation", "parse_table"),
    "rule_set": ("referee.rules.formats", "agreed_rules"),
    "solve": ("referee.solver", "best_play"),
}


def read_table(picture: "str | Path", rules: "RuleSet | None" = None) -> "TableReading":
    """Return what lies on the table of a picture; with `rules`, as far as the box of the edition holds it.

    Raise ImageError for a file that is no picture. What this returns will change.
    """
    from pathlib import Path  # noqa: PLC0415 - all of this takes long to load

    from referee.vision.image.frame import Frame  # noqa: PLC0415
    from referee.vision.image.picture_file import load_image  # noqa: PLC0415
    from referee.vision.pipeline import TableReader  # noqa: PLC0415

    path = Path(picture)
    return TableReader().read_table(Frame(path.name, 0.0, load_image(path)), None if rules is None else rules.box)


def score(match: "Mapping[str, Any]", rules: "RuleSet") -> "dict[str, Any]":
    """Return the scores and ranks of a match, both as `referee score` takes and gives them.

    Raise NotationError for a match that cannot be.
    """
    from referee.cli.score import score_from_json, scores_to_json  # noqa: PLC0415 - only who scores needs it

    return scores_to_json(score_from_json(match, rules)[1])


def __getattr__(name: str) -> "Any":
    """Load a name of the library when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only who uses the library needs it

    module, own = _HOMES[name]
    found = globals()[name] = getattr(import_module(module), own)
    return found
