"""The match as a pure state machine: inputs in, turn events and cues out."""
