"""Pixels to readings: the only home of OpenCV and ONNX Runtime beside the simulator."""

import os

# OpenCV looks at this once, when it is first imported: a small file that claims a huge picture is refused before memory
# is taken for it. 134 million pixels are 400 MB, twice what the largest phone cameras give.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(16384 * 8192))
