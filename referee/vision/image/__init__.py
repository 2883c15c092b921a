"""Pixels in, pixels out: frames, files, sizes, colour channels and drawings."""
