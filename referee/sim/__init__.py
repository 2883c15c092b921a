"""A table without hardware: rendered frames, players and their button."""
