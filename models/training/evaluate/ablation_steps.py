"""Each step of the pipeline by name, and what stands in its place when it is left out: for `ablate`."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from referee.vision import pipeline
from referee.vision.classify import augmented_reading, naming
from referee.vision.context import ink_clustering, multiplicity_prior
from referee.vision.detect import corner_refinement, detection_scale
from referee.vision.detect.foreshortening import AS_IT_IS
from referee.vision.detect.scale_search import Finder

Patch = tuple[Any, str, Any]


def _none(quads: Any, *_: Any) -> Any:
    return np.zeros(len(quads), bool)


def _as_located(_image: Any, quads: Any, _moves: Any) -> Any:
    return quads


STEPS: Final[Mapping[str, tuple[Patch, ...]]] = {
    "corners": ((pipeline, "at_corners", _as_located), (pipeline, "like_others", _as_located)),
    "outlines of one size": ((pipeline, "like_others", _as_located), (corner_refinement, "like_others", _as_located)),
    "sizes evened out": ((pipeline, "even_out", lambda quads: quads),),
    "inks of the table": ((pipeline, "judge_together", lambda _colours, faces, _known=None: faces.ink),),
    "two hues": ((ink_clustering, "_of_two_hues", lambda names, *_: _none(names)),),
    "ink never surer": ((ink_clustering, "_as_sure_as_one", lambda together, _alone: together),),
    "pale inks": ((ink_clustering, "_PALE", 0.0),),
    "no colour": ((pipeline, "is_colourless", lambda _crops: False),),
    "second reader": ((pipeline, "read_again", lambda _image, _quads, _crops, faces, **_: faces),),
    "cut out anew": ((augmented_reading, "_MOST", 0),),
    "the other way up": ((augmented_reading, "_ALMOST", 0.0),),
    "almost sure twice": ((augmented_reading, "_AT_A_GLANCE", 0.0),),
    "first look counts": ((augmented_reading, "_together", lambda _first, seen: augmented_reading.Faces.mean(seen)),),
    "hardly a tile": ((pipeline, "_HARDLY_A_TILE", (0.0, 0.1)),),
    "overlooked": ((Finder, "_with_overlooked", lambda _self, _image, found, _before: found),),
    "read otherwise": ((pipeline, "read_otherwise", lambda _image, _there, faces, *_: faces),),
    "way up": ((pipeline, "weigh_way_up", lambda _cut, faces: faces),),
    "six or nine": ((pipeline, "six_or_nine", lambda _quads, faces: faces),),
    "copies": (
        (pipeline, "read_copies", lambda names, _box, quads, *, sure: naming.read_names(names, quads, sure=sure)),
    ),
    "copies counted": ((multiplicity_prior, "_MOST_WAYS", 0),),
    "lengthening": (
        (Finder, "_look_lengthened", lambda _self, _image, found, _upright: found),
        (detection_scale, "_worth_it", lambda _longer: AS_IT_IS),
    ),
    "finer look": (
        (Finder, "_look_finer", lambda self, image, found, _scale: (found, self._some_upright(image, found))),
    ),
    "costly looks": ((Finder, "_affordable", lambda _self, _image, _found, scale: scale),),
    "faces tell the scale": ((Finder, "_faces_among", lambda *_: 1.0),),
    "faint": ((Finder, "likely", lambda self, found: self.are_clear(found)),),
    "faintest": ((pipeline, "_PERHAPS_A_FACE", 2.0),),
}
