"""How the models are made: rendered tables, photographs, nets, training, export."""

import referee.vision  # noqa: F401  before ONNX Runtime is imported anywhere: it keeps that from reporting
