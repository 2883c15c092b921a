"""The nets: their layers, and the way from weights to ONNX and back."""
