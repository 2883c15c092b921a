"""A referee for Rummikub tables: a camera reads the tiles, rules judge the turn, lights and sound tell the players."""

__version__ = "0.1.0"
