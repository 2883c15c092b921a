"""What a page shows: the State, the history and the pictures, as values without a server."""
