"""A simulated table: rendered frames, players and their buttons."""
