"""The running referee: the loop and the composition root."""
