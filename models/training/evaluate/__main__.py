"""Grades the whole reader: `python -m models.training.evaluate`, as `report` says."""

from models.training.evaluate.report import main

main()
