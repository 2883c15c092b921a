"""Photographs in files to readings: what the library reads without a camera."""

from pathlib import Path

from referee.reading.observation import TableReading
from referee.rules.editions import RuleSet
from referee.vision.image.frame import Frame
from referee.vision.image.picture_file import load_image
from referee.vision.pipeline import TableReader


def read_table(picture: str | Path, rules: RuleSet | None = None) -> TableReading:
    """Return what lies on the table of a picture; with `rules`, as far as the box of the edition holds it.

    Raise ImageError for a file that is no picture. What this returns will change.
    """
    path = Path(picture)
    return TableReader().read_table(Frame(path.name, 0.0, load_image(path)), None if rules is None else rules.box)
