"""Evidence that the tiles of a table give about each other."""
