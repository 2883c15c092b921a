"""Pixels to readings: the only home of OpenCV and ONNX Runtime beside the simulator."""

import os

# OpenCV looks at this once, when it is first imported: a small file that claims a huge picture is refused before memory
# is taken for it. 134 million pixels are 400 MB, twice what the largest phone cameras give.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(16384 * 8192))
# From 1.31 on ONNX Runtime keeps a number for this machine and reports its use to Microsoft, unless this is set before
# it is imported. A referee tells nobody anything.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
