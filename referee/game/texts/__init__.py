"""What follows from an event for people: its cue, and its sentence."""
