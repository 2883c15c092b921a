"""What the tiles of a table tell about one another."""
