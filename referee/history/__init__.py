"""What became of a match: its turns, story, record, pictures and statistics."""
