"""Pixels to readings: the only home of OpenCV and ONNX Runtime beside the simulator."""
