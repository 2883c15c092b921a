"""Where tiles are."""
