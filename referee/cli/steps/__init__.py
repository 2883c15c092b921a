"""The steps of `referee calibrate`, one module each."""
