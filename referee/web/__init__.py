"""The page on a phone: shows what the referee sees and takes the organiser's commands."""
