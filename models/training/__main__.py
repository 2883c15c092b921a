"""Rebuilds everything: renders the banks, trains the models, grades them, and writes all of it where it belongs.

    python -m models.training --data DATA --photos PHOTOS

What of the banks is there already is not rendered again. The readers come last: they learn from what the others find.
"""

import argparse
import subprocess
import sys
from pathlib import Path

READER = Path(__file__).resolve().parents[1] / "tiles-read.onnx"
WIDE = ("--wide", "--start", str(READER), "--epochs", "30", "--rate", "0.003", "--seed", "8")


def commands(data: Path, photos: Path) -> list[list[str]]:
    """What is run, in order; each step can be run alone as well."""
    python = [sys.executable, "-m"]
    return [
        [*python, "models.training.locate", "--data", str(data / "locate"), "--photos", str(photos), "--epochs", "90"],
        [*python, "models.training.corners", "--data", str(data / "corners")],
        [*python, "models.training.read", "--data", str(data / "read"), "--photos", str(photos)],
        [*python, "models.training.read", "--data", str(data / "read"), "--photos", str(photos), *WIDE],
        [*python, "models.training.evaluate", "--photos", str(photos), "--sheets", str(data / "sheets")],
    ]


def main() -> int:
    """Run the steps; the first that fails ends it, with its exit status."""
    parser = argparse.ArgumentParser(description="rebuild the models from nothing")
    parser.add_argument("--data", type=Path, required=True, help="folder for banks and weights: some gigabytes")
    parser.add_argument("--photos", type=Path, required=True, help="folder with labels.jsonl and images/")
    arguments = parser.parse_args()
    for command in commands(arguments.data, arguments.photos):
        print("$", *command, flush=True)
        status = subprocess.run(command, check=False).returncode  # noqa: S603  our own modules, no shell
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
