"""The ONNX models: found, checked against their sidecars and run."""
