"""The network that readings are timed beside is YOLO11n's in all but its weights."""

import math
from collections import Counter

import numpy as np
import onnxruntime

from benchmarks.peer import yolo11n


def test_it_has_the_weights_and_layers_that_its_authors_tell() -> None:
    graph = yolo11n().graph
    weights = sum(math.prod(one.dims) for one in graph.initializer)
    assert abs(weights / 2.6e6 - 1) < 0.02, "2.6 million"
    kinds = Counter(node.op_type for node in graph.node)
    assert (kinds["Conv"], kinds["Sigmoid"], kinds["MaxPool"], kinds["Softmax"]) == (88, 78, 3, 2)


def test_it_answers_for_every_cell_of_three_grids() -> None:
    session = onnxruntime.InferenceSession(yolo11n().SerializeToString(), providers=["CPUExecutionProvider"])
    picture = np.random.default_rng(0).random((1, 3, 96, 64), np.float32)
    (said,) = session.run(None, {"images": picture})
    assert said.shape == (1, 84, sum(96 * 64 // stride**2 for stride in (8, 16, 32)))
    assert np.isfinite(said).all()
    assert said.std(axis=2).min() > 0, "it looks at the picture"
