"""A referee for Rummikub tables: a camera looks down, the tiles are read, the turn is judged, lights and sound tell the players."""

__version__ = "0.1.0"
