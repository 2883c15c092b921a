"""What was seen of a table, as pure values: tile readings, rows of tiles, agreement over time."""
