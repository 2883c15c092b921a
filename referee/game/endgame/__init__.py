"""From game to game: who starts, who won, the racks and what they score."""
