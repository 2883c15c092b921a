"""Readings held against the truth, in every world."""
