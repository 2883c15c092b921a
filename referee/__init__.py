"""A referee for Rummikub tables: a camera reads the tiles, rules judge the turn, lights and sound tell the players."""

import os

__version__ = "0.1.0"

MOST_PIXELS = 100_000_000  # of a picture: 300 MB in memory; a phone's have 12 to 50 million
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))  # before OpenCV is loaded
