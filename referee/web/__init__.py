"""The page on a phone: what the referee sees goes out, the organiser's words come in."""
