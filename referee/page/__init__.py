"""The page on a phone and the display: its routes and what they give."""
