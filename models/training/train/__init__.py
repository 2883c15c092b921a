"""Training: a command for each model."""
