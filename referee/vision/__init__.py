"""Pixels to readings: the only home of OpenCV and ONNX Runtime beside the simulator."""

import os

# From 1.31 on ONNX Runtime keeps a number for this machine and reports its use to Microsoft, unless this is set before
# it is imported. A referee sends nothing to anybody.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
