"""The reading of a table as pure values: tile readings, rows of tiles, consensus over time."""
