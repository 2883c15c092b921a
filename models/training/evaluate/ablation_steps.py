"""Each step of the pipeline by name, and what stands in its place when it is left out: for `ablate`."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from referee.vision import pipeline
from referee.vision.classify import augmented_reading, naming
from referee.vision.context import ink_clustering, multiplicity_prior
from referee.vision.detect import corner_refinement, detection_scale
from referee.vision.detect.foreshortening import AS_IT_IS
from referee.vision.detect.scale_search import ScaleSearch

Patch = tuple[Any, str, Any]


def _none(quads: Any, *_: Any) -> Any:
    return np.zeros(len(quads), bool)


def _as_located(_image: Any, quads: Any, _moves: Any) -> Any:
    return quads


STEPS: Final[Mapping[str, tuple[Patch, ...]]] = {
    "corners": ((pipeline, "at_corners", _as_located), (pipeline, "like_others", _as_located)),
    "outlines of one size": ((pipeline, "like_others", _as_located), (corner_refinement, "like_others", _as_located)),
    "sizes evened out": ((pipeline, "even_out", lambda quads: quads),),
    "inks of the table": ((pipeline, "cluster_inks", lambda _colours, faces, _known=None: faces.ink),),
    "two hues": ((ink_clustering, "_of_two_hues", lambda names, *_: _none(names)),),
    "ink never surer": ((ink_clustering, "_as_sure_as_one", lambda together, _alone: together),),
    "pale inks": ((ink_clustering, "_PALE_CONTRAST", 0.0),),
    "no colour": ((pipeline, "is_colourless", lambda _crops: False),),
    "second reader": ((pipeline, "augmented_reading", lambda _image, _quads, _crops, faces, **_: faces),),
    "cut out anew": ((augmented_reading, "_MAX_RECROPS", 0),),
    "the other way up": ((augmented_reading, "_SURE_OF_SYMBOL", 0.0),),
    "almost sure twice": ((augmented_reading, "_SURE_AT_FIRST", 0.0),),
    "first look counts": ((augmented_reading, "_together", lambda _first, seen: augmented_reading.Faces.mean(seen)),),
    "hardly a tile": ((pipeline, "_HARDLY_A_TILE", (0.0, 0.1)),),
    "overlooked": ((ScaleSearch, "_with_overlooked", lambda _self, _image, found, _before: found),),
    "read otherwise": ((pipeline, "read_otherwise", lambda _image, _there, faces, *_: faces),),
    "way up": ((pipeline, "weigh_by_appearance", lambda _cut, faces: faces),),
    "six or nine": ((pipeline, "weigh_by_neighbours", lambda _quads, faces: faces),),
    "copies": (
        (
            pipeline,
            "read_with_multiplicity",
            lambda names, _box, quads, *, sure: naming.read_names(names, quads, sure=sure),
        ),
    ),
    "copies counted": ((multiplicity_prior, "_MAX_STATES", 0),),
    "lengthening": (
        (ScaleSearch, "_look_lengthened", lambda _self, _image, found, _upright: found),
        (detection_scale, "_worth_it", lambda _longer: AS_IT_IS),
    ),
    "finer look": (
        (ScaleSearch, "_look_finer", lambda self, image, found, _scale: (found, self._some_upright(image, found))),
    ),
    "costly looks": ((ScaleSearch, "_affordable", lambda _self, _image, _found, scale: scale),),
    "faces tell the scale": ((ScaleSearch, "_faces_among", lambda *_: 1.0),),
    "faint": ((ScaleSearch, "likely", lambda self, found: self.are_clear(found)),),
    "faintest": ((pipeline, "_PERHAPS_A_FACE", 2.0),),
}
