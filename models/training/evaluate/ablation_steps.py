"""Each step of the pipeline by name, and what stands in its place when it is left out: for `ablate`."""

from collections.abc import Mapping
from typing import Any, Final

from referee.vision import pipeline
from referee.vision.classify import augmented_reading, naming
from referee.vision.detect import corner_refinement, detection_scale
from referee.vision.detect.foreshortening import AS_IT_IS
from referee.vision.detect.scale_search import ScaleSearch

Patch = tuple[Any, str, Any]


def _as_located(_image: Any, quads: Any, _moves: Any) -> Any:
    return quads


STEPS: Final[Mapping[str, tuple[Patch, ...]]] = {
    "corners": ((pipeline, "at_corners", _as_located), (pipeline, "like_others", _as_located)),
    "outlines of one size": ((pipeline, "like_others", _as_located), (corner_refinement, "like_others", _as_located)),
    "sizes evened out": ((pipeline, "even_out", lambda quads: quads),),
    "inks of the table": ((pipeline, "cluster_inks", lambda _colours, faces, _known=None: faces.ink),),
    "no colour": ((pipeline, "is_colourless", lambda _crops: False),),
    "second reader": ((pipeline, "augmented_reading", lambda _image, _quads, faces, **_: faces),),
    "cut out anew": ((augmented_reading, "_MAX_RECROPS", 0),),
    "the other way up": ((augmented_reading, "_BOTH_WAYS", (augmented_reading.CropJitter(),)),),
    "hardly a tile": ((pipeline, "_HARDLY_A_TILE", (0.0, 0.1)),),
    "overlooked": ((ScaleSearch, "_with_overlooked", lambda _self, _image, found, _before: found),),
    "copies": (
        (
            pipeline,
            "read_with_multiplicity",
            lambda names, _box, quads, *, sure: naming.read_names(names, quads, sure=sure),
        ),
    ),
    "lengthening": (
        (ScaleSearch, "_look_lengthened", lambda _self, _image, found, _upright: found),
        (detection_scale, "_worth_it", lambda _longer: AS_IT_IS),
    ),
    "faintest": ((pipeline, "DOUBTFUL", 2.0),),
}
