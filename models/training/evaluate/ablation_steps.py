"""Each step of the pipeline by name, and what stands in its place when it is left out: for `ablate`."""

from ast import literal_eval
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from referee.vision import pipeline
from referee.vision.classify import augmented_reading, naming
from referee.vision.classify import tuning as classify
from referee.vision.context import tuning as context
from referee.vision.detect import corner_refinement, detection_scale
from referee.vision.detect.detection_scale import Zoom
from referee.vision.detect.scale_search import ScaleSearch
from referee.vision.geometry.quads import long_sides, suppress_duplicates

Patch = tuple[Any, str, Any]


def _as_located(_image: Any, quads: Any, *_more: Any) -> Any:
    return quads


def _clear_alone(reader: Any, _image: Any, found: Any) -> Any:
    return suppress_duplicates(found.pick(reader._search.are_clear(found)))  # noqa: SLF001 - it stands in for a method


def _scaled(upright: Any, _plane: Any, side: float) -> Zoom:
    return Zoom(min(1.0, side / float(np.median(long_sides(upright)))))


STEPS: Final[Mapping[str, tuple[Patch, ...]]] = {
    "corners": ((pipeline, "refine_corners", _as_located), (corner_refinement, "refine_outliers", _as_located)),
    "outlines of one size": ((corner_refinement, "refine_outliers", _as_located),),
    "inks of the table": ((pipeline, "apply_inks", lambda names, _prints, _known=None: names),),
    "no colour": ((pipeline, "is_colourless", lambda _crops: False),),
    "second reader": ((pipeline, "augmented_reading", lambda _image, _quads, faces, **_: faces),),
    "cut out anew": ((classify.TUNING, "max_recrops", 0),),
    "the other way up": ((augmented_reading, "_BOTH_ORIENTATIONS", (augmented_reading.CropJitter(),)),),
    "hardly a tile": ((classify.TUNING, "min_locate_score", 0.0),),
    "overlooked": ((ScaleSearch, "_keep_faces_of", lambda _self, _image, found, _before: found),),
    "copies": (
        (
            pipeline,
            "read_with_multiplicity",
            lambda names, _box, quads, *, sure: naming.read_names(names, quads, sure=sure),
        ),
    ),
    "flattening": (
        (ScaleSearch, "_locate_flattened", lambda _self, _image, found, _upright: found),
        (detection_scale, "flatten", _scaled),
    ),
    "the way up": ((context.TUNING, "way_up_weight", 0.0),),
    "a tile's size": (
        (context.TUNING, "max_size_error", 9.0),
        (context.TUNING, "max_shape_error", 9.0),
    ),
    "likeness": ((pipeline, "log_odds_of_tiles", lambda measures, *_: np.zeros(len(measures))),),
    "few are sure": ((context.TUNING, "min_sure_share", 0.0),),
    "edges": ((pipeline, "has_edges", lambda _image, quads: np.ones(len(quads), bool)),),
    "faintest": ((pipeline.TableReader, "_worth_reading", _clear_alone),),
}


def patches_of(step: str) -> tuple[Patch, ...]:
    """Return what stands in the place of a step, or of a tuned number: `ROOM.NUMBER=VALUE`."""
    if step in STEPS:
        return STEPS[step]
    place, _, value = step.partition("=")
    room, _, number = place.partition(".")
    return ((import_module(f"referee.vision.{room}.tuning").TUNING, number, literal_eval(value)),)


@contextmanager
def in_place(owner: Any, attribute: str, instead: Any) -> Iterator[None]:
    """Within this an attribute is another one, of a frozen dataclass too."""
    if isinstance(owner, type) or not is_dataclass(owner):
        with patch.object(owner, attribute, instead):
            yield
        return
    before = getattr(owner, attribute)
    object.__setattr__(owner, attribute, instead)
    try:
        yield
    finally:
        object.__setattr__(owner, attribute, before)
